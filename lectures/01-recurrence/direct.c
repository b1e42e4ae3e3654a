/* direct.c: how far apart the first token and the last result are in attention (row 2).
 *
 *   y = sum_j a_j v_j,   dL/dv_1 = a_1 dL/dy        V "Self-Attention": direct access to all tokens
 *
 * One op lies between them, whatever the number of tokens; what it passes on is the weight a_1. */
#include "lectures/01-recurrence/recurrence.h"
#include "lectures/runner/counting.h"

enum { WIDTH = 32, BATCH = 60, POINTS = 5 };
static const int tokens[POINTS] = {8, 16, 32, 64, 128};

/* ---- with first weights: every token alike --------------------------------------------------- */

static Tensor *last_result(Tensor *x, Params *params, bool recurrent)
{
    int64_t T = x->shape.dim[1];
    if (recurrent) {
        RNN rnn;
        nn_rnn_init(&rnn, params, "rnn", RNN_TANH, WIDTH, WIDTH, 1);
        return ag_slice(nn_rnn(&rnn, x, NULL), 1, T - 1, T);
    }
    MultiHeadAttention attention;
    nn_attention_init(&attention, params, "attention", WIDTH, 4, 0);
    return nn_cross_attention(&attention, ag_slice(x, 1, T - 1, T), x, (Mask){0});
}

static bool log_gradients(uint64_t seed, int T, bool recurrent, double *left)
{
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 110};
    static real upstream[BATCH * WIDTH];
    Tensor *x = values_leaf(tape, &rng, shape3(BATCH, T, WIDTH), 1);
    for (int i = 0; i < BATCH * WIDTH; i++)
        upstream[i] = (real)rng_normal(&rng);
    bool ok = ag_backward_from(ag_copy(last_result(x, params, recurrent)), upstream);
    for (int k = 0; k < T; k++) {
        left[k] = ok ? 0 : (double)NAN;
        for (int b = 0; ok && b < BATCH; b++) {
            const real *g = x->grad + (b * T + T - 1 - k) * WIDTH, *u = upstream + b * WIDTH;
            double square = 0, above = 0;
            for (int i = 0; i < WIDTH; i++) {
                square += (double)g[i] * (double)g[i];
                above += (double)u[i] * (double)u[i];
            }
            left[k] += log(square / above) / 2 / BATCH;
        }
    }
    tape_free(tape);
    params_free(params);
    return ok;
}

void direct_log_gradients(uint64_t seed, int T, double *left)
{
    log_gradients(seed, T, false, left);
}

/* k = 0 is left out: it is the query as well. */
static double exponent_in_distance(Trial *t)
{
    enum { T = 128 };
    double left[T], x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        log_gradients(t->seed, tokens[i], false, left);
        explain(t, "T = %3d: |dL/dx_1| = %.3g of |dL/dy_T|, times T: %.3f", tokens[i],
                exp(left[tokens[i] - 1]), exp(left[tokens[i] - 1]) * tokens[i]);
    }
    log_gradients(t->seed, T, broken(t, "rnn"), left);
    for (int i = 0; i < POINTS; i++) { /* k = 1 .. 7, 8 .. 15, and so on: the means of log */
        int from = i ? tokens[i - 1] : 1, to = tokens[i];
        x[i] = sqrt((double)from * (to - 1));
        y[i] = 0;
        for (int k = from; k < to; k++)
            y[i] += left[k] / (to - from);
        y[i] = exp(y[i]);
        explain(t, "T = 128: |dL/dx_(T-k)| = %.5f of |dL/dy_T|, k = %d to %d", y[i], from, to - 1);
    }
    return values_exponent(x, y, POINTS);
}

/* ---- ops on the way -------------------------------------------------------------------------- */

/* The least number of ops on a way from a leaf to the last op on the tape; -1: there is none. */
static int shortest_path(const Tape *tape, const Tensor *leaf)
{
    enum { NODES = 4096 };
    static int steps[NODES];
    if (tape->nodes < 1 || tape->nodes > NODES)
        return -1;
    for (int i = 0; i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        steps[i] = -1;
        for (int k = 0; k < n->inputs; k++) {
            const Node *from = counting_maker(n->in[k]);
            int before = n->in[k] == leaf ? 0 : -1;
            for (int j = i - 1; from && before < 0 && j >= 0; j--)
                if (tape->node[j] == from) {
                    before = steps[j];
                    break;
                }
            if (before >= 0 && (steps[i] < 0 || before + 1 < steps[i]))
                steps[i] = before + 1;
        }
    }
    return steps[tape->nodes - 1];
}

/* From the first of n tokens to what comes out at the last. */
static int path_of(int n, bool recurrent)
{
    enum { LONGEST = 64 };
    Params *params = params_new(1);
    Tape *tape = tape_new(1);
    Tensor *x[LONGEST];
    RNNCell cell;
    RNNState state = {0};
    MultiHeadAttention attention;
    for (int i = 0; i < n; i++)
        x[i] = tape_leaf(tape, (real[]){1, 2, 3, 4}, shape2(1, 4));
    if (recurrent) {
        nn_rnn_cell_init(&cell, params, "rnn", RNN_TANH, 4, 4);
        for (int i = 0; i < n; i++)
            nn_rnn_cell(&cell, x[i], &state);
    } else {
        nn_attention_init(&attention, params, "attention", 4, 1, 0);
        Tensor *all = ag_stack(x, n, 1);
        nn_cross_attention(&attention, ag_reshape(x[n - 1], shape3(1, 1, 4)), all, (Mask){0});
    }
    int path = shortest_path(tape, x[0]);
    tape_free(tape);
    params_free(params);
    return path;
}

static double path_growth(Trial *t)
{
    double growth[2];
    for (int recurrent = 0; recurrent < 2; recurrent++) {
        bool rnn = recurrent || broken(t, "recurrent");
        int first = path_of(16, rnn), second = path_of(32, rnn), third = path_of(64, rnn);
        explain(t, "%-9s %3d, %3d, %3d ops from token 1 to the result at n = 16, 32, 64",
                recurrent ? "RNN" : "attention", first, second, third);
        growth[recurrent] = first > 0 ? (third - first) / 48.0 : (double)NAN;
    }
    return growth[1] - 3 == 0 ? growth[0] : (double)NAN;
}

const Claim direct_claims[] = {
    {2, exponent_in_distance,
     "attention with its first weights: |dL/dx_(T-k)| is the same at every distance k",
     .slides = {"V: RNN vs Transformers: Why RNNs fall short?", "V: RNNs vs. Transformers",
                "V: Self-Attention"},
     .quantity = "exponent of |dL/dx_(T-k)| in k, k = 1 to 127 of T = 128 tokens",
     BETWEEN(-0.05, 0.05,
             "log |g| scatters by 0.4, the mean of 7 tokens of 60 sequences by 0.02, "
             "the exponent by 0.01: 5 of these"),
     .faults = {{"rnn", "an RNN in place of attention"}}},
    {2, path_growth,
     "the path from token 1 to the result: 3 n ops in an RNN, a constant in attention",
     .slides = {"V: Self-Attention", "Z: Positional encoding", "H: Complexity"},
     .quantity = "ops that each further token adds to attention's shortest path (an RNN: 3)",
     EXACTLY(0, "counted on the tape; a product, a sum and a tanh for each token of an RNN"),
     .faults = {{"recurrent", "an RNN in place of attention"}},
     HOLDS_POISONED("counts operations on the tape; no number is read")},
    {0},
};
