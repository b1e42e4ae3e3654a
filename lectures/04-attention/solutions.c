/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/04-attention/exercises.h"

/* ---- row 20: a look-up ----------------------------------------------------------------------- */

Tensor *look_up_solved(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_matmul(ag_softmax(ag_scale(ag_matmul(q, ag_transpose(k, 0, 1)), 1e6)), v);
}

Tensor *look_up_wrong_scaled(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_attention(q, k, v, (Mask){0}, 0);
}

Tensor *look_up_wrong_small_factor(Tensor *q, Tensor *k, Tensor *v)
{
    return ag_matmul(ag_softmax(ag_scale(ag_matmul(q, ag_transpose(k, 0, 1)), 10)), v);
}

/* ---- row 22: attention in one function ------------------------------------------------------- */

Tensor *attend_solved(Tensor *Q, Tensor *K, Tensor *V)
{
    double d = (double)shape_last(Q->shape);
    Tensor *scores = ag_scale(ag_matmul(Q, ag_transpose(K, 0, 1)), (real)(1 / sqrt(d)));
    return ag_matmul(ag_softmax(scores), V);
}

Tensor *attend_wrong_unscaled(Tensor *Q, Tensor *K, Tensor *V)
{
    return ag_matmul(ag_softmax(ag_matmul(Q, ag_transpose(K, 0, 1))), V);
}

Tensor *attend_wrong_by_d(Tensor *Q, Tensor *K, Tensor *V)
{
    double d = (double)shape_last(Q->shape);
    Tensor *scores = ag_scale(ag_matmul(Q, ag_transpose(K, 0, 1)), (real)(1 / d));
    return ag_matmul(ag_softmax(scores), V);
}

/* ---- row 18: a temperature ------------------------------------------------------------------- */

double temperature_for_solved(double gap, double share)
{
    return gap / log(share / (1 - share)); /* share / (1 - share) = e^(gap / tau) */
}

double temperature_for_wrong_share(double gap, double share)
{
    return gap / log(share);
}

double temperature_for_wrong_inverse(double gap, double share)
{
    return log(share / (1 - share)) / gap;
}

/* ---- row 21: entries of another size --------------------------------------------------------- */

double score_factor_solved(int d, double deviation)
{
    return 1 / (sqrt(d) * deviation * deviation);
}

double score_factor_wrong_once(int d, double deviation)
{
    return 1 / (sqrt(d) * deviation);
}

double score_factor_wrong_one_width(int d, double deviation)
{
    (void)d;
    return 1 / (8 * deviation * deviation);
}

/* ---- row 19: one matrix for two -------------------------------------------------------------- */

Tensor *bilinear_solved(Tensor *X, Tensor *W)
{
    return ag_matmul(ag_matmul(X, W), ag_transpose(X, 0, 1));
}

Tensor *bilinear_wrong_transposed(Tensor *X, Tensor *W)
{
    return ag_matmul(ag_linear(X, W, NULL), ag_transpose(X, 0, 1));
}

/* ---- row 23: heads that share their keys ----------------------------------------------------- */

Tensor *heads_side_by_side_solved(Tensor *q, Tensor *k, Tensor *v, int heads, int d)
{
    Tensor *head[8], *key = ag_slice(k, 1, 0, d), *value = ag_slice(v, 1, 0, d);
    for (int h = 0; h < heads; h++)
        head[h] = ag_attention(ag_slice(q, 1, h * d, (h + 1) * d), key, value, (Mask){0}, 0);
    return ag_concat(head, heads, 1);
}

Tensor *heads_side_by_side_wrong_own_values(Tensor *q, Tensor *k, Tensor *v, int heads, int d)
{
    Tensor *head[8], *key = ag_slice(k, 1, 0, d);
    for (int h = 0; h < heads; h++)
        head[h] = ag_attention(ag_slice(q, 1, h * d, (h + 1) * d), key,
                               ag_slice(v, 1, h * d, (h + 1) * d), (Mask){0}, 0);
    return ag_concat(head, heads, 1);
}

Tensor *heads_side_by_side_wrong_one_query(Tensor *q, Tensor *k, Tensor *v, int heads, int d)
{
    Tensor *head[8];
    for (int h = 0; h < heads; h++)
        head[h] = ag_attention(ag_slice(q, 1, 0, d), ag_slice(k, 1, 0, d), ag_slice(v, 1, 0, d),
                               (Mask){0}, 0);
    return ag_concat(head, heads, 1);
}

/* ---- row 24: the best that one head can do --------------------------------------------------- */

double best_factor_solved(double a, double b, double rho)
{
    return (1 - rho) * (a - b) / (a * a + b * b + 2 * rho * a * b);
}

double best_factor_wrong_numerator(double a, double b, double rho)
{
    return (1 - rho) * (a - b) / (a * a + b * b);
}

double best_factor_wrong_denominator(double a, double b, double rho)
{
    return (a - b) / (a * a + b * b + 2 * rho * a * b);
}

/* ---- row 26: hide the future ----------------------------------------------------------------- */

/* Of each row what is left, over its sum: the sum of all exponentials, by which A was divided,
 * drops out. */
Tensor *hide_future_solved(Tensor *A)
{
    Tensor *kept = without_later(A);
    return ag_div(kept, ag_sum_axis(kept, 1, true));
}

Tensor *hide_future_wrong_again(Tensor *A)
{
    return ag_softmax(without_later(A));
}

Tensor *hide_future_wrong_shared_out(Tensor *A)
{
    int64_t T = A->shape.dim[0];
    Tensor *kept = without_later(A);
    for (int64_t i = 0; i < T; i++) {
        double lost = 1;
        for (int64_t j = 0; j <= i; j++)
            lost -= (double)kept->data[i * T + j];
        for (int64_t j = 0; j <= i; j++)
            kept->data[i * T + j] += (real)(lost / (double)(i + 1));
    }
    return kept;
}

/* ---- row 27: from self-attention to cross-attention ------------------------------------------ */

Tensor *look_at_source_solved(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk, Tensor *Wv)
{
    return ag_attention(ag_linear(decoder, Wq, NULL), ag_linear(encoder, Wk, NULL),
                        ag_linear(encoder, Wv, NULL), (Mask){0}, 0);
}

Tensor *look_at_source_wrong_exchanged(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk,
                                       Tensor *Wv)
{
    return look_at_source_solved(encoder, decoder, Wq, Wk, Wv);
}

Tensor *look_at_source_wrong_keys_alone(Tensor *decoder, Tensor *encoder, Tensor *Wq, Tensor *Wk,
                                        Tensor *Wv)
{
    (void)Wv;
    return look_at_source_solved(decoder, encoder, Wq, Wk, Wk);
}

/* ---- row 17: how spread is a row of weights? ------------------------------------------------- */

static double entropy(const real *a, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum -= a[j] > 0 ? (double)a[j] * log((double)a[j]) : 0;
    return sum;
}

double keys_used_solved(const real *a, int n)
{
    return exp(entropy(a, n)); /* k equal weights have the entropy log k */
}

double keys_used_wrong_entropy(const real *a, int n)
{
    return entropy(a, n);
}

double keys_used_wrong_largest(const real *a, int n)
{
    double most = 0;
    for (int j = 0; j < n; j++)
        most = values_worst(most, (double)a[j]);
    return 1 / most;
}

/* ---- row 25: cut a head ---------------------------------------------------------------------- */

void cut_head_solved(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    for (int64_t i = 0; i < C; i++)
        for (int64_t j = h * d; j < (h + 1) * d; j++)
            Wo->data[i * C + j] = 0;
}

void cut_head_wrong_channel(Tensor *Wo, int h, int d)
{
    int64_t C = Wo->shape.dim[1];
    (void)d;
    for (int64_t i = 0; i < C; i++)
        Wo->data[i * C + h] = 0;
}

/* ---- row 16: a function of a set ------------------------------------------------------------- */

Tensor *of_the_set_solved(Tensor *y)
{
    return ag_mean_axis(y, 0, true);
}

Tensor *of_the_set_wrong_first(Tensor *y)
{
    return ag_slice(y, 0, 0, 1);
}

Tensor *of_the_set_wrong_constant(Tensor *y)
{
    return ag_scale(ag_mean_axis(y, 0, true), 0);
}

/* ---- row 28: a causal window ----------------------------------------------------------------- */

int pairs_kept_solved(int n, int w)
{
    return n * (w + 1) - w * (w + 1) / 2;
}

int pairs_kept_wrong_half(int n, int w)
{
    return (n * (2 * w + 1) - w * (w + 1)) / 2;
}

int pairs_kept_wrong_both_ends(int n, int w)
{
    return n * (w + 1) - w * (w + 1);
}

/* ---- row 29: what the table leaves out ------------------------------------------------------- */

double multiply_adds_solved(double n, double m, double d)
{
    return 2 * n * m * d + 2 * n * d * d + 2 * m * d * d; /* W_q, W_o; W_k, W_v */
}

double multiply_adds_wrong_without_out(double n, double m, double d)
{
    return 2 * n * m * d + n * d * d + 2 * m * d * d;
}

double multiply_adds_wrong_one_length(double n, double m, double d)
{
    return 2 * n * m * d + 4 * n * d * d;
}

/* ---- row 30: keys that come by --------------------------------------------------------------- */

double log_sum_solved(Stream *from)
{
    double s, most = -INFINITY, sum = 0;
    while (next_score(from, &s))
        if (s > most) { /* never with -infinity: that less itself is not a number */
            sum = sum * exp(most - s) + 1;
            most = s;
        } else if (s > -INFINITY)
            sum += exp(s - most);
    return most + log(sum);
}

double log_sum_wrong_unscaled(Stream *from)
{
    double s, most = -INFINITY, sum = 0;
    while (next_score(from, &s)) {
        most = s > most ? s : most;
        sum += s > -INFINITY ? exp(s - most) : 0;
    }
    return most + log(sum);
}

double log_sum_wrong_hidden(Stream *from)
{
    double s, most = -INFINITY, sum = 0;
    while (next_score(from, &s)) {
        double next = s > most ? s : most;
        sum = sum * exp(most - next) + exp(s - next);
        most = next;
    }
    return most + log(sum);
}
