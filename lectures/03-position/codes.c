/* codes.c: what could stand for a position instead of sinusoids (row 11).
 *
 *   index       c_p = p                            V "Positional Encoding: Why vectors instead of indexes?"
 *   normalised  c_p = p / (T - 1)                  the same slide
 *   binary      c_p = the bits of p                V "Positional Encoding: Intuition"
 *   sinusoids   c_p = (sin w_0 p, cos w_0 p, ...)
 *
 * held against the four things that V "What about the order?" asks for: each position has a code of
 * its own; distances are the same in sentences of other lengths; longer sentences need nothing new;
 * the numbers are bounded. */
#include "lectures/03-position/position.h"

enum { BITS = 10, SINES = 4, SENTENCE = 16, LONGER = 32, LONG = 100, LONGEST = 1000 };

typedef enum { INDEX, NORMALISED, BINARY, SINUSOIDS, CODES } Code;
static const char *const names[CODES] = {"index", "normalised index", "binary, 10 bits",
                                         "sinusoids, d = 4"};

Tensor *code_sinusoids(Tape *tape, int positions, int channels, double base)
{
    Shape s = shape2(positions, channels);
    Tensor *table = tape_full(tape, 0, s);
    nn_sinusoids(table->data, positions, channels, base);
    return ag_add(tape_full(tape, 0, s), table);
}

/* |a_i - b_j| = sqrt(sum_c (a_ic - b_jc)^2): the rows of a against those of b by broadcasting. */
Tensor *code_distances(Tensor *a, Tensor *b)
{
    int64_t C = shape_last(a->shape);
    Tensor *off = ag_sub(ag_reshape(a, shape3(-1, 1, C)), ag_reshape(b, shape3(1, -1, C)));
    return ag_sqrt(ag_sum_axis(ag_mul(off, off), 2, false));
}

/* The codes of all positions of a sentence of T words: (T, channels). */
static Tensor *code_of(Tape *tape, Code code, int T)
{
    if (code == SINUSOIDS)
        return code_sinusoids(tape, T, SINES, 100);
    int C = code == BINARY ? BITS : 1;
    Tensor *table = tape_full(tape, 0, shape2(T, C));
    for (int p = 0; p < T; p++)
        for (int c = 0; c < C; c++)
            table->data[p * C + c] = code == BINARY       ? (real)(p >> (BITS - 1 - c) & 1)
                                     : code == NORMALISED ? (real)p / (real)(T - 1)
                                                          : (real)p;
    return ag_add(tape_full(tape, 0, shape2(T, C)), table);
}

/* The distance of 7 and 8 as vectors of bits. */
double binary_gap(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Tensor *bits = code_of(tape, BINARY, SENTENCE);
    double gap = (double)code_distances(bits, bits)->data[7 * SENTENCE + 8];
    tape_free(tape);
    return gap;
}

/* ---- the four desiderata --------------------------------------------------------------------- */

/* The largest and the least distance of neighbours, in a sentence of T words. */
static void neighbours(Tape *tape, Code code, int T, double *most, double *least)
{
    Tensor *c = code_of(tape, code, T), *d = code_distances(c, c);
    for (int p = 0; p < T - 1; p++) {
        *most = values_worst(*most, (double)d->data[p * T + p + 1]);
        *least = values_least(*least, (double)d->data[p * T + p + 1]);
    }
}

typedef struct {
    /* least distance of two positions of 16 */
    double unique;
    /* largest / least distance of neighbours, in sentences of 16 and of 100 words */
    double consistent;
    /* least distance of positions 16 .. 31 of a sentence of 32 from those of one of 16 */
    double longer;
    /* largest number in a sentence of 1,000 */
    double bounded;
} Desiderata;

static Desiderata desiderata_of(Tape *tape, Code code)
{
    Desiderata d = {INFINITY, 0, INFINITY, 0};
    double least = INFINITY;
    tape_reset(tape);
    Tensor *c = code_of(tape, code, SENTENCE), *longer = code_of(tape, code, LONGER);
    Tensor *among = code_distances(c, c);
    Tensor *between = code_distances(ag_slice(longer, 0, SENTENCE, LONGER), c);
    for (int p = 0; p < SENTENCE; p++)
        for (int q = 0; q < SENTENCE; q++) {
            if (p != q)
                d.unique = values_least(d.unique, (double)among->data[p * SENTENCE + q]);
            d.longer = values_least(d.longer, (double)between->data[p * SENTENCE + q]);
        }
    neighbours(tape, code, SENTENCE, &d.consistent, &least);
    neighbours(tape, code, LONG, &d.consistent, &least);
    d.consistent /= least;
    d.bounded = values_largest(code_of(tape, code, LONGEST));
    return d;
}

/* How many of the four are not met. */
static int unmet(const Desiderata *d)
{
    return !(d->unique > 1e-3) + !(d->consistent < 1.0001) + !(d->longer > 1e-3) +
           !(d->bounded <= 1);
}

static double desiderata(Trial *t)
{
    int missed[CODES];
    explain(t, "                   unique   consistent   longer   bounded   unmet");
    for (Code code = 0; code < CODES; code++) {
        Desiderata d = desiderata_of(trial_tape(t), code);
        missed[code] = unmet(&d);
        explain(t, "%-17s %7.3f %12.3f %8.3f %9.0f %7d", names[code], d.unique, d.consistent,
                d.longer, d.bounded, missed[code]);
    }
    return missed[broken(t, "index")        ? INDEX
                  : broken(t, "normalised") ? NORMALISED
                  : broken(t, "binary")     ? BINARY
                                            : SINUSOIDS];
}

const Claim codes_claims[] = {
    {11, desiderata,
     "of index, normalised index, bits and sinusoids, only sinusoids are unique, equally far apart "
     "in every sentence, bounded, and defined for longer sentences",
     .slides = {"V: What about the order?", "V: Positional Encoding: Intuition",
                "V: Positional Encoding: Why vectors instead of indexes?"},
     .quantity = "desiderata of V's that sinusoids of 4 channels do not meet",
     EXACTLY(0, "own code: > 0.001 apart; consistent: ratio 1; longer: > 0.001 from known; "
                "bounded: <= 1"),
     .faults = {{"index", "the index instead"},
                {"normalised", "the normalised index instead"},
                {"binary", "the bits instead"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_neighbours(const Sketch *s)
{
    enum { SHORT = 5 };
    static double y[CODES + 1][SENTENCE];
    static const char *const titles[] = {"index", "normalised, 16 words", "binary",
                                         "sinusoids, d = 4", "normalised, 5 words"};
    PlotSeries series[CODES + 1];
    Tape *tape = tape_new(s->seed);
    for (int k = 0; k <= CODES; k++) {
        int T = k == CODES ? SHORT : SENTENCE;
        Tensor *c = code_of(tape, k == CODES ? NORMALISED : (Code)k, T), *d = code_distances(c, c);
        for (int p = 0; p < T - 1; p++)
            y[k][p] = (double)d->data[p * T + p + 1];
        series[k] = (PlotSeries){titles[k], NULL, y[k], T - 1};
    }
    tape_free(tape);
    const PlotCurves curves = {.series = series,
                               .count = CODES + 1,
                               .title = sketch_title(s, "How far a position is from the next"),
                               .x_name = "position p",
                               .y_name = "distance of the codes of p and p + 1",
                               .y_low = 0,
                               .y_high = 2.1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure codes_figures[] = {
    {11, "neighbours", draw_neighbours,
     .what = "the distance of neighbours: constant for index and sinusoids, by length if "
             "normalised, jumping in binary"},
    {0},
};
