/* texts.h: the training data: texts as ids, with their labels. */
#ifndef CLASSIFY_TEXTS_H
#define CLASSIFY_TEXTS_H

#include "examples/common/example.h"
#include "data/corpora/corpora.h"
#include "gradus.h"

/* Every text begins with <class>, whose hidden state one of the two poolings uses. */
typedef struct {
    Vocab words; /* <pad> <mask> <unk> <class>, then the words                      */
    Vocab names; /* of the labels                                                   */
    Sequences ids;
    int32_t *labels; /* of each text                                                   */
    int *kinds;      /* a ReviewKind for each; NULL for texts from a file               */
    int train;       /* the first `train` texts are for training, the others held out   */
    int longest;     /* the largest number of tokens of a text                           */
    int cut;         /* the number of texts that were truncated                          */
} Texts;

enum { CLASS_TOKEN = DATA_SPECIALS };

/* Reviews that the grammar generates: training texts, and held-out ones with other pairs of
 * words. */
bool texts_of_reviews(Texts *t, int train, int held_out, int longest);

/* Lines LABEL<tab>TEXT; a random tenth of them is held out. `known` has the vocabulary of a trained
 * model; NULL: the vocabulary comes from the file. */
bool texts_of_file(Texts *t, const char *path, int longest, uint64_t seed, const Texts *known);
void texts_free(Texts *t);

/* Encodes a user's text, with <class> first. Returns the number of ids, or -1 with an error if a
 * word is unknown or the text is empty. */
int texts_encode(const Texts *t, const char *text, int32_t *ids, int capacity);

#endif
