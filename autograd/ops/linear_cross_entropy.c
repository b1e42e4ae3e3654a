/* Cross-entropy of a linear layer's outputs, without the logits in memory.
 *   logits = x W^T + b,  L = cross-entropy of logits against targets      (linear.c, cross_entropy.c)
 *   dL/dx = G W,  dL/dW = G^T x,  dL/db = sum of G's rows,  G = dL/dlogits
 * The logits are the largest tensor of a language model: 820 MB for 4 sequences of 1024 tokens and
 * 50257 words, and their gradient has the same size. Here a chunk of their rows exists at a time,
 * and G replaces it:
 *
 *     x [rows] --W--> [logits] --> losses          forward; a chunk that holds all rows is kept
 *     x [rows] --W--> [logits] --> [G] --> dx [rows], dW +=, db +=          backward
 *
 * x: (..., C), W: (V, C), b: (V) or absent, targets: ids (...) -> rank 0. Errors: those of the two
 * ops; rows < 0. Lectures: B "Training Transformer-based LM", Z "Encoder transformers"
 * (lectures/README.md). The loops: those of linear.c and cross_entropy.c. */
#include "autograd/ops/shared/matrix.h"

enum { X, WEIGHT, BIAS, TARGETS, OPERANDS };
enum { LOGITS_MAX = 1 << 24 }; /* at a time: 64 MB as float */

static bool linear_cross_entropy_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT], *b = n->in[BIAS], *target = n->in[TARGETS];
    const TargetAttrs *options = n->attrs;
    Shape wanted = x->shape;
    *y = shape0();
    if (w->shape.rank != 2 || x->shape.rank < 1 || shape_last(x->shape) != w->shape.dim[1] ||
        (b && !shape_equal(b->shape, shape1(w->shape.dim[0]))))
        return op_fail(n,
                       "x is %s, weight %s, bias %s; expected x (..., C), weight (V, C), bias (V)",
                       tensor_describe(x), tensor_describe(w), b ? tensor_describe(b) : "NULL");
    wanted.rank--;
    if (!shape_equal(wanted, target->shape))
        return op_fail(n, "x is %s, targets %s; expected x (..., C), targets (...)",
                       tensor_describe(x), tensor_describe(target));
    if (options->rows < 0)
        return op_fail(n, "rows is %lld; expected 0 or more", (long long)options->rows);
    return targets_check(n, target, w->shape.dim[0], "rows of weight", w);
}

/* The number of rows whose logits exist at a time.
 * A function of the shapes, so that forward and backward agree. */
static int64_t chunk_rows(const Node *n)
{
    const TargetAttrs *options = n->attrs;
    int64_t rows = tensor_size(n->in[TARGETS]), classes = n->in[WEIGHT]->shape.dim[0];
    int64_t most = options->rows > 0 ? options->rows : LOGITS_MAX / (classes > 0 ? classes : 1);
    return most < 1 ? 1 : most < rows ? most : rows;
}

/* Kept: the maximum and the log-sum of each row, each row's loss, and a chunk's logits. */
static int64_t linear_cross_entropy_saved(const Node *n)
{
    return 3 * tensor_size(n->in[TARGETS]) + chunk_rows(n) * n->in[WEIGHT]->shape.dim[0];
}

/* logits (rows, V) = x (rows, C) W^T + b. */
static void chunk_logits(const Node *n, Matrix logits, Matrix x)
{
    const Tensor *w = n->in[WEIGHT], *b = n->in[BIAS];
    Matrix W = matrix(w->data, w->shape.dim[0], w->shape.dim[1]);
    multiply_biased(n->out->tape, logits, x, transposed(W), false, b ? b->data : NULL);
}

/* Each chunk reuses the logits' memory; the statistics and losses of all rows stay. */
static void linear_cross_entropy_forward(Node *n)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT];
    int64_t V = w->shape.dim[0], C = w->shape.dim[1], chunk = chunk_rows(n);
    Targets t = targets_of(n, n->in[TARGETS], V);
    real *stats = n->saved, *losses = stats + 2 * t.rows, *logits = losses + t.rows;
    for (int64_t from = 0; from < t.rows; from += chunk) {
        int64_t rows = t.rows - from < chunk ? t.rows - from : chunk;
        chunk_logits(n, matrix(logits, rows, V), matrix(x->data + from * C, rows, C));
        targets_losses(&t, losses, stats, logits, from, rows);
    }
    n->out->data[0] = targets_mean(&t, losses);
}

static void chunk_backward(const Node *n, Matrix G, int64_t from)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT], *b = n->in[BIAS];
    int64_t V = w->shape.dim[0], C = w->shape.dim[1], at = from * C;
    const Tape *tape = n->out->tape;
    if (x->grad) /* each chunk has rows of its own */
        multiply(tape, matrix(x->grad + at, G.rows, C), G, matrix(w->data, V, C), true);
    if (w->grad)
        multiply(tape, matrix(w->grad, V, C), transposed(G), matrix(x->data + at, G.rows, C), true);
    if (b && b->grad)
        kernels->add_rows(b->grad, 1, G.at, G.rows, V);
}

/* With several chunks the logits of each are computed a second time; with one they are still
 * there. A chunk's G is used up before the next chunk replaces it. */
static void linear_cross_entropy_backward(Node *n)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT];
    int64_t V = w->shape.dim[0], C = w->shape.dim[1], chunk = chunk_rows(n);
    Targets t = targets_of(n, n->in[TARGETS], V);
    real *stats = n->saved, *logits = stats + 3 * t.rows;
    for (int64_t from = 0; t.counted > 0 && from < t.rows; from += chunk) {
        int64_t rows = t.rows - from < chunk ? t.rows - from : chunk;
        Matrix G = matrix(logits, rows, V);
        if (chunk < t.rows)
            chunk_logits(n, G, matrix(x->data + from * C, rows, C));
        targets_backward(&t, logits, n->out->grad[0], logits, stats, from, rows);
        chunk_backward(n, G, from);
    }
}

const Op op_linear_cross_entropy = {.name = "linear_cross_entropy",
                                    .optional = 1 << BIAS,
                                    .ids = 1 << TARGETS,
                                    .shape = linear_cross_entropy_shape,
                                    .saved = linear_cross_entropy_saved,
                                    .forward = linear_cross_entropy_forward,
                                    .backward = linear_cross_entropy_backward,
                                    .inside = &(const struct OpInside){.scratch = true}};

Tensor *ag_linear_cross_entropy(Tensor *x, Tensor *weight, Tensor *bias, Tensor *targets,
                                CrossEntropyOptions options)
{
    TargetAttrs attrs = {options.rows, options.smoothing, options.ignores, options.ignore};
    return op_apply(&op_linear_cross_entropy, (Tensor *[]){x, weight, bias, targets}, OPERANDS,
                    &attrs, sizeof attrs);
}
