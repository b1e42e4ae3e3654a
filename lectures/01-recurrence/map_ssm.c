/* map_ssm.c: a state space layer: one function, computed in three ways (row 1).
 * H "Complexity" (3rd slide)
 *
 *   h_t = a h_(t-1) + b x_t,  y_t = sum over the N states of c h_t  a, b, c: one number for each state
 *
 *   recurrence   T steps, one after another
 *   convolution  y_t = sum_j k_j x_(t-j),  k_j = sum over the states of c a^j b: all t at once
 *   scan         log2 T rounds of T multiplications: two steps h -> a h + u and h -> a' h + u' together are
 *                h -> a'a h + (a'u + u') (Hillis and Steele 1986; T multiplications in all: Blelloch 1990)
 *
 * Where a_t depends on the input (selective, as in Mamba), there is no kernel k; the scan remains.
 * Gu, Goel, Re 2022 (S4); Gu and Dao 2023 (Mamba). */
#include "lectures/01-recurrence/map.h"
#include "lectures/runner/counting.h"

enum { STATES = 16 };

/* a, b, c (1, N): numbers a = exp(-1/scale), scales from 2 to 64 steps. */
typedef struct {
    Tensor *log_a, *b, *c;
} Layer;

static Layer layer_new(Tape *tape, Rng *rng)
{
    real log_a[STATES];
    for (int n = 0; n < STATES; n++)
        log_a[n] = (real)-exp2(-1 - 5.0 * n / (STATES - 1));
    return (Layer){.log_a = tape_input(tape, log_a, shape2(1, STATES)),
                   .b = values_normal(tape, rng, shape2(1, STATES), 1),
                   .c = values_normal(tape, rng, shape2(1, STATES), 1)};
}

/* a_t for each step, (T, N): the same for all, or, selective, larger or smaller with the input. x
 * (T, 1). */
static Tensor *step_factors(const Layer *l, Tensor *x, bool selective)
{
    Tensor *rate = ag_expand(l->log_a, shape2(x->shape.dim[0], STATES));
    return ag_exp(selective ? ag_mul(rate, ag_exp(x)) : rate);
}

/* ---- three ways ------------------------------------------------------------------------------ */

/* h_t = a_t h_(t-1) + u_t, one step after another; a, u (T, N) -> all h (T, N). */
static Tensor *recurrence(Tensor *a, Tensor *u)
{
    enum { MOST = 1024 };
    Tensor *h[MOST];
    int T = (int)u->shape.dim[0];
    for (int t = 0; t < T && t < MOST; t++) {
        h[t] = ag_slice(u, 0, t, t + 1);
        if (t > 0)
            h[t] = ag_add(ag_mul(ag_slice(a, 0, t, t + 1), h[t - 1]), h[t]);
    }
    return ag_concat(h, T, 0);
}

/* Row t becomes row t - by; the first rows are `value`. */
static Tensor *delayed(Tensor *x, int64_t by, double value)
{
    int64_t before[] = {by, 0};
    return ag_slice(ag_pad(x, before, NULL, (real)value), 0, 0, x->shape.dim[0]);
}

/* The same: after the step with `by`, (a_t, u_t) stand for the last 2 by steps up to t together. */
static Tensor *scan(Tensor *a, Tensor *u)
{
    for (int64_t by = 1; by < u->shape.dim[0]; by *= 2) {
        u = ag_add(ag_mul(a, delayed(u, by, 0)), u);
        a = ag_mul(a, delayed(a, by, 1));
    }
    return u;
}

/* k_j = sum_n c_n a_n^j b_n, (T, 1), then y_t = sum_j k_j x_(t-j). x (T, 1). */
static Tensor *convolution(const Layer *l, Tensor *x)
{
    enum { MOST = 1024 };
    real j[MOST];
    int T = (int)x->shape.dim[0];
    for (int i = 0; i < T && i < MOST; i++)
        j[T - 1 - i] = (real)i; /* ag_conv1d does not reverse its kernel */
    Tensor *powers = ag_exp(ag_mul(tape_input(x->tape, j, shape2(T, 1)), l->log_a));
    Tensor *kernel = ag_matmul(powers, ag_transpose(ag_mul(l->b, l->c), 0, 1));
    Tensor *y =
        ag_conv1d(ag_reshape(x, shape2(1, T)), ag_reshape(kernel, shape3(1, 1, T)), NULL, 1, T - 1);
    return ag_reshape(ag_slice(y, 1, 0, T), shape2(T, 1));
}

/* y (T, 1) from the states h (T, N). */
static Tensor *read_out(const Layer *l, Tensor *h)
{
    return ag_matmul(h, ag_transpose(l->c, 0, 1));
}

/* ---- claims ---------------------------------------------------------------------------------- */

enum { LENGTH = 256 };

static double equal(Trial *t)
{
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 113);
    Layer l = layer_new(tape, rng);
    Tensor *x = values_normal(tape, rng, shape2(LENGTH, 1), 1);
    Tensor *a = step_factors(&l, x, broken(t, "selective")), *u = ag_mul(x, l.b);
    Tensor *y = read_out(&l, recurrence(a, u));
    double largest = values_largest(y);
    double by_kernel = values_difference(y, convolution(&l, x));
    double by_scan = values_difference(y, read_out(&l, scan(a, u)));
    explain(t, "%d steps, %d states: max |y| = %.2f", LENGTH, STATES, largest);
    explain(t, "recurrence and convolution: %.2g apart; recurrence and scan: %.2g", by_kernel,
            by_scan);
    return values_worst(by_kernel, by_scan) / largest;
}

/* The longest chain of ops, each of which needs the one before, of a pass over T steps. */
static int chain(uint64_t seed, int T, bool by_scan)
{
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 115};
    Layer l = layer_new(tape, &rng);
    Tensor *x = values_normal(tape, &rng, shape2(T, 1), 1);
    Tensor *a = step_factors(&l, x, false), *u = ag_mul(x, l.b);
    read_out(&l, by_scan ? scan(a, u) : recurrence(a, u));
    int longest = counting_depth(tape);
    tape_free(tape);
    return longest;
}

double map_scan_chain(Trial *t)
{
    return chain(t->seed, 512, true);
}

static double depth(Trial *t)
{
    for (int by_scan = 0; by_scan < 2; by_scan++)
        explain(t, "%-12s longest chain of ops at T = 128, 256, 512: %d, %d, %d",
                by_scan ? "scan" : "recurrence", chain(t->seed, 128, by_scan),
                chain(t->seed, 256, by_scan), chain(t->seed, 512, by_scan));
    const bool by_scan = !broken(t, "recurrence");
    return chain(t->seed, 512, by_scan) - chain(t->seed, 256, by_scan);
}

const Claim map_ssm_claims[] = {
    {1, equal, "a state space layer is a recurrence, a convolution and a scan: one function",
     .slides = {"H: Complexity", "V: Taxonomy of Generative Models"},
     .quantity = "the largest difference of their outputs over the largest output, 256 steps",
     AT_MOST(1e-5, "rounding, 6e-8 a step, is kept for up to 64 steps (a = e^(-1/64)): 4e-6"),
     .faults = {{"selective", "a depends on the input: then no kernel is right for all steps"}}},
    {1, depth,
     "doubling the length adds three ops to the longest chain of a scan: its depth grows as log n",
     .slides = {"H: Complexity"},
     .quantity = "ops that the chain is longer at T = 512 than at T = 256",
     EXACTLY(3, "a doubling is one more round: delay, multiply, add"),
     .faults = {{"recurrence", "one step after another"}},
     HOLDS_POISONED("counts ops; no number is read")},
    {0},
};
