/* corpus.h: the training data: sentences without labels, and a few with labels for fine-tuning. */
#ifndef BERT_CORPUS_H
#define BERT_CORPUS_H

#include "examples/common/example.h"
#include "gradus.h"

/* The special tokens, whose ids come first: <pad> <mask> <unk> <class>. */
enum { CLASS_TOKEN = DATA_SPECIALS, FIRST_TOKEN };

/* Tokens are words of the grammars. Every sequence begins with <class>. */
typedef struct {
    Vocab words; /* V of them, with the special tokens */
    Sequences train, held_out;
} Corpus;

/* Sentences from the training splits of two grammars, phrases and reviews. A tenth of all
 * sentences, and those of the lecture, are never in a training split. */
bool corpus_of_grammars(Corpus *c, int train, int held_out);

void corpus_free(Corpus *c);

/* Encodes a user's text, with <class> first and its <mask>s. Returns the number of ids, or -1 with
 * an error if a word is unknown or the text is empty or too long. */
enum { LONGEST = DATA_WORDS_MAX + 1, TEXT_MAX = LONGEST + 1 };
int corpus_encode(const Corpus *c, const char *text, int32_t *ids, int capacity);

/* ---- reviews with labels --------------------------------------------------------------------- */

typedef struct {
    Sequences ids;
    int32_t *labels; /* 0 positive, 1 negative */
    /* The first `train` are for training; the others have pairs of words that no training sentence
     * has. */
    int train;
} Reviews;

/* Draws the reviews, which depend on the seed alone. */
bool reviews_open(Reviews *r, const Corpus *c, int train, int test, uint64_t seed);
void reviews_free(Reviews *r);

#endif
