/* draw.h: what a trained model attends to, as pictures and in the terminal. */
#ifndef ATTENTION_DRAW_H
#define ATTENTION_DRAW_H

#include "examples/attention/train.h"

/* One sentence to draw: its ids, their words, and the word it is about. */
typedef struct {
    int length;
    const int *ids;
    const char *const *words;
    int query;         /* the word from which arcs begin                                  */
    int target;        /* the word that should be attended to; -1: not known              */
    int label;         /* the right answer, for the gradient; -1: the model's own         */
    const char *title; /* "... because it was too tired"                                  */
} Drawing;

/* Draws the sentences beside each other into DIR: grid (layers x heads), head (the one that attends most
 * from query to target), arcs, sentence-1, sentence-2, ... (each grid alone, with its words); and with
 * `gradients` dL/dA of the same. All formats; prints the large head and the heaviest arcs to the terminal. */
bool draw_attention(const Model *m, const Drawing *sentences, int count, bool gradients,
                    const char *directory);

#endif
