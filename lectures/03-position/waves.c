/* waves.c: the sinusoids as bits and as a picture (row 14).
 *
 *   bit j of p = 1  exactly where  sin((p + 1/2) pi / 2^j) < 0   V "Positional Encoding: Intuition"
 *
 * The lowest bit alternates with every number and the next one every two: a wave of half the
 * frequency. The half keeps p away from the zeros of the sine; it is a rotation by half a position
 * (row 13). */
#include "lectures/03-position/position.h"

enum { BITS = 4, NUMBERS = 16 };

/* ---- bits ------------------------------------------------------------------------------------ */

/* Frequencies pi, pi/2, pi/4, pi/8; or those of the paper's base, for d = 8. */
static void frequencies(double *omega, bool paper)
{
    for (int j = 0; j < BITS; j++)
        omega[j] = paper ? pow(10000, -2.0 * j / (2 * BITS)) : acos(-1) / (1 << j);
}

/* sin((p + 1/2) w_j), (NUMBERS, BITS): the pair (cos w_j / 2, sin w_j / 2) rotated by p w_j.
 * Without the half, the pair (1, 0). */
static Tensor *waves(Tape *tape, Params *params, const double *omega, bool half)
{
    Rotary r;
    nn_rotary_from(&r, params, NUMBERS, omega, BITS);
    Tensor *x = tape_full(tape, 0, shape2(NUMBERS, 2 * BITS));
    for (int p = 0; p < NUMBERS; p++)
        for (int j = 0; j < BITS; j++) {
            x->data[p * 2 * BITS + j] = (real)(half ? cos(omega[j] / 2) : 1);
            x->data[p * 2 * BITS + BITS + j] = (real)(half ? sin(omega[j] / 2) : 0);
        }
    Tensor *rotated = ag_rotary(ag_add(x, tape_full(tape, 0, x->shape)), r.table, NULL);
    return ag_slice(rotated, 1, BITS, 2 * BITS);
}

static double wave_bits(Trial *t)
{
    double omega[BITS];
    int right = 0;
    Params *params = trial_params(t);
    frequencies(omega, broken(t, "paper-base"));
    Tensor *wave = waves(trial_tape(t), params, omega, !broken(t, "no-half"));
    for (int p = 0; p < NUMBERS; p++) {
        double w[BITS];
        for (int j = 0; j < BITS; j++) {
            w[j] = (double)tensor_get(wave, (int64_t[]){p, j});
            right += (p >> j & 1) ? w[j] < -1e-3 : w[j] > 1e-3;
        }
        explain(t, "%2d: %d %d %d %d   %6.3f %6.3f %6.3f %6.3f", p, p >> 3 & 1, p >> 2 & 1,
                p >> 1 & 1, p & 1, w[3], w[2], w[1], w[0]);
    }
    return right;
}

/* ---- the picture's right half ---------------------------------------------------------------- */

enum { SHOWN_T = 50, SHOWN_D = 128 };

/* The share of the channels, or of the sines alone, whose numbers stay within 0.1 over 50
 * positions. */
static double constant_share(Tape *tape, double base, bool sines)
{
    int constant = 0, step = sines ? 2 : 1;
    bool computed = false; /* with a kernel that computes nothing every column is one number */
    const real *P = code_sinusoids(tape, SHOWN_T + 1, SHOWN_D, base)->data;
    for (int c = 0; c < SHOWN_D; c += step) {
        double low = INFINITY, high = -INFINITY;
        for (int p = 0; p <= SHOWN_T; p++) {
            low = values_least(low, (double)P[p * SHOWN_D + c]);
            high = high > (double)P[p * SHOWN_D + c] ? high : (double)P[p * SHOWN_D + c];
        }
        constant += high - low < 0.1;
        computed |= high > low;
    }
    return computed ? (double)step * constant / SHOWN_D : (double)NAN;
}

static double constant_columns(Trial *t)
{
    Tape *tape = trial_tape(t);
    double share = constant_share(tape, broken(t, "base-100") ? 100 : 10000, broken(t, "sines"));
    for (int base = 100; base <= 1000000; base *= 100)
        explain(t,
                "base %7d: %.3f of the channels stay within 0.1 over 50 positions; of sines alone "
                "%.3f, 1 - ln 500 / ln base = %.3f; cosines 1 - ln 110.9 / ln base = %.3f",
                base, constant_share(tape, base, false), constant_share(tape, base, true),
                1 - log(500) / log(base), 1 - log(110.9) / log(base));
    return share;
}

const Claim waves_claims[] = {
    {14, wave_bits, "with frequencies pi / 2^j the signs of the waves are the bits of 0 to 15",
     .slides = {"V: Positional Encoding: Intuition"},
     .quantity =
         "entries of V's table, of 64, that the sign gives; a wave within 0.001 of 0 gives none",
     EXACTLY(64, "bit j is 1 where (p + 1/2) / 2^j is between an odd number and the next even one"),
     .faults = {{"paper-base", "the paper's frequencies, 10000^(-2j/8)"},
                {"no-half", "sin(p pi / 2^j): the lowest wave is 0 at each p"}}},
    {14, constant_columns,
     "with base 10000 and d = 128, four in ten channels hardly change over 50 tokens",
     .slides = {"J: What Does Positional Encoding Look Like?", "H: Positional Encoding",
                "Z: Positional encoding", "V: Positional Encoding"},
     .quantity = "share of the 128 channels that stay within 0.1 over 50 positions",
     BETWEEN(0.391, 0.423,
             "sines: 50 w < 0.1, 1 - ln 500 / ln 10000 = 0.325 of them; cosines: 1 "
             "- cos 50 w < 0.1, 0.489; +- one of 64"),
     .faults = {{"base-100", "the base of V's table"}, {"sines", "the sines alone"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_code_map(const Sketch *s)
{
    static char texts[SHOWN_D + 1][8];
    static const char *labels[SHOWN_D + 1];
    for (int i = 0; i < SHOWN_D; i++) { /* every tenth number */
        snprintf(texts[i], sizeof texts[i], "%d", i);
        labels[i] = i % 10 ? "" : texts[i];
    }
    Tape *tape = tape_new(s->seed);
    const PlotHeatmap map = {.map = code_sinusoids(tape, SHOWN_T, SHOWN_D, 10000),
                             .rows = labels,
                             .columns = labels,
                             .title =
                                 sketch_title(s, "Sinusoids: 50 positions, d = 128, base 10000"),
                             .row_name = "position",
                             .column_name = "channel",
                             .scale = {.diverging = true, .high = 1, .name = "PE"}};
    bool ok = plot_heatmap(s->stem, &map, s->formats);
    tape_free(tape);
    return ok;
}

static bool compute_sinusoids(const double *value, const char *text)
{
    enum { FINE = 400 };
    static double x[FINE], wave[FINE];
    const int d = 1 << (int)value[0], c = value[2] < d ? (int)value[2] : d - 1;
    const int at = (int)value[3];
    const double base = pow(10, value[1]), omega = pow(base, -2.0 * (c / 2) / d);
    double p[SHOWN_T], column[SHOWN_T], channel[SHOWN_D], row[SHOWN_D], here[2] = {at, c};
    Tape *tape = tape_new(1);
    (void)text;
    const Tensor *table = code_sinusoids(tape, SHOWN_T, d, base);
    const bool ok = !tensor_is_poison(table);
    for (int i = 0; ok && i < SHOWN_T; i++)
        p[i] = i, column[i] = (double)table->data[i * d + c];
    for (int i = 0; ok && i < d; i++)
        channel[i] = i, row[i] = (double)table->data[at * d + i];
    for (int i = 0; i < FINE; i++) {
        x[i] = i * (SHOWN_T - 1.0) / (FINE - 1);
        wave[i] = c % 2 ? cos(omega * x[i]) : sin(omega * x[i]);
    }
    if (ok) {
        computed_map("rows: positions; columns: channels", SHOWN_T, d, table->data);
        computed_axes("position p", "the chosen channel", false);
        computed_line("between positions", FINE, x, wave);
        computed_points("the table", SHOWN_T, p, column);
        computed_points("chosen", 1, &here[0], &column[at]);
        computed_axes("channel c", "the chosen position", false);
        computed_points("the table", d, channel, row);
        computed_points("chosen", 1, &here[1], &row[c]);
        computed_fact("Channel %d of %d: %s(p / %.5g^(%d/%d)), wavelength %.4g tokens. At position "
                      "%d it is %.4f.",
                      c, d, c % 2 ? "cos" : "sin", base, c / 2 * 2, d, 2 * acos(-1) / omega, at,
                      column[at]);
    }
    tape_free(tape);
    return ok;
}

const ComputedFigure sinusoids_computed = {
    .name = "sinusoids",
    .title = "Sinusoids by position and frequency",
    .about = "The table of all positions and channels, the wave of one channel over the positions, "
             "and the channels of one position.",
    .control = {{"log₂ of the width d", 2, 7, 1, 6},
                {"log₁₀ of the base", 1, 5, 0.25, 4},
                {"channel", 0, SHOWN_D - 1, 1, 6},
                {"position", 0, SHOWN_T - 1, 1, 12}},
    .compute = compute_sinusoids};

const Figure waves_figures[] = {
    {14, "sinusoids", draw_code_map,
     .what = "the table of sinusoids: fast waves at the left, at the right hardly any change",
     .computed = &sinusoids_computed},
    {0},
};
