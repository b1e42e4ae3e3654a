/* kernels.h: the table of all arithmetic (internal).
 *
 * A kernel takes pointers and sizes, never tensors. Every entry of the table Kernels has a contract
 * here and one implementation in each set:
 *
 *   ref                 kernels/ref   the specification: plain loops, sums in double, one thread
 *   base, avx2, avx512  kernels/simd  the same written with vectors, compiled for each instruction set
 *
 * A fast set starts as a copy of the reference and replaces the entries that it has. kernels.c
 * chooses the set when the library is loaded.
 *
 * Rules for all entries:
 *   - Arrays are row-major and contiguous unless strides are given; strides count elements.
 *   - An output has no memory in common with an operand, unless the entry says so.
 *   - NAME_backward adds to a gradient (dx += ...), because a tensor that is used twice receives two
 *     contributions. dy is dL/dy. Where an entry writes several gradients, NULL means that one is not wanted.
 *   - NaN and infinities propagate as the equations say. No entry fails; callers have checked everything.
 *   - A result has the same bits for any number of threads: each element has one owner and one order of additions. */
#ifndef GRADUS_KERNELS_H
#define GRADUS_KERNELS_H

#include "tensor/tensor.h"

/* Memory that a kernel works in: one part of KERNEL_SCRATCH_BYTES bytes for each thread. The caller
 * owns it (the tape: tape_scratch). With 0 parts the fast kernels leave the work to the
 * reference. */
typedef struct {
    unsigned char *bytes; /* aligned to 64   */
    int64_t parts;        /* one each thread */
} KernelScratch;

enum { KERNEL_SCRATCH_BYTES = 2 << 20 };

/* The grain for parallel_for, raised where needed so that n items fall into no more pieces than
 * there are parts. */
static inline int64_t scratch_grain(KernelScratch scratch, int64_t n, int64_t grain)
{
    int64_t least = scratch.parts > 0 ? (n + scratch.parts - 1) / scratch.parts : n;
    return grain > least ? grain : least;
}

/* A matrix product: C (m, n) = A (m, k) B (k, n). It is added to C where `add` is set, else to the
 * bias in every row where there is one. Element (i, j) of a matrix has the offset i * row + j *
 * column: exchanging the two transposes. C must not overlap A or B. */
typedef struct {
    int64_t m, n, k;
    const real *a;
    int64_t a_row, a_column;
    const real *b;
    int64_t b_row, b_column;
    real *c;
    int64_t c_row, c_column;
    bool add;
    const real *bias; /* (n), or NULL */
    KernelScratch scratch;
} Gemm;

/* Which keys a query may see: the conditions of a Mask (autograd.h), all of which must hold.
 * mask_keeps evaluates them. NULL and 0 mean no condition. T queries, S keys, matrices z = (batch,
 * head). */
typedef struct {
    bool causal;            /* query i sees keys up to i + S - T                          */
    const int32_t *lengths; /* (batch): sequence b has the keys 0 .. lengths[b] - 1       */
    int64_t heads;          /* matrices that share one entry of lengths                   */
    int64_t window;         /* keys to each side of the query's own position              */
    int64_t dilation;       /* of these every dilation-th; at least 1                     */
    int64_t global;         /* with a window: so many first tokens see all and are seen by all */
    const real *keep;       /* 0 or 1 for (query, key): (matrices / keep_share, T, S)     */
    int64_t keep_share;     /* matrices that share one keep matrix; 0: all of them        */
} KernelMask;

/* One call of scaled dot-product attention: for each matrix z = (batch, head) queries (T, d), keys
 * (S, d) and values (S, dv), with stride 1 along d and dv. kernels/ref/attention.c has the
 * equations. */
typedef struct {
    int64_t batch, heads, queries, keys, d, dv; /* queries is T, keys is S */
    /* Query heads that share one head of keys and values; 0 or 1: each has its own. */
    int64_t group;
    const real *q, *k,
        *v; /* element (b, h, t, c) has the offset b s[0] + h s[1] + t s[2] + c, s the stride */
    int64_t q_stride[3], k_stride[3], v_stride[3];
    real *out;         /* (batch, queries, heads, dv)                                        */
    real *lse;         /* (batch, heads, queries): log sum_j exp(s_ij); NULL: no backward follows */
    double *workspace; /* attention_workspace doubles, for the reference                     */
    real scale;        /* of the scores: 1 / sqrt(d)                                         */
    KernelMask mask;
    real dropout;          /* the probability that a weight is dropped; 0 for no dropout         */
    uint64_t seed, stream; /* of dropout's random numbers                                        */
    KernelScratch scratch;
} Attention;

/* How many doubles forward and backward of the reference work in: two rows of keys, the sums of one
 * query's or one key's gradients, and three numbers for each query. */
static inline int64_t attention_workspace(int64_t queries, int64_t keys, int64_t d, int64_t dv)
{
    return 2 * keys + d + dv + 3 * queries;
}

/* The head of keys and values that query head h reads. */
static inline int64_t attention_kv_head(const Attention *a, int64_t h)
{
    return a->group > 1 ? h / a->group : h;
}

/* What attention's backward reads and adds to. The call has no grouped heads: heads that share keys
 * would add to one gradient from several threads. */
typedef struct {
    const real *out_grad;           /* dL/dout, as out                          */
    real *q_grad, *k_grad, *v_grad; /* strided as q, k, v; NULL where not wanted */
} AttentionGrad;

/* The patches of one image x (channels, height, width) that a convolution kernel covers. In one
 * dimension the height is 1. Index 0 of an array is the height, index 1 the width. */
typedef struct {
    int64_t channels, size[2]; /* of the image                                    */
    int64_t taps[2];           /* of the convolution kernel                       */
    int64_t stride[2];         /* from one patch to the next                      */
    int64_t padding[2];        /* zeros in front of the image, and after it       */
    int64_t out[2];            /* patches along each side                         */
} Im2col;

/* Adam's numbers for one step, with the bias corrections of step t applied (nn/optim.c). */
typedef struct {
    double beta1, beta2; /* double: 1 - 0.999f has an error in its fifth digit */
    real epsilon;
    real rate;     /* learning rate over (1 - beta1^t)         */
    real root;     /* 1 / sqrt(1 - beta2^t)                    */
    real decay;    /* AdamW: w *= 1 - decay before the step    */
    real l2;       /* Adam: l2 w is added to the gradient      */
    real gradient; /* factor of the gradient (clipping)        */
} AdamStep;

/* One set of kernels. Ops call its entries through the pointer `kernels` below; each entry is
 * tested against the reference on sizes around the width of vectors and tiles. */
typedef struct Kernels {
    const char *name; /* as tensor_set_kernels knows it                                     */
    size_t scratch;   /* bytes of scratch that a thread needs: 0 or KERNEL_SCRATCH_BYTES */

    void (*gemm)(const Gemm *g);

    /* y_i = a_(i sa) op b_(i sb) for i < n. Stride 0 repeats one number. y may be a or b where that
     * has stride 1. maximum is NaN where an operand is. */
    void (*add)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*sub)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*mul)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*div)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*maximum)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    /* d max(a, b) / da: 0 where a < b, 1/2 where a = b, else 1 */
    void (*maximum_share)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    /* y_(i sy) += alpha x_(i sx); with sy = 0 a sum */
    void (*axpy)(real *y, int64_t sy, real alpha, const real *x, int64_t sx, int64_t n);
    /* y_(i sy) += alpha a_(i sa) b_(i sb); with sy = 0 a dot product */
    void (*muladd)(real *y, int64_t sy, real alpha, const real *a, int64_t sa, const real *b,
                   int64_t sb, int64_t n);
    void (*copy)(real *y, const real *x, int64_t sx, int64_t n); /* y_i = x_(i sx) */

    /* the index of the first NaN or infinity; n where there is none */
    int64_t (*finite)(const real *x, int64_t n);

    /* Functions of one number: y_i = f(x_i) for i < n; y may be x. Backward: dx_i += dy_i f'(x_i),
     * where f' is computed from the operand x or, for tanh, sigmoid and sqrt, from the result y. */

    /* s x */
    void (*scale)(real *y, const real *x, real s, int64_t n);
    /* e^x, whose derivative is the result itself: muladd adds it */
    void (*exp)(real *y, const real *x, int64_t n);
    /* the natural logarithm: NaN below 0, -infinity at 0 */
    void (*log)(real *y, const real *x, int64_t n);
    void (*log_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* the hyperbolic tangent */
    void (*tanh)(real *y, const real *x, int64_t n);
    void (*tanh_backward)(real *dx, const real *dy, const real *y, int64_t n);
    /* max(x, 0), and NaN where x is; the derivative at 0 is 0 */
    void (*relu)(real *y, const real *x, int64_t n);
    void (*relu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* x Phi(x), Phi the normal distribution function. Hendrycks and Gimpel (2016) */
    void (*gelu)(real *y, const real *x, int64_t n);
    void (*gelu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* its approximation x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, which GPT-2 uses */
    void (*gelu_tanh)(real *y, const real *x, int64_t n);
    void (*gelu_tanh_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* 1 / (1 + e^-x) */
    void (*sigmoid)(real *y, const real *x, int64_t n);
    void (*sigmoid_backward)(real *dx, const real *dy, const real *y, int64_t n);
    /* x sigmoid(x), also called swish */
    void (*silu)(real *y, const real *x, int64_t n);
    void (*silu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* log(1 + e^x), which overflows for no x */
    void (*softplus)(real *y, const real *x, int64_t n);
    void (*softplus_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* |x|; the derivative at 0 is 0 */
    void (*abs)(real *y, const real *x, int64_t n);
    void (*abs_backward)(real *dx, const real *dy, const real *x, int64_t n);
    /* the square root: NaN below 0; the derivative at 0 is infinite */
    void (*sqrt)(real *y, const real *x, int64_t n);
    void (*sqrt_backward)(real *dx, const real *dy, const real *y, int64_t n);
    /* x^p for one exponent p; x^0 is 1 and constant */
    void (*pow)(real *y, const real *x, real p, int64_t n);
    void (*pow_backward)(real *dx, const real *dy, const real *x, real p, int64_t n);

    /* Reductions over the middle axis: x (outer, n, inner) -> y (outer, inner). sum: alpha times
     * the sum over n */
    void (*sum)(real *y, const real *x, real alpha, int64_t outer, int64_t n, int64_t inner);
    void (*sum_backward)(real *dx, const real *dy, real alpha, int64_t outer, int64_t n,
                         int64_t inner);
    /* the sum of n squares, in double, since the square of a float may overflow */
    double (*squares)(const real *x, int64_t n);
    /* y (n) += alpha times the sum of the rows of x (rows, n) */
    void (*add_rows)(real *y, real alpha, const real *x, int64_t rows, int64_t n);
    /* log sum exp(x), which overflows for no x */
    void (*logsumexp)(real *y, const real *x, int64_t outer, int64_t n, int64_t inner);
    void (*logsumexp_backward)(real *dx, const real *dy, const real *x, const real *y,
                               int64_t outer, int64_t n, int64_t inner);

    /* Along rows: x (rows, n) -> y (rows, n). Backward computes from y. */
    void (*softmax)(real *y, const real *x, int64_t rows, int64_t n);
    void (*softmax_backward)(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
    void (*log_softmax)(real *y, const real *x, int64_t rows, int64_t n);
    void (*log_softmax_backward)(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
    /* x (matrices, T, S): softmax over the keys that the mask keeps; the others, and a row without
     * any, are 0 */
    void (*masked_softmax)(real *y, const real *x, const KernelMask *mask, int64_t matrices,
                           int64_t T, int64_t S);
    /* y = (x - mean) / sqrt(variance + epsilon) gain + bias along rows; gain, bias (n). stats
     * (rows, 2) receives, for backward, each row's mean and 1 / sqrt(variance + epsilon). */
    void (*layernorm)(real *y, real *stats, const real *x, const real *gain, const real *bias,
                      real epsilon, int64_t rows, int64_t n);
    void (*layernorm_backward)(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                               const real *stats, const real *gain, int64_t rows, int64_t n);

    /* Fills a->out and, where it is not NULL, a->lse. Backward needs both as forward left them. */
    void (*attention)(const Attention *a);
    void (*attention_backward)(const Attention *a, const AttentionGrad *g);

    /* y (count, n): row i is row ids_i of table (V, n); every id is from 0 to V - 1 */
    void (*embedding)(real *y, const real *table, const int32_t *ids, int64_t count, int64_t n);
    void (*embedding_backward)(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                               int64_t n);

    /* losses_i = log sum_j exp(x_ij) - x_(i,target_i), and 0 where target_i == ignore. stats (rows,
     * 2) receives, for backward, the row's maximum m and log sum_j exp(x_ij - m). */
    void (*cross_entropy)(real *losses, real *stats, const real *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n);
    /* dx_ij += alpha (softmax(x_i)_j - [j == target_i]); where dx is x, the result replaces x */
    void (*cross_entropy_backward)(real *dx, real alpha, const real *x, const real *stats,
                                   const int32_t *target, int32_t ignore, int64_t rows, int64_t n);

    /* Label smoothing e: losses_i += e (x_(i,target_i) - mean_j x_ij) where target_i is not
     * ignored */
    void (*smooth)(real *losses, const real *x, const int32_t *target, int32_t ignore, real e,
                   int64_t rows, int64_t n);
    /* dx_ij += alpha e ([j == target_i] - 1 / n) */
    void (*smooth_backward)(real *dx, real alpha, const int32_t *target, int32_t ignore, real e,
                            int64_t rows, int64_t n);
    /* Losses of one number, whose gradient is dy. mse: the mean of (a_i - b_i)^2. bce: the mean of
     * softplus(x_i) - x_i t_i, for logits x and targets t from 0 to 1. gaussian_kl: the sum of
     * (mean_i^2 + exp(log_variance_i) - 1 - log_variance_i) / 2. */
    void (*mse)(real *y, const real *a, const real *b, int64_t n);
    void (*mse_backward)(real *da, real *db, real dy, const real *a, const real *b, int64_t n);
    void (*bce)(real *y, const real *x, const real *t, int64_t n);
    void (*bce_backward)(real *dx, real *dt, real dy, const real *x, const real *t, int64_t n);
    void (*gaussian_kl)(real *y, const real *mean, const real *log_variance, int64_t n);
    void (*gaussian_kl_backward)(real *dmean, real *dlog_variance, real dy, const real *mean,
                                 const real *log_variance, int64_t n);

    /* y_i = x_(i sx + ids_i along). Its backward adds one element after the other, in real. */
    void (*gather)(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t along,
                   int64_t n);
    void (*gather_backward)(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t along,
                            int64_t n);
    /* y_i = x_(i sx) where mask_(i sm) == side (0 or 1); the other y_i stay as they are */
    void (*select)(real *y, const real *x, int64_t sx, const real *mask, int64_t sm, real side,
                   int64_t n);
    /* dx_(i sx) += dy_i there; with sx = 0 a sum */
    void (*select_backward)(real *dx, int64_t sx, const real *dy, const real *mask, int64_t sm,
                            real side, int64_t n);

    /* columns (channels taps, out): column j is patch j of x, 0 in the padding. col2im adds each
     * column to its patch. */
    void (*im2col)(real *columns, const real *x, const Im2col *s);
    void (*col2im)(real *dx, const real *dcolumns, const Im2col *s);

    /* y_i = x_i / (1 - p) where kernel_keeps(p, seed, stream, i), else 0 */
    void (*dropout)(real *y, const real *x, real p, uint64_t seed, uint64_t stream, int64_t n);
    void (*dropout_backward)(real *dx, const real *dy, real p, uint64_t seed, uint64_t stream,
                             int64_t n);

    /* One optimiser step over n weights; the gradient is 0 afterwards. velocity NULL: no
     * momentum. */
    void (*sgd)(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
                real gradient, int64_t n);
    void (*adam)(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n);
} Kernels;

/* The set in use. Read this pointer at every call, since tensor_set_kernels changes it. */
extern const Kernels *kernels;

extern const Kernels kernels_ref; /* kernels/ref/table.c */

/* Dropout's rule in all sets: is element i kept? True with probability 1 - p; a function of the
 * arguments alone. kernels/ref/dropout.c */
bool kernel_keeps(real p, uint64_t seed, uint64_t stream, uint64_t i);

/* May query i of T see key j of S, in matrix z? */
static inline bool mask_keeps(const KernelMask *m, int64_t z, int64_t i, int64_t j, int64_t T,
                              int64_t S)
{
    int64_t at = i + S - T; /* the query's position among the keys: with a KV cache, S > T */
    if (m->causal && j > at)
        return false;
    if (m->lengths && j >= m->lengths[z / m->heads])
        return false;
    if (m->window > 0 && j >= m->global && at >= m->global) {
        int64_t gap = j > at ? j - at : at - j;
        if (gap > m->window * m->dilation || gap % m->dilation != 0)
            return false;
    }
    if (m->keep) {
        int64_t matrix = m->keep_share ? z / m->keep_share : 0;
        return m->keep[(matrix * T + i) * S + j] != 0;
    }
    return true;
}

#endif
