/* data.h: vocabularies, tokenisers, data sets and batches.
 *
 *   Vocab      tokens <-> ids, and the nearest known words       data/vocab.c
 *   Words      a line of text split into words                   data/tokenise.c
 *   Masking    the corruption of masked language modelling       data/mask.c
 *   Text       a text as character ids, and windows of it        data/text.c, utf8.c
 *   word ids   a vocabulary of a text, a text as word ids        data/word_vocab.c
 *   files      a whole text file, checked; labelled texts        data/file.c, labelled.c
 *   Sequences  sequences of ids as padded batches; orders        data/sequences.c
 *   Bpe        byte-pair encoding, trained on any bytes          data/bpe.c, bpe_train.c
 *   Tokeniser  of pretrained models: WordPiece, byte-level BPE  data/tokeniser_*.c, unicode.c
 *   Images     MNIST's and CIFAR-10's files                      data/images.c, gzip.c
 *   arrays     NumPy's files, and one tensor of safetensors      data/array.c, npz.c
 *
 * This folder depends on tensor/ alone. Ids, lengths and labels are int32_t, as tape_ids takes
 * them. The corpora that examples and lectures use without a file are not part of the installed
 * interface: data/corpora/corpora.h.
 *
 * Errors. A function returns false, NULL or -1 after one error message, which begins with the
 * function's name and says what was found and what was expected; nothing that a file or a user's
 * text contains makes it crash. Every argument that is NULL where the comment does not allow it is
 * an error; functions named _free do nothing for NULL. What C cannot check is up to the caller:
 * that an array has as many elements as its count says. */
#ifndef GRADUS_DATA_H
#define GRADUS_DATA_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* ---- vocabularies ---------------------------------------------------------------- vocab.c -- */

enum {
    DATA_PAD,
    DATA_MASK,
    DATA_UNK,
    DATA_SPECIALS
}; /* the first ids, where there are special tokens */
enum { DATA_NEAREST = 3 };

/* Words, numbered in the order in which they were added. Start from (Vocab){0}. */
typedef struct {
    int count;
    const char **words;     /* (count): the word of each id                        */
    struct VocabTable *own; /* the memory of the words, and what finds a word's id */
} Vocab;

/* Adds the special tokens "<pad>", "<mask>" and "<unk>" as ids 0, 1 and 2. Error: the vocabulary is
 * not empty. */
GRADUS_API bool data_vocab_specials(Vocab *v);

/* The id of a word, which is added if it is new; -1 with an error. */
GRADUS_API int32_t data_vocab_add(Vocab *v, const char *word);

/* The id of a word; -1, without an error, for an unknown one. */
GRADUS_API int32_t data_vocab_find(const Vocab *v, const char *word);

/* The word of an id; "<unk>" for an id outside 0 .. count-1. */
GRADUS_API const char *data_vocab_word(const Vocab *v, int32_t id);

/* Writes the words of n ids, separated by blanks, as snprintf does: at most size bytes with the
 * closing 0. Returns the length of the whole text without the 0; 0 with an error. text may be NULL
 * where size is 0. */
GRADUS_API size_t data_vocab_text(const Vocab *v, const int32_t *ids, int64_t n, char *text,
                                  size_t size);

/* The Damerau-Levenshtein distance of two words: the number of bytes to insert, delete, replace or
 * swap with their neighbour, which turns one into the other. Of longer words the first 63 bytes are
 * compared. -1, with an error, for NULL. */
GRADUS_API int data_word_distance(const char *a, const char *b);

/* Writes the ids of the known words nearest to `word` by Damerau-Levenshtein distance; among equals
 * the longer common beginning, then the lower id comes first. Special tokens are left out. Returns
 * their number, at most DATA_NEAREST;
 * -1 with an error. */
GRADUS_API int data_vocab_nearest(const Vocab *v, const char *word, int32_t nearest[DATA_NEAREST]);

/* The id of a word; -1, with an error that gives the nearest known words, for an unknown one. */
GRADUS_API int32_t data_vocab_need(const Vocab *v, const char *word);

GRADUS_API void data_vocab_free(Vocab *v);

/* ---- words --------------------------------------------------------------------- tokenise.c -- */

enum { DATA_WORDS_MAX = 32, DATA_WORD_BYTES = 32 };

typedef struct {
    int count;
    char word[DATA_WORDS_MAX][DATA_WORD_BYTES]; /* each closed by a 0 */
} Words;

/* Splits a line of text into words. ASCII letters become lower case. An apostrophe or hyphen
 * between letters is part of the word, so that "Didn't" is the one word "didn't" (a typographic
 * apostrophe counts as a plain one). Every other punctuation mark is a word of its own. Bytes
 * beyond ASCII count as letters. Errors: more than DATA_WORDS_MAX words; a word of DATA_WORD_BYTES
 * bytes or more. */
GRADUS_API bool data_tokenise(const char *text, Words *words);

/* ---- masked language modelling ----------------------------------------------------- mask.c -- */

enum { DATA_IGNORE = -100 }; /* a target without a loss, for ag_cross_entropy_ignore */

/* How tokens are corrupted before a masked language model has to predict them. */
typedef struct {
    double chosen;         /* the probability that a token is chosen as a target            */
    double masked, random; /* the shares of chosen tokens that become `mask`, or a random
                            * token; the others stay as they are                            */
    int32_t mask;          /* the id of <mask>                                              */
    int32_t first, tokens; /* ordinary tokens are the ids first .. tokens-1: no other id is
                            * chosen, and random tokens come from these                     */
} Masking;

/* The masking of BERT (Devlin et al. 2018): 15 % chosen, of these 80 % masked and 10 % random. */
GRADUS_API Masking data_bert_masking(int32_t mask, int32_t first, int32_t tokens);

/* Masks n ids in place. targets[i] becomes the original id where token i was chosen, and
 * DATA_IGNORE elsewhere. The result is a function of the state of rng alone: a stream for each
 * sentence is static masking, a stream for each sentence and epoch dynamic masking (RoBERTa; Liu et
 * al. 2019). Errors, with nothing changed: probabilities outside 0 .. 1; no ordinary tokens; n
 * below 0. */
GRADUS_API bool data_mask_tokens(const Masking *m, Rng *rng, int32_t *ids, int32_t *targets,
                                 int64_t n);

/* ---- text as characters ------------------------------------------------------------ text.c -- */

/* A text as ids of its characters. It is read as UTF-8 (RFC 3629); a byte that is not part of
 * well-formed UTF-8 is a symbol of its own, so that decoding reproduces every text byte by byte. */
typedef struct {
    int64_t count;   /* characters                                                           */
    int32_t *ids;    /* (count): 0 .. symbols-1                                              */
    int64_t train;   /* the first `train` are for training, the others for validation        */
    int symbols;     /* V: the number of different characters                                */
    int32_t *symbol; /* (symbols): code points, or 0x110000 + byte, in ascending order       */
} Text;

typedef enum { DATA_TEXT_TRAIN, DATA_TEXT_VALIDATION } TextPart;

enum { DATA_TEXT_MAX_BYTES = 128 << 20, DATA_LABEL_BYTES = 8 };

/* Takes `count` bytes, such as those of data_file_text, for windows of T characters; data_text_free
 * releases it. `name` is for error messages. The last tenth, and at least T + 1 characters, are for
 * validation. Errors: fewer than 2 (T + 1) characters; more than DATA_TEXT_MAX_BYTES bytes; T below
 * 1. */
GRADUS_API bool data_text_from(const char *name, Text *t, const void *bytes, size_t count,
                               int64_t T);
GRADUS_API void data_text_free(Text *t);

/* Encodes `count` bytes as character ids and returns their number, of which the first `capacity`
 * are written; -1, with an error, for a character that the text does not contain. */
GRADUS_API int64_t data_text_encode(const Text *t, const char *bytes, size_t count, int32_t *ids,
                                    int64_t capacity);

/* Decodes `count` ids to bytes, as snprintf does: at most size bytes with the closing 0. Returns
 * the number of all bytes without the 0; 0 with an error. An id outside 0 .. symbols-1 gives no
 * bytes. */
GRADUS_API size_t data_text_decode(const Text *t, const int32_t *ids, int64_t count, char *bytes,
                                   size_t size);

/* A visible form of one character for figures: itself, an open box for a blank, "\n", "U+07" for a
 * control character, "xFF" for a byte that is not UTF-8, "?" for an id that does not exist. Returns
 * label; NULL with an error. */
GRADUS_API const char *data_text_label(const Text *t, int32_t id, char label[DATA_LABEL_BYTES]);

/* A batch of B random windows from a part: x (B, T), and y (B, T) with the character that follows
 * each. All positions at which T + 1 characters fit are equally likely. Errors: B or T below 1; a
 * part of T characters or fewer. */
GRADUS_API bool data_text_windows(const Text *t, TextPart part, Rng *rng, int64_t B, int64_t T,
                                  int32_t *x, int32_t *y);

/* ---- text as words ----------------------------------------------------------- word_vocab.c -- */

/* Adds the words of a text that occur at least `least` times, by descending frequency (among equals
 * in the order of the text), until the vocabulary has `most` words. An empty vocabulary gets the
 * special tokens first. Errors: a word of DATA_WORD_BYTES bytes or more; most below 0. After an
 * error the vocabulary may have some of the words. */
GRADUS_API bool data_words_build(Vocab *v, const char *text, int64_t most, int64_t least);

/* Encodes a text as word ids, DATA_UNK for unknown words. Returns their number, of which the first
 * `capacity` are written; -1 with an error. */
GRADUS_API int64_t data_words_encode(const Vocab *v, const char *text, int32_t *ids,
                                     int64_t capacity);

/* ---- text files ------------------------------------------------------- file.c, labelled.c -- */

/* Reads a whole text file. Returns its bytes, closed by a 0, which data_file_free releases; their
 * number goes into *count unless that is NULL. Errors: the file cannot be read; it is empty or only
 * white space; more than DATA_TEXT_MAX_BYTES bytes; a byte 0, or bytes that are not UTF-8 (the
 * message gives the line). */
GRADUS_API char *data_file_text(const char *path, size_t *count);
GRADUS_API void data_file_free(char *text);

/* Texts with a label each, such as reviews that are "positive" or "negative". */
typedef struct {
    int count;
    const char **texts; /* (count)                                                       */
    int32_t *labels;    /* (count): ids in names                                         */
    Vocab names;        /* the labels in the order of their first occurrence in the file */
    char *bytes;        /* the content of the file, into which texts point               */
} Labelled;

/* Reads a file of lines LABEL<tab>TEXT; empty lines are ignored. Errors, with the number of the
 * line: those of data_file_text; a line without a tab; an empty label or text; fewer than two
 * labels. */
GRADUS_API bool data_labelled_read(const char *path, Labelled *l);
GRADUS_API void data_labelled_free(Labelled *l);

/* ---- sequences and their order ------------------------------------------------ sequences.c -- */

enum { DATA_SEQUENCES_MAX = 1 << 28 };

/* Sequences of ids of any length. Start from (Sequences){0}. */
typedef struct {
    int count;
    int64_t *start; /* (count + 1): sequence i is ids[start[i] .. start[i + 1] - 1] */
    int32_t *ids;
    int capacity; /* the number of sequences before start must grow */
    int64_t ids_capacity;
} Sequences;

/* Appends a copy of n ids as one sequence. Errors: n below 1; more than DATA_SEQUENCES_MAX
 * sequences. */
GRADUS_API bool data_sequences_add(Sequences *s, const int32_t *ids, int64_t n);
GRADUS_API void data_sequences_free(Sequences *s);

/* The length of the longest of the sequences which[0 .. B-1]: the smallest T of a batch of them.
 * -1, with an error, where one of them does not exist or B is below 1. */
GRADUS_API int64_t data_sequences_longest(const Sequences *s, const int32_t *which, int64_t B);

/* Writes the sequences which[0 .. B-1] as rows of ids (B, T), each filled up with `pad`, and their
 * lengths (B) for a Mask. Error, with nothing written: one of them does not exist or is longer than
 * T. */
GRADUS_API bool data_sequences_batch(const Sequences *s, const int32_t *which, int64_t B, int64_t T,
                                     int32_t pad, int32_t *ids, int32_t *lengths);

/* Writes 0 .. n-1 in a random order, a function of (seed, epoch) alone. Error, with nothing
 * written: n below 0. */
GRADUS_API void data_order(int32_t *items, int64_t n, uint64_t seed, uint64_t epoch);

/* Writes 0 .. n-1 in a random order and returns the number of items for training; the items after
 * these, a share of held_out (rounded), are held out. -1, with an error: n below 0; held_out
 * outside 0 .. 1. */
GRADUS_API int64_t data_split(int32_t *items, int64_t n, double held_out, uint64_t seed);

/* ---- byte-pair encoding ----------------------------------------------- bpe.c, bpe_train.c -- */

enum {
    DATA_BPE_BYTES = 256, /* the number of ids that stand for single bytes */
    DATA_BPE_MERGES_MAX = 65536 - DATA_BPE_BYTES,
    DATA_BPE_TOKEN_BYTES = 257 /* of the longest token and a closing 0 */
};

/* A merge: the pair of ids that became one. */
typedef struct {
    int32_t left, right;
    int64_t count; /* the frequency of the pair when it was merged */
} Merge;

/* Byte-pair encoding (Sennrich, Haddow, Birch 2016): ids 0
 * to 255 are the bytes, id 256 + k is the token of merge k. V = 256 + merges. */
typedef struct {
    int merges, capacity;
    Merge *merge;         /* (merges): in the order of training                  */
    uint16_t *length;     /* (merges): of each merge's token in bytes            */
    struct BpeTable *own; /* the memory of these, and what finds a pair's merge  */
} Bpe;

/* Learns up to `merges` merges from `count` bytes of text: each time the most frequent pair of
 * neighbours, among equals the first in the text, until no pair occurs twice. Merges stay within
 * words: white space is never merged, and a run of more than 256 other bytes is split there.
 * data_bpe_free releases the result. Errors: merges outside 0 .. DATA_BPE_MERGES_MAX; more than
 * DATA_TEXT_MAX_BYTES bytes. */
GRADUS_API bool data_bpe_train(Bpe *b, const void *bytes, size_t count, int merges);
/* The same from the merges of an earlier training, which a program has kept. Error: one that
 * training cannot produce. */
GRADUS_API bool data_bpe_from(Bpe *b, const Merge *merge, int merges);
GRADUS_API void data_bpe_free(Bpe *b);

/* Encodes any bytes as ids and returns their number, of which the first `capacity` are written; -1
 * with an error. */
GRADUS_API int64_t data_bpe_encode(const Bpe *b, const void *bytes, size_t count, int32_t *ids,
                                   int64_t capacity);

/* Decodes `count` ids to bytes, as snprintf does: at most size bytes with the closing 0. Returns
 * the number of all bytes without the 0; 0 with an error. An id outside 0 .. V-1 gives no bytes. */
GRADUS_API size_t data_bpe_decode(const Bpe *b, const int32_t *ids, int64_t count, char *bytes,
                                  size_t size);

/* Writes the bytes of one token, closed by a 0 (they may contain zeros), and returns their number:
 * 0 for an id that does not exist; -1 with an error. */
GRADUS_API int data_bpe_token(const Bpe *b, int32_t id, char token[DATA_BPE_TOKEN_BYTES]);

/* ---- pretrained models' tokenisers ------------------------------- tokeniser_*.c, unicode.c -- */

/* The tokeniser of a model's folder, as Hugging Face's libraries write it: tokenizer.json, which
 * says everything; else vocab.txt, vocab.json with merges.txt, spiece.model or tokenizer.model, or
 * Marian's source.spm, target.spm and vocab.json, by the class that tokenizer_config.json names or
 * the kind of model in config.json; a SentencePiece model alone as the sentencepiece library reads
 * it. Its ids and offsets are those of the library that wrote the folder. NULL is an error, which
 * names the file and what of it is not understood; data/README.md has a table. */
typedef struct Tokeniser Tokeniser;
GRADUS_API Tokeniser *data_tokeniser_open(const char *folder);
/* For a model without a tokeniser: the text "5,17,3" is the ids 5, 17 and 3, and ids are written as
 * numbers. Error: count, the number of ids, outside 1 .. 2^22. */
GRADUS_API Tokeniser *data_tokeniser_numbers(int count);
GRADUS_API void data_tokeniser_free(Tokeniser *t); /* NULL is allowed */

/* What is to become tokens. All but text may be 0. */
typedef struct {
    const char *text;
    int64_t bytes;    /* how long it is; 0: up to its closing 0                            */
    const char *pair; /* a second text, or NULL; Marian's is in the language that it writes */
    int64_t pair_bytes;
    bool plain;      /* without the tokens that stand around texts, such as [CLS] and [SEP] */
    int64_t longest; /* at most so many tokens, those around included; 0: no limit          */
} TokenInput;

typedef struct {
    int32_t id;
    int32_t type;       /* what BERT calls token type: 0, or 1 for the second text      */
    int64_t begin, end; /* the bytes of its text that it stands for; 0, 0: of none      */
    bool around;        /* one of those around the texts                                */
    bool text;          /* of the second text                                           */
} Token;
/* Begin with (Tokens){0}; each call takes the memory over from the one before. */
typedef struct {
    int count, capacity;
    Token *token;
    int cut; /* tokens that were left out at the ends of the texts */
} Tokens;
/* Bytes that are no UTF-8 count as U+FFFD, as with Python's errors="replace". */
GRADUS_API bool data_tokens(const Tokeniser *t, TokenInput in, Tokens *out);
GRADUS_API void data_tokens_free(Tokens *tokens); /* does nothing for NULL */

/* Several texts as rows, padded on the right to the longest. Begin with (TokenBatch){0}. */
typedef struct {
    int B, T;
    int32_t *ids, *types; /* (B, T) */
    int32_t *lengths;     /* (B)    */
} TokenBatch;
GRADUS_API bool data_token_batch(TokenBatch *b, const Tokens *rows, int count, int32_t pad);
GRADUS_API void data_token_batch_free(TokenBatch *b); /* does nothing for NULL */

/* n ids as text; specials: with special tokens. Writes at most size bytes, the last one a 0, and
 * returns how many there are without it, as snprintf does. Byte-level BPE may give bytes that are
 * not UTF-8. 0, with an error, for NULL. */
GRADUS_API size_t data_tokens_text(const Tokeniser *t, const int32_t *ids, int64_t n, bool specials,
                                   char *text, size_t size);
/* 1 where the text of n ids, special tokens included, contains `stop` with its end in the last of
 * them, as transformers' stop_strings end a text; else 0. -1, with an error, for NULL, no ids, an
 * empty text. */
GRADUS_API int data_tokens_stop(const Tokeniser *t, const int32_t *ids, int64_t n,
                                const char *stop);
GRADUS_API int data_tokeniser_count(const Tokeniser *t); /* one more than the largest id */
GRADUS_API int data_token_find(const Tokeniser *t, const char *token); /* its id; -1: none      */
/* As the vocabulary writes it; "" for an id without a token. */
GRADUS_API const char *data_token(const Tokeniser *t, int id);
/* What a token is called in a picture: its text, without the blanks before it, in the vocabulary's
 * spelling ("hard" for HARD, if the vocabulary is uncased; "##ing" keeps its mark); as data_token
 * for one whose text is no UTF-8 or empty. Writes, returns and fails as data_tokens_text. */
GRADUS_API size_t data_token_label(const Tokeniser *t, int id, char *text, size_t size);

/* ---- images ------------------------------------------------------------ images.c, gzip.c -- */

/* Small images with bytes 0 .. 255, as their files store them. */
typedef struct {
    /* (N, 28, 28) for MNIST; (N, 3, 32, 32) for CIFAR-10; else the shape in the IDX file */
    Shape shape;
    /* row-major */
    uint8_t *bytes;
    /* (N); NULL where there are none */
    int32_t *labels;
} Images;

/* Reads an IDX file of unsigned bytes (MNIST's format), plain or, where the build has zlib,
 * compressed by gzip. Labels stay NULL; a file of labels is read as bytes of shape (N).
 * data_images_free releases the result. Errors: another magic number or type of number; a shape
 * that the data does not fill exactly; damaged gzip data. Memory is allocated only after the size
 * of the data is known. */
GRADUS_API bool data_idx_read(const char *path, Images *m);

/* Reads images and the labels of a second file. Further errors: as many labels as images are
 * expected, each below `classes`, which is at least 1. */
GRADUS_API bool data_idx_labelled(const char *images, const char *labels, Images *m,
                                  int32_t classes);

/* Reads CIFAR-10's binary file (data_batch_1.bin). Errors: a length that is not a multiple of 3,073
 * bytes; a label above 9. */
GRADUS_API bool data_cifar_read(const char *path, Images *m);
GRADUS_API void data_images_free(Images *m);

/* Appends the images of `more` to those of m, which may be empty ((Images){0}), and releases `more`
 * in every case. Error, with m unchanged: images of another shape; labels in only one of them. */
GRADUS_API bool data_images_join(Images *m, Images *more);

/* All images as real numbers from 0 to 1 in a tensor of their shape, which tensor_free releases.
 * NULL with an error. */
GRADUS_API Tensor *data_images_real(const Images *m);

/* A batch: writes the images which[0 .. count-1] as real numbers from 0 to 1 into x, and their
 * labels into `labels` unless that is NULL. Errors, with nothing written: an image that does not
 * exist; labels of images without. */
GRADUS_API bool data_images_pick(const Images *m, const int32_t *which, int64_t count, real *x,
                                 int32_t *labels);

/* ---- arrays of other programs ---------------------------------------------- array.c, npz.c -- */

/* Reads an array of real or whole numbers out of a file that ends in .npy, .npz or .safetensors
 * into a tensor of real numbers, which tensor_free releases. name: which of several, NULL for the
 * only one. NULL, with an error that says what the file holds, where it has no such array, and
 * where it is damaged. Of NumPy's files those are read that numpy.save and numpy.savez write of
 * numbers, in either byte order; what numpy.savez_compressed writes needs a build with zlib. */
GRADUS_API Tensor *data_array_read(const char *path, const char *name);

GRADUS_END

#include "placed/data.h" /* macros: an error names the program's line */
#endif
