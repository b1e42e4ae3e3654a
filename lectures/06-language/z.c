/* z.c: Z's three algorithms, line by line. See language.h.
 *
 *   Z "Scaled dot-product self-attention layer", "Multi-Head Attention", "Transformer layer"
 *
 * The rows of the library's matrices are outputs: plain_linear multiplies a token by Z's W.
 * tests/lectures/algorithms.sh sees that no line is missing. */
#include "lectures/06-language/language.h"

#include <string.h>

/* ---- scaled dot-product self-attention ------------------------------------------------------- */

/* Softmax[Q K^T / sqrt(D_k)] V of head h: X (N, D) -> Y (N, D_v). */
static void z_attention(const ZPrinted *z, int h, const double *X, double *Y)
{
    const Tensor *W = z->block->attn.in_proj_weight; /* W_q, W_k, W_v of all heads */
    double Q[Z_N][Z_DK], K[Z_N][Z_DK], V[Z_N][Z_DK], A[Z_N];
    for (int n = 0; n < Z_N; n++) {
        plain_linear(W, NULL, h * Z_DK, Z_DK, X + n * Z_D, Q[n]);           /* 1 */
        plain_linear(W, NULL, Z_D + h * Z_DK, Z_DK, X + n * Z_D, K[n]);     /* 2 */
        plain_linear(W, NULL, 2 * Z_D + h * Z_DK, Z_DK, X + n * Z_D, V[n]); /* 3: N x D_v */
    }
    memset(Y, 0, sizeof(double) * Z_N * Z_DK);
    for (int n = 0; n < Z_N; n++) { /* 4 */
        for (int m = 0; m < Z_N; m++)
            A[m] = plain_dot(Q[n], K[m], Z_DK) / sqrt(z->root_of_d ? Z_D : Z_DK);
        plain_softmax(A, Z_N, A);
        for (int m = 0; m < Z_N; m++)
            for (int i = 0; i < Z_DK; i++)
                Y[n * Z_DK + i] += A[m] * V[m][i];
    }
}

/* ---- multi-head attention -------------------------------------------------------------------- */

static void z_multi_head(const ZPrinted *z, const double *X, double *Y)
{
    double Hh[Z_H][Z_N * Z_DK], H[Z_D];
    for (int h = 0; h < Z_H; h++) { /* 1 */
        /* 2: in the first three lines of z_attention */
        z_attention(z, h, X, Hh[h]); /* 3 */
    }                                /* 4 */
    for (int n = 0; n < Z_N; n++) {
        for (int d = 0; d < Z_D; d++)
            H[d] = Hh[d / Z_DK][n * Z_DK + d % Z_DK]; /* 5: H_1 ... H_H; Z has H_N */
        plain_linear(z->block->attn.out_proj.weight, NULL, 0, Z_D, H, Y + n * Z_D); /* 6 */
    }
}

/* ---- transformer layer ----------------------------------------------------------------------- */

/* LayerNorm[A + B] of each row; B NULL: of A alone. */
static void norm_of_sum(const Norm *l, const double *A, const double *B, double *out)
{
    for (int n = 0; n < Z_N; n++) {
        double sum[Z_D];
        for (int d = 0; d < Z_D; d++)
            sum[d] = A[n * Z_D + d] + (B ? B[n * Z_D + d] : 0);
        plain_norm(l, sum, out + n * Z_D);
    }
}

void z_transformer_layer(const ZPrinted *z, const double *X, double *out)
{
    double Y[Z_N * Z_D], Z[Z_N * Z_D], M[Z_N * Z_D];
    z_multi_head(z, X, Y);
    norm_of_sum(&z->block->norm1, Y, z->no_residual ? NULL : X, Z); /* 1 */
    for (int n = 0; n < Z_N; n++)
        plain_mlp(&z->block->ff, Z + n * Z_D, M + n * Z_D);
    norm_of_sum(&z->block->norm2, M, z->no_residual ? NULL : Z, out); /* 2 */
    /* 3: the result is in out */
}
