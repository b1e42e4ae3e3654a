/* recall.c: trains layers to recall a symbol after a lag. See recall.h. */
#include "lectures/01-recurrence/recall.h"

static const double rate = 0.01;

enum { WIDTH = 16, LONGEST_LAG = 128, RECENT = 20 };

const char *const recall_names[RECALL_KINDS] = {"RNN", "LSTM", "GRU", "attention", "Transformer"};

/* ---- model and task --------------------------------------------------------------------------------------------- */

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

/* The gates' order in bias_ih is i f g o in an LSTM, r z n in a GRU. */
void recall_start(RNNCell *cell, RecallStart start, int lag)
{
    if (start == START_IDENTITY && cell->kind == RNN_TANH)
        for (int64_t i = 0; i < cell->hidden * cell->hidden; i++)
            cell->weight_hh->data[i] = i % (cell->hidden + 1) == 0;
    if (start != START_OPEN && start != START_SHUT)
        return;
    double keep = start == START_OPEN ? log(lag) : -2;
    if (cell->kind != RNN_TANH)
        set(cell->bias_ih, 1, cell->hidden, keep);
    if (cell->kind == RNN_LSTM)
        set(cell->bias_ih, 0, cell->hidden, -keep);
}

static bool reader_init(Reader *r, Params *p, RecallSetting s)
{
    *r = (Reader){.setting = s};
    bool ok = nn_embedding_init(&r->embedding, p, "embedding", RECALL_TOKENS, WIDTH) &&
              nn_layernorm_init(&r->norm, p, "norm", WIDTH) &&
              nn_linear_init(&r->head, p, "head", WIDTH, RECALL_SYMBOLS, true);
    if (s.kind == RECALL_ATTENTION)
        return ok && nn_attention_init(&r->attention, p, "attention", WIDTH, 4, 0);
    for (int l = 0; ok && l < s.layers; l++) {
        const char *name = params_format(p, "layer.%d", l);
        if (s.kind == RECALL_TRANSFORMER) {
            BlockConfig block = {.channels = WIDTH, .heads = 4};
            ok = nn_transformer_block_init(&r->block[l], p, name, block);
            continue;
        }
        ok = nn_rnn_init(&r->rnn[l], p, name, (RNNKind)s.kind, WIDTH, WIDTH, 1);
        if (ok)
            recall_start(&r->rnn[l].layer[0], s.start, s.lag);
    }
    return ok;
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
        Tensor *h = nn_rnn(&r->rnn[l], x, NULL);
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
        asked[b] = row[0] = (int)rng_below(rng, RECALL_SYMBOLS);
        for (int i = 1; i <= lag; i++)
            row[i] = RECALL_SYMBOLS + (int)rng_below(rng, RECALL_TOKENS - RECALL_SYMBOLS);
    }
}

/* The share of right answers; NaN where the logits are not finite, or 0 throughout: never computed. */
static double share_right(const Tensor *logits, const int *asked)
{
    int right = 0;
    double largest = values_largest(logits);
    for (int b = 0; b < RECALL_BATCH; b++) {
        int best = 0;
        for (int k = 1; k < RECALL_SYMBOLS; k++)
            if (logits->data[b * RECALL_SYMBOLS + k] > logits->data[b * RECALL_SYMBOLS + best])
                best = k;
        right += best == asked[b];
    }
    return largest > 0 ? (double)right / RECALL_BATCH : (double)NAN;
}

/* ---- training ----------------------------------------------------------------------------------------------------- */

/* One step of training, or, where adam is NULL, a test; returns the share of right answers before the step. */
static double one_batch(const Reader *r, Params *p, Tape *tape, Adam *adam, Rng *rng, int lag)
{
    int ids[RECALL_BATCH * (LONGEST_LAG + 1)], asked[RECALL_BATCH];
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

Recalled recall_train(uint64_t seed, RecallSetting s)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 120 + (uint64_t)s.lag};
    Adam adam = {0};
    Reader r;
    Recalled result = {0};
    double recent[RECENT] = {0}, sum = 0;
    s.layers = s.layers ? s.layers : 1;
    bool ok = reader_init(&r, p, s) && adam_init(&adam, p, rate);
    for (int step = 0; ok && step < s.steps && !(s.until_learned && result.learned); step++) {
        double left = 2 * (1 - (double)step / s.steps);
        adam.rate = rate * (s.until_learned || left > 1 ? 1 : left);
        double right = one_batch(&r, p, tape, &adam, &rng, s.lag);
        sum += right - recent[step % RECENT];
        recent[step % RECENT] = right;
        if (!result.learned && step + 1 >= RECENT && sum >= 0.95 * RECENT)
            result.learned = step + 1;
    }
    for (int i = 0; ok && i < RECALL_TESTS / RECALL_BATCH; i++)
        result.accuracy += one_batch(&r, p, tape, NULL, &rng, s.lag) * RECALL_BATCH / RECALL_TESTS;
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok ? result : (Recalled){.accuracy = (double)NAN};
}

Mean recall_accuracy(uint64_t seed, RecallSetting s)
{
    enum { RUNS = 3 };
    double accuracy[RUNS];
    for (int run = 0; run < RUNS; run++)
        accuracy[run] = recall_train(seed * 100 + (uint64_t)run, s).accuracy;
    return values_mean(accuracy, RUNS);
}
