/* check.c: what backward needs of forward, what it costs, and how it is checked (row 60).
 *
 *   (L(x + h) - L(x - h)) / 2h = L'(x) + h^2 L'''(x) / 6 + ...
 */
#include "lectures/00-backprop/backprop.h"

/* ---- what is kept ---------------------------------------------------------------------------- */

enum { N = 4 };

typedef enum { SUM, PRODUCT, SOFTMAX } Kept;

/* The gradient of x under the op, where between forward and backward the operands, or the result,
 * are overwritten. */
static Tensor *gradient_after(Trial *t, Kept op, bool operands, bool result)
{
    Tape *tape = trial_tape(t);
    Tensor *x = values_leaf(tape, &(Rng){.seed = t->seed, .stream = 600}, shape1(N), 1);
    Tensor *b = values_leaf(tape, &(Rng){.seed = t->seed, .stream = 601}, shape1(N), 1);
    Tensor *g = values_normal(tape, &(Rng){.seed = t->seed, .stream = 602}, shape1(N), 1);
    Tensor *y = op == SUM ? ag_add(x, b) : op == PRODUCT ? ag_mul(x, b) : ag_softmax(x);
    for (int i = 0; i < N && !broken(t, "kept"); i++) {
        x->data[i] += operands ? 1 : 0;
        b->data[i] += operands ? 1 : 0;
        y->data[i] += result ? 1 : 0;
    }
    bool done = ag_backward_from(y, g->data);
    Tensor *grad = tape_input(tape, x->grad ? x->grad : g->data, x->shape);
    if (!done)
        grad->data[0] = (real)NAN;
    return grad;
}

static double needed(Trial *t)
{
    static const char *const names[] = {"sum", "product", "softmax"};
    static const bool needs[][2] = {{false, false}, {true, false}, {false, true}};
    int right = 0;
    for (int op = SUM; op <= SOFTMAX; op++)
        for (int result = 0; result < 2; result++) {
            tape_reset(trial_tape(t));
            double kept[N], change = 0, size = 0;
            Tensor *grad = gradient_after(t, (Kept)op, false, false);
            for (int i = 0; i < N; i++)
                kept[i] = (double)grad->data[i];
            tape_reset(trial_tape(t));
            grad = gradient_after(t, (Kept)op, !result, result);
            for (int i = 0; i < N; i++) {
                change = values_worst(change, fabs((double)grad->data[i] - kept[i]));
                size = values_worst(size, fabs(kept[i]));
            }
            right += size > 0 && (needs[op][result] ? change > 0.01 * size : change <= 0);
            explain(t, "%s, the %s overwritten: its gradient changes by %.3g", names[op],
                    result ? "result" : "operands", change);
        }
    return right;
}

/* ---- what it costs --------------------------------------------------------------------------- */

static double cost(Trial *t)
{
    enum { B = 8, C = 16 };
    Tape *tape = trial_tape(t);
    Tensor *w1 = values_leaf(tape, trial_rng(t, 603), shape2(C, C), 1),
           *w2 = values_leaf(tape, trial_rng(t, 603), shape2(C, C), 1), *x;
    x = broken(t, "input") ? values_normal(tape, trial_rng(t, 603), shape2(B, C), 1)
                           : values_leaf(tape, trial_rng(t, 603), shape2(B, C), 1);
    counting_begin();
    Tensor *y = ag_matmul(ag_relu(ag_matmul(x, w1)), w2);
    double forward = (double)counting_end();
    counting_begin();
    bool done = ag_backward_from(y, y->data);
    double backward = (double)counting_end();
    explain(t, "two layers of %d x %d: %.0f multiply-adds forward, %.0f backward", C, C, forward,
            backward);
    explain(t, "central differences of the %d weights: %.0f", 2 * C * C, 4 * C * C * forward);
    return done ? backward / forward : (double)NAN;
}

/* ---- finite differences ---------------------------------------------------------------------- */

static double sum_of_exp(const double *x, const void *count)
{
    double sum = 0;
    for (int i = 0; i < *(const int *)count; i++)
        sum += exp(x[i]);
    return sum;
}

/* The largest error of the difference for L = sum exp(x_i), whose gradient is the library's, or in
 * double exp(x_i). */
static double error_of(const real *grad, double *x, int n, double h, bool one_sided)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double at = sum_of_exp(x, &n), found = central_difference(sum_of_exp, x, i, &n, h);
        if (one_sided) {
            x[i] += h;
            found = (sum_of_exp(x, &n) - at) / h;
            x[i] -= h;
        }
        worst = values_worst(worst, fabs(found - (grad ? (double)grad[i] : exp(x[i]))));
    }
    return worst;
}

static double order(Trial *t)
{
    enum { STEPS = 4 };
    double h[STEPS], error[STEPS], x[N];
    Tensor *leaf = values_leaf(trial_tape(t), trial_rng(t, 604), shape1(N), 1);
    for (int i = 0; i < N; i++)
        x[i] = (double)leaf->data[i];
    if (!ag_backward(ag_sum(ag_exp(leaf))))
        return (double)NAN;
    for (int k = 0; k < STEPS; k++) {
        h[k] = 0.25 / (1 << k);
        error[k] = error_of(leaf->grad, x, N, h[k], broken(t, "one-sided"));
        explain(t, "h = 1/%d: the difference is off by %.3g", 4 << k, error[k]);
    }
    return values_exponent(h, error, STEPS);
}

/* max |dL/dx| by the library, where L is the sum of softmax(x) with these weights. */
static double largest_gradient(Trial *t, const real *x, const real *weights)
{
    double most = 0;
    tape_reset(trial_tape(t));
    Tensor *leaf = tape_leaf(trial_tape(t), x, shape1(N));
    if (!ag_backward_from(ag_softmax(leaf), weights))
        return (double)NAN;
    for (int i = 0; i < N; i++)
        most = values_worst(most, fabs((double)leaf->grad[i]));
    return most;
}

static double plain_sum(Trial *t)
{
    real x[N], random[N], plain[N];
    for (int i = 0; i < N; i++) {
        x[i] = (real)rng_normal(trial_rng(t, 605));
        random[i] = (real)rng_normal(trial_rng(t, 605));
        plain[i] = broken(t, "weighted") ? random[i] : 1;
    }
    double by_random = largest_gradient(t, x, random), by_plain = largest_gradient(t, x, plain);
    explain(t, "random weights: max |dL/dx| = %.3g; a plain sum: %.3g", by_random, by_plain);
    return by_plain / by_random;
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* The error of both differences over h, in double: at first that of the formula, then rounding. */
static bool draw_differences(const Sketch *s)
{
    enum { STEPS = 27 };
    double h[STEPS], error[2][STEPS], x[N];
    Rng rng = {.seed = s->seed, .stream = 604};
    for (int i = 0; i < N; i++)
        x[i] = rng_normal(&rng);
    for (int k = 0; k < STEPS; k++) {
        h[k] = pow(10, -k / 2.);
        for (int side = 0; side < 2; side++)
            error[side][k] = error_of(NULL, x, N, h[k], side);
    }
    const PlotSeries series[] = {
        {"(L(x + h) - L(x)) / h", h, error[1], STEPS},
        {"(L(x + h) - L(x - h)) / 2h", h, error[0], STEPS},
    };
    PlotCurves curves = {.series = series,
                         .count = 2,
                         .title = sketch_title(s, "The error of a difference, in double"),
                         .x_name = "h",
                         .y_name = "error",
                         .log_x = true,
                         .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure check_figures[] = {
    {60, "differences", draw_differences,
     .what =
         "the error of a one-sided difference falls as h and that of a central one as h^2, until "
         "rounding, which grows as 1/h, is larger"},
    {0},
};

/* ---- the claims ------------------------------------------------------------------------------ */

const Claim check_claims[] = {
    {60, needed, "a sum needs nothing of forward, a product its operands, a softmax its result",
     .quantity = "of 6 cases, in how many the gradient changes, or stays, as stated",
     EXACTLY(6, "three ops, with the operands or the result overwritten before backward"),
     .faults = {{"kept", "nothing is overwritten"}}},
    {60, cost, "backward takes two multiply-adds for each of forward, for all gradients at once",
     .quantity = "multiply-adds of backward / of forward, two layers",
     EXACTLY(2, "Y = A B has n k m, and each of G B^T and A^T G as many"),
     .faults = {{"input",
                 "the first layer's input takes no gradient, and that product is left out"}}},
    {60, order, "the error of a central difference falls as the square of h",
     .quantity = "exponent of the error over h = 1/4 to 1/32",
     BETWEEN(1.98, 2.02, "the next term of the series is h^2 / 20 of the first: at most 0.3 %"),
     .faults = {{"one-sided", "(L(x + h) - L(x)) / h"}}},
    {60, plain_sum, "a plain sum of a softmax's results has no gradient, and checks nothing",
     .quantity = "max |dL/dx| of a plain sum / of a sum with random weights",
     AT_MOST(1e-4, "the shares sum to 1 but for roundings of 2^-24"),
     .faults = {{"weighted", "the plain sum has the random weights, too"}}},
    {0},
};
