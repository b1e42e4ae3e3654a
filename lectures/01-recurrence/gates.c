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

/* ---- the curve of row 2 for gated cells ------------------------------------------------------ */

/* The mean of log |dL/dx_1| / |dL/dh_T| of a cell (an RNNKind) with these first weights (a
 * RecallStart, recall.h). */
static double gates_log_gradient(uint64_t seed, int kind, int start, int T)
{
    enum { LONGEST = 64 };
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 131};
    RNNCell cell;
    RNNState state = {0};
    Tensor *x[LONGEST];
    static real upstream[BATCH * WIDTH];
    double mean = 0;
    nn_rnn_cell_init(&cell, params, "cell", (RNNKind)kind, WIDTH, WIDTH);
    recall_start(&cell, (RecallStart)start, T, seed);
    for (int t = 0; t < T; t++) {
        x[t] = values_leaf(tape, &rng, shape2(BATCH, WIDTH), 1);
        nn_rnn_cell(&cell, x[t], &state);
    }
    for (int i = 0; i < BATCH * WIDTH; i++)
        upstream[i] = (real)rng_normal(&rng);
    bool ok = ag_backward_from(state.h, upstream);
    for (int b = 0; ok && b < BATCH; b++) {
        double below = 0, above = 0;
        for (int i = b * WIDTH; i < (b + 1) * WIDTH; i++) {
            below += (double)x[0]->grad[i] * (double)x[0]->grad[i];
            above += (double)upstream[i] * (double)upstream[i];
        }
        mean += log(below / above) / 2 / BATCH;
    }
    tape_free(tape);
    params_free(params);
    return ok ? mean : (double)NAN;
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
        RNNKind kind;
        RecallStart start;
    } list[CURVES] = {{"RNN, W = 1.3 Q", RNN_TANH, START_ORTHOGONAL},
                      {"GRU, z = T/(T+1)", RNN_GRU, START_OPEN},
                      {"LSTM, f = T/(T+1)", RNN_LSTM, START_OPEN},
                      {"GRU, z = 1/2 at first", RNN_GRU, START_PYTORCH},
                      {"LSTM, f = 1/2 at first", RNN_LSTM, START_PYTORCH},
                      {"RNN, PyTorch's W", RNN_TANH, START_PYTORCH}};
    double T[TIMES], y[CURVES][TIMES];
    PlotSeries series[CURVES];
    for (int k = 0; k < CURVES; k++) {
        for (int i = 0; i < TIMES; i++) {
            T[i] = 5 * (i + 1);
            y[k][i] = exp(gates_log_gradient(s->seed, list[k].kind, list[k].start, (int)T[i]));
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

static bool compute_gates(const double *value, const char *text)
{
    enum { TIMES = 12 };
    static const RNNKind kinds[] = {RNN_TANH, RNN_LSTM, RNN_GRU};
    static const char *const names[][3] = {{"RNN, PyTorch's W", "LSTM, f = 1/2", "GRU, z = 1/2"},
                                           {"RNN, W = 1.3 Q", "LSTM, f = T/(T+1)",
                                            "GRU, z = T/(T+1)"}};
    const bool open = value[0] > 0;
    double T[TIMES], y[TIMES];
    (void)text;
    computed_axes("T", "|dL/dx₁| / |dL/dh| of step T", true);
    for (int k = 0; k < 3; k++) {
        const RecallStart start = !open                  ? START_PYTORCH
                                  : kinds[k] == RNN_TANH ? START_ORTHOGONAL
                                                         : START_OPEN;
        for (int i = 0; i < TIMES; i++) {
            T[i] = 5 * (i + 1);
            y[i] = exp(gates_log_gradient((uint64_t)value[1], kinds[k], start, (int)T[i]));
        }
        computed_line(names[open][k], TIMES, T, y);
        computed_fact("%s%s keeps 10^%.1f of 60 steps", k ? "; " : "", names[open][k],
                      log10(y[TIMES - 1]));
    }
    computed_fact(".");
    return true;
}

const ComputedFigure gates_computed = {.name = "gates",
                                       .title = "What first weights keep of a gradient",
                                       .about = "RNN, LSTM and GRU before training: with PyTorch's "
                                                "first weights, or, open, with gates that "
                                                "are nearly open and an orthogonal W.",
                                       .control = {{"open", 0, 1, 1, 0}, {"seed", 1, 20, 1, 1}},
                                       .compute = compute_gates};

const Figure gates_figures[] = {
    {3, "gates", draw_gates,
     .what = "the gradient after T steps of RNNs, LSTMs and GRUs, by their first weights",
     .computed = &gates_computed},
    {0},
};
