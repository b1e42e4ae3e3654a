/* kernels.h: the table of all arithmetic (internal).
 *
 * A kernel takes pointers and sizes, never tensors. Every kernel has a line in list.h, a type
 * with its contract here, and one implementation in each set:
 *
 *   ref                 kernels/ref   the specification: plain loops, sums in double, one thread
 *   base, avx2, avx512  kernels/simd  the same written with vectors, compiled for each instruction set
 *
 * Where a fast set has no kernel of its own, its table has the reference's. kernels.c chooses the
 * set when the library is loaded.
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

/* ---- the types of kernels: list.h names the kernels of each ---------------------------------- */

typedef void GemmKernel(const Gemm *g);

/* y_i = a_(i sa) op b_(i sb) for i < n. Stride 0 repeats one number. y may be a or b where that has
 * stride 1. */
typedef void BinaryKernel(real *y, const real *a, int64_t sa, const real *b, int64_t sb, int64_t n);
/* y_(i sy) += alpha a_(i sa) b_(i sb); with sy = 0 a dot product, with sb = 0 too a sum */
typedef void MuladdKernel(real *y, int64_t sy, real alpha, const real *a, int64_t sa, const real *b,
                          int64_t sb, int64_t n);
typedef void CopyKernel(real *y, const real *x, int64_t sx, int64_t n); /* y_i = x_(i sx) */

/* Functions of one number: y_i = f(x_i) for i < n; y may be x. Backward: dx_i += dy_i f'(x_i),
 * where f' is computed from `from`: the operand x or, for tanh, sigmoid and sqrt, the result y. */
typedef void UnaryKernel(real *y, const real *x, int64_t n);
typedef void UnaryBackward(real *dx, const real *dy, const real *from, int64_t n);
/* f has a second argument, the same for all elements. */
typedef void UnaryNumberKernel(real *y, const real *x, real s, int64_t n);
typedef void UnaryNumberBackward(real *dx, const real *dy, const real *x, real s, int64_t n);

/* Reductions over the middle axis: x (outer, n, inner) -> y (outer, inner). */
typedef void AxisKernel(real *y, const real *x, int64_t outer, int64_t n, int64_t inner);
typedef void AxisBackward(real *dx, const real *dy, const real *x, const real *y, int64_t outer,
                          int64_t n, int64_t inner);
typedef void SumKernel(real *y, const real *x, real alpha, int64_t outer, int64_t n, int64_t inner);
typedef void SumBackward(real *dx, const real *dy, real alpha, int64_t outer, int64_t n,
                         int64_t inner);
/* the sum of n squares, in double, since the square of a float may overflow */
typedef double SquaresKernel(const real *x, int64_t n);
/* y (n) += alpha times the sum of the rows of x (rows, n) */
typedef void AddRowsKernel(real *y, real alpha, const real *x, int64_t rows, int64_t n);

/* Along rows: x (rows, n) -> y (rows, n). Backward computes from y. */
typedef void RowsKernel(real *y, const real *x, int64_t rows, int64_t n);
typedef void RowsBackward(real *dx, const real *dy, const real *y, int64_t rows, int64_t n);
/* x (matrices, T, S): softmax over the keys that the mask keeps; the others, and a row without any,
 * are 0 */
typedef void MaskedKernel(real *y, const real *x, const KernelMask *mask, int64_t matrices,
                          int64_t T, int64_t S);
/* y = (x - mean) / sqrt(variance + epsilon) gain + bias along rows; gain, bias (n). stats (rows, 2)
 * receives, for backward, each row's mean and 1 / sqrt(variance + epsilon). */
typedef void LayerNormKernel(real *y, real *stats, const real *x, const real *gain,
                             const real *bias, real epsilon, int64_t rows, int64_t n);
typedef void LayerNormBackward(real *dx, real *dgain, real *dbias, const real *dy, const real *x,
                               const real *stats, const real *gain, int64_t rows, int64_t n);

/* Fills a->out and, where it is not NULL, a->lse. Backward needs both as forward left them. */
typedef void AttentionKernel(const Attention *a);
typedef void AttentionBackward(const Attention *a, const AttentionGrad *g);

/* y (count, n): row i is row ids_i of table (V, n); every id is from 0 to V - 1 */
typedef void EmbeddingKernel(real *y, const real *table, const int32_t *ids, int64_t count,
                             int64_t n);
typedef void EmbeddingBackward(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                               int64_t n);

/* losses_i = log sum_j exp(x_ij) - x_(i,target_i), and 0 where target_i == ignore. stats (rows, 2)
 * receives, for backward, the row's maximum m and log sum_j exp(x_ij - m). */
typedef void CrossEntropyKernel(real *losses, real *stats, const real *x, const int32_t *target,
                                int32_t ignore, int64_t rows, int64_t n);
/* dx_ij += alpha (softmax(x_i)_j - [j == target_i]), or = where `add` is false */
typedef void CrossEntropyBackward(real *dx, real alpha, const real *x, const real *stats,
                                  const int32_t *target, int32_t ignore, int64_t rows, int64_t n,
                                  bool add);
/* Label smoothing e: losses_i += e (x_(i,target_i) - mean_j x_ij) where target_i is not ignored */
typedef void SmoothKernel(real *losses, const real *x, const int32_t *target, int32_t ignore,
                          real e, int64_t rows, int64_t n);
/* dx_ij += alpha e ([j == target_i] - 1 / n) */
typedef void SmoothBackward(real *dx, real alpha, const int32_t *target, int32_t ignore, real e,
                            int64_t rows, int64_t n);
/* Losses of two operands: one number, whose gradient is dy. */
typedef void PairLossKernel(real *y, const real *a, const real *b, int64_t n);
typedef void PairLossBackward(real *da, real *db, real dy, const real *a, const real *b, int64_t n);

/* y_i = x_(i sx + ids_i along). Its backward adds one element after the other, in real. */
typedef void GatherKernel(real *y, const real *x, int64_t sx, const int32_t *ids, int64_t along,
                          int64_t n);
typedef void GatherBackward(real *dx, int64_t sx, const real *dy, const int32_t *ids, int64_t along,
                            int64_t n);
/* y_i = x_(i sx) where mask_(i sm) == side (0 or 1); the other y_i stay as they are */
typedef void SelectKernel(real *y, const real *x, int64_t sx, const real *mask, int64_t sm,
                          real side, int64_t n);
/* dx_(i sx) += dy_i there; with sx = 0 a sum */
typedef void SelectBackward(real *dx, int64_t sx, const real *dy, const real *mask, int64_t sm,
                            real side, int64_t n);

/* columns (channels taps, out): column j is patch j of x, 0 in the padding. col2im adds each column
 * to its patch. */
typedef void Im2colKernel(real *columns, const real *x, const Im2col *s);
typedef void Col2imKernel(real *dx, const real *dcolumns, const Im2col *s);

/* y_i = x_i / (1 - p) where kernel_keeps(p, seed, stream, i), else 0 */
typedef void DropoutKernel(real *y, const real *x, real p, uint64_t seed, uint64_t stream,
                           int64_t n);
typedef void DropoutBackward(real *dx, const real *dy, real p, uint64_t seed, uint64_t stream,
                             int64_t n);

/* One optimiser step over n weights; the gradient is 0 afterwards. velocity NULL: no momentum. */
typedef void SgdKernel(real *w, real *grad, real *velocity, real rate, real momentum, real decay,
                       real gradient, int64_t n);
typedef void AdamKernel(real *w, real *grad, real *m, real *v, const AdamStep *s, int64_t n);

/* ---- the table ------------------------------------------------------------------------------- */

/* One set of kernels. Ops call its entries through the pointer `kernels` below; each entry is
 * tested against the reference on sizes around the width of vectors and tiles. */
typedef struct Kernels {
    const char *name; /* as tensor_set_kernels knows it                                     */
    size_t scratch;   /* bytes of scratch that a thread needs: 0 or KERNEL_SCRATCH_BYTES */
#define KERNEL(entry, Signature) Signature *entry;
#include "tensor/kernels/list.h"
} Kernels;

/* The set in use. Read this pointer at every call, since tensor_set_kernels changes it. */
extern const Kernels *kernels;

/* The reference, kernels/ref: the table, and each kernel by the name ref_ENTRY. */
extern const Kernels kernels_ref;
#define KERNEL(entry, Signature) Signature ref_##entry;
#include "tensor/kernels/list.h"

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
