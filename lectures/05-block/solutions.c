/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/05-block/exercises.h"

/* ---- row 31: a path that keeps the length ---------------------------------------------------- */

double path_factor_solved(double f2)
{
    return 1 / sqrt(1 + f2);
}

double path_factor_wrong_no_root(double f2)
{
    return 1 / (1 + f2);
}

double path_factor_wrong_constant(double f2)
{
    (void)f2;
    return sqrt(0.5);
}

/* ---- row 32: RMSNorm ------------------------------------------------------------------------- */

void rms_backward_solved(const double *hat, const double *h, double r, int n, double *dx)
{
    double b = 0;
    for (int i = 0; i < n; i++)
        b += h[i] * hat[i] / n;
    for (int i = 0; i < n; i++)
        dx[i] = (h[i] - hat[i] * b) / r; /* dr/dx_i = x^_i / n */
}

void rms_backward_wrong_constant(const double *hat, const double *h, double r, int n, double *dx)
{
    (void)hat;
    for (int i = 0; i < n; i++)
        dx[i] = h[i] / r;
}

void rms_backward_wrong_sum(const double *hat, const double *h, double r, int n, double *dx)
{
    double b = 0;
    for (int i = 0; i < n; i++)
        b += h[i] * hat[i];
    for (int i = 0; i < n; i++)
        dx[i] = (h[i] - hat[i] * b) / r;
}

/* ---- row 33: dropout that keeps the size ----------------------------------------------------- */

Tensor *dropped_solved(Tensor *x, Tensor *mask, double p)
{
    return ag_scale(ag_mul(x, mask), (real)(1 / sqrt(1 - p)));
}

Tensor *dropped_wrong_plain(Tensor *x, Tensor *mask, double p)
{
    (void)p;
    return ag_mul(x, mask);
}

Tensor *dropped_wrong_all_kept(Tensor *x, Tensor *mask, double p)
{
    (void)mask, (void)p;
    return x;
}

/* ---- row 34: how wide is a gated layer? ------------------------------------------------------ */

int gated_hidden_solved(int C)
{
    return (8 * C + 1) / 3; /* 3 C hidden = 2 C 4 C */
}

int gated_hidden_wrong_half(int C)
{
    return 2 * C;
}

int gated_hidden_wrong_third(int C)
{
    return 4 * C / 3;
}

/* ---- row 35: both branches at once ----------------------------------------------------------- */

Tensor *parallel_block_solved(const TransformerBlock *b, Tensor *x)
{
    Tensor *a = nn_attention(&b->attn, nn_norm(&b->norm1, x), (Mask){0});
    Tensor *f = nn_feedforward(&b->ff, nn_norm(&b->norm2, x));
    return ag_add(ag_add(x, a), f);
}

Tensor *parallel_block_wrong_one_norm(const TransformerBlock *b, Tensor *x)
{
    Tensor *normed = nn_norm(&b->norm1, x);
    Tensor *f = nn_feedforward(&b->ff, normed);
    return ag_add(ag_add(x, nn_attention(&b->attn, normed, (Mask){0})), f);
}

/* ---- row 36: one layer, several times -------------------------------------------------------- */

Tensor *shared_stack_solved(const TransformerBlock *block, int layers, Tensor *x)
{
    for (int l = 0; l < layers; l++)
        x = nn_transformer_block(&block[0], x, (Mask){0});
    return x;
}

Tensor *shared_stack_wrong_two_blocks(const TransformerBlock *block, int layers, Tensor *x)
{
    for (int l = 0; l < layers; l++)
        x = nn_transformer_block(&block[l % 2], x, (Mask){0});
    return x;
}

Tensor *shared_stack_wrong_once(const TransformerBlock *block, int layers, Tensor *x)
{
    (void)layers;
    return nn_transformer_block(&block[0], x, (Mask){0});
}

/* ---- row 37: shifted right ------------------------------------------------------------------- */

void shift_right_solved(const int *words, int n, int bos, int *in)
{
    for (int i = 0; i < n; i++)
        in[i] = i ? words[i - 1] : bos;
}

void shift_right_wrong_rotated(const int *words, int n, int bos, int *in)
{
    (void)bos;
    for (int i = 0; i < n; i++)
        in[i] = words[(i + n - 1) % n];
}

void shift_right_wrong_left(const int *words, int n, int bos, int *in)
{
    for (int i = 0; i < n; i++)
        in[i] = i + 1 < n ? words[i + 1] : bos;
}
