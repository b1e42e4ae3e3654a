/* shift.c: sinusoids k positions further (row 13).
 *
 *   PE_(p+k) = R_k PE_p,   R_k of d/2 blocks   ( cos w_i k   sin w_i k )
 *                                              (-sin w_i k   cos w_i k )
 *
 * by sin(a + b) and cos(a + b): one rotation for all p. So distances and products depend on k
 * alone, which is what V's "Distance between any two positions should be consistent" asks for. */
#include "lectures/03-position/position.h"

enum { D = 64, POSITIONS = 100, LAGS = 33 };

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
    for (int i = 0; i < D; i += 2) {
        double angle = k * pow(10000, -(double)i / D);
        real *block = R->data + i * D + i;
        block[0] = block[D + 1] = (real)cos(angle);
        block[1] = (real)sin(angle);
        block[D] = -block[1];
    }
    return R;
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

const Claim shift_claims[] = {
    {13, shift_rotation, "one rotation moves every code by k positions: PE_(p+k) = R_k PE_p",
     .slides = {"V: What about the order?", "V: Positional Encoding: Intuition"},
     .quantity = "max |R_k PE_p - PE_(p+k)|, k = 1 .. 32, p = 0 .. 99, d = 64",
     AT_MOST(1e-6, "sin(a + b) and cos(a + b): sums of two products of floats up to 1, rounded by "
                   "2e-7"),
     .faults = {{"other-lag", "R_(k+1) instead of R_k"},
                {"sines-only", "the cosines are left out: a sine alone is no pair to rotate"}}},
    {13, shift_product,
     "PE_p.PE_(p+k) = sum cos w_i k depends on the distance alone, and is the same to either side",
     .slides = {"V: What about the order?"},
     .quantity = "max |PE_p.PE_q - sum cos w_i (q - p)|, p, q = 0 .. 99, d = 64",
     AT_MOST(1e-4, "64 products, each rounded by 6e-8, in sums of up to 32: below 1e-4 even if "
                   "all add up"),
     .faults = {{"sines-only", "the cosines are left out"}}},
    {0},
};
