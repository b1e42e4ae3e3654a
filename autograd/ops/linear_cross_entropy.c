/* Cross-entropy of a layer's outputs.            B "Training Transformer-based LM", Z "Encoder transformers"
 *   logits = x W^T + b,  L = cross-entropy of logits against targets      (linear.c, cross_entropy.c)
 *   dL/dx = G W,  dL/dW = G^T x,  dL/db = sum of G's rows,  G = dL/dlogits
 * Logits are the largest tensor of a language model: of 4 sequences of 1024 tokens and 50257 words 820 MB, and their
 * gradient as much. Here some rows of them exist at a time, and G takes their place:
 *
 *     x [rows] --W--> [logits] --> losses          forward; of a chunk that holds all rows they are kept
 *     x [rows] --W--> [logits] --> [G] --> dx [rows], dW +=, db +=          backward
 *
 * x: (..., C), W: (V, C), b: (V) or absent, targets: ids (...) -> rank 0. Errors: those of the two; rows < 0. */
#include "autograd/ops/shared/cross_entropy.h"
#include "autograd/ops/shared/matrix.h"

#include <string.h>

enum { X, WEIGHT, BIAS, TARGETS, OPERANDS };
enum { MOST = 1 << 24 }; /* logits at a time: 64 MB as float */

static bool linear_cross_entropy_shape(const Node *n, Shape *y)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT], *b = n->in[BIAS], *target = n->in[TARGETS];
    const CrossEntropyOptions *options = n->attrs;
    Shape wanted = x->shape;
    *y = shape0();
    if (w->shape.rank != 2 || x->shape.rank < 1 || shape_last(x->shape) != w->shape.dim[1] ||
        (b && !shape_equal(b->shape, shape1(w->shape.dim[0]))))
        return tensor_fail("linear_cross_entropy: x is %s, weight %s, bias %s; need x (..., C), "
                           "weight (V, C), bias (V)",
                           tensor_describe(x), tensor_describe(w), b ? tensor_describe(b) : "NULL");
    wanted.rank--;
    if (!shape_equal(wanted, target->shape))
        return tensor_fail("linear_cross_entropy: x is %s, targets %s; need x (..., C), targets "
                           "(...)",
                           tensor_describe(x), tensor_describe(target));
    if (options->rows < 0)
        return tensor_fail("linear_cross_entropy: rows is %lld; need 0 or more",
                           (long long)options->rows);
    return targets_check(n, target, w->shape.dim[0], "rows of weight", w);
}

/* Rows whose logits exist at a time. */
static int64_t chunk_rows(const Node *n)
{
    const CrossEntropyOptions *options = n->attrs;
    int64_t rows = tensor_size(n->in[TARGETS]), classes = n->in[WEIGHT]->shape.dim[0];
    int64_t most = options->rows > 0 ? options->rows : MOST / (classes > 0 ? classes : 1);
    return most < 1 ? 1 : most < rows ? most : rows;
}

/* The maximum of each row and the logarithm of its sum, the rows' losses, a chunk's logits. */
static int64_t linear_cross_entropy_saved(const Node *n)
{
    return 3 * tensor_size(n->in[TARGETS]) + chunk_rows(n) * n->in[WEIGHT]->shape.dim[0];
}

static void chunk_logits(const Node *n, Matrix logits, Matrix x)
{
    const Tensor *w = n->in[WEIGHT], *b = n->in[BIAS];
    Matrix W = matrix(w->data, w->shape.dim[0], w->shape.dim[1]);
    multiply_biased(tape_scratch(n->out->tape), logits, x, transposed(W), false,
                    b ? b->data : NULL);
}

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

/* What a chunk's G brings to x, W and b. */
static void chunk_back(const Node *n, Matrix G, int64_t from)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT], *b = n->in[BIAS];
    KernelScratch scratch = tape_scratch(n->out->tape);
    int64_t V = w->shape.dim[0], C = w->shape.dim[1], at = from * C;
    if (x->grad)
        multiply(scratch, matrix(x->grad + at, G.rows, C), G, matrix(w->data, V, C),
                 !(n->fresh & 1 << X)); /* each chunk has its own rows */
    if (w->grad)
        multiply(scratch, matrix(w->grad, V, C), transposed(G), matrix(x->data + at, G.rows, C),
                 true);
    if (b && b->grad)
        kernels->add_rows(b->grad, 1, G.at, G.rows, V);
}

static void linear_cross_entropy_backward(Node *n)
{
    const Tensor *x = n->in[X], *w = n->in[WEIGHT];
    int64_t V = w->shape.dim[0], C = w->shape.dim[1], chunk = chunk_rows(n);
    Targets t = targets_of(n, n->in[TARGETS], V);
    real *stats = n->saved, *logits = stats + 3 * t.rows;
    if (t.counted == 0 && n->fresh & 1 << X)
        memset(x->grad, 0, (size_t)tensor_size(x) * sizeof(real));
    for (int64_t from = 0; t.counted > 0 && from < t.rows; from += chunk) {
        int64_t rows = t.rows - from < chunk ? t.rows - from : chunk;
        Matrix G = matrix(logits, rows, V);
        if (chunk < t.rows)
            chunk_logits(n, G, matrix(x->data + from * C, rows, C));
        targets_back(&t, logits, n->out->grad[0], logits, stats, from, rows);
        chunk_back(n, G, from);
    }
}

const Op op_linear_cross_entropy = {.name = "linear_cross_entropy",
                                    .optional = 1 << BIAS,
                                    .ids = 1 << TARGETS,
                                    .scratch = true,
                                    .assigns = 1 << X,
                                    .shape = linear_cross_entropy_shape,
                                    .saved = linear_cross_entropy_saved,
                                    .forward = linear_cross_entropy_forward,
                                    .backward = linear_cross_entropy_backward};

Tensor *ag_linear_cross_entropy(Tensor *x, Tensor *weight, Tensor *bias, Tensor *targets,
                                CrossEntropyOptions options)
{
    return ag_apply(&op_linear_cross_entropy, (Tensor *[]){x, weight, bias, targets}, OPERANDS,
                    &options, sizeof options);
}
