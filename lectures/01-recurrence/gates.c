/* gates.c: what an LSTM's cell and a GRU's state keep (row 3).            V "RNNs vs. Transformers"
 *
 *   LSTM  c_t = f_t c_(t-1) + i_t g_t         GRU  h_t = z_t h_(t-1) + (1 - z_t) n_t
 *
 *   1  dc_t/dc_(t-1) = f_t where gates and g do not depend on c_(t-1): the path through the cell alone
 *   2  dc_T/dc_0 = f_1 f_2 ... f_T, for each unit by itself; of a GRU z_1 ... z_T
 *   3  f = sigmoid(b) = 1/2 for b = 0: after k steps 2^-k is left
 *   4  b = log k: f = k / (k + 1), and after k steps (1 + 1/k)^-k, which tends to 1/e
 *   5  the gates do depend on h_(t-1), so on c_(t-1): that adds paths, but no factor below f in the first one */
#include "lectures/01-recurrence/recall.h"

enum { WIDTH = 16, STEPS = 40, BATCH = 8 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* sigmoid of W_ih x + b_ih + b_hh of unit u of a gate: the gate where W_hh = 0. */
static double gate_of(const RNNCell *cell, int gate, int u, const real *x)
{
    int row = gate * WIDTH + u;
    double sum = (double)cell->bias_ih->data[row] + (double)cell->bias_hh->data[row];
    for (int c = 0; c < WIDTH; c++)
        sum += (double)cell->weight_ih->data[row * WIDTH + c] * (double)x[c];
    return sigmoid(sum);
}

/* A cell that has read STEPS tokens from a state that is a leaf, and its gradient d(sum of the last
 * state)/d(first). */
typedef struct {
    RNNCell cell;
    Tensor *x[STEPS], *first;
} Kept;

static bool keep_state(Kept *k, Tape *tape, Params *params, RNNKind kind, RecallStart start,
                       bool feeds_gates, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 130};
    static real ones[BATCH * WIDTH];
    if (!nn_rnn_cell_init(&k->cell, params, "cell", kind, WIDTH, WIDTH))
        return false;
    recall_start(&k->cell, start, STEPS, seed);
    for (int64_t i = 0; !feeds_gates && i < tensor_size(k->cell.weight_hh); i++)
        k->cell.weight_hh->data[i] = 0;
    k->first = values_leaf(tape, &rng, shape2(BATCH, WIDTH), 1);
    RNNState state = kind == RNN_LSTM ? (RNNState){.c = k->first} : (RNNState){.h = k->first};
    for (int t = 0; t < STEPS; t++) {
        k->x[t] = values_normal(tape, &rng, shape2(BATCH, WIDTH), 1);
        nn_rnn_cell(&k->cell, k->x[t], &state);
    }
    for (int i = 0; i < BATCH * WIDTH; i++)
        ones[i] = 1;
    return ag_backward_from(kind == RNN_LSTM ? state.c : state.h, ones);
}

/* The largest relative difference between the gradient of a unit and the product of its gates, f or
 * z: gate 1 of both cells. *mean becomes the mean of log of the product over units. */
static double product_error(const Kept *k, double *mean)
{
    double worst = 0;
    *mean = 0;
    for (int b = 0; b < BATCH; b++)
        for (int u = 0; u < WIDTH; u++) {
            double product = 1;
            for (int t = 0; t < STEPS; t++)
                product *= gate_of(&k->cell, 1, u, k->x[t]->data + b * WIDTH);
            double got = (double)k->first->grad[b * WIDTH + u];
            worst = values_worst(worst, fabs(got - product) / product);
            *mean += log(product) / (BATCH * WIDTH);
        }
    return worst;
}

static double gates_multiply(Trial *t)
{
    static const RecallStart starts[] = {START_PYTORCH, START_OPEN};
    double worst = 0;
    for (RNNKind kind = RNN_LSTM; kind <= RNN_GRU; kind++)
        for (int s = 0; s < 2; s++) {
            Params *params = params_new(t->seed);
            Tape *tape = tape_new(t->seed);
            Kept k;
            double mean = 0, error = (double)NAN;
            if (keep_state(&k, tape, params, kind, starts[s], broken(t, "feeds-gates"), t->seed))
                error = product_error(&k, &mean);
            explain(t, "%s, gates %s at first: product of %d gates e^%.2f, largest error %.2g",
                    recall_names[kind], s ? "open" : "half open", STEPS, mean, error);
            worst = values_worst(worst, error);
            tape_free(tape);
            params_free(params);
        }
    return worst;
}

const Claim gates_claims[] = {
    {3, gates_multiply,
     "through the cell, dc_T/dc_0 is the product of the forget gates (GRU: of z)",
     .slides = {"V: RNNs vs. Transformers"},
     .quantity = "largest relative error of the product of 40 gates, W_hh = 0",
     AT_MOST(4e-5, "40 gates in float, each with an error of 1e-6 in sigmoid and product"),
     .faults = {{"feeds-gates", "W_hh is not 0: h feeds the gates, which adds paths (line 5)"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_gates(const Sketch *s)
{
    enum { TIMES = 12, CURVES = 6 };
    static const struct {
        const char *name;
        RecallKind kind;
        RecallStart start;
    } list[CURVES] = {{"RNN, W = 1.3 Q", RECALL_RNN, START_ORTHOGONAL},
                      {"GRU, z = T/(T+1)", RECALL_GRU, START_OPEN},
                      {"LSTM, f = T/(T+1)", RECALL_LSTM, START_OPEN},
                      {"GRU, z = 1/2 at first", RECALL_GRU, START_PYTORCH},
                      {"LSTM, f = 1/2 at first", RECALL_LSTM, START_PYTORCH},
                      {"RNN, PyTorch's W", RECALL_RNN, START_PYTORCH}};
    double T[TIMES], y[CURVES][TIMES], left[5 * TIMES];
    PlotSeries series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        for (int i = 0; i < TIMES; i++) {
            T[i] = 5 * (i + 1);
            direct_log_gradients(s->seed, 5 * (i + 1), list[k].kind, list[k].start, left);
            y[k][i] = exp(left[5 * i + 4]);
        }
        series[k] = (PlotSeries){list[k].name, T, y[k], TIMES};
    }
    const PlotCurves curves = {.series = series,
                               .count = CURVES,
                               .title = sketch_title(s, "What first weights keep of a gradient"),
                               .x_name = "T",
                               .y_name = "|dL/dx\xe2\x82\x81| / |dL/dh| of step T",
                               .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure gates_figures[] = {
    {3, "gates", draw_gates,
     .what = "the gradient after T steps of RNNs, LSTMs and GRUs, by their first weights"},
    {0},
};
