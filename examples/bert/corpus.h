/* corpus.h: what BERT reads: sentences without labels, and, for fine-tuning, a few with them. */
#ifndef BERT_CORPUS_H
#define BERT_CORPUS_H

#include "examples/common/example.h"
#include "gradus.h"

/* The ids before those of the text: <pad> <mask> <unk> <class>. */
enum { CLASS_TOKEN = DATA_SPECIALS, FIRST_TOKEN };

/* Tokens are the words of the grammars, or the byte pairs of a file. Every sequence begins with <class>. */
typedef struct {
    Vocab words; /* with the first four ids; empty where tokens are byte pairs     */
    Bpe bpe;     /* byte pair k is token FIRST_TOKEN + k                            */
    bool bytes;
    int tokens;  /* V                                                              */
    int longest; /* sequence                                                       */
    Sequences train, held_out;
} Corpus;

/* Sentences of two grammars, phrases and reviews, as the grammars' training splits have them; a tenth of all
 * sentences there are, and the lecture's own, are never among those to train on. */
bool corpus_of_grammars(Corpus *c, int train, int held_out);

/* Any text in UTF-8, in pieces of `longest` tokens; its last tenth is held out. */
bool corpus_of_file(Corpus *c, const char *path, int merges, int longest);
void corpus_free(Corpus *c);

/* A user's text, <class> first, with <mask> where it says so: how many ids; -1 with an error for an unknown word,
 * too long a text, or none. */
enum { TEXT_MAX = DATA_WORDS_MAX + 2 };
int corpus_encode(const Corpus *c, const char *text, int32_t *ids, int capacity);

/* A token as pictures show it. Returns label. */
enum { TOKEN_LABEL = DATA_BPE_TOKEN_BYTES + 8 };
const char *corpus_label(const Corpus *c, int id, char label[TOKEN_LABEL]);

/* The vocabulary as one line of text, for the file of a trained model; for free(). */
char *corpus_line(const Corpus *c);

/* ---- reviews with labels --------------------------------------------------------------------------------- */

typedef struct {
    Sequences ids;
    int32_t *labels; /* 0 positive, 1 negative */
    int train; /* the first so many are to learn from; the others have pairs of words that no training
                      * sentence has */
} Reviews;

/* A function of the seed alone. */
bool reviews_open(Reviews *r, const Corpus *c, int train, int test, uint64_t seed);
void reviews_free(Reviews *r);

#endif
