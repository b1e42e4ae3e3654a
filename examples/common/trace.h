/* trace.h: --trace, which prints one step op by op, in the symbols of a lecture.
 *
 *   forward    number, symbol, equation, shape and first values of each op
 *   backward   from last to first: the gradient that arrives, dL/d(result), and what the op adds to the gradient of
 *              each operand
 *
 * The library reports every op (tape_on_event). The symbol of a tensor follows from the weights that its op uses and
 * from the ops before it: a linear layer with in_proj_weight computes Q, K and V, their product is the scores, and so
 * on (trace_symbols.c). The first step of the first tape without no_grad is printed; then the program ends with status 0. During that
 * step attention is composed from single ops, so that scores and A are visible. */
#ifndef EXAMPLES_TRACE_H
#define EXAMPLES_TRACE_H

#include "gradus.h"

/* lecture: "V", "B", "H", "Z" or "J"; "" for the project's own symbols. Any other ends the program with status 2. */
void trace_begin(const char *lecture);

/* The same for a stream: after the step, nothing more is printed and the program continues. Returns false for an
 * unknown lecture. */
bool trace_to(FILE *out, const char *lecture);

/* ---- trace_symbols.c ------------------------------------------------------------------------------------- */

enum { TRACE_SYMBOL = 28, TRACE_TEXT = 160 };

/* The index of a lecture's column; -1 for an unknown lecture. */
int trace_lecture(const char *name);
/* Writes the symbol of t in a lecture, such as "A", "W_o" or "#12". Returns text, of TRACE_SYMBOL bytes. */
const char *trace_symbol(const Tensor *t, int lecture, char *text);
/* Writes the op's equation, such as "softmax(E)". text, here and below, has TRACE_TEXT bytes. */
const char *trace_equation(const Node *n, int lecture, char *text);
/* Writes the shape with the lecture's letters, such as "(B 64, N 14, D 32)". */
const char *trace_shape(const Tensor *t, int lecture, char *text);
/* Writes the module of the op, such as "blocks.0.attn", from the path of its weight; "" if it has none. */
const char *trace_scope(const Node *n, char *text);

#endif
