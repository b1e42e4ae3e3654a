/* trace.h: --trace, which prints one step op by op, in the symbols of a lecture.
 *
 *   forward   number, symbol, equation, shape and first values of each op
 *   backward  from last to first: the gradient that arrives, dL/d(result), and what the op adds to the gradient of
 *             each operand
 *
 * The library reports every op (tape_on_event), and modules name what they compute while it does
 * (nn.h, "names of activations"): trace_symbols.c has the symbol of each name. The first step of
 * the first tape without no_grad is printed. During that step attention is composed from single
 * ops, so that scores and A are visible. */
#ifndef PLOT_TRACE_H
#define PLOT_TRACE_H

#include "autograd/inspect.h"

/* Prints the next step. lecture: "V", "B", "H", "Z" or "J"; "" for the project's own symbols. over:
 * called after the step, unless it is NULL. Returns false for an unknown lecture. */
bool trace_to(FILE *out, const char *lecture, void (*over)(void));

/* ---- trace_symbols.c ------------------------------------------------------------------------- */

enum { TRACE_SYMBOL = 28, TRACE_TEXT = 160 };

/* The index of a lecture's column; -1 for an unknown lecture. */
int trace_lecture(const char *name);
/* Writes the symbol of t in a lecture, such as "A", "W_o" or "#12". Returns text, of TRACE_SYMBOL
 * bytes. */
const char *trace_symbol(const Tensor *t, int lecture, char *text);
/* Writes the op's equation, such as "softmax(E)". text, here and below, has TRACE_TEXT bytes. */
const char *trace_equation(const Node *n, int lecture, char *text);
/* Writes the shape with the lecture's letters, such as "(B 64, N 14, D 32)". */
const char *trace_shape(const Tensor *t, int lecture, char *text);
/* The index of a node on its tape. */
int trace_number(const Node *n);

#endif
