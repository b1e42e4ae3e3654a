/* kernels.h: the table of all arithmetic (internal).
 *
 * A kernel takes pointers and sizes, never tensors. Each entry is said once here, computed plainly in
 * kernels/ref (loops anyone can read, sums in double: what every other set is tested against) and
 * again, fast, in kernels/simd. The set is chosen once, at the first use (kernels.c).
 *
 * Names end in _back where a kernel brings gradients back. Backward always adds: dx += ..., because a
 * tensor used twice receives two contributions. A gradient pointer may be NULL: nobody wants it.
 * Results are bit-identical for any number of threads: one owner and one order for each element. */
#ifndef GRADUS_KERNELS_H
#define GRADUS_KERNELS_H

#include "tensor/tensor.h"

/* Memory for kernels to work in: a part for each thread. Whoever calls owns it (a tape: tape_scratch). Without
 * any, the reference computes. */
typedef struct {
    unsigned char *bytes; /* aligned to 64 */
    int64_t parts;        /* of KERNEL_SCRATCH_BYTES bytes */
} KernelScratch;

enum { KERNEL_SCRATCH_BYTES = 2 << 20 };

/* The grain, or the larger one with which parallel_for makes no more pieces of n items than the room has parts. */
static inline int64_t scratch_grain(KernelScratch scratch, int64_t n, int64_t grain)
{
    int64_t least = scratch.parts > 0 ? (n + scratch.parts - 1) / scratch.parts : n;
    return grain > least ? grain : least;
}

/* C (m, n) = A (m, k) times B (k, n), added to C where add is set, else to the bias where there is one. Element
 * (i, j) of a matrix stands at i * row + j * column, so that every transposed form is the same code. */
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

/* What a query may see, resolved from a Mask: see mask_keeps. All pointers may be NULL. */
typedef struct {
    bool causal;
    const int32_t *lengths; /* keys kept in each sequence, (batch)                          */
    int64_t heads;          /* matrices that share one entry of lengths                     */
    int64_t window;         /* keys to each side; 0 for all                                 */
    int64_t dilation;       /* every dilation-th key of the window; >= 1                    */
    int64_t global;         /* the first so many tokens see all and are seen by all         */
    const real *keep;   /* 0 or 1 for (query, key), of matrix z at keep + z / keep_share * T * S */
    int64_t keep_share; /* matrices that share one keep matrix; 0: all of them          */
} KernelMask;

/* Scaled dot-product attention for one call: matrices z = (batch, head), queries (T, d), keys (S, d),
 * values (S, dv), all with unit stride along d and dv. */
typedef struct {
    int64_t batch, heads, queries, keys, d, dv;
    const real *q, *k, *v; /* element (b, h, t, c) at b*s[0] + h*s[1] + t*s[2] + c */
    int64_t q_stride[3], k_stride[3], v_stride[3];
    real *out; /* (batch, queries, heads, dv), contiguous                              */
    real *lse; /* (batch, heads, queries): log sum_j exp(s_ij); NULL where no backward follows */
    double *workspace; /* attention_workspace doubles, for the reference kernels */
    real scale;        /* of the scores, 1 / sqrt(d)                                           */
    KernelMask mask;
    real dropout; /* probability with which a weight of A is dropped; 0 for none          */
    uint64_t seed, stream; /* which random numbers drop                                       */
    KernelScratch scratch;
} Attention;

/* How many doubles forward and backward of the reference work in: two rows of keys, the sums of one query's or
 * one key's gradients, and three numbers for each query. */
static inline int64_t attention_workspace(int64_t queries, int64_t keys, int64_t d, int64_t dv)
{
    return 2 * keys + d + dv + 3 * queries;
}

typedef struct {
    const real *out_grad;           /* like out */
    real *q_grad, *k_grad, *v_grad; /* strides as q, k, v; NULL where not wanted */
} AttentionGrad;

/* The patches of one image x (channels, height, width) under a sliding kernel. In one dimension the
 * height is 1. Sides: 0 the height, 1 the width. */
typedef struct {
    int64_t channels, size[2];
    int64_t taps[2];    /* of the kernel                         */
    int64_t stride[2];  /* from one patch to the next            */
    int64_t padding[2]; /* zeros before and behind               */
    int64_t out[2];     /* patches                               */
} Im2col;

/* Adam's numbers for one step, bias corrections already applied (nn/optim.c). */
typedef struct {
    double beta1, beta2; /* double, since 1 - 0.999f is wrong in its fifth digit */
    real epsilon;
    real rate;     /* learning rate over (1 - beta1^t)         */
    real root;     /* 1 / sqrt(1 - beta2^t)                    */
    real decay;    /* AdamW: w *= 1 - decay before the step    */
    real l2;       /* Adam: l2 * w is added to the gradient    */
    real gradient; /* scale of the gradient (clipping)         */
} AdamStep;

/* A copy of a weight matrix (out, in), in integers: element (o, i) is about scale[o] times number o * in + i. */
typedef struct {
    const real *floats; /* what it is a copy of */
    void *numbers;      /* int8_t or int16_t    */
    real *scale;        /* (out)                */
    int bits;           /* 8 or 16              */
} QuantisedMatrix;

typedef struct QuantisedWeights {
    int64_t count;
    QuantisedMatrix *matrix;
} QuantisedWeights;

/* y (rows, out) = x (rows, in) W^T + bias (out), or without. */
typedef struct {
    int64_t rows, out, in;
    const real *x, *bias;
    real *y;
    const QuantisedMatrix *weight;
} QuantisedProduct;

typedef struct Kernels {
    const char *name;
    size_t scratch; /* what a thread needs of it; 0 or KERNEL_SCRATCH_BYTES */

    void (*gemm)(const Gemm *g);
    void (*quantised_product)(const QuantisedProduct *p);

    /* y_i = a_(i*sa) op b_(i*sb) for i < n; a stride is 0 (one number for all), 1 or any other */
    void (*add)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*sub)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*mul)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*div)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*maximum)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    void (*minimum)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    /* 0 where a < b, 1/2 where a = b, else 1: what of a gradient of larger(a, b) is a's */
    void (*maximum_share)(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
    /* y_(i*sy) += alpha x_(i*sx); with sy = 0 a sum */
    void (*axpy)(real *y, int64_t sy, real alpha, const real *x, int64_t sx, int64_t n);
    /* y_(i*sy) += alpha a_(i*sa) b_(i*sb); with sy = 0 a dot product */
    void (*muladd)(real *y, int64_t sy, real alpha, const real *a, int64_t sa, const real *b,
                   int64_t sb, int64_t n);
    void (*copy)(real *y, const real *x, int64_t sx, int64_t n); /* y_i = x_(i*sx) */

    int64_t (*finite)(const real *x, int64_t n); /* the place of the first NaN or infinity, or n */
    void (*scale)(real *y, const real *x, real s, int64_t n);
    void (*exp)(real *y, const real *x, int64_t n);
    void (*log)(real *y, const real *x, int64_t n);
    void (*log_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*tanh)(real *y, const real *x, int64_t n);
    void (*tanh_backward)(real *dx, const real *dy, const real *y, int64_t n);
    void (*relu)(real *y, const real *x, int64_t n);
    void (*relu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*gelu)(real *y, const real *x, int64_t n);
    void (*gelu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*gelu_tanh)(real *y, const real *x, int64_t n);
    void (*gelu_tanh_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*sigmoid)(real *y, const real *x, int64_t n);
    void (*sigmoid_backward)(real *dx, const real *dy, const real *y, int64_t n);
    void (*silu)(real *y, const real *x, int64_t n);
    void (*silu_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*softplus)(real *y, const real *x, int64_t n);
    void (*softplus_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*abs)(real *y, const real *x, int64_t n);
    void (*abs_backward)(real *dx, const real *dy, const real *x, int64_t n);
    void (*sqrt)(real *y, const real *x, int64_t n);
    void (*sqrt_backward)(real *dx, const real *dy, const real *y, int64_t n);
    void (*pow)(real *y, const real *x, real p, int64_t n);
    void (*pow_backward)(real *dx, const real *dy, const real *x, real p, int64_t n);
    void (*clamp)(real *y, const real *x, real low, real high, int64_t n);
    void (*clamp_backward)(real *dx, const real *dy, const real *x, real low, real high, int64_t n);

    /* x is (outer, n, inner): y (outer, inner) = alpha times the sum over n */
    void (*sum)(real *y, const real *x, real alpha, int64_t outer, int64_t n, int64_t inner);
    void (*sum_backward)(real *dx, const real *dy, real alpha, int64_t outer, int64_t n,
                         int64_t inner);
    /* the sum of n squares, in double, since those of a float may overflow one */
    double (*squares)(const real *x, int64_t n);
    /* y (n) += alpha times the sum of the rows of x (rows, n) */
    void (*add_rows)(real *y, real alpha, const real *x, int64_t rows, int64_t n);
    /* squares over n - 1 where unbiased, else over n */
    void (*variance)(real *y, const real *x, bool unbiased, int64_t outer, int64_t n,
                     int64_t inner);
    void (*variance_backward)(real *dx, const real *dy, const real *x, bool unbiased, int64_t outer,
                              int64_t n, int64_t inner);
    /* n >= 1; the gradient is the first maximum's */
    void (*max)(real *y, const real *x, int64_t outer, int64_t n, int64_t inner);
    void (*max_backward)(real *dx, const real *dy, const real *x, int64_t outer, int64_t n,
                         int64_t inner);
    void (*logsumexp)(real *y, const real *x, int64_t outer, int64_t n, int64_t inner);
    void (*logsumexp_backward)(real *dx, const real *dy, const real *x, const real *y,
                               int64_t outer, int64_t n, int64_t inner);
    /* y is (outer, n, inner) too */
    void (*cumsum)(real *y, const real *x, int64_t outer, int64_t n, int64_t inner);
    void (*cumsum_backward)(real *dx, const real *dy, int64_t outer, int64_t n, int64_t inner);

    /* over rows of length n */
    void (*softmax)(real *y, const real *x, int64_t rows, int64_t n);
    void (*softmax_backward)(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
    void (*log_softmax)(real *y, const real *x, int64_t rows, int64_t n);
    void (*log_softmax_backward)(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
    /* x is (matrices, T, S): softmax over the keys that the mask keeps; others get exactly 0 */
    void (*masked_softmax)(real *y, const real *x, const KernelMask *mask, int64_t matrices,
                           int64_t T, int64_t S);
    /* stats: (rows, 2), mean and 1/sqrt(variance + epsilon) */
    void (*layernorm)(real *y, real *stats, const real *x, const real *gain, const real *bias,
                      real epsilon, int64_t rows, int64_t n);
    void (*layernorm_backward)(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                               const real *stats, const real *gain, int64_t rows, int64_t n);

    void (*attention)(const Attention *a);
    void (*attention_backward)(const Attention *a, const AttentionGrad *g);

    /* y (count, n) = rows of table (any, n) */
    void (*embedding)(real *y, const real *table, const int32_t *ids, int64_t count, int64_t n);
    void (*embedding_backward)(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                               int64_t n);

    /* losses_i = log sum_j exp(x_ij) - x_(i,target_i), 0 where target_i == ignore. stats (rows, 2) receives, for
     * backward, the row's maximum m and log sum_j exp(x_ij - m). */
    void (*cross_entropy)(real *losses, real *stats, const real *x, const int32_t *target,
                          int32_t ignore, int64_t rows, int64_t n);
    /* dx_ij += alpha (softmax(x_i)_j - [j == target_i]); where dx is x, the result replaces x */
    void (*cross_entropy_backward)(real *dx, real alpha, const real *x, const real *stats,
                                   const int32_t *target, int32_t ignore, int64_t rows, int64_t n);

    /* losses_i += e (x_(i,target_i) - mean_j x_ij) where target_i is not ignored */
    void (*smooth)(real *losses, const real *x, const int32_t *target, int32_t ignore, real e,
                   int64_t rows, int64_t n);
    /* dx_ij += alpha e ([j == target_i] - 1 / n) */
    void (*smooth_backward)(real *dx, real alpha, const int32_t *target, int32_t ignore, real e,
                            int64_t rows, int64_t n);
    /* one number, dy its gradient: the mean of (a_i - b_i)^2; of softplus(x_i) - x_i t_i; the sum of
     * (mean_i^2 + exp(log_variance_i) - 1 - log_variance_i) / 2 */
    void (*mse)(real *y, const real *a, const real *b, int64_t n);
    void (*mse_backward)(real *da, real *db, real dy, const real *a, const real *b, int64_t n);
    void (*bce)(real *y, const real *x, const real *t, int64_t n);
    void (*bce_backward)(real *dx, real *dt, real dy, const real *x, const real *t, int64_t n);
    void (*gaussian_kl)(real *y, const real *mean, const real *log_variance, int64_t n);
    void (*gaussian_kl_backward)(real *dmean, real *dlog_variance, real dy, const real *mean,
                                 const real *log_variance, int64_t n);

    /* y_i = x_(i*sx + ids_i*along) */
    void (*gather)(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t along,
                   int64_t n);
    void (*gather_backward)(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t along,
                            int64_t n);
    /* y_i = x_(i*sx) where mask_(i*sm) == side (0 or 1); the other y_i stay */
    void (*select)(real *y, const real *x, int64_t sx, const real *mask, int64_t sm, real side,
                   int64_t n);
    /* dx_(i*sx) += dy_i there; with sx = 0 a sum */
    void (*select_backward)(real *dx, int64_t sx, const real *dy, const real *mask, int64_t sm,
                            real side, int64_t n);

    /* columns (channels taps, out) = the patches of x, 0 in the padding */
    void (*im2col)(real *columns, const real *x, const Im2col *s);
    void (*col2im)(real *dx, const real *dcolumns, const Im2col *s);

    /* y_i = x_i / (1 - p) or 0; which, is a function of (seed, stream, i) */
    void (*dropout)(real *y, const real *x, real p, uint64_t seed, uint64_t stream, int64_t n);
    void (*dropout_backward)(real *dx, const real *dy, real p, uint64_t seed, uint64_t stream,
                             int64_t n);

    /* one optimiser step over n weights; the gradient is zeroed on the way */
    void (*sgd)(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
                real gradient, int64_t n);
    void (*adam)(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n);
} Kernels;

/* The set in use. Read it through this pointer at every call: tests change it. */
extern const Kernels *kernels;

enum { SHORT_ROWS = 4 }; /* of x: so few wait for the weights more than they compute */

/* Multiplies with the copy of a matrix, where there is one and x has few rows. */
static inline bool quantised_multiply(QuantisedProduct *p, const QuantisedWeights *s,
                                      const real *floats)
{
    for (int64_t i = 0; s && p->rows <= SHORT_ROWS && i < s->count; i++)
        if (s->matrix[i].floats == floats) {
            p->weight = &s->matrix[i];
            kernels->quantised_product(p);
            return true;
        }
    return false;
}

extern const Kernels kernels_ref;

/* Dropout's rule, shared by all sets: is element i kept? True with probability 1 - p. */
bool kernel_keeps(real p, uint64_t seed, uint64_t stream, uint64_t i);

/* May query i of T see key j of S, in matrix z? */
static inline bool mask_keeps(const KernelMask *m, int64_t z, int64_t i, int64_t j, int64_t T,
                              int64_t S)
{
    int64_t at = i + S - T; /* the query's place among the keys, so that cached decoding lines up */
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
