/* attention.c: softmax under a mask, and attention in one piece.
 *
 *   s_ij = scale q_i . k_j        for the keys j that the mask lets query i see
 *   A_ij = exp(s_ij - lse_i),     lse_i = log sum_j exp(s_ij)
 *   o_i  = sum_j D_ij A_ij v_j,   D_ij = 1, or dropout's 0 or 1 / (1 - p)
 *
 * No row of A is ever stored: forward keeps a running maximum and rescales what it has summed so far
 * (the online softmax of Milakov and Gimelshein, 2018, that FlashAttention builds on), backward makes
 * A_ij again from lse_i. A query that may see nothing yields zeros. */
#include "tensor/kernels/ref/ref.h"

#include <math.h>
#include <string.h>

void ref_masked_softmax(real *y, const real *x, const KernelMask *mask, int64_t matrices, int64_t T,
                        int64_t S)
{
    for (int64_t row = 0; row < matrices * T; row++, x += S, y += S) {
        int64_t z = row / T, i = row % T;
        double m = -INFINITY, total = 0;
        for (int64_t j = 0; j < S; j++)
            if (mask_keeps(mask, z, i, j, T, S) && !(x[j] <= m))
                m = x[j];
        for (int64_t j = 0; j < S; j++) {
            double e = mask_keeps(mask, z, i, j, T, S) ? exp(x[j] - m) : 0;
            y[j] = (real)e;
            total += e;
        }
        for (int64_t j = 0; j < S; j++)
            y[j] = total == 0 ? 0 : (real)(y[j] / total);
    }
}

static double dot(const real *a, const real *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * b[i];
    return sum;
}

/* y += alpha x */
static void add_scaled(real *y, double alpha, const real *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += (real)(alpha * x[i]);
}

/* One matrix z of the call: where its queries, keys, values and results stand. */
typedef struct {
    const real *q, *k, *v;
    real *out, *lse;
    int64_t q_offset, k_offset, v_offset, out_offset;
} Head;

static Head head_at(const Attention *a, int64_t z)
{
    int64_t b = z / a->heads, h = z % a->heads;
    Head at = {
        .q_offset = b * a->q_stride[0] + h * a->q_stride[1],
        .k_offset = b * a->k_stride[0] + h * a->k_stride[1],
        .v_offset = b * a->v_stride[0] + h * a->v_stride[1],
        .out_offset = (b * a->queries * a->heads + h) * a->dv,
    };
    at.q = a->q + at.q_offset;
    at.k = a->k + at.k_offset;
    at.v = a->v + at.v_offset;
    at.out = a->out + at.out_offset;
    at.lse = a->lse + z * a->queries;
    return at;
}

/* D_ij, from the place of (z, i, j) among all weights of the call. */
static double drop_factor(const Attention *a, int64_t z, int64_t i, int64_t j)
{
    if (a->dropout == 0)
        return 1;
    uint64_t place = (uint64_t)((z * a->queries + i) * a->keys + j);
    return kernel_keeps(a->dropout, a->seed, a->stream, place) ? 1 / (1 - (double)a->dropout) : 0;
}

static void attend(const Attention *a, const Head *h, int64_t z, int64_t i)
{
    const real *q = h->q + i * a->q_stride[2];
    real *out = h->out + i * a->heads * a->dv;
    double m = -INFINITY, total = 0;
    memset(out, 0, (size_t)a->dv * sizeof *out);
    for (int64_t j = 0; j < a->keys; j++) {
        if (!mask_keeps(&a->mask, z, i, j, a->queries, a->keys))
            continue;
        double s = (double)a->scale * dot(q, h->k + j * a->k_stride[2], a->d);
        if (!(s <= m)) { /* a new maximum: what was summed so far shrinks by exp(old - new) */
            double shrink = exp(m - s);
            for (int64_t c = 0; c < a->dv; c++)
                out[c] = (real)(out[c] * shrink);
            total *= shrink;
            m = s;
        }
        double e = exp(s - m);
        total += e;
        add_scaled(out, e * drop_factor(a, z, i, j), h->v + j * a->v_stride[2], a->dv);
    }
    for (int64_t c = 0; c < a->dv && total != 0; c++)
        out[c] = (real)(out[c] / total);
    h->lse[i] = (real)(total == 0 ? 0 : m + log(total));
}

void ref_attention(const Attention *a)
{
    for (int64_t z = 0; z < a->batch * a->heads; z++) {
        Head h = head_at(a, z);
        for (int64_t i = 0; i < a->queries; i++)
            attend(a, &h, z, i);
    }
}

/* With g_i = dL/do_i and r_i = g_i . o_i:
 *   dv_j += sum_i D_ij A_ij g_i
 *   ds_ij = A_ij (D_ij g_i . v_j - r_i)
 *   dq_i += scale sum_j ds_ij k_j,   dk_j += scale sum_i ds_ij q_i */
static void attend_backward(const Attention *a, const AttentionGrad *g, const Head *h, int64_t z,
                            int64_t i)
{
    int64_t out_at = i * a->heads * a->dv, q_at = i * a->q_stride[2];
    const real *dout = g->out_grad + h->out_offset + out_at;
    double r = dot(dout, h->out + out_at, a->dv);
    for (int64_t j = 0; j < a->keys; j++) {
        if (!mask_keeps(&a->mask, z, i, j, a->queries, a->keys))
            continue;
        int64_t k_at = j * a->k_stride[2], v_at = j * a->v_stride[2];
        double s = (double)a->scale * dot(h->q + q_at, h->k + k_at, a->d);
        double weight = exp(s - h->lse[i]), keep = drop_factor(a, z, i, j);
        double ds = weight * (keep * dot(dout, h->v + v_at, a->dv) - r) * (double)a->scale;
        if (g->v_grad)
            add_scaled(g->v_grad + h->v_offset + v_at, keep * weight, dout, a->dv);
        if (g->q_grad)
            add_scaled(g->q_grad + h->q_offset + q_at, ds, h->k + k_at, a->d);
        if (g->k_grad)
            add_scaled(g->k_grad + h->k_offset + k_at, ds, h->q + q_at, a->d);
    }
}

void ref_attention_backward(const Attention *a, const AttentionGrad *g)
{
    for (int64_t z = 0; z < a->batch * a->heads; z++) {
        Head h = head_at(a, z);
        for (int64_t i = 0; i < a->queries; i++)
            attend_backward(a, g, &h, z, i);
    }
}
