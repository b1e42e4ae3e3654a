/* texts.h: what is learned from: texts as ids, with their labels. */
#ifndef CLASSIFY_TEXTS_H
#define CLASSIFY_TEXTS_H

#include "examples/common/example.h"
#include "data/corpora/corpora.h"
#include "gradus.h"

/* Every text begins with <class>, whose output one of the two poolings takes. */
typedef struct {
    Vocab words; /* <pad> <mask> <unk> <class>, then the words                      */
    Vocab names; /* of the labels                                                   */
    Sequences ids;
    int32_t *labels; /* of each text                                                   */
    int *kinds;      /* a ReviewKind for each; NULL for texts from a file               */
    int train;       /* the first so many are to learn from, the others held out        */
    int longest;     /* text that is kept whole, in tokens                               */
    int cut;         /* how many were longer, and lost their end                        */
} Texts;

enum { CLASS_TOKEN = DATA_SPECIALS };

/* Reviews that the grammar writes: some to learn from, and some with pairs of words that those lack. */
bool texts_of_reviews(Texts *t, int train, int held_out, int longest);

/* Lines LABEL<tab>TEXT; a tenth of them, by chance, is held out. `known` has the words and labels of a model
 * that was trained before; NULL: they come from the file. */
bool texts_of_file(Texts *t, const char *path, int longest, uint64_t seed, const Texts *known);
void texts_free(Texts *t);

/* A user's own text as ids, <class> first: how many; -1 with an error for an unknown word, or none. */
int texts_encode(const Texts *t, const char *text, int32_t *ids, int capacity);

#endif
