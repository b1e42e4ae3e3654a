/* map_flow.c: a coupling flow: an invertible network whose determinant is known (row 1).
 *
 *   z = f(x),  log q(x) = log N(z; 0, I) + log |det df/dx|  V "Taxonomy of Generative Models" (RealNVP)
 *
 * A coupling leaves u as it is and maps v to v exp(s(u)) + t(u), with networks s and t of u alone:
 * it is inverted by (v - t(u)) exp(-s(u)), and log |det| is s(u), whatever s and t are. Then u and
 * v change places (Dinh et al. 2017). */
#include "lectures/01-recurrence/map.h"

enum { COUPLINGS = 8 };
static Kept kept;
static Net coupling[COUPLINGS];

/* (s, t) of a coupling, (N, 1) each; s between -1 and 1. */
static void scale_and_shift(int l, Tensor *u, Tensor **s, Tensor **t)
{
    Tensor *st = net(&coupling[l], u);
    *s = ag_tanh(ag_slice(st, 1, 0, 1));
    *t = ag_slice(st, 1, 1, 2);
}

/* x (N, 2) -> z (N, 2); the sum of all s, (N, 1), goes into *log_det. of_itself: s and t are
 * functions of v, which is no coupling. */
static Tensor *forward(Tensor *x, Tensor **log_det, bool of_itself)
{
    Tensor *u = ag_slice(x, 1, 0, 1), *v = ag_slice(x, 1, 1, 2), *s, *t;
    *log_det = ag_scale(u, 0);
    for (int l = 0; l < COUPLINGS; l++) {
        scale_and_shift(l, of_itself ? v : u, &s, &t);
        Tensor *mapped = ag_add(ag_mul(v, ag_exp(s)), t);
        *log_det = ag_add(*log_det, s);
        v = u;
        u = mapped;
    }
    return ag_concat((Tensor *[]){u, v}, 2, 1);
}

/* z (N, 2) -> x (N, 2): the couplings undone, the last one first. */
static Tensor *inverse(Tensor *z, bool first_first)
{
    Tensor *u = ag_slice(z, 1, 0, 1), *v = ag_slice(z, 1, 1, 2), *s, *t;
    for (int i = COUPLINGS - 1; i >= 0; i--) {
        int l = first_first ? COUPLINGS - 1 - i : i;
        Tensor *mapped = u;
        u = v;
        scale_and_shift(l, u, &s, &t);
        v = ag_mul(ag_sub(mapped, t), ag_exp(ag_neg(s)));
    }
    return ag_concat((Tensor *[]){u, v}, 2, 1);
}

/* log N(z; 0, I), (N, 1). */
static Tensor *log_standard_normal(Tensor *z)
{
    Tensor *square = ag_sum_axis(ag_mul(z, z), 1, true);
    return ag_sub(ag_scale(square, (real)-0.5),
                  tape_full(z->tape, (real)log(2 * MOONS_PI), shape2(1, 1)));
}

static Tensor *flow_log_density(Tensor *x)
{
    Tensor *log_det, *z = forward(x, &log_det, false);
    return ag_add(log_standard_normal(z), log_det);
}

static Tensor *no_log_det(Tensor *x)
{
    Tensor *log_det, *z = forward(x, &log_det, false);
    return log_standard_normal(z);
}

static bool train_flow(uint64_t seed)
{
    if (map_kept(&kept, seed))
        return true;
    bool ok = true;
    for (int l = 0; l < COUPLINGS; l++)
        ok = ok && net_init(&coupling[l], kept.params, params_path(kept.params, "coupling.%d", l),
                            1, 24, 2);
    kept.trained = ok && map_fit(kept.params, flow_log_density, seed, 800, 1e-2);
    return kept.trained;
}

const Family family_flow = {
    .branch = "flow-based",
    .name = "RealNVP",
    .train = train_flow,
    .log_density = flow_log_density,
    .fault = "no-log-det",
    .flawed = no_log_det,
};

/* ---- claims ---------------------------------------------------------------------------------- */

enum { CHECKED = 200 };

/* Row `row` of the Jacobian dz/dx of each point, (CHECKED, 2), by one backward pass, and sum s. */
static bool jacobian_row(const real *points, int row, bool of_itself, double *j, double *log_det)
{
    Tape *tape = tape_new(0);
    real upstream[CHECKED * 2];
    Tensor *sum, *x = tape_leaf(tape, points, shape2(CHECKED, 2)), *z = forward(x, &sum, of_itself);
    for (int i = 0; i < CHECKED * 2; i++)
        upstream[i] = i % 2 == row;
    bool ok = ag_backward_from(z, upstream);
    for (int i = 0; ok && i < CHECKED * 2; i++)
        j[i] = (double)x->grad[i];
    for (int i = 0; ok && i < CHECKED; i++)
        log_det[i] = (double)sum->data[i];
    tape_free(tape);
    return ok;
}

static double determinant(Trial *t)
{
    static double j[2][CHECKED * 2], log_det[CHECKED];
    bool of_itself = broken(t, "of-itself");
    const real *points = moons_testing(t->seed);
    double worst = 0;
    if (!train_flow(t->seed) || !jacobian_row(points, 0, of_itself, j[0], log_det) ||
        !jacobian_row(points, 1, of_itself, j[1], log_det))
        return (double)NAN;
    for (int i = 0; i < CHECKED; i++) {
        double a = j[0][2 * i], b = j[0][2 * i + 1], c = j[1][2 * i], d = j[1][2 * i + 1];
        double by_backward = log(fabs(a * d - b * c));
        if (i < 3)
            explain(t, "dz/dx = (%.3f, %.3f; %.3f, %.3f): log |det| = %.5f; sum s = %.5f", a, b, c,
                    d, by_backward, log_det[i]);
        worst = values_worst(worst, fabs(by_backward - log_det[i]));
    }
    return worst;
}

static double inverted(Trial *t)
{
    Tensor *sum, *x = tape_input(trial_tape(t), moons_testing(t->seed), shape2(CHECKED, 2));
    bool ok = train_flow(t->seed);
    Tensor *z = forward(x, &sum, false);
    double off = ok ? values_difference(inverse(z, broken(t, "order")), x) : (double)NAN;
    explain(t, "max |z| = %.2f; max |x - f^-1(f(x))| = %.2g", values_largest(z), off);
    return off;
}

const Claim map_flow_claims[] = {
    {1, determinant, "of a coupling flow, log |det dz/dx| is the sum of its scales s",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity = "max |log |det| of the Jacobian by backward - sum s|, 200 points",
     AT_MOST(1e-3, "the determinant is a difference of products of up to 1,000 times its size: "
                   "1000 x 6e-8 and margin"),
     .faults = {{"of-itself", "s and t are functions of the number that they change"}}},
    {1, inverted, "the trained flow is inverted exactly, without inverting a network",
     .slides = {"V: Taxonomy of Generative Models"}, .quantity = "max |x - f^-1(f(x))|, 200 points",
     AT_MOST(1e-4, "16 couplings round by 6e-8; 4 of the inverse scale a number, by e at most: 16 "
                   "x 6e-8 x e^4"),
     .faults = {{"order", "the couplings are undone in the order in which they were done"}}},
    {0},
};
