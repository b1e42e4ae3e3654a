/* map_chain.c: the chain rule p(x_1) p(x_2 | x_1), by a table and by a network (row 1).
 *
 *   Markov model          x_1 and x_2 in bins; p(x_1) and p(x_2 | x_1) are relative frequencies
 *   autoregressive model  a network is given the numbers so far and returns the distribution of the next one
 *                                                              V "Taxonomy of Generative Models" (MMs, PixelCNN)
 *
 * A table for n numbers, each of which depends on all before it, has bins^n entries; a Markov model
 * therefore depends on the last number only. The size of a network does not grow like that. */
#include "lectures/01-recurrence/map.h"

/* ---- Markov model: a table ------------------------------------------------------------------- */

/* Bins of 1/4, six cells of the plane: FIRST bins of x_1 on [-5, 5), NEXT bins of x_2 on [-4, 4).
 * Each begins with the count `prior`, so that none has the probability 0. */
enum { FIRST = 40, NEXT = 32 };
static const double width = 0.25, prior = 0.01;
static real log_table[FIRST * NEXT]; /* log p(x_1, x_2) */

static int bin(real x, int bins)
{
    double i = floor((double)x / width) + bins / 2;
    return i < 0 ? 0 : i < bins ? (int)i : bins - 1;
}

static bool train_markov(uint64_t seed)
{
    static double first[FIRST], pair[FIRST][NEXT];
    const real *x = moons_training(seed);
    for (int i = 0; i < FIRST; i++) {
        first[i] = NEXT * prior;
        for (int j = 0; j < NEXT; j++)
            pair[i][j] = prior;
    }
    for (int i = 0; i < MOONS_TRAIN; i++) {
        first[bin(x[2 * i], FIRST)]++;
        pair[bin(x[2 * i], FIRST)][bin(x[2 * i + 1], NEXT)]++;
    }
    for (int i = 0; i < FIRST; i++)
        for (int j = 0; j < NEXT; j++) {
            double p_first = first[i] / (MOONS_TRAIN + FIRST * NEXT * prior);
            double p_next = pair[i][j] / first[i];
            log_table[i * NEXT + j] = (real)log(p_first * p_next / (width * width));
        }
    return true;
}

static Tensor *markov_log_density(Tensor *x)
{
    enum { MOST = 1024 };
    int id[MOST], n = (int)x->shape.dim[0];
    for (int i = 0; i < n && i < MOST; i++)
        id[i] = bin(x->data[2 * i], FIRST) * NEXT + bin(x->data[2 * i + 1], NEXT);
    Tensor *table = tape_input(x->tape, log_table, shape2(FIRST * NEXT, 1));
    return ag_embedding(table, tape_ids(x->tape, id, shape1(n)));
}

const Family family_markov = {
    .branch = "Markov models",
    .name = "Markov model",
    .train = train_markov,
    .log_density = markov_log_density,
};

/* ---- autoregressive: a network --------------------------------------------------------------- */

/* One network for both steps. Step 1 is given (0, 0): nothing is known. Step 2 is given (x_1, 1):
 * the numbers are shifted right by one. It returns a mixture of MAP_MIX normal distributions of the
 * next number. */
static Kept kept;
static Net predictor;

Tensor *map_log_mixture(Tensor *x, Tensor *parameters)
{
    Tensor *part[3];
    ag_split(parameters, -1, 3, part);
    Tensor *log_s = ag_shift(ag_scale(ag_tanh(part[2]), 2), -1);
    Tensor *z = ag_mul(ag_sub(x, part[1]), ag_exp(ag_neg(log_s)));
    Tensor *log_normal = ag_sub(ag_scale(ag_mul(z, z), (real)-0.5), log_s);
    Tensor *log_q = ag_logsumexp(ag_add(ag_log_softmax(part[0]), log_normal), -1, true);
    return ag_shift(log_q, -0.5 * log(2 * MOONS_PI));
}

/* log q(x_1) and log q(x_2 | x_1): x (N, 2) -> (N, 2, 1). both_ways: log q(x_1 | x_2) in place of
 * the first. */
static Tensor *two_factors(Tensor *x, bool both_ways)
{
    static const real step[] = {0, 1};
    int64_t N = x->shape.dim[0];
    Tensor *x1 = ag_slice(x, 1, 0, 1);
    Tensor *x2 = ag_slice(x, 1, 1, 2), *known[] = {both_ways ? x2 : ag_scale(x2, 0), x1};
    Tensor *which = ag_expand(tape_input(x->tape, step, shape3(1, 2, 1)), shape3(N, 2, 1));
    Tensor *in[] = {ag_reshape(ag_concat(known, 2, 1), shape3(N, 2, 1)), which};
    Tensor *parameters = net(&predictor, ag_concat(in, 2, 2));
    return map_log_mixture(ag_reshape(x, shape3(N, 2, 1)), parameters);
}

static Tensor *autoregressive_log_density(Tensor *x)
{
    return ag_sum_axis(two_factors(x, false), 1, false);
}

/* Each number is predicted from the other one: two conditionals, whose product is no joint
 * density. */
static Tensor *both_ways(Tensor *x)
{
    return ag_sum_axis(two_factors(x, true), 1, false);
}

static bool train_autoregressive(uint64_t seed)
{
    if (!map_kept(&kept, seed))
        kept.trained = net_init(&predictor, kept.params, "predictor", 2, 32, 3 * MAP_MIX) &&
                       map_fit(kept.params, autoregressive_log_density, seed, 600, 1e-2);
    return kept.trained;
}

const Family family_autoregressive = {
    .branch = "autoregressive",
    .name = "network p(x₂|x₁)",
    .train = train_autoregressive,
    .log_density = autoregressive_log_density,
    .fault = "both-ways",
    .flawed = both_ways,
};

/* d log q(x_1) / d x_2 is 0, d log q(x_2 | x_1) / d x_1 is not: the factors are those of the chain
 * rule. Returns the largest of the first, over the largest of the second. */
static double earlier_only(Trial *t)
{
    enum { CHECKED = 200 };
    double largest[2] = {0, 0};
    if (!train_autoregressive(t->seed))
        return (double)NAN;
    for (int factor = 0; factor < 2; factor++) {
        Tape *tape = tape_new(0);
        Tensor *x = tape_leaf(tape, moons_testing(t->seed), shape2(CHECKED, 2));
        Tensor *log_q = ag_slice(two_factors(x, broken(t, "both-ways")), 1, factor, factor + 1);
        bool ok = ag_backward(ag_sum(log_q));
        for (int i = 0; i < CHECKED; i++) {
            /* In the second factor x_2 is what is predicted, and may count. */
            double other = ok ? fabs((double)x->grad[2 * i + 1 - factor]) : (double)NAN;
            largest[factor] = values_worst(largest[factor], other);
        }
        tape_free(tape);
    }
    explain(t, "max |d log q(x_1) / d x_2| = %.3g; max |d log q(x_2 | x_1) / d x_1| = %.3g",
            largest[0], largest[1]);
    return largest[0] / largest[1];
}

const Claim map_chain_claims[] = {
    {1, earlier_only,
     "an autoregressive model is the chain rule: its q(x_1) does not depend on x_2, its q(x_2 | "
     "x_1) depends on x_1",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max |d log q(x_1) / d x_2| over max |d log q(x_2 | x_1) / d x_1|, 200 points",
     EXACTLY(0, "no path leads from x_2 to the first factor"),
     .faults = {{"both-ways", "x_1 is predicted from x_2 as well"}}},
    {0},
};
