/* draw.h: the attention weights of a trained model, as pictures and in the terminal. */
#ifndef ATTENTION_DRAW_H
#define ATTENTION_DRAW_H

#include "examples/attention/question.h"

/* Draws the sentences side by side into --out: grid (layers x heads), head (the one with the
 * largest weight from query to target), arcs, sentence-1, sentence-2, ... (each grid alone, with
 * its words); with `gradients`, also dL/dA. All formats. With --html, also the page, which has
 * dL/dA; live: what it computes with, or NULL. Prints the chosen head and the largest weights to
 * the terminal. */
bool draw_attention(const Model *m, const Question *sentences, int count, bool gradients,
                    const PlotPageLive *live, const Common *c);

#endif
