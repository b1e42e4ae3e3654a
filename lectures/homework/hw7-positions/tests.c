/* tests.c: the tests of homework 7. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw7.h"

static int channels(Case *c)
{
    return 2 * case_size(c, "pairs", 1, 4);
}

static real base_of(Case *c)
{
    static const int bases[] = {100, 10000, 10};
    return *case_given(c, "base", 0) = (real)bases[case_turn(c, "which_base", 0, 2)];
}

/* ---- 1. sinusoids ---------------------------------------------------------------------------- */

static void sinusoids_case(Case *c)
{
    int t = case_size(c, "t", 1, 9), d = channels(c);
    real base = base_of(c);
    sinusoids(case_output(c, "table", 2, t, d), t, d, base);
}

/* ---- 2. the rotation ------------------------------------------------------------------------- */

static void rotation_case(Case *c)
{
    int k = case_choice(c, "k", -9, 9), d = channels(c);
    real base = base_of(c);
    rotation(case_output(c, "r", 2, d, d), k, d, base);
}

static void shift_case(Case *c)
{
    int k = case_choice(c, "k", -6, 6), t = case_size(c, "t", 1, 5), d = channels(c);
    real base = base_of(c);
    const real *x = case_input(c, "x", 2, t, d);
    shift_codes(case_output(c, "y", 2, t, d), x, k, t, d, base);
}

/* ---- 3. rotary positions --------------------------------------------------------------------- */

typedef struct {
    int heads, t, d;
    real base;
    int *position;
} Rotary;

/* Positions are 0 to t - 1, or any. */
static Rotary rows_and_positions(Case *c, int any)
{
    Rotary r = {.heads = case_size(c, "heads", 1, 3), .t = case_size(c, "t", 1, 5)};
    r.d = channels(c);
    r.base = base_of(c);
    r.position = case_given_integers(c, "position", 1, r.t);
    for (int i = 0; i < r.t; i++)
        r.position[i] = any ? (int)(case_random(c) * 20) : i;
    return r;
}

static void rotary_of(Case *c, int any)
{
    Rotary r = rows_and_positions(c, any);
    const real *x = case_input(c, "x", 3, r.heads, r.t, r.d);
    rotary(case_output(c, "y", 3, r.heads, r.t, r.d), x, r.position, r.heads, r.t, r.d, r.base);
}

static void rotary_case(Case *c)
{
    rotary_of(c, 0);
}

static void rotary_any_case(Case *c)
{
    rotary_of(c, 1);
}

static void rotary_backward_case(Case *c)
{
    Rotary r = rows_and_positions(c, 1);
    const real *dy = case_input(c, "dy", 3, r.heads, r.t, r.d);
    case_input(c, "x", 3, r.heads, r.t, r.d); /* only the forward function needs it */
    real *dx = case_sum(c, "dx", 3, r.heads, r.t, r.d);
    rotary_backward(dx, dy, r.position, r.heads, r.t, r.d, r.base);
}

/* ---- 4. learned positions -------------------------------------------------------------------- */

typedef struct {
    int batch, t, positions, d;
    const real *x, *table;
} Learned;

static Learned learned(Case *c)
{
    Learned s = {case_size(c, "batch", 1, 4), case_size(c, "t", 1, 5), 0, 0, 0, 0};
    s.positions = s.t + case_choice(c, "unused", 0, 2);
    s.d = channels(c);
    s.x = case_input(c, "x", 3, s.batch, s.t, s.d);
    s.table = case_input(c, "table", 2, s.positions, s.d);
    return s;
}

static void learned_case(Case *c)
{
    Learned s = learned(c);
    real *y = case_output(c, "y", 3, s.batch, s.t, s.d);
    add_learned(y, s.x, s.table, s.batch, s.t, s.positions, s.d);
}

static void learned_backward_case(Case *c)
{
    Learned s = learned(c);
    const real *dy = case_input(c, "dy", 3, s.batch, s.t, s.d);
    real *dx = case_sum(c, "dx", 3, s.batch, s.t, s.d);
    real *dtable = case_sum(c, "dtable", 2, s.positions, s.d);
    add_learned_backward(dx, dtable, dy, s.batch, s.t, s.positions, s.d);
}

/* ---- 5. equivariance ------------------------------------------------------------------------- */

static const int *any_order(Case *c, int t)
{
    int *order = case_given_integers(c, "order", 1, t);
    for (int i = 0; i < t; i++) {
        int j = (int)(case_random(c) * (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

static void permute_case(Case *c)
{
    int t = case_size(c, "t", 1, 6), d = channels(c);
    const real *x = case_input(c, "x", 2, t, d);
    const int *order = any_order(c, t);
    permute_rows(case_output(c, "y", 2, t, d), x, order, t, d);
}

/* Equivariant: each number beside the mean of its column. */
static void centred(real *y, const real *x, int t, int d, const real *w)
{
    for (int e = 0; e < t * d; e++) {
        double sum = 0;
        for (int p = 0; p < t; p++)
            sum += x[p * d + e % d];
        y[e] = (real)(x[e] - (1 + w[e % d]) * sum / t);
    }
}

/* Not equivariant: a code for each position. */
static void with_codes(real *y, const real *x, int t, int d, const real *w)
{
    for (int e = 0; e < t * d; e++)
        y[e] = (x[e] + w[e]) * (x[e] + w[e]);
}

static void error_case(Case *c)
{
    int t = case_size(c, "t", 2, 6), d = channels(c);
    Layer *f = case_turn(c, "with_codes", 0, 1) ? with_codes : centred;
    const real *w = case_input(c, "w", 2, t, d), *x = case_input(c, "x", 2, t, d);
    const int *order = any_order(c, t);
    *case_output(c, "error", 0) = equivariance_error(f, w, x, order, t, d);
}

const Test tests[] = {
    {"sinusoids", "sinusoids", "the table of sinusoids", POINTS(14), sinusoids_case},
    {"rotation", "rotation", "the rotation by k positions", POINTS(14), rotation_case},
    {"shift_codes", "shift_codes", "all rows rotated by k", POINTS(10), shift_case},
    {"rotary", "rotary", "rotary positions 0 to t - 1", POINTS(10), rotary_case},
    {"rotary_any", "rotary", "rotary positions, any", POINTS(6), rotary_any_case,
     .needs = "rotary"},
    {"rotary_backward", "rotary_backward", "rotary positions, backward", POINTS(14),
     rotary_backward_case, .forward = rotary_any_case, .gradients = "dx:x", .upstream = "dy:y"},
    {"add_learned", "add_learned", "learned positions", POINTS(6), learned_case},
    {"add_learned_backward", "add_learned_backward", "learned positions, backward", POINTS(12),
     learned_backward_case, .forward = learned_case, .gradients = "dx:x dtable:table",
     .upstream = "dy:y"},
    {"permute_rows", "permute_rows", "tokens in another order", POINTS(4), permute_case},
    {"equivariance_error", "equivariance_error", "the equivariance error of two functions",
     POINTS(10), error_case, .cases = 24},
    {0},
};
