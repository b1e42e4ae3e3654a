/* shift.c: sinusoids k positions further (row 13).
 *
 *   PE_(p+k) = R_k PE_p,   R_k of d/2 blocks   ( cos w_i k   sin w_i k )
 *                                              (-sin w_i k   cos w_i k )
 *
 * by sin(a + b) and cos(a + b): one rotation for all p. So distances and products depend on k
 * alone, which is what V's "Distance between any two positions should be consistent" asks for. */
#include "lectures/03-position/position.h"

#include <stdlib.h>

enum { D = 64, POSITIONS = 100, LAGS = 33, BACK = 3 };

/* P (T, D); `sines` leaves the cosines out. */
static Tensor *codes(Tape *tape, int T, bool sines)
{
    Tensor *P = code_sinusoids(tape, T, D, 10000);
    for (int64_t i = 1; sines && i < tensor_size(P); i += 2)
        P->data[i] = 0;
    return P;
}

/* R_k (D, D), so that ag_linear(P, R_k) moves each row by k positions: k from -99 to 99. */
static Tensor *rotation(Tape *tape, int k)
{
    Tensor *R = tape_full(tape, 0, shape2(D, D));
    const real *of_k =
        ag_slice(code_sinusoids(tape, POSITIONS, D, 10000), 0, abs(k), abs(k) + 1)->data;
    for (int i = 0; i < D; i += 2) {
        real sine = k < 0 ? -of_k[i] : of_k[i], cosine = of_k[i + 1];
        real *block = R->data + i * D + i;
        block[0] = cosine;
        block[1] = sine;
        block[D] = -sine;
        block[D + 1] = cosine;
    }
    return R;
}

/* ---- distance -------------------------------------------------------------------------------- */

static double shift_distance(Trial *t)
{
    double worst = 0;
    enum { T = POSITIONS + LAGS };
    Tensor *P = codes(trial_tape(t), T, broken(t, "sines-only"));
    const real *distance = code_distances(P, P)->data;
    for (int k = 1; k < LAGS; k++) {
        double least = INFINITY, most = 0;
        for (int p = 0; p < POSITIONS; p++) {
            least = values_least(least, (double)distance[p * T + p + k]);
            most = values_worst(most, (double)distance[p * T + p + k]);
        }
        if ((k & (k - 1)) == 0)
            explain(t, "k = %2d: |PE_p - PE_(p+k)| is %.6f to %.6f over p = 0 .. 99", k, least,
                    most);
        worst = values_worst(worst, most > 0 ? most - least : (double)NAN);
    }
    return worst;
}

/* ---- rotation -------------------------------------------------------------------------------- */

static double shift_rotation(Trial *t)
{
    double worst = 0;
    Tape *tape = trial_tape(t);
    for (int k = 1; k < LAGS; k *= 2) {
        Tensor *P = codes(tape, POSITIONS + LAGS, broken(t, "sines-only"));
        Tensor *R = rotation(tape, broken(t, "other-lag") ? k + 1 : k);
        Tensor *moved = ag_linear(ag_slice(P, 0, 0, POSITIONS), R, NULL);
        double off = values_difference(moved, ag_slice(P, 0, k, k + POSITIONS));
        explain(t, "k = %2d: max |R_k PE_p - PE_(p+k)| = %.2g over p = 0 .. 99", k, off);
        worst = values_worst(worst, off);
        tape_reset(tape);
    }
    return worst;
}

/* W_q = R_(-3) and W_k = 1: how many of the queries from 3 on have their largest product elsewhere
 * than 3 before. */
static double look_back(Trial *t)
{
    enum { T = 1000 };
    int wrong = 0;
    Tape *tape = trial_tape(t);
    Tensor *P = codes(tape, T, false);
    Tensor *Q = ag_linear(P, rotation(tape, broken(t, "identity") ? 0 : -BACK), NULL);
    Tensor *scores = ag_matmul(Q, ag_transpose(P, 0, 1));
    for (int p = BACK; p < T; p++) {
        const real *row = scores->data + p * T;
        for (int j = 0; j < T; j++)
            if (j != p - BACK && !(row[p - BACK] > row[j])) {
                wrong++;
                break;
            }
    }
    explain(t, "query 500: products %.2f, %.2f, %.2f, %.2f, %.2f with keys 495 to 499",
            (double)scores->data[500 * T + 495], (double)scores->data[500 * T + 496],
            (double)scores->data[500 * T + 497], (double)scores->data[500 * T + 498],
            (double)scores->data[500 * T + 499]);
    return wrong;
}

/* ---- product --------------------------------------------------------------------------------- */

static double shift_product(Trial *t)
{
    double worst = 0;
    Tensor *P = codes(trial_tape(t), POSITIONS, broken(t, "sines-only"));
    const real *product = ag_matmul(P, ag_transpose(P, 0, 1))->data;
    for (int p = 0; p < POSITIONS; p++)
        for (int q = 0; q < POSITIONS; q++) {
            double sum = 0;
            for (int i = 0; i < D / 2; i++)
                sum += cos((q - p) * pow(10000, -2.0 * i / D));
            worst = values_worst(worst, fabs((double)product[p * POSITIONS + q] - sum));
        }
    for (int k = 0; k <= 32; k = k ? 2 * k : 1)
        explain(t, "PE_50.PE_%d = %.4f, PE_50.PE_%d = %.4f", 50 - k,
                (double)product[50 * POSITIONS + 50 - k], 50 + k,
                (double)product[50 * POSITIONS + 50 + k]);
    return worst;
}

/* ---- rotary ---------------------------------------------------------------------------------- */

/* The scores of one query and one key, drawn at random and standing at every position: (T, T).
 * added: PE is added to both instead of rotating them. */
static Tensor *scores_everywhere(Tape *tape, const Rotary *r, uint64_t seed, bool added)
{
    Rng rng = {.seed = seed, .stream = 131};
    Tensor *at[2];
    for (int i = 0; i < 2; i++) {
        Tensor *x = ag_expand(values_normal(tape, &rng, shape2(1, D), 1), shape2(POSITIONS, D));
        at[i] = added ? ag_add(x, code_sinusoids(tape, POSITIONS, D, 10000))
                      : ag_rotary(x, r->table, NULL);
    }
    return ag_matmul(at[0], ag_transpose(at[1], 0, 1));
}

static double rotary_shift(Trial *t)
{
    Rotary r;
    Params *params = trial_params(t);
    nn_rotary_init(&r, params, POSITIONS, D, 10000);
    Tensor *scores = scores_everywhere(trial_tape(t), &r, t->seed, broken(t, "added"));
    const real *s = scores->data;
    double worst = 0, largest = values_largest(scores);
    for (int p = 1; p < POSITIONS; p++)
        for (int q = 1; q < POSITIONS; q++) {
            double before = (double)s[(p - 1) * POSITIONS + q - 1];
            worst = values_worst(worst, fabs((double)s[p * POSITIONS + q] - before));
        }
    explain(
        t,
        "query at 10, key at 13: %.5f; at 90 and 93: %.5f; key before the query, 13 and 10: %.5f",
        (double)s[10 * POSITIONS + 13], (double)s[90 * POSITIONS + 93],
        (double)s[13 * POSITIONS + 10]);
    return worst / largest;
}

const Claim shift_claims[] = {
    {13, shift_distance, "|PE_p - PE_(p+k)| does not depend on p",
     .slides = {"V: What about the order?", "V: Positional Encoding: Intuition"},
     .quantity = "max over k = 1 .. 32 of its largest less its least value, p = 0 .. 99, d = 64",
     AT_MOST(1e-5, "2 sqrt(sum sin^2(w_i k / 2)) in theory; 64 rounded numbers in a root: about "
                   "1e-6"),
     .faults = {{"sines-only", "the cosines are left out"}}},
    {13, shift_rotation, "one rotation moves every code by k positions: PE_(p+k) = R_k PE_p",
     .slides = {"V: What about the order?", "V: Positional Encoding: Intuition"},
     .quantity = "max |R_k PE_p - PE_(p+k)|, k = 1 .. 32, p = 0 .. 99, d = 64",
     AT_MOST(1e-6, "sin(a + b) and cos(a + b): sums of two products of floats up to 1, rounded by "
                   "2e-7"),
     .faults = {{"other-lag", "R_(k+1) instead of R_k"},
                {"sines-only", "the cosines are left out: a sine alone is no pair to rotate"}}},
    {13, look_back,
     "with W_q = R_(-3) the largest product of each query is that with the key three tokens back",
     .slides = {"V: What about the order?"},
     .quantity = "queries, of 997, whose largest q.k is not three positions before",
     EXACTLY(0, "(R_(-3) PE_p).PE_j = sum cos w_i (p - 3 - j), which is largest where all cosines "
                "are 1"),
     .faults = {{"identity", "W_q = 1: each looks at itself"}}},
    {13, shift_product,
     "PE_p.PE_(p+k) = sum cos w_i k depends on the distance alone, and is the same to either side",
     .slides = {"V: What about the order?"},
     .quantity = "max |PE_p.PE_q - sum cos w_i (q - p)|, p, q = 0 .. 99, d = 64",
     AT_MOST(1e-4, "64 products, each rounded by 6e-8, in sums of up to 32: below 1e-4 even if "
                   "all add up"),
     .faults = {{"sines-only", "the cosines are left out"}}},
    {13, rotary_shift,
     "if queries and keys are rotated instead, q_p.k_j of two given tokens depends on p - j alone",
     .slides = {"V: What about the order?"},
     .quantity = "max |q_p.k_j - q_(p-1).k_(j-1)| over the largest product, 100 positions, d = 64",
     AT_MOST(1e-5, "(R_p q).(R_j k) = q.(R_(j-p) k); 64 products of floats, rounded by some 1e-7 "
                   "each"),
     .faults = {{"added", "PE is added to query and key"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_shift_product(const Sketch *s)
{
    enum { SHOWN = 32 };
    static char texts[SHOWN][4];
    static const char *labels[SHOWN + 1];
    for (int i = 0; i < SHOWN; i++) { /* every eighth number */
        snprintf(texts[i], sizeof texts[i], "%d", i);
        labels[i] = i % 8 ? "" : texts[i];
    }
    Tape *tape = tape_new(s->seed);
    Tensor *P = codes(tape, SHOWN, false), *keys = ag_transpose(P, 0, 1);
    Tensor *back = ag_linear(P, rotation(tape, -BACK), NULL);
    PlotHeatmap maps[] = {{.map = ag_scale(ag_matmul(P, keys), (real)2 / D),
                           .rows = labels,
                           .title = "no projection",
                           .row_name = "position p",
                           .column_name = "position j",
                           .scale = {.low = 0.4, .high = 1, .name = "product / (d/2)"}},
                          {.map = ag_scale(ag_matmul(back, keys), (real)2 / D),
                           .rows = labels,
                           .title = "query rotated by 3 positions",
                           .row_name = "position p",
                           .column_name = "position j"}};
    bool ok =
        plot_heatmaps(s->stem, maps, 2,
                      sketch_title(s, "Products of positions depend on their distance, d = 64"),
                      s->formats);
    tape_free(tape);
    return ok;
}

const Figure shift_figures[] = {
    {13, "products", draw_shift_product,
     .what = "products of two positions' codes: a band along the diagonal, moved by a rotation"},
    {0},
};
