/* exercises_costs.c: the exercises of rows 29 and 30, what a layer costs; see exercises.c. */
#include "lectures/04-attention/exercises.h"

#include "lectures/runner/counting.h"

/* ---- row 29: what the table leaves out ------------------------------------------------------------------------------------ */

/* Now: multiply-adds of the two products with n^2. Change it: of the whole layer, W_q, W_k, W_v and W_o included. */
static double multiply_adds(double n, double d)
{
    return 2 * n * n * d;
}

static double multiply_adds_solved(double n, double d)
{
    return 2 * n * n * d + 4 * n * d * d;
}

static double multiply_adds_wrong_without_out(double n, double d)
{
    return 2 * n * n * d + 3 * n * d * d;
}

static double multiply_adds_wrong_one_width(double n, double d)
{
    return 2 * n * n * d + 4 * n * d * 32;
}

static double layer_counted(Trial *t)
{
    double worst = 0;
    for (int n = 8; n <= 32; n *= 2) {
        int d = 256 / n;
        Params *p = params_new(t->seed);
        Tape *tape = tape_new(t->seed);
        Rng rng = {.seed = t->seed, .stream = 415};
        MultiHeadAttention a;
        nn_attention_init(&a, p, "attention", d, 2, 0);
        Tensor *x = values_normal(tape, &rng, shape3(1, n, d), 1);
        counting_begin();
        nn_attention(&a, x, (Mask){0});
        double counted = (double)counting_end();
        double said = TRIED(t, multiply_adds, multiply_adds_solved, multiply_adds_wrong_without_out,
                            multiply_adds_wrong_one_width)(n, d);
        explain(t, "n = %2d, d = %2d: counted %.0f, by the formula %.0f", n, d, counted, said);
        worst = values_worst(worst, fabs(counted - said));
        tape_free(tape);
        params_free(p);
    }
    return worst;
}

const Claim exercise_count =
    EXERCISE(29, "multiply_adds: of the whole layer", "H: Complexity",
             "max |counted - formula|, n = 8, 16, 32 and d = 32, 16, 8", 0, "counted one by one",
             layer_counted, {"without_out", "without W_o"},
             {"one_width", "the matrices of d = 32 at every d"});

/* ---- row 30: keys that come by -------------------------------------------------------------------------------------------- */

/* Now: log of the sum of exp(s_j), which overflows. Change it: one pass over the scores, with the largest so far and the
 * sum so far, which is scaled down when a larger score comes. */
static double log_sum(const double *s, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += exp(s[j]);
    return log(sum);
}

static double log_sum_solved(const double *s, int n)
{
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) {
        double next = s[j] > most ? s[j] : most;
        sum = sum * exp(most - next) + exp(s[j] - next);
        most = next;
    }
    return most + log(sum);
}

static double log_sum_wrong_unscaled(const double *s, int n)
{
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++) {
        most = s[j] > most ? s[j] : most;
        sum += exp(s[j] - most);
    }
    return most + log(sum);
}

static double log_sum_wrong_first(const double *s, int n)
{
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += exp(s[j] - s[0]);
    return s[0] + log(sum);
}

static double streamed(Trial *t)
{
    static const double scores[][3] = {{0, 1, 2},
                                       {1000, 1001, 1002},
                                       {-1002, -1000, -1001},
                                       {0, 1000, 0}};
    double worst = 0, base = log(1 + exp(-1) + exp(-2));
    const double expected[] = {2 + base, 1002 + base, -1000 + base, 1000};
    for (int i = 0; i < 4; i++) {
        double got = TRIED(t, log_sum, log_sum_solved, log_sum_wrong_unscaled,
                           log_sum_wrong_first)(scores[i], 3);
        explain(t, "scores %g, %g, %g: %.6g, expected %.6g", scores[i][0], scores[i][1],
                scores[i][2], got, expected[i]);
        worst = values_worst(worst, fabs(got - expected[i]));
    }
    return worst;
}

const Claim exercise_stream =
    EXERCISE(30, "log_sum: one pass, and no overflow", "H: Complexity",
             "max |log_sum - closed form|, scores near 0, 1000, -1000, and 0 with 1000", 1e-9,
             "largest + log(1 + 1/e + 1/e^2), or 1000; doubles near 1000 are rounded by 1e-13",
             streamed, {"unscaled", "the sum so far is not scaled down"},
             {"first", "the first score in place of the largest"});
