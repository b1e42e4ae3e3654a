/* language.c: the language, the decoder, and what is wrong with it. See language.h. */
#include "lectures/mystery/language.h"

#include <stdlib.h>

static const double follows = 0.85, ends = 0.15, dropout = 0.1;

/* ---- the language ---------------------------------------------------------------------------- */

double language_letter_p(const int *x, int i, int letter)
{
    if (i < 2)
        return 1.0 / LETTERS;
    int next = LETTER + (x[i - 2] - LETTER + 1) % LETTERS;
    return letter == next ? follows : (1 - follows) / (LETTERS - 1);
}

double language_end_p(int i)
{
    return i < LEAST ? 0 : i == MOST ? 1 : ends;
}

/* Draws the letters of a sentence, and returns how many. */
static int draw_sentence(Rng *rng, int x[MOST])
{
    for (int i = 0;; i++) {
        double u = rng_uniform(rng);
        for (x[i] = LETTER; x[i] < WORDS - 1 && u >= language_letter_p(x, i, x[i]); x[i]++)
            u -= language_letter_p(x, i, x[i]);
        if (rng_uniform(rng) < language_end_p(i + 1))
            return i + 1;
    }
}

/* The entropy of a sentence divided by the mean number of its tokens, in nats. */
static double entropy(void)
{
    double letter = -follows * log(follows) - (1 - follows) * log((1 - follows) / (LETTERS - 1));
    double end = -ends * log(ends) - (1 - ends) * log(1 - ends), there = 1, nats = 0, tokens = 1;
    for (int n = 1; n <= MOST; n++) {
        nats += there * (n <= 2 ? log(LETTERS) : letter);
        nats += n >= LEAST && n < MOST ? there * end : 0;
        tokens += there;
        there *= n >= LEAST ? 1 - ends : 1;
    }
    return nats / tokens;
}

static void fill_row(Batch *b, int row, const int *x, int n)
{
    int *in = b->in + row * T, *target = b->target + row * T, start = T - n - 1;
    b->start[row] = start;
    for (int t = 0; t < T; t++) {
        int i = t - start; /* of the sentence */
        in[t] = i < 0 ? PAD : i == 0 ? BOS : x[i - 1];
        target[t] = i < 0 ? IGNORE : i == n ? END : x[i];
    }
}

static void draw_batch(Rng *rng, Batch *b, int rows)
{
    int x[MOST];
    b->rows = rows;
    for (int row = 0; row < rows; row++) {
        int n = draw_sentence(rng, x);
        fill_row(b, row, x, n);
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

int language_depth(const Run *r)
{
    return r->model == DEEP ? LAYERS : LAYERS - 2;
}

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    Params *p = r->params;
    bool ok = m && nn_embedding_init(&m->embedding, p, "embedding", WORDS, C) &&
              nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, T, C);
    for (int i = 0; ok && i < language_depth(r); i++) {
        Layer *l = &m->layer[i];
        params_enter(p, params_format(p, "block%d", i + 1));
        ok = nn_linear_init(&l->q, p, "q", C, C, true) &&
             nn_linear_init(&l->k, p, "k", C, C, true) &&
             nn_linear_init(&l->v, p, "v", C, C, true) &&
             nn_linear_init(&l->out, p, "out", C, C, true) &&
             nn_linear_init(&l->up, p, "up", C, HIDDEN, true) &&
             nn_linear_init(&l->down, p, "down", HIDDEN, C, true) &&
             nn_layernorm_init(&l->norm1, p, "norm1", C) &&
             nn_layernorm_init(&l->norm2, p, "norm2", C);
        params_leave(p);
    }
    for (int i = 1; ok && i < p->count;
         i++) /* matrices of blocks: variance 1 / in, for which deep */
        for (int64_t k = 0; p->weight[i]->shape.rank == 2 && k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] *= (real)1.732; /* post-norm needs the warm-up (row 35) */
    ok = ok && nn_linear_init(&m->head, p, "head", C, WORDS, true);
    if (ok)
        draw_batch(&(Rng){.seed = r->seed, .stream = 3}, &m->held, HELD);
    return ok;
}

/* (rows, n, n): 1 where query i may see key j. */
static Tensor *make_keep(const Run *r, const Batch *b, int n)
{
    real keep[HELD * T * T];
    int ahead = faulty(r, "mask-ahead")    ? 1
                : faulty(r, "mask-behind") ? -1
                : faulty(r, "no-mask")     ? n
                                           : 0;
    for (int row = 0; row < b->rows; row++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                bool pad = j < b->start[row] && !faulty(r, "padding-attended");
                keep[(row * n + i) * n + j] = j <= i + ahead && !pad;
            }
    return tape_input(r->tape, keep, shape3(b->rows, n, n));
}

static Tensor *in_heads(Tensor *x)
{
    Shape s = x->shape;
    return ag_transpose(ag_reshape(x, shape4(s.dim[0], s.dim[1], H, C / H)), 1, 2);
}

static Tensor *attend(const Run *r, int layer, const Layer *l, Tensor *x, Tensor *keep)
{
    Network *m = r->network;
    Tensor *q = in_heads(nn_linear(&l->q, x)), *v = in_heads(nn_linear(&l->v, x));
    Tensor *k = in_heads(nn_linear(faulty(r, "keys-tied") ? &l->q : &l->k, x));
    Tensor *scores = ag_matmul(q, ag_transpose(k, 2, 3)), *a;
    if (!faulty(r, "no-scale"))
        scores = ag_scale(scores, (real)(1 / sqrt(C / H)));
    if (faulty(r, "softmax-queries")) {
        Tensor *turned = ag_copy(ag_transpose(scores, 2, 3));
        Mask mask = {.keep = ag_copy(ag_transpose(keep, 1, 2))};
        a = ag_copy(ag_transpose(ag_masked_softmax(turned, mask), 2, 3));
    } else {
        a = ag_masked_softmax(scores, (Mask){.keep = keep});
    }
    m->map[layer] = a;
    m->scores[layer] = scores;
    Tensor *heads = ag_matmul(a, v);
    return nn_linear(&l->out, ag_reshape(ag_copy(ag_transpose(heads, 1, 2)), x->shape));
}

static Tensor *block(const Run *r, int layer, Tensor *x, Tensor *keep)
{
    Network *m = r->network;
    const Layer *l = &m->layer[faulty(r, "layers-tied") ? 0 : layer];
    bool direct = !faulty(r, "no-residual"), norm = !faulty(r, "no-norm");
    real p = (real)(faulty(r, "dropout-high") ? 0.4 : dropout);
    Tensor *y = ag_dropout(attend(r, layer, l, x, keep), p);
    y = direct ? ag_add(x, y) : y;
    y = norm ? nn_norm(&l->norm1, y) : y;
    Tensor *f = ag_dropout(nn_linear(&l->down, ag_relu(nn_linear(&l->up, y))), p);
    f = direct ? ag_add(y, f) : f;
    return m->stream[layer] = norm ? nn_norm(&l->norm2, f) : f;
}

Tensor *language_forward(Run *r, const Batch *b, int n)
{
    Network *m = r->network;
    int ids[HELD * T], at[HELD * T], order[T];
    for (int t = 0; t < T; t++)
        order[t] = t;
    if (faulty(r, "positions-shuffled"))
        rng_shuffle(&r->noise, order, T);
    for (int row = 0; row < b->rows; row++)
        for (int t = 0; t < n; t++) {
            ids[row * n + t] = b->in[row * T + t];
            at[row * n + t] = order[t > b->start[row] ? t - b->start[row] : 0];
        }
    Tensor *x = nn_embedding(&m->embedding, tape_ids(r->tape, ids, shape2(b->rows, n)));
    if (faulty(r, "embedding-frozen"))
        x = ag_detach(x);
    if (!faulty(r, "no-positions"))
        x = nn_position_at(&m->position, x, tape_ids(r->tape, at, shape2(b->rows, n)));
    Tensor *keep = make_keep(r, b, n);
    for (int i = 0; i < language_depth(r); i++)
        x = block(r, i, x, keep);
    return nn_linear(&m->head, x);
}

/* ---- losses ---------------------------------------------------------------------------------- */

void language_labels(const Run *r, const Batch *b, int *label)
{
    for (int i = 0; i < b->rows * T; i++) {
        bool pad = b->target[i] == IGNORE;
        label[i] = faulty(r, "not-shifted") && !pad ? b->in[i] : b->target[i];
        if (faulty(r, "padding-counted") && pad)
            label[i] = PAD;
    }
    if (faulty(r, "labels-mixed")) /* those of the next sentence */
        for (int i = 0; i < b->rows * T; i++)
            label[i] = b->target[i] == IGNORE ? IGNORE : b->target[(i + T) % (b->rows * T)];
}

static Tensor *loss(Run *r)
{
    Network *m = r->network;
    static int label[HELD * T];
    static Batch b;
    draw_batch(&r->data, &b, BATCH);
    for (int row = 0; faulty(r, "test-leak") && row < BATCH; row++) {
        int from = (int)rng_below(&r->noise, HELD);
        memcpy(b.in + row * T, m->held.in + from * T, sizeof(int) * T);
        memcpy(b.target + row * T, m->held.target + from * T, sizeof(int) * T);
        b.start[row] = m->held.start[from];
    }
    if (m->batches < 2)
        m->first[m->batches++] = b;
    language_labels(r, &b, label);
    Tensor *logits = language_forward(r, &b, T);
    if (faulty(r, "softmax-twice"))
        logits = ag_softmax(logits);
    return ag_cross_entropy_ignore(logits, tape_ids(r->tape, label, shape2(BATCH, T)), IGNORE);
}

Tensor *language_held(Run *r)
{
    tape_reset(r->tape);
    r->tape->training = faulty(r, "dropout-on");
    Tensor *logits = language_forward(r, &r->network->held, T);
    r->tape->training = false;
    return logits;
}

static double held(Run *r)
{
    const Batch *b = &r->network->held;
    Tensor *logits = language_held(r);
    return (double)tensor_item(
        ag_cross_entropy_ignore(logits, tape_ids(r->tape, b->target, shape2(HELD, T)), IGNORE));
}

const Trained language = {"a decoder of 4 post-norm blocks, on a language of 6 letters",
                          .unit = "nats a token",
                          .steps = 400,
                          .warmup = 100,
                          .rate = 3e-3,
                          .init = init,
                          .loss = loss,
                          .held = held,
                          .measure = language_measure,
                          .entropy = entropy};
const Trained deep = {"a decoder of 6 post-norm blocks, on a language of 6 letters",
                      .unit = "nats a token",
                      .steps = 400,
                      .warmup = 100,
                      .rate = 7e-3,
                      .init = init,
                      .loss = loss,
                      .held = held,
                      .measure = language_measure,
                      .entropy = entropy};
