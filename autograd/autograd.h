/* autograd.h: the tape, the ops, and backward.
 *
 * A step: inputs -> ops, each of which leaves a Node on the tape -> loss -> ag_backward ->
 * gradients. autograd/README.md lists every file.
 *
 * Tensors carry their tape, so that ops need no further argument. Errors are the same for all
 * functions here: a function that fails returns the poison tensor (or false, or NULL), records
 * "ag_matmul: a is (2, 4), ...; expected ..." with the source location of the call, and marks its
 * tape as failed; a function that is given poison, or works on a failed tape, returns poison and
 * records nothing new. A program may therefore check once, at the end of the step. */
#ifndef GRADUS_AUTOGRAD_H
#define GRADUS_AUTOGRAD_H

#include "tensor/tensor.h"

GRADUS_BEGIN

typedef struct Op Op;

/* ---- the tape ---------------------------------------------------------------------- tape.c -- */

/* One op that was computed. */
struct Node {
    const Op *op;
    /* The public function, such as "ag_sum_axis": errors begin with its name. */
    const char *function;
    Tensor *out;
    Tensor **in; /* operands; an optional one that is absent is NULL             */
    int inputs;
    const void *attrs; /* the op's settings, or NULL                                   */
    real *saved;       /* what forward keeps for backward: op->saved(node) numbers     */
};

/* A program may set the members of the first group between steps and may read the second group. */
struct Tape {
    bool training;   /* ag_dropout drops elements; false from tape_new                    */
    bool no_grad;    /* results of ops computed from now on need no gradient              */
    bool keep_maps;  /* attention keeps q, k, scores and A by name, with gradients        */
    bool keep_names; /* modules of nn name what they compute, as for a watcher (nn.h)    */
    bool watch;      /* a NaN or infinity in a result or a gradient is an error           */
    /* Called for each failure of this tape, in place of the handler of tensor_on_error; NULL: that
     * handler is called. */
    TensorErrorHandler on_error;
    void *on_error_context;
    uint64_t seed; /* of dropout                                                        */
    uint64_t step; /* of dropout: with the seed it decides what is dropped (tape_reset) */

    Node **node; /* the nodes of this step in order of execution */
    int nodes;
    Tensor **named; /* the tensors that were given a name in this step, in order */
    int names;
    bool failed;        /* an op failed: every result is poison until tape_reset */
    bool backward_done; /* in this step */
    uint64_t resets; /* calls of tape_reset; Tensor.step is this number when the tensor was made */
    /* All memory of this step: its numbers, its nodes, and sizeof(Tensor), 328 bytes, for each
     * tensor. An op with n numbers takes a tensor, 64 or 128 bytes, and n numbers, rounded up to 64
     * bytes; in backward n more. Of earlier steps the tape keeps at most 4,096 tensors' headers,
     * 1.3 MB. */
    size_t bytes;
    int tensors;

    struct TapeInside *inside; /* what belongs to the library (autograd/tape.h) */
};

/* A new tape whose dropout draws from `seed`. The caller releases it with tape_free. NULL, with an
 * error, when memory is out. */
GRADUS_API Tape *tape_new(uint64_t seed);
/* Releases the tape and every tensor on it. NULL is allowed. */
GRADUS_API void tape_free(Tape *tape);

/* Begins the next step: every tensor and node of the tape is gone, and so is the failure of the
 * step, but no other failure (tensor.h, "errors"). NULL is allowed. A tensor of an earlier step
 * that is used afterwards is an error that names the tensor, unless its memory is another tensor's
 * by then: after exactly 13, 26, ... resets, or some 4,000 tensors. To keep numbers over a reset,
 * use tensor_clone.
 *
 * After a step as large as any before, a step allocates nothing.
 *
 * tape->step counts the steps in which dropout dropped something, this one included: the first
 * dropout of a step adds 1. So resets, validation and generation between two training steps do not
 * change what the next training step drops, and a run that is resumed from a checkpoint drops what
 * it would have dropped. */
GRADUS_API void tape_reset(Tape *tape);

/* ---- inputs ----------------------------------------------------------------------- input.c -- */

/* A constant tensor with a copy of shape_size(shape) numbers. Errors: a NULL tape, data NULL for a
 * shape with elements, a shape with a negative axis. That data has so many numbers is not
 * checked. */
GRADUS_API Tensor *tape_input(Tape *tape, const real *data, Shape shape);
/* The same as a leaf: backward gives it a gradient, which stays in x->grad until the reset. */
GRADUS_API Tensor *tape_leaf(Tape *tape, const real *data, Shape shape);
/* A tensor of whole numbers (token ids, labels, lengths) with a copy of shape_size(shape) of them.
 * Errors as for tape_input. */
GRADUS_API Tensor *tape_ids(Tape *tape, const int32_t *ids, Shape shape);
/* A constant tensor whose elements all are `value`; backward brings nothing to it. Errors: a NULL
 * tape, an invalid shape. */
GRADUS_API Tensor *tape_full(Tape *tape, double value, Shape shape);
/* A weight, or any tensor without a tape, as a tensor on the tape that shares its numbers and its
 * gradient. A tensor that is on this tape already is returned as it is. Needed where all operands
 * of an op are weights. Errors: a weight that is NULL, holds ids, or is on another tape or of an
 * earlier step. */
GRADUS_API Tensor *tape_param(Tape *tape, Tensor *weight);

/* ---- names ------------------------------------------------------------------------ names.c -- */

/* The tensor of this step with that name. Error: none has it; the message lists the names. */
GRADUS_API Tensor *tape_find(Tape *tape, const char *name);
/* Names a tensor of the tape (printf-style) and keeps its gradient as ag_keep does. A name that
 * another tensor of the step has becomes "name#2", "name#3", ...; of one above 120 characters, the
 * first 120 with the number. Returns t. Errors: t is on no tape; the format is NULL; the name is
 * empty or has TENSOR_NAME_MAX characters or more. */
GRADUS_API Tensor *ag_name(Tensor *t, const char *format, ...) GRADUS_PRINTF(2, 3);
/* Keeps t's gradient until the reset; backward would otherwise release it when t's node is done.
 * Returns t. */
GRADUS_API Tensor *ag_keep(Tensor *t);
/* The gradient of x after backward, as a constant view; of a weight w: ag_grad(tape_param(tape,
 * w)). Errors: x is on no tape; no gradient reached it, or backward released it (ag_keep). */
GRADUS_API Tensor *ag_grad(Tensor *x);
/* A constant view of x: backward brings nothing to x through it. Error: x is on no tape. */
GRADUS_API Tensor *ag_detach(Tensor *x);

/* ---- views: the same numbers under another shape ---------------------------------- views.c -- */

/* A view shares numbers and gradient with its base, so that backward has nothing to do for it. x
 * must be on a tape (tape_param puts a weight there) and hold real numbers. Axes may be negative:
 * -1 is the last. */

/* The elements of x in row-major order under another shape. One length may be -1; it follows from
 * the others. A view where strides allow it, else a recorded copy. Errors: the sizes differ; two
 * lengths are -1. */
GRADUS_API Tensor *ag_reshape(Tensor *x, Shape shape);
/* Exchanges two axes: a view, y[.., j, .., i, ..] = x[.., i, .., j, ..]. Error: an axis that x does
 * not have. */
GRADUS_API Tensor *ag_transpose(Tensor *x, int axis1, int axis2);
/* Axis i of the result is axis order[i] of x, as in ag_permute(x, (int[]){0, 2, 1, 3}). `order`
 * holds as many numbers as x has axes and names each axis once; C cannot tell whether it is
 * shorter. */
GRADUS_API Tensor *ag_permute(Tensor *x, const int *order);
/* Elements begin to end - 1 along an axis; negative begin and end count from the end of the axis,
 * as in Python. Error: not 0 <= begin <= end <= length. */
GRADUS_API Tensor *ag_slice(Tensor *x, int axis, int64_t begin, int64_t end);
/* The most operands of an op, and the most parts of a split. */
enum { AG_OPERANDS_MAX = 65536 };

/* Writes n consecutive slices of equal length along an axis to part[0] ... part[n - 1]. False,
 * after an error, with poison in every part: n does not divide the axis's length. False with
 * nothing written where part is NULL or n is not 1 to AG_OPERANDS_MAX. */
GRADUS_API bool ag_split(Tensor *x, int axis, Tensor **part, int n);

/* ---- ops ----------------------------------------------------------------------------- ops/ -- */

/* Each op's file states its equation and its gradient. Operands are (...) -> result; "rank 0" is a
 * single number. Every op records an error for operands of other shapes than those given here, for
 * token ids where real numbers belong or the reverse, and for operands on two tapes or none. */

/* Element by element. The shapes of a and b broadcast by NumPy's rule: (4, 1, 3) and (2, 3) give
 * (4, 2, 3). The result has the common shape. The gradient of an operand that was broadcast is
 * summed over the axes along which it was repeated, and has the operand's own shape. Error: shapes
 * that do not broadcast. */
GRADUS_API Tensor *ag_add(Tensor *a, Tensor *b); /* a + b */
GRADUS_API Tensor *ag_sub(Tensor *a, Tensor *b); /* a - b */
GRADUS_API Tensor *ag_mul(Tensor *a, Tensor *b); /* a b, the product of each pair of elements */
GRADUS_API Tensor *ag_div(Tensor *a, Tensor *b); /* a / b; for b = 0 infinity or NaN */
/* The larger of each pair of elements; NaN if one of them is NaN. Where both are equal each gets
 * half of the gradient. For losses with a threshold: hinge losses, the free bits of a VAE. */
GRADUS_API Tensor *ag_maximum(Tensor *a, Tensor *b);
/* The smaller, likewise. For clipped objectives such as PPO's. */
GRADUS_API Tensor *ag_minimum(Tensor *a, Tensor *b);

/* Element by element, on one operand of any shape.
 * The result has the same shape. Infinity and NaN propagate as in IEEE 754 and are no errors. */
GRADUS_API Tensor *ag_scale(Tensor *x, double s); /* s x */
GRADUS_API Tensor *ag_shift(Tensor *x, double s); /* x + s */
GRADUS_API Tensor *ag_neg(Tensor *x);             /* -x */
GRADUS_API Tensor *ag_sqrt(Tensor *x);            /* the square root; NaN for x < 0 */
GRADUS_API Tensor *ag_pow(Tensor *x, double p); /* x^p; NaN for x < 0 unless p is a whole number */
GRADUS_API Tensor *ag_exp(Tensor *x);           /* e^x */
GRADUS_API Tensor *ag_log(Tensor *x);  /* the natural logarithm; -infinity at 0, NaN for x < 0 */
GRADUS_API Tensor *ag_tanh(Tensor *x); /* (e^x - e^-x) / (e^x + e^-x) */
GRADUS_API Tensor *ag_relu(Tensor *x); /* max(x, 0); gradient 0 at 0 */
GRADUS_API Tensor *ag_gelu(Tensor *x); /* x Phi(x), the exact form (Hendrycks and Gimpel 2016) */
GRADUS_API Tensor *ag_gelu_tanh(Tensor *x); /* the tanh approximation of it that GPT-2 uses */
GRADUS_API Tensor *ag_sigmoid(Tensor *x);   /* 1 / (1 + e^-x) */
GRADUS_API Tensor *ag_silu(Tensor *x);      /* x sigmoid(x), also called swish */
GRADUS_API Tensor *ag_softplus(Tensor *x);  /* log(1 + e^x) */
GRADUS_API Tensor *ag_copy(Tensor *x);      /* a contiguous copy */
/* x from low to high (or infinity); beyond, the gradient is 0. Error: low above high. */
GRADUS_API Tensor *ag_clamp(Tensor *x, double low, double high);

/* The matrix product of a (..., m, k) and b (..., k, n): (..., m, n). Leading axes broadcast.
 * Views are taken as they are, so that a product with a transpose copies nothing. Errors: fewer
 * than two axes, different lengths k, leading axes that do not broadcast. */
GRADUS_API Tensor *ag_matmul(Tensor *a, Tensor *b);
/* y = x W^T + b. x (..., in), weight (out, in), bias (out) or NULL: (..., out).
 * W has a row for each output, as PyTorch stores it.
 * Errors: the last axis of x is not `in` long, or bias is not (out). */
GRADUS_API Tensor *ag_linear(Tensor *x, Tensor *weight, Tensor *bias);

/* Reductions: of all elements, to rank 0, or along one axis, which is then gone or, with keepdim,
 * has length 1. The sum is in double and rounded once in the reference kernels. Error, along an
 * axis: one that x does not have; -1 is the last. */
GRADUS_API Tensor *ag_sum(Tensor *x);
GRADUS_API Tensor *ag_mean(Tensor *x); /* NaN for a tensor without elements, as in PyTorch */
GRADUS_API Tensor *ag_sum_axis(Tensor *x, int axis, bool keepdim);
GRADUS_API Tensor *ag_mean_axis(Tensor *x, int axis, bool keepdim);
/* log sum exp(x) along an axis, without overflow; -infinity along an axis of length 0. */
GRADUS_API Tensor *ag_logsumexp(Tensor *x, int axis, bool keepdim);
/* The largest element along an axis of at least 1, and its index as ids, which have no gradient:
 * the first of equal ones; a NaN counts as the largest. That element alone gets the gradient. */
GRADUS_API Tensor *ag_max_axis(Tensor *x, int axis, bool keepdim);
GRADUS_API Tensor *ag_argmax(Tensor *x, int axis, bool keepdim);

/* Softmax over the last axis, and its logarithm. x of rank 1 or more.
 * softmax(x)_i = exp(x_i) / sum_j exp(x_j): numbers from 0 to 1 whose sum along the axis is 1. The
 * maximum is subtracted first, so that no x overflows. */
GRADUS_API Tensor *ag_softmax(Tensor *x);
GRADUS_API Tensor *ag_log_softmax(Tensor *x);
/* (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis, of length C. x (..., C),
 * gain (C), bias (C), epsilon >= 0. Source: Ba, Kiros, Hinton 2016. The variance divides by C. Each
 * row is normalised by itself, in training as in evaluation. Errors: gain or bias of another length
 * than C, epsilon < 0. */
GRADUS_API Tensor *ag_layernorm(Tensor *x, Tensor *gain, Tensor *bias, double epsilon);

/* The rows of table (V, C) that ids (...) name: (..., C). Error: an id outside 0 to V - 1, with its
 * position. The gradient of a row is the sum over all positions that have its id. */
GRADUS_API Tensor *ag_embedding(Tensor *table, Tensor *ids);
/* Joins n tensors along an axis; their shapes may differ along that axis only. x holds n pointers,
 * n is 1 to AG_OPERANDS_MAX; C cannot tell whether the array is shorter. */
GRADUS_API Tensor *ag_concat(Tensor *const *x, int n, int axis);
/* Joins n tensors of one shape along a new axis of length n; -1 is the result's last axis. x and n
 * as for ag_concat. Error: operands of 6 axes, to which none can be added. */
GRADUS_API Tensor *ag_stack(Tensor *const *x, int n, int axis);
/* y[i, j, k] = x[i, ids[i, j, k], k], here along axis 1 of 3, as torch.gather does. ids has x's
 * rank and is no longer than x along the other axes: the result has its shape. Error: an id outside
 * the axis, with its position. For losses of chosen elements: log p of the tokens of a text. */
GRADUS_API Tensor *ag_gather(Tensor *x, int axis, Tensor *ids);
/* x with before[i] elements of `value` before axis i's first index and after[i] after its last.
 * Each array holds one number, 0 or more, for each axis of x; NULL stands for zeros. */
GRADUS_API Tensor *ag_pad(Tensor *x, const int64_t *before, const int64_t *after, double value);
/* x repeated along its axes of length 1 and along new axes in front of them. A length of -1 is x's
 * own. The result is a copy; backward sums over the repeated elements. Error: a length that differs
 * from x's where x's is not 1. */
GRADUS_API Tensor *ag_expand(Tensor *x, Shape shape);
/* a where the mask is 1, b where it is 0. The three broadcast. Error: a mask with any other
 * number. For inputs that are replaced: a mask token instead of hidden patches. */
GRADUS_API Tensor *ag_where(Tensor *mask, Tensor *a, Tensor *b);

/* The cross-correlation that PyTorch calls a convolution, with zeros in the padding. x (..., in,
 * L), weight (out, in, k), bias (out) or NULL: (..., out, (L + 2 padding - k) / stride + 1). stride
 * >= 1, padding >= 0. It takes k n d^2 multiplications. */
GRADUS_API Tensor *ag_conv1d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding);
/* The same for images x (..., in, H, W) and weight (out, in, kh, kw); stride and padding count for
 * both axes. With a stride as long as the kernel this is a vision transformer's patch embedding. */
GRADUS_API Tensor *ag_conv2d(Tensor *x, Tensor *weight, Tensor *bias, int stride, int padding);

/* While the tape is training: each element is 0 with probability p, and x / (1 - p) otherwise. Else
 * x itself. Which elements are 0 is a function of the tape's seed and step, of how many dropouts
 * the step had before, and of the element's index. Error: not 0 <= p < 1. Source: J
 * "Regularization: Dropout". */
GRADUS_API Tensor *ag_dropout(Tensor *x, double p);

/* The mean over all targets of log sum_j exp(x_j) - x_target. logits (..., V), targets: ids (...).
 * Error: a target outside 0 to V - 1, with its position. The op computes the log-softmax of each
 * row of logits itself: pass logits, not probabilities. */
GRADUS_API Tensor *ag_cross_entropy(Tensor *logits, Tensor *targets);
/* The same over the targets that differ from `ignore` (PyTorch's default is -100). The logits of
 * the others get a gradient of exactly 0. If no target is left, the loss is 0. */
GRADUS_API Tensor *ag_cross_entropy_ignore(Tensor *logits, Tensor *targets, int32_t ignore);
/* The same with label smoothing: the target class has the probability 1 - smoothing + smoothing /
 * V, every other class smoothing / V. 0 <= smoothing <= 1. Source: "Attention is all you need",
 * section 5.4. */
GRADUS_API Tensor *ag_cross_entropy_smooth(Tensor *logits, Tensor *targets, int32_t ignore,
                                           double smoothing);
/* The mean of (y - target)^2. y and target have one shape; nothing broadcasts.
 * Error: two shapes. NaN without elements. */
GRADUS_API Tensor *ag_mse(Tensor *y, Tensor *target);
/* The mean of -t log s - (1 - t) log(1 - s) with s = sigmoid(logits) and t the targets, from 0 to
 * 1. One shape. */
GRADUS_API Tensor *ag_bce_with_logits(Tensor *logits, Tensor *targets);
/* KL(N(mean, exp(log_variance)) || N(0, 1)), summed over all elements. One shape. Source: H
 * "Training VAEs". */
GRADUS_API Tensor *ag_gaussian_kl(Tensor *mean, Tensor *log_variance);

/* Which keys a query may attend to: those that every member which is set keeps. (Mask){0} keeps
 * all. With T queries and S keys, query i has the position i + S - T among the keys, so that cached
 * decoding lines up. A query that may attend to no key gets zeros, not NaN. Errors: a negative
 * window, dilation or global; lengths, keep of other shapes or with other numbers. */
typedef struct {
    /* No key at a later position than the query. */
    bool causal;
    /* ids (B): the first lengths[b] keys of sequence b (padding), or NULL. */
    Tensor *lengths;
    /* (T, S), (B, T, S) or (B, H, T, S) of 1 (keep) and 0, or NULL. */
    Tensor *keep;
    /* Keys at most `window` positions (times dilation) away from the query; 0: all. */
    int window;
    /* Of those, every dilation-th; 0 or 1: all. */
    int dilation;
    /* With a window: the first `global` tokens attend to all and are attended by all. */
    int global;
} Mask;

/* Softmax over the keys that the mask keeps; the others get exactly 0. scores (T, S), (B, T, S) or
 * (B, H, T, S): the same shape.
 * A query that keeps no key gets zeros. Errors: another rank; a mask that does not fit the
 * scores. */
GRADUS_API Tensor *ag_masked_softmax(Tensor *scores, Mask mask);

/* Scaled dot-product attention, softmax(q k^T / sqrt(d)) v. q (B, H, T, d), k (B, G, S, d), v (B,
 * G, S, e): (B, H, T, e); all without H, or without B and H, are allowed. G is H or a divisor of H;
 * query head h then reads head h G / H of the keys and values (grouped-query attention, Ainslie et
 * al. 2023). `dropout` is the probability with which a weight A is dropped while the tape is
 * training. While the tape keeps maps, or has edits, and q has a name that ends in ".q", as those
 * of modules do, this is ag_attention_composed under the rest of that name. Source: "Attention is
 * all you need", equation 1. */
GRADUS_API Tensor *ag_attention(Tensor *q, Tensor *k, Tensor *v, Mask mask, double dropout);
/* The same result from single ops, so that the scores q k^T / sqrt(d) and the weights A (before
 * dropout) stay on the tape as "NAME.scores" and "NAME.A". name NULL: unnamed. */
GRADUS_API Tensor *ag_attention_composed(Tensor *q, Tensor *k, Tensor *v, Mask mask, double dropout,
                                         const char *name);

/* Rotary position embedding: rotates the pairs (x_i, x_(i+n)), i < n, of each token by angles
 * proportional to its position, so that the product of a query and a key depends on the difference
 * of their positions. x (..., T, d); table (P, 2 n), a constant: row p contains cos(p f_0) .. cos(p
 * f_(n-1)), sin(p f_0) .. sin(p f_(n-1)), 2 n <= d; the channels from 2 n on are unchanged.
 * positions: ids (T) or (B, T), each below P, or NULL for 0 .. T-1. Su et al., "RoFormer", 2021,
 * with the pairs of GPT-NeoX and Llama. */
GRADUS_API Tensor *ag_rotary(Tensor *x, Tensor *table, Tensor *positions);

/* ---- backward ------------------------------------------------------------------ backward.c -- */

/* Adds dloss/dt to the gradient of every tensor t that needs one. loss has one element. Returns
 * false and changes nothing where loss is poison, has several elements, or needs no gradient, and
 * where backward already ran on this tape, or another thread is in backward over one of its weights
 * (tensor.h, "Threads"). Returns false with the gradients of all weights of this
 * tape's ops set to 0 where backward fails midway (memory is out, or tape->watch finds a NaN or
 * infinity). */
GRADUS_API bool ag_backward(Tensor *loss);
/* The same from any y, given upstream = dL/dy (tensor_size(y) numbers, row-major): the
 * vector-Jacobian product. */
GRADUS_API bool ag_backward_from(Tensor *y, const real *upstream);

/* Compares backward with finite differences. f computes y from n leaves with the numbers of x[0]
 * ... x[n - 1], which are contiguous and not on `tape`; it is called many times, and the tape is
 * reset before each call. The derivative is that of a sum of y with fixed random weights (a plain
 * sum would hide errors: the sum of a softmax has gradient zero). An operand of at most 64 elements
 * is checked element by element, a larger one in four random directions. Returns false with an
 * error that names the operand, the element and both values. */
typedef Tensor *(*AgFunction)(Tensor **x, void *context);
typedef struct {
    double step;               /* of the difference; 0: 1e-5 in double, 1e-2 in float        */
    double relative, absolute; /* tolerance; 0: 1e-5 and 1e-7 in double, 1e-2 each in float  */
} GradCheck;
GRADUS_API bool ag_gradcheck(Tape *tape, AgFunction f, void *context, Tensor *const *x, int n,
                             GradCheck check);

/* ---- making an op ----------------------------------------------------------------- apply.c -- */

/* An op: what it takes, and how it is computed. A constant of the program. ag_apply calls shape,
 * saved and forward; ag_backward calls backward. For a result without elements only shape is
 * called. */
struct Op {
    /* Listings of the tape, summaries and (outside the library) errors show it. */
    const char *name;
    unsigned optional; /* bit i: operand i may be NULL                                         */
    unsigned ids;      /* bit i: operand i holds whole numbers                                 */
    bool strided;      /* takes operands that are not contiguous; other ops get copies of them */
    /* Checks the operands and writes the result's shape to *y, which holds the first operand's.
     * Returns false after tensor_fail. NULL: any operand will do, and the result has its shape. */
    bool (*shape)(const Node *n, Shape *y);
    int64_t (*saved)(const Node *n); /* how many numbers forward keeps in n->saved; NULL: none */
    void (*forward)(Node *n);        /* writes n->out->data and n->saved */
    /* Adds to n->in[i]->grad wherever that is not NULL. NULL: the result is a constant. */
    void (*backward)(Node *n);

    /* Of memory and speed alone. elementwise is a statement of mathematics: one operand x, of y's
     * shape, and element i of dL/dx depends on element i of dL/dy, x and y alone. backward may then
     * be called for a part of the elements at a time, by several threads. */
    bool elementwise;
    const struct OpInside *inside; /* of the library's own ops: a program's op has NULL */
};

/* Computes an op and records it: what every public op function does, and how a program makes an op
 * of its own. in holds `inputs` operands, 1 to AG_OPERANDS_MAX. attrs (attrs_size bytes, may be
 * NULL) are copied onto the tape. Errors, beside those of op->shape: op, in or an operand that
 * is not optional is NULL; operands are of the wrong kind, of an earlier step, on two tapes, or on
 * none.
 *
 * The errors of an op of your own name the line that calls your function, as those of the library's
 * do, where the name ag_apply stands in brackets, which leaves its macro out, and your function has
 * a macro:
 *   Tensor *square(Tensor *x) { return (ag_apply)(&op_square, &x, 1, NULL, 0); }
 *   #define square(...) AG_PLACED(square, __VA_ARGS__) */
GRADUS_API Tensor *ag_apply(const Op *op, Tensor *const *in, int inputs, const void *attrs,
                            size_t attrs_size);

/* The library's ops (autograd/ops/list.h), closed by NULL. */
GRADUS_API extern const Op *const ag_ops[];

/* The source location of the call goes into the nodes that it left on t's tape; where the call
 * failed, into the failure (tensor_place). */
GRADUS_API void ag_place(const Tensor *t, const char *function, const char *file, int line);

static inline Tensor *ag_placed(Tensor *t, const char *function, const char *file, int line)
{
    ag_place(t, function, file, line);
    return t;
}

GRADUS_END

#pragma GCC system_header /* gcc reports an error in these macros at the call */
/* A call of fn, which returns a tensor, and then of ag_place. */
#define AG_PLACED(fn, ...) ag_placed(fn(__VA_ARGS__), TENSOR_HERE(fn))
#include "placed/autograd.h" /* macros: an error names the program's line */
#endif
