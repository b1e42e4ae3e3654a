/* recall.c: trains layers to recall a symbol after a lag. See recall.h. */
#include "lectures/01-recurrence/recall.h"
#include "lectures/01-recurrence/through_time.h"

#include <string.h>

enum { WIDTH = 16, LONGEST_LAG = 128 };

const char *const recall_names[RECALL_KINDS] = {"RNN",      "LSTM",      "GRU",
                                                "ReLU RNN", "attention", "Transformer"};

/* ---- model and task -------------------------------------------------------------------------- */

typedef struct {
    RecallSetting setting;
    Embedding embedding;
    RNN rnn[RECALL_LAYERS]; /* of one layer each, so that a path can lead past each */
    MultiHeadAttention attention;
    TransformerBlock block[RECALL_LAYERS];
    Norm norm;
    Linear head;
} Reader;

static void set(Tensor *bias, int gate, int64_t hidden, double value)
{
    for (int64_t i = 0; i < hidden; i++)
        bias->data[gate * hidden + i] = (real)value;
}

static void clear(Tensor *w)
{
    memset(w->data, 0, (size_t)tensor_size(w) * sizeof *w->data);
}

/* W_hh = rho times the identity, or an orthogonal matrix; W_ih = `in` I where that is not 0; no
 * biases. */
static void start_rnn(RNNCell *cell, bool identity, double rho, double in, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 121};
    orthogonal_fill(cell->weight_hh, rho, &rng);
    for (int64_t i = 0; identity && i < tensor_size(cell->weight_hh); i++)
        cell->weight_hh->data[i] = (real)(i % (cell->hidden + 1) == 0 ? rho : 0);
    for (int64_t i = 0; in != 0 && i < tensor_size(cell->weight_ih); i++)
        cell->weight_ih->data[i] = (real)(i % (cell->in + 1) == 0 ? in : 0);
    clear(cell->bias_ih);
    clear(cell->bias_hh);
}

/* The gates' order in bias_ih is i f g o in an LSTM, r z n in a GRU. */
void recall_start(RNNCell *cell, RecallStart start, int lag, uint64_t seed)
{
    bool gated = cell->kind != RNN_TANH;
    if (!gated && start == START_IDENTITY)
        start_rnn(cell, true, 1, 0, seed);
    if (!gated && start == START_SMALL)
        start_rnn(cell, true, 1, 0.1, seed);
    if (!gated && start == START_ORTHOGONAL)
        start_rnn(cell, false, 1.3, 0.3, seed);
    if (!gated || start == START_PYTORCH)
        return;
    double keep = start == START_ONE ? 1 : start == START_SHUT ? -2 : log(lag);
    set(cell->bias_ih, 1, cell->hidden, keep);
    if (cell->kind == RNN_LSTM && start == START_OPEN)
        set(cell->bias_ih, 0, cell->hidden, -keep);
}

static bool reader_init(Reader *r, Params *p, RecallSetting s, uint64_t seed)
{
    *r = (Reader){.setting = s};
    bool ok = nn_embedding_init(&r->embedding, p, "embedding", RECALL_TOKENS, WIDTH) &&
              nn_layernorm_init(&r->norm, p, "norm", WIDTH) &&
              nn_linear_init(&r->head, p, "head", WIDTH, RECALL_SYMBOLS, true);
    if (s.kind == RECALL_ATTENTION)
        return ok && nn_attention_init(&r->attention, p, "attention", WIDTH, 4, 0);
    for (int l = 0; ok && l < s.layers; l++) {
        const char *name = params_path(p, "layer.%d", l);
        if (s.kind == RECALL_TRANSFORMER) {
            BlockConfig block = {.channels = WIDTH, .heads = 4};
            ok = nn_transformer_block_init(&r->block[l], p, name, block);
            continue;
        }
        RNNKind kind = s.kind == RECALL_RELU ? RNN_TANH : (RNNKind)s.kind;
        ok = nn_rnn_init(&r->rnn[l], p, name, kind, WIDTH, WIDTH, 1);
        if (ok)
            recall_start(&r->rnn[l].layer[0], s.start, s.lag, seed);
    }
    return ok;
}

/* h_t = relu(W_ih x_t + W_hh h_(t-1) + biases), for all tokens: x (B, T, C) -> (B, T, C). */
static Tensor *relu_rnn(const RNNCell *c, Tensor *x)
{
    int64_t T = x->shape.dim[1];
    Tensor *a = ag_linear(x, c->weight_ih, c->bias_ih), *h[LONGEST_LAG + 1];
    for (int64_t t = 0; t < T; t++) {
        h[t] = ag_reshape(ag_slice(a, 1, t, t + 1), shape2(x->shape.dim[0], c->hidden));
        if (t > 0)
            h[t] = ag_add(h[t], ag_linear(h[t - 1], c->weight_hh, c->bias_hh));
        h[t] = ag_relu(h[t]);
    }
    return ag_stack(h, (int)T, 1);
}

/* All tokens through all layers: x (B, T, C) -> (B, T, C). */
static Tensor *through_layers(const Reader *r, Tensor *x)
{
    const RecallSetting *s = &r->setting;
    for (int l = 0; l < s->layers; l++) {
        if (s->kind == RECALL_TRANSFORMER) {
            x = nn_transformer_block(&r->block[l], x, (Mask){0});
            continue;
        }
        const RNN *rnn = &r->rnn[l];
        Tensor *h = s->kind == RECALL_RELU ? relu_rnn(&rnn->layer[0], x) : nn_rnn(rnn, x, NULL);
        x = s->path && l > 0 ? ag_add(x, h) : h;
    }
    return s->kind == RECALL_TRANSFORMER ? nn_norm(&r->norm, x) : x;
}

/* ids (B, T) -> logits (B, symbols), from the last token of the last layer. */
static Tensor *reader_answer(const Reader *r, Tensor *ids)
{
    int64_t B = ids->shape.dim[0], T = ids->shape.dim[1];
    Tensor *x = nn_embedding(&r->embedding, ids), *last;
    if (r->setting.kind == RECALL_ATTENTION)
        last = nn_cross_attention(&r->attention, ag_slice(x, 1, T - 1, T), x, (Mask){0});
    else
        last = ag_slice(through_layers(r, x), 1, T - 1, T);
    return nn_linear(&r->head, ag_reshape(last, shape2(B, WIDTH)));
}

/* The first token is what is asked for; the others are drawn from the rest of the alphabet. */
static void draw_sequences(Rng *rng, int lag, int *ids, int *asked)
{
    for (int b = 0; b < RECALL_BATCH; b++) {
        int *row = ids + b * (lag + 1);
        for (int i = 0; i <= lag; i++)
            row[i] = RECALL_SYMBOLS + (int)rng_below(rng, RECALL_TOKENS - RECALL_SYMBOLS);
        asked[b] = row[0] = (int)rng_below(rng, RECALL_SYMBOLS);
    }
}

/* The share of right answers; NaN where the logits are not finite, or 0 throughout: never
 * computed. */
static double share_right(const Tensor *logits, const int *asked)
{
    int right = 0;
    double largest = values_largest(logits);
    for (int b = 0; b < RECALL_BATCH; b++)
        right += nn_greedy(logits->data + b * RECALL_SYMBOLS, RECALL_SYMBOLS) == asked[b];
    return largest > 0 ? (double)right / RECALL_BATCH : (double)NAN;
}

/* ---- training -------------------------------------------------------------------------------- */

/* One step of training, or, where adam is NULL, a test; returns the share of right answers before
 * the step. */
static double one_batch(const Reader *r, Params *p, Tape *tape, Adam *adam, Rng *rng)
{
    int ids[RECALL_BATCH * (LONGEST_LAG + 1)], asked[RECALL_BATCH];
    int lag = r->setting.lag;
    draw_sequences(rng, lag, ids, asked);
    tape_reset(tape);
    tape->no_grad = !adam;
    Tensor *logits = reader_answer(r, tape_ids(tape, ids, shape2(RECALL_BATCH, lag + 1)));
    double right = share_right(logits, asked);
    if (!adam)
        return right;
    Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, asked, shape1(RECALL_BATCH)));
    bool ok = ag_backward(loss);
    params_clip_grad(p, 1);
    return ok && adam_step(adam, p) ? right : (double)NAN;
}

/* Trains, and returns the accuracy on RECALL_TESTS fresh sequences; NaN where no logit was
 * computed. */
static double train_and_test(uint64_t seed, RecallSetting s)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 120 + (uint64_t)s.lag};
    Adam adam = {0};
    Reader r;
    double accuracy = 0;
    s.layers = s.layers ? s.layers : 1;
    s.rate = s.rate > 0 ? s.rate : 0.003;
    bool ok = reader_init(&r, p, s, seed) && adam_init(&adam, p, s.rate);
    for (int step = 0; ok && step < s.steps; step++) {
        double left = 2 * (1 - (double)step / s.steps);
        adam.rate = s.rate * (left > 1 ? 1 : left);
        one_batch(&r, p, tape, &adam, &rng);
    }
    for (int i = 0; ok && i < RECALL_TESTS / RECALL_BATCH; i++)
        accuracy += one_batch(&r, p, tape, NULL, &rng) * RECALL_BATCH / RECALL_TESTS;
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok ? accuracy : (double)NAN;
}

Mean recall_accuracy(uint64_t seed, RecallSetting s)
{
    enum { RUNS = 4 };
    double accuracy[RUNS];
    for (int run = 0; run < RUNS; run++)
        accuracy[run] = train_and_test(seed * 100 + (uint64_t)run, s);
    return values_mean(accuracy, RUNS);
}
