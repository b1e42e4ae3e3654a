/* data.h: what the examples train on.
 *
 *   Vocab      words <-> ids, the nearest known words             data/vocab.c
 *   Words      a line of text cut into words                      data/tokenise.c
 *   Grammar    sentences drawn by number from word lists           data/corpora/grammar.c, grammar_build.c
 *              and templates: "it" and "bank"                     data/corpora/grammar_templates.c
 *              phrases; reviews                                    data/corpora/grammar_phrases.c, grammar_reviews.c
 *              a user's own sentence in it                        data/corpora/grammar_parse.c
 *   batches    sentences as padded ids                            data/batch.c
 *   translations  Spanish and English, sentence by sentence       data/corpora/translations.c, translations_open.c,
 *                                                                  translations_lexicon.c
 *   Masking    which tokens a masked language model has to guess   data/mask.c
 *   stories    fables, as many as are wanted                      data/corpora/stories.c
 *   Text       any file as a row of characters                    data/text.c, utf8.c
 *              a vocabulary built from a text, a text as ids      data/word_vocab.c
 *              a whole file, checked; texts with labels           data/file.c, labelled.c
 *   Sequences  token sequences as padded batches; orders, splits  data/sequences.c
 *   Bpe        byte-pair tokens, trained on any bytes              data/bpe.c, bpe_train.c, bpe_file.c
 *   Images     MNIST's and CIFAR-10's files                       data/images.c, stream.c, gzip.c
 *              handwritten-looking digits, without a file         data/corpora/digits.c, digits_strokes.c
 *
 * This folder uses tensor/ alone. Ids, lengths and labels are int32_t, as tape_ids takes them. Every
 * failure is an error by tensor_fail; nothing a file or a user's text holds can crash it. */
#ifndef GRADUS_DATA_H
#define GRADUS_DATA_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* ---- vocabularies ---------------------------------------------------------------- vocab.c -- */

enum { DATA_PAD, DATA_MASK, DATA_UNK, DATA_SPECIALS }; /* the first ids, where there are specials */
enum { DATA_NEAREST = 3 };

/* Words numbered in the order in which they came. Start from (Vocab){0}. */
typedef struct {
    int count;
    const char **words; /* words[id], id = 0 .. count-1                                    */
    int capacity;       /* how many words fit before the tables grow                       */
    int32_t *slots;     /* 2 * capacity places of a hash table: an id, or -1 where none is      */
    Arena arena;        /* holds the words and both tables                                 */
} Vocab;

/* Adds "<pad>", "<mask>" and "<unk>" as the ids 0, 1, 2 of an empty vocabulary. */
GRADUS_API bool data_vocab_specials(Vocab *v);

/* The word's id, whether it was there already or not; -1, with an error, when memory is out. */
GRADUS_API int data_vocab_add(Vocab *v, const char *word);

/* The word's id, or -1 without an error. */
GRADUS_API int data_vocab_find(const Vocab *v, const char *word);

/* The word of an id; "<unk>" outside 0 .. count-1. */
GRADUS_API const char *data_vocab_word(const Vocab *v, int id);

/* n ids as words between blanks; returns the length it needs without the closing 0. */
GRADUS_API size_t data_vocab_text(const Vocab *v, const int32_t *ids, int n, char *text,
                                  size_t size);

/* The ids of the known words nearest to `word`: fewest letters to insert, delete, replace or swap;
 * among equals the longer common beginning, then the lower id. Specials are left out. Returns how many. */
GRADUS_API int data_vocab_nearest(const Vocab *v, const char *word, int nearest[DATA_NEAREST]);

/* As data_vocab_find, but an unknown word is an error that names the nearest known ones. */
GRADUS_API int data_vocab_need(const Vocab *v, const char *word);

GRADUS_API void data_vocab_free(Vocab *v);

/* ---- words --------------------------------------------------------------------- tokenise.c -- */

enum { DATA_WORDS_MAX = 32, DATA_WORD_BYTES = 32 };

typedef struct {
    int count;
    char word[DATA_WORDS_MAX][DATA_WORD_BYTES]; /* each closed by a 0 */
} Words;

/* Cuts a line of text into words. Letters of ASCII become lower case; an apostrophe or a hyphen inside a
 * word belongs to it, so "Didn't" is the one word "didn't" (a typographic apostrophe counts as a plain
 * one); every other mark of punctuation is a word of its own; bytes beyond ASCII count as letters.
 * Errors: more than DATA_WORDS_MAX words, or a word of DATA_WORD_BYTES bytes or more. */
GRADUS_API bool data_tokenise(const char *text, Words *words);

/* ---- masked language modelling ----------------------------------------------------- mask.c -- */

enum { DATA_IGNORE = -100 }; /* a target that does not count, for ag_cross_entropy_ignore */

/* What happens to the tokens of a text before a model is asked what they were. */
typedef struct {
    double chosen;         /* the share of tokens that it is asked about                       */
    double masked, random; /* of these: become `mask`, become any token; the others stay       */
    int32_t mask;          /* the id of <mask>                                                 */
    int32_t first, tokens; /* first .. tokens-1 are the text's own ids; no other id is chosen  */
} Masking;

/* BERT's shares: 15 % are chosen, of those 80 % masked, 10 % random, 10 % as they are. */
GRADUS_API Masking data_bert_masking(int32_t mask, int32_t first, int32_t tokens);

/* Masks n ids in place. targets[i] becomes what was there where token i was chosen, DATA_IGNORE elsewhere.
 * A function of the Rng's state alone: one stream a sentence is static masking, one a sentence and epoch
 * dynamic masking (RoBERTa; Liu et al. 2019). Errors: shares outside 0 .. 1, no token to choose. */
GRADUS_API bool data_mask_tokens(const Masking *m, Rng *rng, int32_t *ids, int32_t *targets,
                                 int64_t n);

/* ---- text by characters ------------------------------------------------------------- text.c -- */

/* A file is read as UTF-8. A byte that is no part of well-formed UTF-8 is a symbol of its own, so that
 * any file at all comes back byte for byte. */
typedef struct {
    int64_t count;   /* how many characters                                          */
    int32_t *ids;    /* the characters, 0 .. symbols-1                               */
    int64_t train;   /* the first `train` are for training, the others for validation */
    int symbols;     /* V: how many different ones there are                         */
    int32_t *symbol; /* id -> code point, or 0x110000 + byte; ascending               */
} Text;

typedef enum { DATA_TEXT_TRAIN, DATA_TEXT_VALIDATION } TextPart;

enum { DATA_TEXT_MAX_BYTES = 128 << 20, DATA_LABEL_BYTES = 8 };

/* Reads a text for windows of T characters. The last tenth is for validation, at least T + 1 characters.
 * Errors (they name the file, what was found and what was expected): it cannot be read, is empty, has
 * fewer than 2 (T + 1) characters or more than DATA_TEXT_MAX_BYTES bytes. */
GRADUS_API bool data_text_load(Text *t, const char *path, int T);

/* The same from memory; `name` is for the errors. */
GRADUS_API bool data_text_from(Text *t, const char *name, const void *bytes, size_t count, int T);
GRADUS_API void data_text_free(Text *t);

/* Characters to ids: how many there are, -1 with an error for a character that the text does not hold.
 * Writes the first `capacity` of them. */
GRADUS_API int64_t data_text_encode(const Text *t, const char *bytes, size_t count, int32_t *ids,
                                    int64_t capacity);

/* Ids to bytes: how many bytes there are, as snprintf counts, closed by a 0 where size allows. An id
 * outside 0 .. symbols-1 gives nothing. */
GRADUS_API size_t data_text_decode(const Text *t, const int32_t *ids, int64_t count, char *bytes,
                                   size_t size);

/* One character as a picture shows it: itself, an open box for a blank, "\n", "U+07" for a
 * control character, "xFF" for a byte that is no character. Returns label. */
GRADUS_API const char *data_text_label(const Text *t, int id, char label[DATA_LABEL_BYTES]);

/* B random windows of a part: x (B, T), and y (B, T) the character that follows each. Every place where
 * T + 1 characters fit is equally likely. Error: the part is shorter, or B or T is not positive. */
GRADUS_API bool data_text_windows(const Text *t, TextPart part, Rng *rng, int B, int T, int32_t *x,
                                  int32_t *y);

/* ---- a whole text by words --------------------------------------------------------- words.c -- */

/* Adds the words of a text, most frequent first (among equals the first in the text), that occur at least
 * `least` times, until the vocabulary has `most` words. An empty one gets the specials first. Errors: a
 * word of DATA_WORD_BYTES bytes or more, no memory; v then holds some of the words. */
GRADUS_API bool data_words_build(Vocab *v, const char *text, int most, int least);

/* A text as ids, DATA_UNK for unknown words: how many there are, -1 with an error. Writes the first `capacity`
 * of them. */
GRADUS_API int64_t data_words_encode(const Vocab *v, const char *text, int32_t *ids,
                                     int64_t capacity);

/* ---- files of text ---------------------------------------------------- file.c, labelled.c -- */

/* A whole file of text, closed by a 0, and (unless NULL) its length. Errors name the file, what was found and
 * what was expected: it cannot be read, is empty or nothing but white space, has more than DATA_TEXT_MAX_BYTES
 * bytes, is no UTF-8 or holds a byte 0 (with the line). */
GRADUS_API char *data_file_text(const char *path, size_t *count);
GRADUS_API void data_file_free(char *text); /* NULL is allowed */

/* Texts with a label each, such as reviews that are "positive" or "negative". */
typedef struct {
    int count;
    const char **texts; /* text i ...                                              */
    int32_t *labels;    /* ... and its label, an id in names                        */
    Vocab names;        /* the labels, in the order in which the file has them     */
    char *bytes;        /* the file                                                */
} Labelled;

/* A file of lines LABEL<tab>TEXT; empty lines are passed over. Errors as data_file_text's, and with the line: no
 * tab, an empty label or text; fewer than two labels. */
GRADUS_API bool data_labelled_read(Labelled *l, const char *path);
GRADUS_API void data_labelled_free(Labelled *l);

/* ---- sequences and their order ------------------------------------------------- sequences.c -- */

enum { DATA_SEQUENCES_MAX = 1 << 28 };

/* Token sequences of any length. Start from (Sequences){0}. */
typedef struct {
    int count;
    int64_t *start; /* sequence i is ids[start[i] .. start[i + 1] - 1] */
    int32_t *ids;
    int capacity; /* how many fit before start grows */
    int64_t ids_capacity;
} Sequences;

/* A copy of 1 or more ids, as one sequence more. */
GRADUS_API bool data_sequences_add(Sequences *s, const int32_t *ids, int n);
GRADUS_API void data_sequences_free(Sequences *s);

/* The length of the longest of B sequences: the least T of a batch. -1, with an error, outside. */
GRADUS_API int data_sequences_longest(const Sequences *s, const int *which, int B);

/* The sequences which[0 .. B-1] as rows of ids (B, T), each filled up with `pad`, and lengths (B), as a
 * Mask takes them. Error: one is out of range, or longer than T. */
GRADUS_API bool data_sequences_batch(const Sequences *s, const int *which, int B, int T,
                                     int32_t pad, int32_t *ids, int32_t *lengths);

/* 0 .. n-1 in the random order of an epoch: a function of seed and epoch alone. */
GRADUS_API void data_order(int *items, int n, uint64_t seed, uint64_t epoch);

/* 0 .. n-1 in a random order, of which the last held_out n (rounded) are held out. Returns how many are
 * for training, the first ones; -1, with an error, where held_out is not from 0 to 1. */
GRADUS_API int data_split(int *items, int n, double held_out, uint64_t seed);

/* ---- byte-pair tokens ------------------------------------- bpe.c, bpe_train.c, bpe_file.c -- */

enum {
    DATA_BPE_BYTES = 256, /* the ids of the bytes themselves         */
    DATA_BPE_MERGES_MAX = 65536 - DATA_BPE_BYTES,
    DATA_BPE_TOKEN_BYTES = 257 /* the longest token, and a closing 0      */
};

/* Two ids that became one. */
typedef struct {
    int32_t left, right;
    int64_t count; /* how often the pair stood in the text when it was merged */
} Merge;

/* Ids 0 .. 255 are the bytes; 256 + k is what the k-th merge made. V = 256 + merges. */
typedef struct {
    int merges;
    Merge *merge;     /* in the order of training     */
    uint16_t *length; /* of each merge's token, bytes */
    int32_t *slots;   /* 2 * capacity places of a hash table: a merge, or -1 where none is */
    int capacity;
} Bpe;

/* Finds up to `merges` merges in a text (any bytes): each time the pair of neighbours that occurs most
 * often, among equals the first in the text, until none occurs twice. Merges stay within words: white
 * space is never joined to anything, and a run of more than 256 bytes without any is cut there.
 * Errors: merges beyond DATA_BPE_MERGES_MAX, more than DATA_TEXT_MAX_BYTES bytes. */
GRADUS_API bool data_bpe_train(Bpe *b, const void *bytes, size_t count, int merges);
GRADUS_API void data_bpe_free(Bpe *b);

/* Bytes to ids, whatever they are: how many there are. Writes the first `capacity` of them. */
GRADUS_API int64_t data_bpe_encode(const Bpe *b, const void *bytes, size_t count, int32_t *ids,
                                   int64_t capacity);

/* Ids to bytes: how many there are, as snprintf counts, closed by a 0 where size allows. An id
 * outside 0 .. V-1 gives nothing. */
GRADUS_API size_t data_bpe_decode(const Bpe *b, const int32_t *ids, int64_t count, char *bytes,
                                  size_t size);

/* The bytes of one id, closed by a 0 (they may hold zeros); returns how many, 0 for no id. */
GRADUS_API int data_bpe_token(const Bpe *b, int32_t id, char token[DATA_BPE_TOKEN_BYTES]);

/* The merges as text, atomically: "gradus-bpe 1 MERGES", then a line "LEFT RIGHT COUNT" for each.
 * Errors in a file name the line, what was found and what was expected. */
GRADUS_API bool data_bpe_save(const Bpe *b, const char *path);
GRADUS_API bool data_bpe_load(Bpe *b, const char *path);

/* ---- pictures ------------------------------------------------- images.c, stream.c, gzip.c -- */

/* Small pictures as their file holds them, 0 .. 255. */
typedef struct {
    Shape shape;    /* (N, 28, 28) MNIST; (N, 3, 32, 32) CIFAR-10; any other IDX file: as it says */
    uint8_t *bytes; /* row-major                                                                  */
    int32_t
        *labels; /* (N), or NULL where there are none                                          */
} Images;

/* An IDX file of unsigned bytes (MNIST's format), plain or, where the build has zlib, compressed with
 * gzip. Labels stay NULL: a file of labels is read as bytes of shape (N). Errors name the file, what
 * was found and what was expected: a wrong magic number, another type of number, a shape that the
 * file does not fill exactly, damaged gzip data. Nothing is allocated before the file has been
 * counted. */
GRADUS_API bool data_idx_read(Images *m, const char *path);

/* Images with the labels from a second file. Further errors: not as many labels as images, or one that
 * is not below `classes`. */
GRADUS_API bool data_idx_labelled(Images *m, const char *images, const char *labels, int classes);

/* CIFAR-10's binary file (data_batch_1.bin). Errors: a length that is no multiple of 3,073 bytes, a
 * label beyond 9. */
GRADUS_API bool data_cifar_read(Images *m, const char *path);
GRADUS_API void data_images_free(Images *m);

/* Puts the pictures of `more` behind those of m, which may be empty ((Images){0}), and frees `more` in any case.
 * Error, with m as it was: pictures of another shape, or labels in only one of them. */
GRADUS_API bool data_images_join(Images *m, Images *more);

/* All pictures as real from 0 to 1, in a tensor of their shape. */
GRADUS_API Tensor *data_images_real(const Images *m);

/* A batch: the pictures which[0 .. count-1] as real from 0 to 1 into x, one behind the other, and their
 * labels into `labels` unless it is NULL. Nothing is written where one of them is out of range. */
GRADUS_API bool data_images_pick(const Images *m, const int *which, int64_t count, real *x,
                                 int32_t *labels);

/* ---- where the macros are on ------------------------------------------------------------------ */

static inline char *data_placed_text(char *text, const char *file, int line)
{
    tensor_place(file, line);
    return text;
}

static inline int data_placed_id(int id, const char *file, int line)
{
    tensor_place(file, line);
    return id;
}

static inline int64_t data_placed_number(int64_t n, const char *file, int line)
{
    tensor_place(file, line);
    return n;
}

#ifndef GRADUS_INSIDE
#define DATA_PLACED_NUMBER(call) data_placed_number(call, __FILE__, __LINE__)

#define data_vocab_specials(...) TENSOR_PLACED_OK(data_vocab_specials(__VA_ARGS__))
#define data_vocab_add(...)      data_placed_id(data_vocab_add(__VA_ARGS__), __FILE__, __LINE__)
#define data_vocab_need(...)     data_placed_id(data_vocab_need(__VA_ARGS__), __FILE__, __LINE__)
#define data_tokenise(...)       TENSOR_PLACED_OK(data_tokenise(__VA_ARGS__))
#define data_mask_tokens(...)    TENSOR_PLACED_OK(data_mask_tokens(__VA_ARGS__))
#define data_text_load(...)      TENSOR_PLACED_OK(data_text_load(__VA_ARGS__))
#define data_text_from(...)      TENSOR_PLACED_OK(data_text_from(__VA_ARGS__))
#define data_text_encode(...)    DATA_PLACED_NUMBER(data_text_encode(__VA_ARGS__))
#define data_words_build(...)    TENSOR_PLACED_OK(data_words_build(__VA_ARGS__))
#define data_words_encode(...)   DATA_PLACED_NUMBER(data_words_encode(__VA_ARGS__))
#define data_file_text(...)      data_placed_text(data_file_text(__VA_ARGS__), __FILE__, __LINE__)
#define data_labelled_read(...)  TENSOR_PLACED_OK(data_labelled_read(__VA_ARGS__))
#define data_sequences_add(...)  TENSOR_PLACED_OK(data_sequences_add(__VA_ARGS__))
#define data_sequences_longest(...) \
    data_placed_id(data_sequences_longest(__VA_ARGS__), __FILE__, __LINE__)
#define data_sequences_batch(...) TENSOR_PLACED_OK(data_sequences_batch(__VA_ARGS__))
#define data_split(...)           data_placed_id(data_split(__VA_ARGS__), __FILE__, __LINE__)
#define data_bpe_train(...)       TENSOR_PLACED_OK(data_bpe_train(__VA_ARGS__))
#define data_bpe_save(...)        TENSOR_PLACED_OK(data_bpe_save(__VA_ARGS__))
#define data_bpe_load(...)        TENSOR_PLACED_OK(data_bpe_load(__VA_ARGS__))
#define data_idx_read(...)        TENSOR_PLACED_OK(data_idx_read(__VA_ARGS__))
#define data_idx_labelled(...)    TENSOR_PLACED_OK(data_idx_labelled(__VA_ARGS__))
#define data_cifar_read(...)      TENSOR_PLACED_OK(data_cifar_read(__VA_ARGS__))
#define data_images_join(...)     TENSOR_PLACED_OK(data_images_join(__VA_ARGS__))
#define data_images_real(...)     TENSOR_PLACED(data_images_real(__VA_ARGS__))
#define data_images_pick(...)     TENSOR_PLACED_OK(data_images_pick(__VA_ARGS__))
#define data_text_windows(...)    TENSOR_PLACED_OK(data_text_windows(__VA_ARGS__))
#endif

GRADUS_END
#endif
