/* z.c: Z's three algorithms, line by line. See language.h.
 *
 *   Z "Scaled dot-product self-attention layer", "Multi-Head Attention", "Transformer layer"
 *
 * tests/lectures/algorithms.sh sees that no line is missing. */
#include "lectures/06-language/language.h"

/* C (n, m) = A (n, k) B (k, m). */
static void product(const double *A, const double *B, int n, int k, int m, double *C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            C[i * m + j] = 0;
            for (int l = 0; l < k; l++)
                C[i * m + j] += A[i * k + l] * B[l * m + j];
        }
}

/* Each row of S (n, m) by itself. */
static void softmax_rows(double *S, int n, int m)
{
    for (int i = 0; i < n; i++) {
        double most = S[i * m], sum = 0;
        for (int j = 1; j < m; j++)
            most = S[i * m + j] > most ? S[i * m + j] : most;
        for (int j = 0; j < m; j++)
            sum += S[i * m + j] = exp(S[i * m + j] - most);
        for (int j = 0; j < m; j++)
            S[i * m + j] /= sum;
    }
}

/* A matrix of the library (out, in), some of its rows, as Z's (in, out). */
static void transposed(const Tensor *weight, int from, int rows, int in, double *W)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < in; j++)
            W[j * rows + i] = (double)weight->data[(from + i) * in + j];
}

/* ---- scaled dot-product self-attention ------------------------------------------------------- */

void z_attention(const ZPrinted *z, const double *X, const double *Wq, const double *Wk,
                 const double *Wv, double *Y)
{
    double Q[Z_N * Z_DK], K[Z_N * Z_DK], V[Z_N * Z_DK], S[Z_N * Z_N];
    product(X, Wq, Z_N, Z_D, Z_DK, Q); /* 1 */
    product(X, Wk, Z_N, Z_D, Z_DK, K); /* 2 */
    product(X, Wv, Z_N, Z_D, Z_DK, V); /* 3: V is N x D_v; Z has N x D */
    for (int n = 0; n < Z_N; n++)
        for (int m = 0; m < Z_N; m++) {
            S[n * Z_N + m] = 0;
            for (int i = 0; i < Z_DK; i++)
                S[n * Z_N + m] +=
                    Q[n * Z_DK + i] * K[m * Z_DK + i] / sqrt(z->root_of_d ? Z_D : Z_DK);
        }
    softmax_rows(S, Z_N, Z_N);
    product(S, V, Z_N, Z_N, Z_DK, Y); /* 4 */
}

/* ---- multi-head attention -------------------------------------------------------------------- */

static void z_multi_head(const ZPrinted *z, const double *X, double *Y)
{
    const Tensor *in = z->block->attn.in_proj_weight;
    double Hh[Z_H][Z_N * Z_DK] = {{0}}, H[Z_N * Z_D], Wo[Z_D * Z_D];
    for (int h = 0; h < Z_H; h++) { /* 1 */
        double Wq[Z_D * Z_DK], Wk[Z_D * Z_DK], Wv[Z_D * Z_DK];
        transposed(in, h * Z_DK, Z_DK, Z_D, Wq); /* 2: these times X, in the lines of z_attention */
        transposed(in, Z_D + h * Z_DK, Z_DK, Z_D, Wk);
        transposed(in, 2 * Z_D + h * Z_DK, Z_DK, Z_D, Wv);
        z_attention(z, X, Wq, Wk, Wv, Hh[h]); /* 3 */
    }                                         /* 4 */
    for (int n = 0; n < Z_N; n++)
        for (int d = 0; d < Z_D; d++)
            H[n * Z_D + d] = Hh[d / Z_DK][n * Z_DK + d % Z_DK]; /* 5: H_1 ... H_H; Z has H_N */
    transposed(z->block->attn.out_proj.weight, 0, Z_D, Z_D, Wo);
    product(H, Wo, Z_N, Z_D, Z_D, Y); /* 6 */
}

/* ---- transformer layer ----------------------------------------------------------------------- */

/* LayerNorm[A + B] of each row; gain 1 and bias 0, as they are at first. */
static void norm_of_sum(const double *A, const double *B, double *out)
{
    for (int n = 0; n < Z_N; n++) {
        double mean = 0, variance = 0;
        for (int d = 0; d < Z_D; d++) {
            out[n * Z_D + d] = A[n * Z_D + d] + (B ? B[n * Z_D + d] : 0);
            mean += out[n * Z_D + d] / Z_D;
        }
        for (int d = 0; d < Z_D; d++)
            variance += (out[n * Z_D + d] - mean) * (out[n * Z_D + d] - mean) / Z_D;
        for (int d = 0; d < Z_D; d++)
            out[n * Z_D + d] = (out[n * Z_D + d] - mean) / sqrt(variance + 1e-5);
    }
}

/* MLP[Z]: two layers for each row. */
static void z_mlp(const FeedForward *f, const double *Z, double *out)
{
    enum { HIDDEN = 4 * Z_D };
    double W1[Z_D * HIDDEN], W2[HIDDEN * Z_D], hidden[Z_N * HIDDEN];
    transposed(f->up.weight, 0, HIDDEN, Z_D, W1);
    transposed(f->down.weight, 0, Z_D, HIDDEN, W2);
    product(Z, W1, Z_N, Z_D, HIDDEN, hidden);
    for (int i = 0; i < Z_N * HIDDEN; i++) {
        double h = hidden[i] + (double)f->up.bias->data[i % HIDDEN];
        hidden[i] = 0.5 * h * (1 + erf(h / sqrt(2)));
    }
    product(hidden, W2, Z_N, HIDDEN, Z_D, out);
    for (int i = 0; i < Z_N * Z_D; i++)
        out[i] += (double)f->down.bias->data[i % Z_D];
}

void z_transformer_layer(const ZPrinted *z, const double *X, double *out)
{
    double Y[Z_N * Z_D], Z[Z_N * Z_D], M[Z_N * Z_D];
    z_multi_head(z, X, Y);
    norm_of_sum(Y, z->no_residual ? NULL : X, Z); /* 1 */
    z_mlp(&z->block->ff, Z, M);
    norm_of_sum(M, z->no_residual ? NULL : Z, out); /* 2 */
    /* 3: the result is in out */
}
