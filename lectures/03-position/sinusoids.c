/* sinusoids.c: the sinusoids as the lectures write them (row 12).
 *
 *   V "Positional Encoding"             P_(k,2i) = sin(k / n^(2i/d)),    P_(k,2i+1) = cos(k / n^(2i/d))
 *   V "Positional Encoding: Intuition"  p_t = (sin w_1 t, cos w_1 t, ..., sin w_(d/2) t, cos w_(d/2) t)
 *   Z "Positional encoding"             r_(n,i) = sin(n / L^(i/D)) for even i,  cos(n / L^((i-1)/D)) for odd i
 *   J "Augmenting the MHA ..."          PE_(pos,2i) = sin(pos / 10000^(2i/d_model)), and the cosine
 *
 * H shows the table as a picture. k, t, n and pos are the position; n (V's table), L and 10000 are
 * the base. */
#include "lectures/03-position/position.h"

/* ---- the four notations ---------------------------------------------------------------------- */

typedef enum { V_PAIRS, V_OMEGA, Z_PARITY, J_PAIRS, NOTATIONS } Notation;
static const char *const names[NOTATIONS] = {"V, pairs 2i, 2i + 1", "V, omega_1 .. omega_(d/2)",
                                             "Z, even and odd i", "J, pairs 2i, 2i + 1"};

/* The angle of channel c = 0 .. d - 1 at position p; even channels are its sine, odd ones its
 * cosine. */
static double angle_of(const Trial *t, Notation notation, int p, int c, int d, double base)
{
    int i = c / 2; /* V: counts pairs from 0 */
    if (notation == V_OMEGA) {
        i = c / 2 + 1; /* V: counts frequencies from 1; omega_1 = 1 */
        return p * pow(base, -2.0 * (i - 1) / d);
    }
    if (notation == Z_PARITY) { /* Z: i = c counts channels from 0 */
        bool odd = c % 2 == 1 && !broken(t, "z-exponent");
        return p / pow(base, (double)(odd ? c - 1 : c) / d);
    }
    if (notation == J_PAIRS && broken(t, "j-channel"))
        i = c; /* J's i from 0 to d_model - 1, taken for the channel */
    return p / pow(base, 2.0 * i / d);
}

/* The table of positions 0 .. T-1 in one notation, (T, d). */
static Tensor *written(Trial *t, Tape *tape, Notation notation, int T, int d, double base)
{
    Tensor *table = tape_full(tape, 0, shape2(T, d));
    for (int p = 0; p < T; p++)
        for (int c = 0; c < d; c++) {
            double angle = angle_of(t, notation, p, c, d, base);
            table->data[p * d + c] = (real)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
    return table;
}

static double notations(Trial *t)
{
    double worst = 0;
    Tape *tape = trial_tape(t);
    for (Notation k = 0; k < NOTATIONS; k++) {
        Tensor *robot = code_sinusoids(tape, 4, 4, 100),
               *paper = code_sinusoids(tape, 100, 512, 10000);
        double small = values_difference(written(t, tape, k, 4, 4, 100), robot);
        double large = values_difference(written(t, tape, k, 100, 512, 10000), paper);
        explain(t, "%-26s 4 x 4, n = 100: %.2g from the library; 100 x 512, n = 10000: %.2g",
                names[k], small, large);
        worst = values_worst(worst, values_worst(small, large));
        tape_reset(tape);
    }
    return worst;
}

/* ---- V's table ------------------------------------------------------------------------------- */

enum { WORDS = 4, CHANNELS = 4 };

/* As V's slide prints it, in hundredths. */
static const int printed[WORDS][CHANNELS] = {{0, 100, 0, 100},
                                             {84, 54, 10, 100},
                                             {91, -42, 20, 98},
                                             {14, -99, 30, 96}};

/* How many of the 16 numbers do not round to the printed ones; NaN where none was computed. */
static double misprinted(Trial *t, const Tensor *table)
{
    static const char *const words[WORDS] = {"I", "am", "a", "robot"};
    int wrong = 0;
    for (int k = 0; k < WORDS; k++) {
        const real *P = table->data + k * CHANNELS;
        for (int c = 0; c < CHANNELS; c++)
            wrong += !(fabs(round(100 * (double)P[c]) - printed[k][c]) < 0.5);
        explain(t, "%-6s %6.3f %6.3f %6.3f %6.3f   printed %5.2f %5.2f %5.2f %5.2f", words[k],
                (double)P[0], (double)P[1], (double)P[2], (double)P[3], printed[k][0] / 100.0,
                printed[k][1] / 100.0, printed[k][2] / 100.0, printed[k][3] / 100.0);
    }
    return isnan(values_largest(table)) ? (double)NAN : wrong;
}

static double robot_table(Trial *t)
{
    double wrong = misprinted(t, code_sinusoids(trial_tape(t), WORDS, CHANNELS,
                                                broken(t, "base-10000") ? 10000 : 100));
    return wrong;
}

/* V's column with three readings of sin(omega_1, t), and with omega_d / 2 for its last
 * frequency. */
static double omega_comma(Trial *t)
{
    Tape *tape = trial_tape(t);
    Tensor *table = tape_full(tape, 0, shape2(WORDS, CHANNELS));
    bool sum = broken(t, "sum"), quotient = broken(t, "quotient"), half = broken(t, "half-omega");
    for (int k = 0; k < WORDS; k++)
        for (int i = 1; i <= CHANNELS / 2; i++) {
            double omega = pow(100, -2.0 * (i - 1) / CHANNELS);
            if (half && i == CHANNELS / 2) /* omega_d as the formula continues, and half of it */
                omega = pow(100, -2.0 * (CHANNELS - 1) / CHANNELS) / 2;
            double angle = sum ? omega + k : quotient ? k / omega : omega * k;
            table->data[k * CHANNELS + 2 * i - 2] = (real)sin(angle);
            table->data[k * CHANNELS + 2 * i - 1] = (real)cos(angle);
        }
    return misprinted(t, ag_add(tape_full(tape, 0, table->shape), table));
}

/* ---- J's two slips --------------------------------------------------------------------------- */

/* How many of i = 0 .. last name channels 2i and 2i + 1 that a token of d channels has. */
static double pairs(Trial *t)
{
    enum { D = 512 };
    int exist = 0, last = broken(t, "one-less") ? D / 2 - 2 : D - 1;
    Tensor *row = ag_slice(code_sinusoids(trial_tape(t), 2, D, 10000), 0, 1, 2); /* of position 1 */
    for (int i = 0; i <= last; i++)
        if (2 * i + 1 < row->shape.dim[1]) {
            double angle = pow(10000, -2.0 * i / D);
            exist += fabs((double)row->data[2 * i] - sin(angle)) < 1e-6 &&
                     fabs((double)row->data[2 * i + 1] - cos(angle)) < 1e-6;
        }
    explain(t, "d = %d: i = 0 .. %d name pairs of channels; 2i + 1 = %d is the last channel", D,
            exist - 1, 2 * exist - 1);
    return exist - 1;
}

/* The distances |PE_0 - PE_lag| for lags 0 .. most, (1, most + 1). periodic: frequencies that are
 * whole multiples of 2 pi / 10000, as a code would have that repeats after 10,000 tokens. */
static Tensor *by_lag(Tape *tape, int most, int d, bool periodic)
{
    Tensor *P = code_sinusoids(tape, most + 1, d, 10000);
    for (int i = 0; periodic && i < d / 2; i++) {
        double whole = 2 * acos(-1) / 10000, omega = whole * ceil(pow(10000, -2.0 * i / d) / whole);
        for (int k = 0; k <= most; k++) {
            P->data[k * d + 2 * i] = (real)sin(omega * k);
            P->data[k * d + 2 * i + 1] = (real)cos(omega * k);
        }
    }
    return code_distances(ag_slice(P, 0, 0, 1), P);
}

static double no_repeat(Trial *t)
{
    enum { D = 128, MOST = 20000 };
    double least = INFINITY;
    int at = 0;
    const real *distance = by_lag(trial_tape(t), MOST, D, broken(t, "periodic"))->data;
    for (int lag = 2; lag <= MOST; lag++) {
        least = values_least(least, (double)distance[lag]);
        at = (double)distance[lag] <= least ? lag : at;
    }
    explain(t,
            "d = %d: at lag 1 %.3f, at lag 10,000 %.3f; of lags 2 to %d the least is %.3f, at %d",
            D, (double)distance[1], (double)distance[10000], MOST, least, at);
    return least / (double)distance[1];
}

const Claim sinusoids_claims[] = {
    {12, notations, "four notations, of V (two), Z and J, are one table of numbers",
     .slides = {"V: Positional Encoding", "V: Positional Encoding: Intuition",
                "Z: Positional encoding", "J: Augmenting the MHA with Positional Encoding",
                "H: Positional Encoding", "H: Transformer Positional Encoding"},
     .quantity = "max |notation - library|, V's 4 x 4 table and 100 positions of d = 512",
     AT_MOST(1e-6, "the same angles in double, each number rounded to float by 6e-8"),
     .faults = {{"z-exponent", "Z's odd channels with i / D instead of (i - 1) / D"},
                {"j-channel",
                 "J's i as a channel, up to d_model - 1, in the exponent 2i / d_model"}}},
    {12, robot_table,
     "for \"I am a robot\", d = 4 and n = 100 the formula gives V's 16 numbers, to its two digits",
     .slides = {"V: Positional Encoding"},
     .quantity = "numbers, of 16, that do not round to the slide's",
     EXACTLY(0, "the slide's table, typed from it"),
     .faults = {{"base-10000", "the paper's base 10000 instead of the table's 100"}}},
    {12, omega_comma,
     "V's column agrees with V's table if sin(omega_1, t) is sin(omega_1 t), and the last "
     "frequency omega_(d/2)",
     .slides = {"V: Positional Encoding: Intuition", "V: Positional Encoding"},
     .quantity = "numbers, of 16, that do not round to V's own table",
     EXACTLY(0, "read as a product, and omega_(d/2) as one symbol, the column is the table's row"),
     .faults = {{"sum", "read as sin(omega + t)"},
                {"quotient", "read as sin(t / omega)"},
                {"half-omega", "the last frequency read as omega_d / 2"}},
     .against =
         {MISPRINTED, "V: Positional Encoding: Intuition",
          "p_t = (sin(omega_1, t), cos(omega_1, t), ..., sin(omega_d / 2, t), cos(omega_d / 2, "
          "t))"}},
    {12, pairs, "in J's formula i runs to d_model / 2 - 1, not to d_model - 1",
     .slides = {"J: Augmenting the MHA with Positional Encoding"},
     .quantity = "the largest i whose channels 2i and 2i + 1 the library's table has, d = 512",
     EXACTLY(255, "2i + 1 <= 511"),
     .faults = {{"one-less", "i to d_model / 2 - 2: the last pair is left out"}},
     .against = {MISPRINTED, "J: Augmenting the MHA with Positional Encoding",
                 "PE_(pos, 2i) = sin(pos / 10000^(2i / d_model)); i: index of the embeddings, [0, "
                 "d_model - 1]"}},
    {12, no_repeat, "the codes do not repeat after 10,000 tokens, nor up to 20,000",
     .slides = {"J: Augmenting the MHA with Positional Encoding"},
     .quantity = "least |PE_p - PE_(p+k)|, k = 2 .. 20,000, over that of neighbours, d = 128",
     AT_LEAST(1, "a repetition would make it 0; no token of 20,000 is as near as the next one"),
     .faults = {{"periodic", "frequencies of whole periods in 10,000: then it does repeat"}},
     .against = {CONTRADICTED, "J: Augmenting the MHA with Positional Encoding",
                 "\"What does 10000 mean here? - The maximum input length - The PE will repeat "
                 "after the 10000th token\""}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* In each run of 250 lags the nearest encoding. */
static bool draw_repeat(const Sketch *s)
{
    enum { D = 128, RUN = 250, RUNS = 100 };
    static double x[2][RUNS], y[2][RUNS];
    for (int k = 0; k < 2; k++) {
        Tape *tape = tape_new(s->seed);
        const real *distance = by_lag(tape, RUN * RUNS, D, k == 1)->data;
        for (int i = 0; i < RUNS; i++) {
            int nearest = RUN * i + 1;
            for (int lag = nearest; lag <= RUN * (i + 1); lag++)
                nearest = distance[lag] < distance[nearest] ? lag : nearest;
            x[k][i] = nearest;
            y[k][i] = (double)distance[nearest];
        }
        tape_free(tape);
    }
    const PlotSeries series[] = {{"a code that repeats after 10,000 tokens", x[1], y[1], RUNS},
                                 {"sinusoids", x[0], y[0], RUNS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "Does the encoding repeat?  d = 128"),
                               .x_name = "tokens apart",
                               .y_name = "distance of the encodings, least of 250",
                               .y_low = 0,
                               .y_high = 14};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure sinusoids_figures[] = {
    {12, "repeat", draw_repeat,
     .what = "the distance of two encodings by the distance of their tokens: at 10,000 nothing "
             "repeats"},
    {0},
};
