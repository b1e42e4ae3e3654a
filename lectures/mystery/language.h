/* language.h: the language, and the decoder that learns it. See mystery.h.
 *
 *   sentence  <bos> x_1 ... x_n .   letters a to f; from the fourth on, each is the last with
 *             probability 0.15, and the 14th always
 *   x_1, x_2  uniform; then x_i is the letter after x_(i-2) with probability 0.85, or another
 *
 * What x_(i-1) is says nothing of x_i, so that a model without positions learns less.
 *
 *   tokens -> embedding + position -> 4 or 6 x post-norm block -> linear -> softmax
 *
 * Sentences are padded on the left. Positions count from a sentence's own beginning. */
#ifndef LECTURES_MYSTERY_LANGUAGE_H
#define LECTURES_MYSTERY_LANGUAGE_H

#include "lectures/mystery/mystery.h"

#include <string.h>

enum { PAD, BOS, END, LETTER, LETTERS = 6, WORDS = LETTER + LETTERS };
enum { LEAST = 4, MOST = 14, T = MOST + 1, BATCH = 16, HELD = 64, IGNORE = -100 };
enum { LAYERS = 6, C = 32, H = 2, HIDDEN = 64 };

typedef struct {
    Linear q, k, v, out, up, down;
    Norm norm1, norm2;
} Layer;

/* Sentences as the model reads them. */
typedef struct {
    int rows, in[HELD * T], target[HELD * T], start[HELD];
} Batch;

typedef struct Network {
    Embedding embedding;
    PositionalEncoding position;
    Layer layer[LAYERS];
    Linear head;
    Batch held, first[2];
    int batches;
    Tensor *map[LAYERS], *scores[LAYERS], *stream[LAYERS]; /* of the last forward pass */
} Network;

/* p(x_i = letter | x_1 ... x_(i-1)) of a sentence that goes on, and p(x_i is its end). */
double language_letter_p(const int *x, int i, int letter);
double language_end_p(int i);

/* How many blocks the run's model has. */
int language_depth(const Run *r);

/* What the run takes for the next token. */
void language_labels(const Run *r, const Batch *b, int *label);

/* The logits (rows, n, WORDS) of the first n columns; and those of the held-out data, on a new
 * step of the tape. */
Tensor *language_forward(Run *r, const Batch *b, int n);
Tensor *language_held(Run *r);

/* language_measured.c: all but losses, gradients and updates. */
bool language_measure(Run *r);

#endif
