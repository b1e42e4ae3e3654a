/* autograd.h: the tape, the ops, and the way back.
 *
 *   Tape     records what is computed, and owns it until tape_reset     autograd/tape.c, input.c
 *   views    reshape, transpose, permute, slice: no copy, no rule       autograd/views.c
 *   ops      one file each                                              autograd/ops/
 *   backward one loop over the tape, from last to first                 autograd/backward.c
 *   checks   finite differences                                         autograd/gradcheck.c
 *
 * A step:  input -> ops, each leaving a Node on the tape -> loss -> ag_backward -> gradients.
 * Tensors carry their tape, so ops take no context. A failed op reports the caller's line and returns
 * the poison tensor; ops on poison return poison, so a program may check once, at the end of the step. */
#ifndef GRADUS_AUTOGRAD_H
#define GRADUS_AUTOGRAD_H

#include "tensor/tensor.h"

GRADUS_BEGIN

typedef struct Op Op;

/* ---- the tape ------------------------------------------------------------------------ tape.c -- */

/* One op that was computed. */
struct Node {
    const Op *op;
    Tensor *out;
    Tensor **in; /* operands; an optional one that is absent is NULL            */
    int inputs;
    const void *attrs; /* the op's own settings, or NULL                              */
    real *saved;       /* what forward keeps for backward: op->saved(node) numbers    */
    const char *file;  /* the place in the program that asked for it; NULL inside     */
    int line;          /* a longer call that has not returned yet                     */
    unsigned fresh;    /* in backward: bit i of op->assigns, operand i's gradient is junk yet */
};

typedef struct TensorPool TensorPool;
typedef struct FreeGrad FreeGrad;

/* The first group is yours to set between steps; read the second; leave the third alone. */
struct Tape {
    bool training;  /* dropout drops. false from tape_new                                        */
    bool no_grad;   /* ops made now want no gradient                                             */
    bool keep_maps; /* attention leaves its scores and its weights A by name, with gradients     */
    bool watch;     /* a NaN or infinity, forward or backward, is an error that names op and line */
    uint64_t seed;  /* of dropout                                                                */
    uint64_t step;  /* counts resets; with the seed it decides what is dropped                   */
    /* What linear reads for few rows while no_grad is set (nn_quantise_weights), or NULL. */
    const struct QuantisedWeights *quantised_weights;

    Node **node; /* what was computed, in order */
    int nodes;
    Tensor **named; /* tensors that were given a name in this step, in order */
    int names;
    bool failed; /* an op failed; everything is poison until tape_reset */

    Arena arena;
    TensorPool *pool;
    FreeGrad *free_grads;
    void *scratch; /* that kernels work in */
    int scratch_parts;
    int node_capacity, name_capacity, placed;
    uint64_t dropouts;
    bool backward_done;
};

/* NULL, with an error, when memory is out. */
GRADUS_API Tape *tape_new(uint64_t seed);
GRADUS_API void tape_free(Tape *tape); /* NULL is allowed */

/* Forgets the step: all tensors made on this tape are gone, and a use of one is reported by name.
 * Clears the thread's failure. Once a step no larger was seen, a step takes no memory. */
GRADUS_API void tape_reset(Tape *tape);

/* What is told of a tape: an op was computed; backward is about to go back over it, the gradient of its result
 * being complete; it has; the step is over (node NULL): backward is done, or the tape is reset or freed. */
typedef enum { TAPE_COMPUTED, TAPE_BACKWARD_BEGINS, TAPE_BACKWARD_DONE, TAPE_OVER } TapeEvent;
typedef void (*TapeWatcher)(TapeEvent event, Tape *tape, const Node *node);
/* Follows the tapes of this process op by op; NULL: no longer. The watcher reads, and may set the tape's first
 * group (keep_maps, before attention comes); it computes nothing there. */
GRADUS_API void tape_on_event(TapeWatcher watcher);

/* Copies numbers onto the tape. `data` holds shape_size(shape) of them. */
GRADUS_API Tensor *tape_input(Tape *tape, const real *data, Shape shape);
/* The same, and backward brings it a gradient, which is kept. */
GRADUS_API Tensor *tape_leaf(Tape *tape, const real *data, Shape shape);
/* Copies whole numbers: token ids, labels, lengths. */
GRADUS_API Tensor *tape_ids(Tape *tape, const int *ids, Shape shape);
GRADUS_API Tensor *tape_full(Tape *tape, real value, Shape shape); /* value everywhere */
/* A weight (or any tensor without a tape) as a tensor on the tape: same numbers, same gradient. An op
 * whose operands are all weights begins with it. */
GRADUS_API Tensor *tape_param(Tape *tape, Tensor *weight);

/* The tensor of this step with that name. An unknown name is an error that lists the known ones. */
GRADUS_API Tensor *tape_find(Tape *tape, const char *name);

/* Names a tensor (printf-style) and keeps its gradient; a name already taken in this step gets "#2",
 * "#3", ... Returns the tensor. */
GRADUS_API Tensor *ag_name(Tensor *t, const char *format, ...) GRADUS_PRINTF(2, 3);
/* Keeps the gradient of a tensor that backward would otherwise give back. Returns the tensor. */
GRADUS_API Tensor *ag_keep(Tensor *t);
/* The same numbers as a constant: no gradient flows through. */
GRADUS_API Tensor *ag_detach(Tensor *x);

/* ---- views: the same numbers under another shape ----------------------------------- views.c -- */

/* A view shares numbers and gradient with its base. Of tensors with a tape; begin with tape_param. */

/* One length may be -1 and is found from the others. Of a non-contiguous view: a copy, recorded. */
GRADUS_API Tensor *ag_reshape(Tensor *x, Shape shape);
/* Negative axes count from the end. */
GRADUS_API Tensor *ag_transpose(Tensor *x, int axis1, int axis2);
/* Axis i of the result is axis order[i] of x: ag_permute(x, (int[]){0, 2, 1, 3}). */
GRADUS_API Tensor *ag_permute(Tensor *x, const int *order);
/* Elements begin..end-1 along an axis; negative begin and end count from the end, as in Python. */
GRADUS_API Tensor *ag_slice(Tensor *x, int axis, int64_t begin, int64_t end);
/* n slices one after another along an axis, into part[0] to part[n - 1]: of the given lengths, which must add
 * up to the axis, or of equal length. False, with poison in every part, on an error. */
GRADUS_API bool ag_split(Tensor *x, int axis, const int64_t *length, int n, Tensor **part);
GRADUS_API bool ag_split_equal(Tensor *x, int axis, int n, Tensor **part);

/* ---- ops ------------------------------------------------------------------------------- ops/ -- */

/* Broadcasting as in NumPy: (4, 1, 3) with (2, 3) gives (4, 2, 3). */
GRADUS_API Tensor *ag_add(Tensor *a, Tensor *b);
GRADUS_API Tensor *ag_sub(Tensor *a, Tensor *b);
GRADUS_API Tensor *ag_mul(Tensor *a, Tensor *b); /* element by element */
GRADUS_API Tensor *ag_div(Tensor *a, Tensor *b);
/* The larger, the smaller of the two; NaN where one is NaN. Equal numbers get half of the gradient each. */
GRADUS_API Tensor *ag_maximum(Tensor *a, Tensor *b);
GRADUS_API Tensor *ag_minimum(Tensor *a, Tensor *b);

GRADUS_API Tensor *ag_scale(Tensor *x, real s); /* s x */
GRADUS_API Tensor *ag_neg(Tensor *x);           /* -x */
GRADUS_API Tensor *ag_abs(Tensor *x);           /* |x|; gradient 0 at 0 */
GRADUS_API Tensor *ag_sqrt(Tensor *x);          /* NaN of less than 0 */
GRADUS_API Tensor *ag_pow(Tensor *x, real p);   /* x^p; NaN of x < 0 unless p is whole */
/* min(max(x, low), high); gradient 0 outside of low <= x <= high. low > high is an error. */
GRADUS_API Tensor *ag_clamp(Tensor *x, real low, real high);
GRADUS_API Tensor *ag_exp(Tensor *x);  /* e^x */
GRADUS_API Tensor *ag_log(Tensor *x);  /* natural */
GRADUS_API Tensor *ag_tanh(Tensor *x); /* (e^x - e^-x) / (e^x + e^-x) */
GRADUS_API Tensor *ag_relu(Tensor *x); /* max(x, 0); gradient 0 at 0 */
GRADUS_API Tensor *ag_gelu(Tensor *x); /* x Phi(x), the exact form (Hendrycks and Gimpel 2016) */
GRADUS_API Tensor *ag_gelu_tanh(Tensor *x); /* its tanh form, as in GPT-2 */
GRADUS_API Tensor *ag_sigmoid(Tensor *x);   /* 1 / (1 + e^-x) */
GRADUS_API Tensor *ag_silu(Tensor *x);      /* x sigmoid(x), also called swish */
GRADUS_API Tensor *ag_softplus(Tensor *x);  /* log(1 + e^x) */
GRADUS_API Tensor *ag_copy(Tensor *x);      /* contiguous */

/* a (..., m, k) times b (..., k, n): (..., m, n). Leading axes broadcast. */
GRADUS_API Tensor *ag_matmul(Tensor *a, Tensor *b);
/* y = x W^T + b. x (..., in), weight (out, in), bias (out) or NULL: (..., out). */
GRADUS_API Tensor *ag_linear(Tensor *x, Tensor *weight, Tensor *bias);

GRADUS_API Tensor *ag_sum(Tensor *x);  /* of all elements: rank 0            */
GRADUS_API Tensor *ag_mean(Tensor *x); /* rank 0; NaN of nothing, as PyTorch */
/* Along one axis, which is then gone, or with keepdim has length 1. */
GRADUS_API Tensor *ag_sum_axis(Tensor *x, int axis, bool keepdim);
GRADUS_API Tensor *ag_mean_axis(Tensor *x, int axis, bool keepdim);
/* sum (x - mean)^2 over n - 1 (unbiased) or n; NaN where that is 0, as PyTorch. */
GRADUS_API Tensor *ag_variance(Tensor *x, bool unbiased); /* of all elements: rank 0 */
GRADUS_API Tensor *ag_variance_axis(Tensor *x, int axis, bool unbiased, bool keepdim);
/* The largest along an axis (of length 0: an error); the gradient is the first one's. */
GRADUS_API Tensor *ag_max_axis(Tensor *x, int axis, bool keepdim);
GRADUS_API Tensor *ag_logsumexp(Tensor *x, int axis, bool keepdim); /* log sum exp(x) */
GRADUS_API Tensor *ag_cumsum(Tensor *x, int axis); /* y_i = x_0 + ... + x_i along the axis */

/* Over the last axis. */
GRADUS_API Tensor *ag_softmax(Tensor *x);
GRADUS_API Tensor *ag_log_softmax(Tensor *x); /* its logarithm */
/* (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis, of length C; gain, bias (C).
 * Ba, Kiros, Hinton 2016; V "Residual Connection & Layer Normalization", J "Recall: Layer
 * Normalization". */
GRADUS_API Tensor *ag_layernorm(Tensor *x, Tensor *gain, Tensor *bias, real epsilon);

/* Rows of table (V, C) picked by ids (...): (..., C). An id outside 0..V-1 is an error. */
GRADUS_API Tensor *ag_embedding(Tensor *table, Tensor *ids);
/* n tensors, equal but along `axis`, one after another. n >= 1. */
GRADUS_API Tensor *ag_concat(Tensor *const *x, int n, int axis);
/* n tensors of one shape side by side along a new axis; -1 is the last of the result. n >= 1. */
GRADUS_API Tensor *ag_stack(Tensor *const *x, int n, int axis);
/* y[i, j, k] = x[i, ids[i, j, k], k], here along axis 1 of 3. ids of x's rank, along the other axes no longer
 * than x: the shape of ids. An id outside of the axis is an error. As torch.gather. */
GRADUS_API Tensor *ag_gather(Tensor *x, int axis, Tensor *ids);
/* A frame of one value: before[i] and after[i] more places along axis i, each 0 or more. One for each axis;
 * NULL for none. */
GRADUS_API Tensor *ag_pad(Tensor *x, const int64_t *before, const int64_t *after, real value);
/* Repeated along axes of length 1, and along new ones in front; a length of -1 is x's own. */
GRADUS_API Tensor *ag_expand(Tensor *x, Shape shape);
/* a where the mask is 1, b where it is 0; any other number there is an error. Broadcasting. */
GRADUS_API Tensor *ag_where(Tensor *mask, Tensor *a, Tensor *b);
/* x with `value` where the mask, which broadcasts to x, is 1. (A Mask, below, says what is kept.) */
GRADUS_API Tensor *ag_masked_fill(Tensor *x, Tensor *mask, real value);

/* A kernel sliding along the last axis, or the last two; x is 0 in the padding. As in PyTorch:
 * x (..., in, L), weight (out, in, k), bias (out) or NULL: (..., out, (L + 2 padding - k) / stride + 1).
 * H, J "Complexity" (there k n d^2). */
GRADUS_API Tensor *ag_conv1d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding);
/* x (..., in, H, W), weight (out, in, kh, kw); stride and padding of both axes. With a stride as long as the
 * kernel, the patch embedding of a ViT. */
GRADUS_API Tensor *ag_conv2d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding);

/* While the tape is training: each element is 0 with probability p, else x / (1 - p); otherwise x
 * itself. 0 <= p < 1. J "Regularization: Dropout". */
GRADUS_API Tensor *ag_dropout(Tensor *x, real p);

/* The mean over targets of log sum_j exp(x_j) - x_target. logits (..., V), targets: ids (...). */
GRADUS_API Tensor *ag_cross_entropy(Tensor *logits, Tensor *targets);
/* Targets equal to `ignore` (PyTorch's is -100) do not count; their logits get exactly zero gradient.
 * With none left to count the loss is 0. */
GRADUS_API Tensor *ag_cross_entropy_ignore(Tensor *logits, Tensor *targets, int ignore);
/* The same against softened targets: 1 - smoothing for the target, and smoothing / V more for each of the V
 * classes. 0 <= smoothing <= 1. "Attention is all you need", 5.4. */
GRADUS_API Tensor *ag_cross_entropy_smooth(Tensor *logits, Tensor *targets, int ignore,
                                           real smoothing);
/* Which targets count, and how; (CrossEntropyOptions){0}: all, as they are. */
typedef struct {
    bool ignores;   /* targets equal to `ignore` do not count */
    int ignore;     /* see ag_cross_entropy_ignore            */
    real smoothing; /* see ag_cross_entropy_smooth            */
    int64_t
        rows; /* of logits that exist at a time; 0: as many as 64 MB (or, of doubles, 128 MB) hold */
} CrossEntropyOptions;
/* ag_cross_entropy of ag_linear(x, weight, bias), the logits, which never exist all at once: a language model's
 * largest tensor, and its gradient, are not made. x (..., C), weight (V, C), bias (V) or NULL, targets: ids (...).
 * Where the rows' logits do not fit together, each is computed twice. */
GRADUS_API Tensor *ag_linear_cross_entropy(Tensor *x, Tensor *weight, Tensor *bias, Tensor *targets,
                                           CrossEntropyOptions options);
/* The mean of (y - target)^2. One shape: nothing broadcasts. */
GRADUS_API Tensor *ag_mse(Tensor *y, Tensor *target);
/* The mean of -t log s - (1 - t) log(1 - s), s = sigmoid(logits), t the targets from 0 to 1. One shape. */
GRADUS_API Tensor *ag_bce_with_logits(Tensor *logits, Tensor *targets);
/* KL(N(mean, exp(log_variance)) || N(0, 1)), summed over all elements. One shape. H "Training VAEs". */
GRADUS_API Tensor *ag_gaussian_kl(Tensor *mean, Tensor *log_variance);

/* What a query may attend to: the AND of all that is set; (Mask){0} keeps everything. With n queries
 * and m keys, query i stands at key i + m - n. A query that may see nothing yields zeros. */
typedef struct {
    bool causal;     /* no key after the query                                                  */
    Tensor *lengths; /* ids (B): only the first lengths[b] keys of sequence b (padding), or NULL */
    Tensor *keep;    /* (T, S), (B, T, S) or (B, H, T, S) of 1 (keep) and 0, or NULL             */
    int window;   /* keys at most so many places (times dilation) away; 0: any                  */
    int dilation; /* of those, every dilation-th; 0 or 1: all (J "Sparse Attention in Transformer") */
    int global;   /* with a window: the first so many tokens see all, and all see them           */
} Mask;

/* Softmax over the keys that the mask keeps; the others get exactly 0. scores (..., T, S); with lengths
 * or a keep matrix per sequence, (B, H, T, S) or (B, T, S). */
GRADUS_API Tensor *ag_masked_softmax(Tensor *scores, Mask mask);

/* softmax(q k^T / sqrt(d)) v. q (B, H, T, d), k (B, H, S, d), v (B, H, S, e): (B, H, T, e); or all
 * without H, or without B and H. Dropout falls on the weights A. "Attention is all you need", eq. 1;
 * V "Self-Attention", H "Scaled Dot-Product Attention", J "Self-attention layer". */
GRADUS_API Tensor *ag_attention(Tensor *q, Tensor *k, Tensor *v, Mask mask, real dropout);
/* The same from single ops, so that the scores q k^T / sqrt(d) and the weights A (before dropout) stay
 * on the tape as "NAME.scores" and "NAME.A". name NULL: unnamed. */
GRADUS_API Tensor *ag_attention_composed(Tensor *q, Tensor *k, Tensor *v, Mask mask, real dropout,
                                         const char *name);

/* ---- backward --------------------------------------------------------------------- backward.c -- */

/* Adds dloss/dt to the gradient of every tensor t that needs one. loss has one element. False, with
 * nothing touched, on poison, on a tensor that needs no gradient, or a second time before the reset;
 * and, with the weights' gradients zeroed, where it breaks off (out of memory, or the watch). */
GRADUS_API bool ag_backward(Tensor *loss);
/* From any y with upstream weights dL/dy, row-major: the vector-Jacobian product. */
GRADUS_API bool ag_backward_from(Tensor *y, const real *upstream);

/* Does backward agree with finite differences? f builds y from n leaves with the given numbers; it is
 * called many times. Weighted by fixed random numbers (a plain sum would hide errors: the gradient of
 * the sum of a softmax is zero), every element of an input of at most 64 is checked, otherwise four
 * random directions. Resets the tape. False, with an error that names input, index and both values. */
typedef Tensor *(*AgFunction)(Tensor **x, void *context);
typedef struct {
    double step;               /* of the difference; 0: 1e-5 in double, 1e-2 in float        */
    double relative, absolute; /* tolerance; 0: 1e-5 and 1e-7 in double, 1e-2 each in float  */
} GradCheck;
GRADUS_API bool ag_gradcheck(Tape *tape, AgFunction f, void *context, Tensor *const *x, int n,
                             GradCheck check);

/* ---- making an op ------------------------------------------------------------------------------ */

/* What operands an op takes, and what it does with them: a constant of the program. ag_apply calls shape, saved
 * and forward; ag_backward calls backward. Of a result without a single number only the shape is asked for. */
struct Op {
    const char *name;  /* errors begin with it                    */
    unsigned optional; /* bit i: operand i may be NULL            */
    unsigned ids;      /* bit i: operand i holds whole numbers    */
    bool strided;      /* takes operands that are not contiguous; others get a copy */
    bool scratch;      /* its kernels need memory to work in; for the library's own ops */
    unsigned assigns;  /* bit i: backward sets operand i's gradient where n->fresh has bit i */
    unsigned
        inherits; /* bit i: backward can make operand i's gradient of the result's, in its place: then
                          n->in[i]->grad == n->out->grad, and there is nothing to add to */
    /* Checks the operands and makes y, which begins as the first operand's shape, the result's. False after
     * tensor_fail. NULL: there is nothing to check or to change. */
    bool (*shape)(const Node *n, Shape *y);
    int64_t (*saved)(const Node *n); /* how many numbers forward keeps in n->saved; NULL: none */
    void (*forward)(Node *n);        /* fills n->out->data, and n->saved */
    /* Adds to n->in[i]->grad wherever that is not NULL (but see assigns and inherits). NULL: the result is a constant. */
    void (*backward)(Node *n);
};

/* Computes an op and records it. attrs (attrs_size bytes, may be NULL) are copied onto the tape. This is
 * all that a public op function does, and how an op is made outside of the library. */
GRADUS_API Tensor *ag_apply(const Op *op, Tensor *const *in, int inputs, const void *attrs,
                            size_t attrs_size);

/* The library's ops, closed by NULL. */
GRADUS_API extern const Op *const ag_ops[];

/* ---- where the macros are on --------------------------------------------------------------------- */

/* tensor_place, and the source location of the call goes into the nodes that it left on t's tape. */
GRADUS_API void ag_place(const Tensor *t, const char *function, const char *file, int line);

static inline Tensor *ag_placed(Tensor *t, const char *function, const char *file, int line)
{
    ag_place(t, function, file, line);
    return t;
}

static inline Tape *tape_placed(Tape *tape, const char *function, const char *file, int line)
{
    tensor_place(function, file, line);
    return tape;
}

#ifndef GRADUS_INSIDE
#define AG_PLACED(fn, ...) ag_placed(fn(__VA_ARGS__), TENSOR_HERE(fn))

#define tape_new(...)                tape_placed(tape_new(__VA_ARGS__), TENSOR_HERE(tape_new))
#define tape_input(...)              AG_PLACED(tape_input, __VA_ARGS__)
#define tape_leaf(...)               AG_PLACED(tape_leaf, __VA_ARGS__)
#define tape_ids(...)                AG_PLACED(tape_ids, __VA_ARGS__)
#define tape_full(...)               AG_PLACED(tape_full, __VA_ARGS__)
#define tape_param(...)              AG_PLACED(tape_param, __VA_ARGS__)
#define tape_find(...)               AG_PLACED(tape_find, __VA_ARGS__)
#define ag_name(...)                 AG_PLACED(ag_name, __VA_ARGS__)
#define ag_detach(...)               AG_PLACED(ag_detach, __VA_ARGS__)
#define ag_reshape(...)              AG_PLACED(ag_reshape, __VA_ARGS__)
#define ag_transpose(...)            AG_PLACED(ag_transpose, __VA_ARGS__)
#define ag_permute(...)              AG_PLACED(ag_permute, __VA_ARGS__)
#define ag_slice(...)                AG_PLACED(ag_slice, __VA_ARGS__)
#define ag_split(...)                TENSOR_PLACED_OK(ag_split, __VA_ARGS__)
#define ag_split_equal(...)          TENSOR_PLACED_OK(ag_split_equal, __VA_ARGS__)
#define ag_add(...)                  AG_PLACED(ag_add, __VA_ARGS__)
#define ag_sub(...)                  AG_PLACED(ag_sub, __VA_ARGS__)
#define ag_mul(...)                  AG_PLACED(ag_mul, __VA_ARGS__)
#define ag_div(...)                  AG_PLACED(ag_div, __VA_ARGS__)
#define ag_maximum(...)              AG_PLACED(ag_maximum, __VA_ARGS__)
#define ag_minimum(...)              AG_PLACED(ag_minimum, __VA_ARGS__)
#define ag_scale(...)                AG_PLACED(ag_scale, __VA_ARGS__)
#define ag_neg(...)                  AG_PLACED(ag_neg, __VA_ARGS__)
#define ag_abs(...)                  AG_PLACED(ag_abs, __VA_ARGS__)
#define ag_sqrt(...)                 AG_PLACED(ag_sqrt, __VA_ARGS__)
#define ag_pow(...)                  AG_PLACED(ag_pow, __VA_ARGS__)
#define ag_clamp(...)                AG_PLACED(ag_clamp, __VA_ARGS__)
#define ag_exp(...)                  AG_PLACED(ag_exp, __VA_ARGS__)
#define ag_log(...)                  AG_PLACED(ag_log, __VA_ARGS__)
#define ag_tanh(...)                 AG_PLACED(ag_tanh, __VA_ARGS__)
#define ag_relu(...)                 AG_PLACED(ag_relu, __VA_ARGS__)
#define ag_gelu(...)                 AG_PLACED(ag_gelu, __VA_ARGS__)
#define ag_gelu_tanh(...)            AG_PLACED(ag_gelu_tanh, __VA_ARGS__)
#define ag_sigmoid(...)              AG_PLACED(ag_sigmoid, __VA_ARGS__)
#define ag_silu(...)                 AG_PLACED(ag_silu, __VA_ARGS__)
#define ag_softplus(...)             AG_PLACED(ag_softplus, __VA_ARGS__)
#define ag_copy(...)                 AG_PLACED(ag_copy, __VA_ARGS__)
#define ag_matmul(...)               AG_PLACED(ag_matmul, __VA_ARGS__)
#define ag_linear(...)               AG_PLACED(ag_linear, __VA_ARGS__)
#define ag_sum(...)                  AG_PLACED(ag_sum, __VA_ARGS__)
#define ag_mean(...)                 AG_PLACED(ag_mean, __VA_ARGS__)
#define ag_sum_axis(...)             AG_PLACED(ag_sum_axis, __VA_ARGS__)
#define ag_mean_axis(...)            AG_PLACED(ag_mean_axis, __VA_ARGS__)
#define ag_variance(...)             AG_PLACED(ag_variance, __VA_ARGS__)
#define ag_variance_axis(...)        AG_PLACED(ag_variance_axis, __VA_ARGS__)
#define ag_max_axis(...)             AG_PLACED(ag_max_axis, __VA_ARGS__)
#define ag_logsumexp(...)            AG_PLACED(ag_logsumexp, __VA_ARGS__)
#define ag_cumsum(...)               AG_PLACED(ag_cumsum, __VA_ARGS__)
#define ag_softmax(...)              AG_PLACED(ag_softmax, __VA_ARGS__)
#define ag_log_softmax(...)          AG_PLACED(ag_log_softmax, __VA_ARGS__)
#define ag_layernorm(...)            AG_PLACED(ag_layernorm, __VA_ARGS__)
#define ag_embedding(...)            AG_PLACED(ag_embedding, __VA_ARGS__)
#define ag_concat(...)               AG_PLACED(ag_concat, __VA_ARGS__)
#define ag_stack(...)                AG_PLACED(ag_stack, __VA_ARGS__)
#define ag_gather(...)               AG_PLACED(ag_gather, __VA_ARGS__)
#define ag_pad(...)                  AG_PLACED(ag_pad, __VA_ARGS__)
#define ag_expand(...)               AG_PLACED(ag_expand, __VA_ARGS__)
#define ag_where(...)                AG_PLACED(ag_where, __VA_ARGS__)
#define ag_masked_fill(...)          AG_PLACED(ag_masked_fill, __VA_ARGS__)
#define ag_conv1d(...)               AG_PLACED(ag_conv1d, __VA_ARGS__)
#define ag_conv2d(...)               AG_PLACED(ag_conv2d, __VA_ARGS__)
#define ag_dropout(...)              AG_PLACED(ag_dropout, __VA_ARGS__)
#define ag_cross_entropy(...)        AG_PLACED(ag_cross_entropy, __VA_ARGS__)
#define ag_cross_entropy_ignore(...) AG_PLACED(ag_cross_entropy_ignore, __VA_ARGS__)
#define ag_cross_entropy_smooth(...) AG_PLACED(ag_cross_entropy_smooth, __VA_ARGS__)
#define ag_linear_cross_entropy(...) AG_PLACED(ag_linear_cross_entropy, __VA_ARGS__)
#define ag_mse(...)                  AG_PLACED(ag_mse, __VA_ARGS__)
#define ag_bce_with_logits(...)      AG_PLACED(ag_bce_with_logits, __VA_ARGS__)
#define ag_gaussian_kl(...)          AG_PLACED(ag_gaussian_kl, __VA_ARGS__)
#define ag_masked_softmax(...)       AG_PLACED(ag_masked_softmax, __VA_ARGS__)
#define ag_attention(...)            AG_PLACED(ag_attention, __VA_ARGS__)
#define ag_attention_composed(...)   AG_PLACED(ag_attention_composed, __VA_ARGS__)
#define ag_apply(...)                AG_PLACED(ag_apply, __VA_ARGS__)
#define ag_backward(...)             TENSOR_PLACED_OK(ag_backward, __VA_ARGS__)
#define ag_backward_from(...)        TENSOR_PLACED_OK(ag_backward_from, __VA_ARGS__)
#define ag_gradcheck(...)            TENSOR_PLACED_OK(ag_gradcheck, __VA_ARGS__)
#endif

GRADUS_END
#endif
