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
