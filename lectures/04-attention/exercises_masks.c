/* exercises_masks.c: the exercises of rows 16, 17 and 25 to 28; see exercises.c. */
#include "lectures/04-attention/exercises.h"

/* ---- row 26: hide the future ----------------------------------------------------------------- */

Tensor *without_later(Tensor *A)
{
    int64_t T = A->shape.dim[0];
    Tensor *kept = ag_copy(A);
    for (int64_t i = 0; i < T; i++)
        for (int64_t j = i + 1; j < T; j++)
            kept->data[i * T + j] = 0;
    return kept;
}

/* Now: weights A (T, T) of a softmax over all keys, those of later keys replaced by 0. Change it:
 * the weights that the causal mask gives; from A alone, without the scores. */
static Tensor *hide_future(Tensor *A)
{
    return without_later(A);
}

static double future_hidden(Trial *t)
{
    Tensor *scores = trial_normal(t, 410, shape2(6, 6));
    Tensor *kept = TRIED(t, hide_future, hide_future_solved, hide_future_wrong_again,
                         hide_future_wrong_shared_out)(ag_softmax(scores));
    Tensor *masked = ag_masked_softmax(ag_reshape(scores, shape3(1, 6, 6)), (Mask){.causal = true});
    double off = values_difference(kept, ag_reshape(masked, shape2(6, 6)));
    explain(t, "max |weights - those under the causal mask| = %.2g", off);
    return off;
}

/* ---- row 16: a function of a set ------------------------------------------------------------- */

/* Now: the last token's row of y (T, C), which moves when the tokens are permuted. Change it: one
 * row (1, C) that depends on every token and on no order. */
static Tensor *of_the_set(Tensor *y)
{
    int64_t T = y->shape.dim[0];
    return ag_slice(y, 0, T - 1, T);
}

static double set_pooled(Trial *t)
{
    static const int order[] = {3, 0, 4, 1, 2};
    Tensor *x = values_leaf(trial_tape(t), trial_rng(t, 413), shape2(5, 4), 1),
           *permuted = values_permuted(x, order);
    Tensor *y = ag_attention(x, x, x, (Mask){0}, 0),
           *z = ag_attention(permuted, permuted, permuted, (Mask){0}, 0);
    Tensor *(*pool)(Tensor *) =
        TRIED(t, of_the_set, of_the_set_solved, of_the_set_wrong_first, of_the_set_wrong_constant);
    Tensor *a = pool(y), *b = pool(z);
    double off = values_difference(a, b), least = INFINITY;
    real upstream[4] = {1, 1, 1, 1};
    if (tensor_size(a) != 4 || !ag_backward_from(a, upstream))
        off = (double)NAN;
    for (int i = 0; i < 5; i++)
        least = values_least(least, fabs((double)x->grad[i * 4]));
    explain(t, "tokens permuted: it moves by %.2g; the token with the least gradient has %.2g", off,
            least);
    return least > 0 ? off : (double)NAN;
}

const Claim attention_exercises_masks[] = {
    EXERCISE(26, "hide_future: the causal weights, from those of all keys",
             "J: Masked self-attention layer",
             "max |hide_future(A) - weights under the causal mask|", 1e-6,
             "the same ratios of exponentials, divided twice", future_hidden,
             {"again", "a softmax of the weights"},
             {"shared_out", "what was lost is added to all in equal parts"}),
    EXERCISE(16, "of_the_set: one row that depends on all tokens and no order",
             "J: Capturing the Order of the Input",
             "max |f(Px) - f(x)|; NaN where a token has no part", 1e-5,
             "the same terms in another order: rounding", set_pooled, {"first", "the first token"},
             {"constant", "0 whatever the tokens are"}),
    {0},
};
