/* orthogonal.c: an RNN whose recurrent matrix is rho times an orthogonal one, run forward and
 * backward (row 2). See through_time.h. */
#include "lectures/01-recurrence/through_time.h"

void orthogonal_fill(Tensor *w, double rho, Rng *rng)
{
    int n = (int)w->shape.dim[0];
    double row[UNITS][UNITS];
    for (int i = 0; i < n; i++) {
        double length = 0;
        for (int k = 0; k < n; k++)
            row[i][k] = rng_normal(rng);
        for (int j = 0; j < i; j++) {
            double along = 0;
            for (int k = 0; k < n; k++)
                along += row[i][k] * row[j][k];
            for (int k = 0; k < n; k++)
                row[i][k] -= along * row[j][k];
        }
        for (int k = 0; k < n; k++)
            length += row[i][k] * row[i][k];
        for (int k = 0; k < n; k++) {
            row[i][k] /= sqrt(length);
            w->data[i * n + k] = (real)(rho * row[i][k]);
        }
    }
}

static void fill(Tensor *w, double value)
{
    for (int64_t i = 0; i < tensor_size(w); i++)
        w->data[i] = (real)value;
}

/* A cell with W_hh = rho Q, W_ih = I and no biases. */
static bool orthogonal_cell(RNNCell *cell, Params *params, RunSetting s, Rng *rng)
{
    if (!nn_rnn_cell_init(cell, params, "rnn", RNN_TANH, UNITS, UNITS))
        return false;
    orthogonal_fill(cell->weight_hh, s.rho, rng);
    for (int i = 0; s.not_orthogonal && i < UNITS * UNITS; i++)
        cell->weight_hh->data[i] = (real)(s.rho * sqrt(3.0 / UNITS) * (2 * rng_uniform(rng) - 1));
    fill(cell->weight_ih, 0);
    for (int i = 0; i < UNITS; i++)
        cell->weight_ih->data[i * (UNITS + 1)] = 1;
    fill(cell->bias_ih, 0);
    fill(cell->bias_hh, 0);
    return true;
}

bool run_through_time(Tape *tape, Params *params, RunSetting s, uint64_t seed, Run *run)
{
    Rng rng = {.seed = seed, .stream = 101};
    RNNCell cell;
    RNNState state = {0};
    static real upstream[SEQUENCES * UNITS];
    *run = (Run){.T = s.T};
    if (!orthogonal_cell(&cell, params, s, &rng))
        return false;
    for (int t = 1; t <= s.T; t++) {
        run->x[t] =
            values_leaf(tape, &rng, shape2(SEQUENCES, UNITS), s.first_alone && t > 1 ? 0 : s.size);
        run->h[t] = ag_keep(nn_rnn_cell(&cell, run->x[t], &state));
    }
    for (int i = 0; i < SEQUENCES * UNITS; i++)
        upstream[i] = (real)rng_normal(&rng);
    return ag_backward_from(run->h[s.T], upstream);
}
