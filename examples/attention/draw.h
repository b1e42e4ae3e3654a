/* draw.h: the attention weights of a trained model, as pictures and in the terminal. */
#ifndef ATTENTION_DRAW_H
#define ATTENTION_DRAW_H

#include "examples/attention/train.h"
#include "plot/pages.h"

/* One sentence to draw: its ids, its words, and the queried word. */
typedef struct {
    int length;
    const int *ids;
    const char *const *words;
    int query;         /* the word from which arcs begin                                  */
    int target;        /* the word it should attend to; -1: not known                    */
    int label;         /* the correct answer, for the gradient; -1: the model's answer   */
    const char *title; /* "... because it was too tired"                                  */
} Drawing;

/* Draws the sentences side by side into --out: grid (layers x heads), head (the one with the
 * largest weight from query to target), arcs, sentence-1, sentence-2, ... (each grid alone, with
 * its words); with `gradients`, also dL/dA. All formats. With --html, also the page, which has
 * dL/dA; live: what it computes with, or NULL. Prints the chosen head and the largest weights to
 * the terminal. */
bool draw_attention(const Model *m, const Drawing *sentences, int count, bool gradients,
                    const PlotPageLive *live, const Common *c);

#endif
