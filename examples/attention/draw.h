/* draw.h: the attention weights of a trained model, as pictures and in the terminal. */
#ifndef ATTENTION_DRAW_H
#define ATTENTION_DRAW_H

#include "examples/attention/question.h"

/* Draws the sentences into --out: head (the one with the largest weight from query to target) and
 * arcs side by side, and sentence-1, sentence-2, ... (the grid layers x heads of each, with its
 * words); with `gradients`, also dL/dA. All formats. With --html, also the page, which has dL/dA;
 * live: what it computes with, or NULL. Prints the chosen head and the largest weights to the
 * terminal. */
bool draw_attention(const Model *m, const Question *sentences, int count, bool gradients,
                    const PlotPageLive *live, const Common *c);

#endif
