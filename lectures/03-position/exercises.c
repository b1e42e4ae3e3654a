/* exercises.c: functions to be changed, about ten lines each, and the claims that tell whether the change is right.
 *
 * `./gradus claims 3 --try 12` runs those of row 12. As they stand they compute something else, so their claims FAIL;
 * `--try 12:solved` measures a solution instead of the function. Functions NAME_wrong_WHAT are
 * mistakes, with which the claim must FAIL, too. */
#include "lectures/03-position/position.h"

#include <stdlib.h>

/* ---- row 10: a pooling that knows the order ----------------------------------------------------------------------- */

/* Now: the mean of the tokens x (T, C), the same for each of their orders. Change it: the mean of x_t * P_t, element by
 * element, with the code of its position, P (T, C). */
static Tensor *pooled(Tensor *x, Tensor *P)
{
    (void)P;
    return ag_mean_axis(x, 0, false);
}

static Tensor *pooled_solved(Tensor *x, Tensor *P)
{
    return ag_mean_axis(ag_mul(x, P), 0, false);
}

static Tensor *pooled_wrong_added(Tensor *x, Tensor *P)
{
    return ag_mean_axis(ag_add(x, P), 0, false);
}

static double pooled_right(Trial *t)
{
    enum { T = 9, C = 8 };
    static const int twin[T] = {6, 7, 3, 4, 5, 0, 1, 2, 8};
    double worst = 0, apart = 0;
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 170};
    Tensor *x = values_normal(tape, &rng, shape2(T, C), 1), *P = code_sinusoids(tape, T, C, 100);
    Tensor *(*pool)(Tensor *, Tensor *) = TRIED(t, pooled, pooled_solved, pooled_wrong_added);
    Tensor *y = pool(x, P), *of_twin = pool(values_permuted(x, twin), P);
    for (int c = 0; c < C; c++) {
        double expected = 0;
        for (int i = 0; i < T; i++)
            expected += (double)x->data[i * C + c] * (double)P->data[i * C + c] / T;
        worst = values_worst(worst, fabs((double)y->data[c] - expected));
        apart = values_worst(apart, fabs((double)y->data[c] - (double)of_twin->data[c]));
    }
    explain(t, "max |pooled - the formula| = %.2g; a sentence and its twin are %.2g apart", worst,
            apart);
    tape_free(tape);
    return worst;
}

static const Claim exercise_pooled =
    EXERCISE(10, "pooled: the mean of x_t * P_t", "V: What about the order?",
             "max |pooled - the formula in double|", 1e-6,
             "9 products of size 1, each rounded by 6e-8", pooled_right,
             {"added", "the mean of x_t + P_t, which does not depend on the order"});

/* ---- row 11: Gray's code ----------------------------------------------------------------------------------------------- */

/* Now: bit j of p. Change it: bit j of Gray's code, which is the exclusive or of the bits j and j + 1 of p, and in which
 * neighbours differ in one bit. */
static int code_bit(int p, int j)
{
    return p >> j & 1;
}

static int code_bit_solved(int p, int j)
{
    return (p >> j ^ p >> (j + 1)) & 1;
}

static int code_bit_wrong_left(int p, int j)
{
    return (p ^ p << 1) >> j & 1;
}

static int code_bit_wrong_unmasked(int p, int j)
{
    return p >> j ^ p >> (j + 1);
}

static double one_flip(Trial *t)
{
    enum { NUMBERS = 16, BITS = 4 };
    int most = 0, seen = 0;
    int (*bit)(int, int) =
        TRIED(t, code_bit, code_bit_solved, code_bit_wrong_left, code_bit_wrong_unmasked);
    for (int p = 0; p < NUMBERS; p++) {
        int code = 0, flips = 0;
        for (int j = 0; j < BITS; j++) {
            code |= (bit(p, j) & 1) << j;
            flips += p > 0 && bit(p, j) != bit(p - 1, j);
        }
        most = flips > most ? flips : most;
        seen |= 1 << code;
    }
    explain(t, "from 0 to 15 at most %d bits flip from one number to the next; the codes are %s",
            most, seen == (1 << NUMBERS) - 1 ? "all different" : "not all different");
    return seen == (1 << NUMBERS) - 1 ? most : INFINITY;
}

static const Claim exercise_gray =
    EXERCISE(11, "code_bit: neighbours differ in one bit", "V: Positional Encoding: Intuition",
             "most bits that flip from p to p + 1; infinity where two codes are equal", 1,
             "Gray's code", one_flip, {"left", "bits j and j - 1"},
             {"unmasked", "all bits from j on, not bit j alone"});

/* ---- row 12: sines first -------------------------------------------------------------------------------------------------- */

/* Now: row (d) of position p as all lectures write it, sines and cosines in turn. Change it: all sines first, then all
 * cosines, as the first program of the paper's authors does. The channels are others, the pairs the same. */
static void sines_first(double *row, int p, int d)
{
    for (int i = 0; i < d / 2; i++) {
        double angle = p * pow(10000, -2.0 * i / d);
        row[2 * i] = sin(angle);
        row[2 * i + 1] = cos(angle);
    }
}

static void sines_first_solved(double *row, int p, int d)
{
    for (int i = 0; i < d / 2; i++) {
        double angle = p * pow(10000, -2.0 * i / d);
        row[i] = sin(angle);
        row[d / 2 + i] = cos(angle);
    }
}

static void sines_first_wrong_by_channel(double *row, int p, int d)
{
    for (int c = 0; c < d; c++) {
        double angle = p * pow(10000, -(double)c / d);
        row[c] = c < d / 2 ? sin(angle) : cos(angle);
    }
}

static double sines_right(Trial *t)
{
    enum { D = 16, P = 20 };
    double worst = 0, row[D];
    Tape *tape = tape_new(t->seed);
    Tensor *table = code_sinusoids(tape, P, D, 10000);
    for (int p = 0; p < P; p++) {
        TRIED(t, sines_first, sines_first_solved, sines_first_wrong_by_channel)(row, p, D);
        for (int c = 0; c < D; c++) {
            int from = c < D / 2 ? 2 * c : 2 * (c - D / 2) + 1;
            worst = values_worst(worst, fabs(row[c] - (double)table->data[p * D + from]));
        }
    }
    explain(t,
            "%d positions of %d channels: at most %.2g from the library's, its channels reordered",
            P, D, worst);
    tape_free(tape);
    return worst;
}

static const Claim exercise_sines =
    EXERCISE(12, "sines_first: all sines, then all cosines", "V: Positional Encoding",
             "max |sines_first - the library's channels in that order|", 1e-6,
             "numbers up to 1 as floats", sines_right,
             {"by_channel", "each channel has a frequency of its own"});

/* ---- row 13: ALiBi ---------------------------------------------------------------------------------------------------------- */

/* Now: no bias, (T, T) zeros. Change it: b_ij = -slope |i - j|, so that far keys get less weight, at any length and
 * without a weight to be learned (Press, Smith, Lewis 2022, for both directions). */
static Tensor *distance_bias(Tape *tape, int T, double slope)
{
    (void)slope;
    return tape_full(tape, 0, shape2(T, T));
}

static Tensor *distance_bias_solved(Tape *tape, int T, double slope)
{
    Tensor *b = tape_full(tape, 0, shape2(T, T));
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            b->data[i * T + j] = (real)(-slope * abs(i - j));
    return b;
}

static Tensor *distance_bias_wrong_signed(Tape *tape, int T, double slope)
{
    Tensor *b = tape_full(tape, 0, shape2(T, T));
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++)
            b->data[i * T + j] = (real)(-slope * (i - j));
    return b;
}

/* Under equal scores the weights must fall by exp(-slope) with each step away from the query. */
static double bias_right(Trial *t)
{
    enum { T = 12 };
    double slope = 0.5, worst = 0;
    Tape *tape = tape_new(t->seed);
    Tensor *bias =
        TRIED(t, distance_bias, distance_bias_solved, distance_bias_wrong_signed)(tape, T, slope);
    Tensor *A = ag_softmax(ag_add(tape_full(tape, 1, shape2(T, T)), bias));
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T - 1; j++) {
            double ratio = (double)A->data[i * T + j + 1] / (double)A->data[i * T + j];
            worst = values_worst(worst, fabs(log(ratio) - (j < i ? slope : -slope)));
        }
    explain(t, "weights of query 5: %.3f, %.3f, %.3f for keys 3, 4, 5", (double)A->data[5 * T + 3],
            (double)A->data[5 * T + 4], (double)A->data[5 * T + 5]);
    tape_free(tape);
    return worst;
}

static const Claim exercise_bias =
    EXERCISE(13, "distance_bias: b_ij = -slope |i - j|", "V: What about the order?",
             "max |log(a_(j+1) / a_j) -+ slope| under equal scores", 1e-5, "weights as floats",
             bias_right, {"signed", "the distance with its sign"});

/* ---- row 14: a wave of any length ---------------------------------------------------------------------------------------------- */

/* Now: the paper's frequencies for d channels. Change it: wavelengths of 4, 8, 16, ... positions, each twice the one
 * before; wavelength = 2 pi / frequency. */
static double frequency_of(int i, int d)
{
    return pow(10000, -2.0 * i / d);
}

static double frequency_of_solved(int i, int d)
{
    (void)d;
    return 2 * acos(-1) / (4 << i);
}

static double frequency_of_wrong_linear(int i, int d)
{
    (void)d;
    return 2 * acos(-1) / (4 * (i + 1));
}

static double frequency_of_wrong_turns(int i, int d)
{
    (void)d;
    return 1.0 / (4 << i);
}

/* A wave is back where it was after its wavelength, and at its opposite after half of it. */
static double waves_close(Trial *t)
{
    enum { PAIRS = 4 };
    double worst = 0, omega[PAIRS];
    Rotary r;
    Params *params = params_new(t->seed);
    for (int i = 0; i < PAIRS; i++)
        omega[i] = TRIED(t, frequency_of, frequency_of_solved, frequency_of_wrong_linear,
                         frequency_of_wrong_turns)(i, 2 * PAIRS);
    nn_rotary_from(&r, params, 40, omega, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        double half = (double)r.table->data[(2 << i) * 2 * PAIRS + i],
               whole = (double)r.table->data[(4 << i) * 2 * PAIRS + i];
        explain(t, "wave %d: cosine %.3f after %d positions, %.3f after %d", i, half, 2 << i, whole,
                4 << i);
        worst = values_worst(worst, values_worst(fabs(half + 1), fabs(whole - 1)));
    }
    params_free(params);
    return worst;
}

static const Claim exercise_waves =
    EXERCISE(14, "frequency_of: wavelengths 4, 8, 16, 32", "V: Positional Encoding: Intuition",
             "max |cos + 1| after half a wave, |cos - 1| after a whole one", 1e-6,
             "cosines as floats, rounded by 6e-8", waves_close,
             {"linear", "wavelengths 4, 8, 12, 16"}, {"turns", "1 / wavelength, without 2 pi"});

/* ---- row 15: a code for a grid -------------------------------------------------------------------------------------------------- */

/* Now: the code of patch (row, column) of a grid of `side` columns by its number, PE_(side row + column), (C). Change it:
 * the first half of the channels is PE_row of C / 2 channels, the second half PE_column. PE (T, C) and half (T, C / 2) are
 * the tables. */
static Tensor *grid_code(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)half;
    int at = side * row + column;
    return ag_reshape(ag_slice(PE, 0, at, at + 1), shape1(-1));
}

static Tensor *grid_code_solved(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)PE;
    (void)side;
    Tensor *parts[] = {ag_slice(half, 0, row, row + 1), ag_slice(half, 0, column, column + 1)};
    return ag_reshape(ag_concat(parts, 2, 1), shape1(-1));
}

static Tensor *grid_code_wrong_sum(Tensor *PE, Tensor *half, int row, int column, int side)
{
    (void)half, (void)side;
    return ag_reshape(ag_slice(PE, 0, row + column, row + column + 1), shape1(-1));
}

static Tensor *grid_code_wrong_column_first(Tensor *PE, Tensor *half, int row, int column, int side)
{
    return grid_code_solved(PE, half, column, row, side);
}

enum { SIDE = 5, GRID_C = 16 };

/* max |code - [PE_row, PE_column]|. */
static double off_grid(const Tensor *code, const Tensor *half, int row, int column)
{
    double worst = 0;
    for (int c = 0; c < GRID_C / 2; c++)
        for (int part = 0; part < 2; part++) {
            const real *wanted = half->data + (part ? column : row) * GRID_C / 2;
            worst = values_worst(worst, fabs((double)code->data[part * GRID_C / 2 + c] -
                                             (double)wanted[c]));
        }
    return worst;
}

/* The code of each patch against its definition. Then |code - code of the patch to the right| and that of the patch
 * below are one number, everywhere on the grid. */
static double grid_right(Trial *t)
{
    double least = INFINITY, most = 0, off = 0;
    Tape *tape = tape_new(t->seed);
    Tensor *PE = code_sinusoids(tape, SIDE * SIDE, GRID_C, 10000),
           *half = code_sinusoids(tape, SIDE, GRID_C / 2, 10000);
    Tensor *(*code)(Tensor *, Tensor *, int, int, int) =
        TRIED(t, grid_code, grid_code_solved, grid_code_wrong_sum, grid_code_wrong_column_first);
    for (int r = 0; r < SIDE - 1; r++)
        for (int c = 0; c < SIDE - 1; c++) {
            Tensor *here = ag_reshape(code(PE, half, r, c, SIDE), shape2(1, GRID_C));
            off = values_worst(off, off_grid(here, half, r, c));
            for (int down = 0; down < 2; down++) {
                Tensor *next = code(PE, half, r + down, c + 1 - down, SIDE);
                double d =
                    (double)tensor_item(code_distances(here, ag_reshape(next, shape2(1, GRID_C))));
                least = values_least(least, d);
                most = values_worst(most, d);
            }
        }
    explain(t, "neighbours, to the right and below: %.4f to %.4f apart", least, most);
    explain(t, "max |code - [PE_row, PE_column]| = %.2g", off);
    tape_free(tape);
    return most > 0 ? values_worst(off, most - least) : (double)NAN;
}

static const Claim exercise_grid = EXERCISE(
    15, "grid_code: half of the channels for the row, half for the column",
    "J: Transformer Encoder for Image Classification",
    "the worse of max |code - [PE_row, PE_column]| and the range of distances of neighbours, 5 x 5",
    1e-5,
    "a step of row or column moves one half of the channels by one position: the same distance",
    grid_right, {"sum", "the code of row + column"},
    {"column_first", "the column in the first half"});

const Claim *const position_exercises[] = {
    &exercise_pooled, &exercise_gray, &exercise_sines, &exercise_bias, &exercise_waves,
    &exercise_grid,   NULL,
};
