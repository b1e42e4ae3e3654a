/* trace.h: --trace, the tape of one step as it runs, in the symbols of a lecture.
 *
 *   forward    number, symbol, equation, shape, first numbers of each op
 *   backward   from last to first: the gradient that comes in, dL/d(result), and what the op adds to each
 *              operand's
 *
 * The library tells of every op (tape_on_event). What an op is called follows from the weights that it uses and
 * from the ops before it: a linear layer with in_proj_weight makes Q, K and V, their product is the scores, and so
 * on (trace_symbols.c). The first step of the first tape is printed; then the program ends, with status 0. While it
 * is, attention is computed op by op, so that scores and A can be seen. */
#ifndef EXAMPLES_TRACE_H
#define EXAMPLES_TRACE_H

#include "gradus.h"

/* lecture: "V", "B", "H", "Z" or "J"; "" for the project's own symbols. Another ends the program with status 2. */
void trace_begin(const char *lecture);

/* The same onto a stream; when the step is over, no more is printed and the program goes on. False for an unknown
 * lecture. */
bool trace_to(FILE *out, const char *lecture);

/* ---- trace_symbols.c ------------------------------------------------------------------------------------- */

enum { TRACE_SYMBOL = 28, TRACE_TEXT = 96 };

/* The number of a lecture's column; -1 for an unknown one. */
int trace_lecture(const char *name);
/* "A", "W_o", "#12": t in a lecture's symbols. Returns text, of TRACE_SYMBOL bytes. */
const char *trace_symbol(const Tensor *t, int lecture, char *text);
/* "softmax(E)": how the op makes its result. text, here and below, has TRACE_TEXT bytes. */
const char *trace_equation(const Node *n, int lecture, char *text);
/* "(B 64, N 14, D 32)" */
const char *trace_shape(const Tensor *t, int lecture, char *text);
/* The module that the op belongs to, "blocks.0.attn", by the path of its weight; "" without one. */
const char *trace_scope(const Node *n, char *text);

#endif
