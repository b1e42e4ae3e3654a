/* through_time.h: an RNN whose recurrent matrix is rho times an orthogonal one, and what its
 * gradient does (row 2).
 *
 *   h_t = tanh(rho Q h_(t-1) + x_t),   Q^T Q = I,   h_0 = 0
 *
 * V "RNN vs Transformers: Why RNNs fall short?". Backward from dL/dh_T, with g_t = dL/dh_t:
 *   1  a_t = rho Q h_(t-1) + x_t and tanh'(a) = 1 - tanh(a)^2, so d_t = 1 - h_t^2 for each unit
 *   2  dL/da_t = d_t g_t, unit by unit; g_(t-1) = rho Q^T (d_t g_t)
 *   3  |g_(t-1)|^2 = rho^2 sum_i d_ti^2 g_ti^2, because Q^T changes no length
 *   4  if g_ti^2 is on average the same for all units, that is rho^2 mean(d_t^2) |g_t|^2
 *   5  so log |g| changes by log rho + log rms(d) a step */
#ifndef LECTURES_THROUGH_TIME_H
#define LECTURES_THROUGH_TIME_H

#include "lectures/01-recurrence/recurrence.h"

enum { UNITS = 64, LONGEST_RUN = 64, SEQUENCES = 20 };

/* Settings of a run over T inputs, which are normal with deviation `size`. */
typedef struct {
    double rho, size;
    int T;
    bool first_alone; /* the inputs after x_1 are 0 */
} RunSetting;

/* Fills w (n, n), n at most UNITS, with rho Q: random rows, each made orthogonal to those before it
 * and of length 1 (Gram and Schmidt), times rho. */
void orthogonal_fill(Tensor *w, double rho, Rng *rng);

/* What a run leaves on its tape, for t = 1 .. T: the inputs x_t and the states h_t (SEQUENCES,
 * UNITS), with their gradients. */
typedef struct {
    int T;
    Tensor *x[LONGEST_RUN + 1], *h[LONGEST_RUN + 1];
} Run;

/* Runs it on the tape, forward and backward from a random dL/dh_T. False where backward failed. */
bool run_through_time(Tape *tape, Params *params, RunSetting s, uint64_t seed, Run *run);

#endif
