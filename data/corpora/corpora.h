/* corpora.h: the data sets that examples, lectures and tests train on without a file.
 *
 * They were written for this project and are under its licence (MIT). They are a static library of
 * their own: the installed library and its headers do not contain them. Each sentence, fable or
 * picture is a function of a seed and a number, so that every run sees the same data. README.md
 * lists the files.
 *
 *   Grammar        sentences from templates and word lists: "it" and "bank", agreement, reviews
 *   SentenceBatch  such sentences as padded token ids
 *   Translations   Spanish sentences with their English translations
 *   data_story     fables of known probability
 *   data_digits    28 x 28 images of digits that look handwritten
 *
 * In all functions a NULL argument that this header does not allow is an error. */
#ifndef GRADUS_DATA_CORPORA_H
#define GRADUS_DATA_CORPORA_H

#include "data/data.h"

GRADUS_BEGIN

/* ---- sentences written by a grammar -------------------------------- grammar.c, grammar_*.c -- */

/* There are three grammars. Every sentence has one of two answers, and one or a few words of the
 * sentence, its cues, decide which one. */

/* The kinds of sentences of data_grammar_new. The model is asked what "it" or "bank" means; the
 * kind says by what the answer is decided. */
typedef enum {
    DATA_FIT,   /* "it": the one of two nouns that the adjective suits (too tired, too wide).
                 * Some sentences have a third noun that "it" cannot mean (near the park).       */
    DATA_ORDER, /* "it": two nouns of one sort; the adjective and the order of the nouns decide */
    DATA_SENSE, /* "bank" of a river or for money, by a word several positions away             */
    DATA_KINDS
} SentenceKind;

/* The kinds of sentences of data_phrases_new: by what a masked word can be predicted. */
typedef enum {
    DATA_AGREEMENT, /* the verb agrees in number with its subject, whatever noun stands between   */
    DATA_OBJECT,    /* the verb and its object suit each other: letters are read, violins tuned   */
    DATA_CROSSING,  /* the bank of a river, and the bank that has cash                            */
    DATA_PHRASE_KINDS
} PhraseKind;

/* The kinds of sentences of data_reviews_new: whether a review is praise ("positive") or blame
 * ("negative"). */
typedef enum {
    DATA_PLAIN,    /* single words decide                                                    */
    DATA_NEGATED,  /* "not dull": each word of praise and of blame occurs with both answers  */
    DATA_CONTRAST, /* "dull, but clever": a word of each in both answers; their order decides */
    DATA_REVIEW_KINDS
} ReviewKind;

/* Every corpus is split by pairs (cue word, other content word). No training sentence contains a
 * held-out pair, and all pairs of a held-out sentence are held out. In the reviews the other word
 * is the noun that is judged. */
typedef enum {
    DATA_TRAIN,
    DATA_HELD_OUT,
    DATA_MIXED,  /* in the grammar, but with pairs of both sorts: in neither part */
    DATA_OUTSIDE /* not in the grammar                                            */
} SentenceSplit;

enum { DATA_CUES_MAX = 3 };

/* One sentence. Positions count words from 0. */
typedef struct {
    int length; /* in words                                                       */
    /* in the vocabulary data_grammar_words */
    int32_t ids[DATA_WORDS_MAX];
    int query;              /* the position that the model is asked about: of "it" or "bank",
                                  * in the other grammars of the first cue                         */
    int cues;               /* the number of cues; without them both answers are equally likely */
    int cue[DATA_CUES_MAX]; /* their positions                                                */
    int referent;           /* the position of the noun that "it" means, or -1                */
    int label;              /* the answer, in data_grammar_labels; -1 outside the grammar     */
    int other;              /* the answer with the opposite cues; -1 outside the grammar      */
    int kind;               /* a SentenceKind, PhraseKind or ReviewKind                       */
    SentenceSplit split;
} Sentence;

typedef struct Grammar Grammar;

/* Each makes a grammar, which data_grammar_free releases. NULL is an error: out of memory. */
Grammar *data_grammar_new(void);    /* "it" and "bank"                                     */
Grammar *data_phrases_new(void);    /* sentences for masked language models                */
Grammar *data_reviews_new(void);    /* praise and blame, with negations and contrasts      */
void data_grammar_free(Grammar *g); /* does nothing for NULL                            */

/* The vocabulary of the sentences: the special tokens, then all words of the grammar. NULL, with an
 * error, for NULL. */
const Vocab *data_grammar_words(const Grammar *g);

/* The vocabulary of the answers: the nouns that "it" can mean and the two senses of "bank", or
 * "one" and "many", or "positive" and "negative", and so on. NULL, with an error, for NULL. */
const Vocab *data_grammar_labels(const Grammar *g);

/* The number of distinct sentences in DATA_TRAIN or DATA_HELD_OUT; 0 for the other two; -1, with an
 * error, for NULL. */
int64_t data_grammar_count(const Grammar *g, SentenceSplit split);

/* Writes sentence n = 0 .. data_grammar_count - 1 of a split into *s. Error: another n. */
bool data_grammar_nth(const Grammar *g, SentenceSplit split, int64_t n, Sentence *s);

/* Writes a random sentence of a split into *s: the kinds are drawn with their shares; the templates
 * of a kind, the two answers and the sentences are equally likely. The result is a function of the
 * state of rng alone. Error: a split other than DATA_TRAIN and DATA_HELD_OUT. */
bool data_grammar_draw(const Grammar *g, Rng *rng, SentenceSplit split, Sentence *s);

/* Reads a user's own sentence, to which "." is added where it is missing. If the grammar can
 * produce it, *s is complete. Otherwise label is -1, there are no cues, and query is the position
 * of the first "it" or else of the last "bank" (0 in the other grammars). Errors: an unknown word
 * (the message gives the nearest known words); neither "it" nor "bank" (in the other grammars: no
 * word); more than DATA_WORDS_MAX words. */
bool data_grammar_parse(const Grammar *g, const char *text, Sentence *s);

/* Writes the words of a sentence, separated by blanks, as snprintf does: at most size bytes with
 * the closing 0. Returns the length of the whole text without the 0. */
size_t data_sentence_text(const Grammar *g, const Sentence *s, char *text, size_t size);

/* Replaces each cue of a sentence by <mask>. The label stays what it was. */
void data_sentence_mask_cue(Sentence *s);

/* ---- batches of sentences --------------------------------------------------------- batch.c -- */

/* B sentences as rows of ids; each row is padded with <pad> to the length of the longest. */
typedef struct {
    int capacity;     /* the largest B                                                          */
    int B, T;         /* sentences, and words of the longest, of the present batch              */
    int32_t *ids;     /* (B, T)                                                                 */
    int32_t *lengths; /* (B): words of each sentence, 1 .. T                                    */
    int32_t *queries; /* (B): b T + query: the row of the queried word in a tensor (B T, ...)   */
    int32_t *labels;  /* (B): the answers                                                       */
} SentenceBatch;

/* Allocates a batch of up to `capacity` sentences, to be released by data_batch_free. */
bool data_batch_init(SentenceBatch *b, int capacity);

/* Fills the batch with the sentences 0 .. count - 1. Errors, with the batch as it was: count
 * outside 1 .. capacity; a sentence whose length or query is out of range. */
bool data_batch_fill(SentenceBatch *b, const Sentence *sentences, int count);
void data_batch_free(SentenceBatch *b); /* does nothing for NULL */

/* ---- translations ------------ translations.c, translations_vocab.c, translations_lexicon.c -- */

/* Spanish sentences with their English translations: word order and agreement differ, Spanish
 * leaves out subjects, and no sentence has two translations. There are millions of them. */
enum { DATA_BOS = 1, DATA_EOS, DATA_PAIR_SPECIALS }; /* ids in both vocabularies, after <pad> = 0 */

/* A sentence and its translation as ids, without <bos> and <eos>. */
typedef struct {
    int spanish_length, english_length;
    int32_t spanish[DATA_WORDS_MAX], english[DATA_WORDS_MAX];
} SentencePair;

typedef struct Translations Translations;
Translations *data_translations_new(void);    /* NULL is an error: out of memory */
void data_translations_free(Translations *t); /* does nothing for NULL           */

/* The vocabularies of the two languages: <pad> <bos> <eos>, then the words. NULL, with an error,
 * for NULL. */
const Vocab *data_translations_spanish(const Translations *t);
const Vocab *data_translations_english(const Translations *t);

/* The alignment that the grammar knows: bit i of spanish[t] says that English word t translates
 * Spanish word i. Each English word has one or several; a Spanish word such as the "a" before a
 * person may have none. A pronoun that Spanish leaves out is aligned to the verb, whose ending
 * shows it. */
typedef struct {
    uint32_t spanish[DATA_WORDS_MAX]; /* 0 beyond the sentence */
} SentenceAlignment;

/* Writes a random pair of a split into *p, as a function of the state of rng alone, and its
 * alignment into *a unless that is NULL. The split is by combinations: a noun with its adjective,
 * or a noun with the verb whose subject or object it is. No pair of DATA_TRAIN contains a held-out
 * combination; a pair of DATA_HELD_OUT contains at least one and no other. Error: another split. */
bool data_translations_draw(const Translations *t, Rng *rng, SentenceSplit split, SentencePair *p,
                            SentenceAlignment *a);

/* Writes the ids of a user's own Spanish sentence and returns their number. Capitals become lower
 * case, and a full stop at the end is ignored. Returns -1, with an error, for an unknown word (the
 * message gives the nearest known words), for no word, and for more than `capacity` words. */
int data_translations_read(const Translations *t, const char *text, int32_t *ids, int capacity);

/* ---- fables --------------------------------------------------------------------- stories.c -- */

/* Writes one fable of about 600 bytes of ASCII, closed by an empty line: a function of the state of
 * rng alone. As snprintf, it writes at most size bytes with the closing 0 and returns the length of
 * the whole fable; 0, with an error, where rng is NULL, or text is NULL and size is not 0. *nats,
 * unless NULL, becomes -log p of this fable under the grammar that draws them. Its mean over many
 * fables, divided by their length, is the entropy of the text in nats per character: no language
 * model can have a smaller expected loss. */
size_t data_story(Rng *rng, char *text, size_t size, double *nats);

/* ---- digits --------------------------------------------------- digits.c, digits_strokes.c -- */

enum { DATA_DIGIT_SIDE = 28, DATA_DIGITS_MAX = 1 << 20 };

/* Draws images first .. first + count - 1 of an endless sequence of digits that look handwritten:
 * shape (count, 28, 28), labels 0 .. 9, each equally likely, light on dark, of MNIST's size and
 * position (20 x 20, the centre of mass in the middle). Image i is a function of (seed, i) alone,
 * so that disjoint ranges are training and test sets. data_images_free releases *m. Errors: first
 * below 0; count outside 1 .. DATA_DIGITS_MAX. */
bool data_digits(Images *m, uint64_t seed, int64_t first, int64_t count);

/* ---- macros that record the caller's file and line ------------------------------------------- */

TENSOR_DEFINE_PLACED(data_placed_grammar, Grammar *, !x)
TENSOR_DEFINE_PLACED(data_placed_translations, Translations *, !x)

#ifndef GRADUS_INSIDE
#define data_grammar_new()      data_placed_grammar(data_grammar_new(), TENSOR_HERE(data_grammar_new))
#define data_phrases_new()      data_placed_grammar(data_phrases_new(), TENSOR_HERE(data_phrases_new))
#define data_reviews_new()      data_placed_grammar(data_reviews_new(), TENSOR_HERE(data_reviews_new))
#define data_grammar_nth(...)   TENSOR_PLACED_OK(data_grammar_nth, __VA_ARGS__)
#define data_grammar_draw(...)  TENSOR_PLACED_OK(data_grammar_draw, __VA_ARGS__)
#define data_grammar_parse(...) TENSOR_PLACED_OK(data_grammar_parse, __VA_ARGS__)
#define data_batch_init(...)    TENSOR_PLACED_OK(data_batch_init, __VA_ARGS__)
#define data_batch_fill(...)    TENSOR_PLACED_OK(data_batch_fill, __VA_ARGS__)
#define data_translations_new() \
    data_placed_translations(data_translations_new(), TENSOR_HERE(data_translations_new))
#define data_translations_draw(...) TENSOR_PLACED_OK(data_translations_draw, __VA_ARGS__)
#define data_translations_read(...) TENSOR_PLACED_INT(data_translations_read, __VA_ARGS__)
#define data_digits(...)            TENSOR_PLACED_OK(data_digits, __VA_ARGS__)
#endif

GRADUS_END
#endif
