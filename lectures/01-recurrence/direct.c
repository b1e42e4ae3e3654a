/* direct.c: how far apart the first token and the last result are in attention (row 2).
 *
 *   y = sum_j a_j v_j,   dL/dv_1 = a_1 dL/dy        V "Self-Attention": direct access to all tokens
 *
 * One op lies between them, whatever the number of tokens; what it passes on is the weight a_1. */
#include "lectures/01-recurrence/recall.h"

enum { WIDTH = 32, BATCH = 60, POINTS = 5 };
static const int tokens[POINTS] = {8, 16, 32, 64, 128};

/* What comes out at the last token of x (BATCH, T, WIDTH). */
static Tensor *last_result(Tensor *x, Params *params, RecallKind kind, RecallStart start)
{
    int64_t T = x->shape.dim[1];
    if (kind == RECALL_ATTENTION) {
        MultiHeadAttention attention;
        nn_attention_init(&attention, params, "attention", WIDTH, 4, 0);
        return nn_cross_attention(&attention, ag_slice(x, 1, T - 1, T), x, (Mask){0});
    }
    RNN rnn;
    nn_rnn_init(&rnn, params, "rnn", (RNNKind)kind, WIDTH, WIDTH, 1);
    recall_start(&rnn.layer[0], start, (int)T, params->seed);
    return ag_slice(nn_rnn(&rnn, x, NULL), 1, T - 1, T);
}

void direct_log_gradients(uint64_t seed, int T, RecallKind kind, RecallStart start, double *left)
{
    Params *params = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 110};
    static real upstream[BATCH * WIDTH];
    Tensor *x = values_leaf(tape, &rng, shape3(BATCH, T, WIDTH), 1);
    for (int i = 0; i < BATCH * WIDTH; i++)
        upstream[i] = (real)rng_normal(&rng);
    bool ok = ag_backward_from(ag_copy(last_result(x, params, kind, start)), upstream);
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
}

/* k = 0 is left out: it is the query as well. */
static double exponent_in_distance(Trial *t)
{
    enum { T = 128 };
    double left[T], x[POINTS], y[POINTS];
    for (int i = 0; i < POINTS; i++) {
        direct_log_gradients(t->seed, tokens[i], RECALL_ATTENTION, START_PYTORCH, left);
        explain(t, "T = %3d: |dL/dx_1| = %.3g of |dL/dy_T|, times T: %.3f", tokens[i],
                exp(left[tokens[i] - 1]), exp(left[tokens[i] - 1]) * tokens[i]);
    }
    direct_log_gradients(t->seed, T, broken(t, "rnn") ? RECALL_RNN : RECALL_ATTENTION,
                         START_PYTORCH, left);
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
    {0},
};
