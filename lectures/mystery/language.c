/* language.c: a Transformer decoder that learns the language of sentences.c. See mystery.h.
 *
 *   tokens -> embedding + position -> 4 or 6 x post-norm block -> linear -> softmax
 *
 * Sentences are padded on the left. Positions count from a sentence's own beginning. */
#include "lectures/mystery/mystery.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, HELD = 64, IGNORE = -100, T = SENTENCE_MOST };
enum { LAYERS = 6, C = 32, H = 2, HIDDEN = 64, SHOWN = 6 };

/* Sentences as the model reads them. */
typedef struct {
    int rows, in[HELD * T], target[HELD * T], start[HELD];
} Batch;

typedef struct Network {
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock block[LAYERS];
    Linear head;
    Batch held, first[2];
    int batches, begin[HELD]; /* <bos> */
    Candidates candidates;
} Network;

/* ---- data ----------------------------------------------------------------------------------- */

static void draw_batch(Rng *rng, Batch *b, int rows)
{
    int x[T];
    b->rows = rows;
    for (int row = 0; row < rows; row++) {
        int start = b->start[row] = T - letters_draw(rng, x);
        for (int t = 0; t < T; t++) {
            int i = t - start; /* of the sentence */
            b->in[row * T + t] = i < 0 ? PAD : i == 0 ? BOS : x[i - 1];
            b->target[row * T + t] = i < 0 ? IGNORE : x[i];
        }
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static int depth(const Run *r)
{
    return r->model == DEEP ? LAYERS : LAYERS - 2;
}

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    Params *p = r->params;
    Rng rng = {.seed = r->seed, .stream = 5};
    BlockConfig c = {.channels = C, .heads = H, .hidden = HIDDEN, .post_norm = true};
    c.scale = faulty(r, "no-scale") ? 1 : 0;
    bool ok = m && nn_embedding_init(&m->embedding, p, "embedding", WORDS, C) &&
              nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, T, C);
    for (int i = 0; ok && i < depth(r); i++)
        ok = nn_transformer_block_init(&m->block[i], p, params_format(p, "block%d", i + 1), c);
    for (int i = 1; ok && i < p->count; i++) { /* matrices of blocks get the variance 1 / in, for */
        const Tensor *w = p->weight[i];        /* which deep post-norm needs the warm-up (row 35) */
        for (int64_t k = 0; w->shape.rank == 2 && k < tensor_size(w); k++)
            w->data[k] = (real)(rng_normal(&rng) / sqrt((double)w->shape.dim[1]));
    }
    for (int row = 0; ok && row < HELD; row++)
        m->begin[row] = BOS;
    if (ok)
        draw_batch(&(Rng){.seed = r->seed, .stream = 3}, &m->held, HELD);
    return ok && nn_linear_init(&m->head, p, "head", C, WORDS, true);
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

/* What nn_transformer_block does after a branch in post-norm form, unless it is faulty. */
static Tensor *joined(const Run *r, const Norm *norm, Tensor *x, Tensor *branch)
{
    Tensor *y = ag_dropout(branch, (real)0.1);
    y = ag_add(x, y);
    return faulty(r, "no-norm") ? y : nn_norm(norm, y);
}

/* The logits (rows, n, WORDS) of the first n columns. */
static Tensor *forward(Run *r, const Batch *b, int n)
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
    const Mask mask = {.keep = make_keep(r, b, n)};
    for (int i = 0; i < depth(r); i++) {
        TransformerBlock block = m->block[faulty(r, "layers-tied") ? 0 : i];
        block.attn.path = m->block[i].attn.path; /* the name of its map */
        x = joined(r, &block.norm1, x, nn_attention(&block.attn, x, mask));
        x = joined(r, &block.norm2, x, nn_feedforward(&block.ff, x));
        x = ag_name(x, "stream%d", i + 1);
    }
    return nn_linear(&m->head, x);
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* What the run takes for the next token. */
static void take_labels(const Run *r, const Batch *b, int *label)
{
    for (int i = 0; i < b->rows * T; i++)
        label[i] = b->target[i] != IGNORE && faulty(r, "not-shifted") ? b->in[i] : b->target[i];
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
    take_labels(r, &b, label);
    Tensor *logits = forward(r, &b, T);
    return ag_cross_entropy_ignore(logits, tape_ids(r->tape, label, shape2(BATCH, T)), IGNORE);
}

static double held(Run *r)
{
    const Batch *b = &r->network->held;
    tape_reset(r->tape);
    r->tape->training = faulty(r, "dropout-on");
    Tensor *logits = forward(r, b, T);
    r->tape->training = false;
    return (double)tensor_item(
        ag_cross_entropy_ignore(logits, tape_ids(r->tape, b->target, shape2(HELD, T)), IGNORE));
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* A sentence with some padding, and not much. */
static int shown_row(const Batch *b)
{
    int row = 0;
    while (row < b->rows - 1 && (b->start[row] < 2 || b->start[row] > 4))
        row++;
    return row;
}

/* The mean weights by distance, from queries of sentences alone; and their first map. */
static void measure_map(Run *r, int layer, int kept)
{
    enum { FAR = 4, AHEAD, FAR_AHEAD, PADDING, PLACES };
    static const char *const names[] = {"itself",    "1 before", "2 before", "3 before",
                                        "4+ before", "1 later",  "2+ later", "padding"};
    const Batch *b = &r->network->held;
    const real *a = tape_find(r->tape, params_format(r->params, "block%d.attn.A", layer))->data;
    double mean[PLACES] = {0}, spread = 0;
    int queries = 0;
    for (int row = 0; row < HELD; row++)
        for (int i = b->start[row] + 3; i < T; i++)
            for (int h = 0; h < H; h++, queries++)
                for (int j = 0; j < T; j++) {
                    double p = (double)a[((row * H + h) * T + i) * T + j];
                    int place = j < b->start[row] ? PADDING
                                : j > i           ? (j > i + 1 ? FAR_AHEAD : AHEAD)
                                : i - j < FAR     ? i - j
                                                  : FAR;
                    mean[place] += p;
                    spread -= p > 0 ? p * log(p) : 0;
                }
    for (int k = 0; k < PLACES; k++)
        run_number(r, MAPS, mean[k] / queries, 0.1, false, "block %d, weight on %s", layer,
                   names[k]);
    run_number(r, MAPS, exp(spread / queries), 0.15, true, "block %d, keys seen", layer);
    const real *first = a + (int64_t)shown_row(b) * H * T * T;
    for (int i = 0; i < T * T; i++)
        r->map[kept][i] = (first[i] + first[T * T + i]) / H;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static char letter_of(int id)
{
    return id == IGNORE ? '_' : id < LETTER ? "_<."[id] : (char)('a' + id - LETTER);
}

static void put_text(char text[TEXT_LENGTH], const char *title, const int *x, int n)
{
    int at = snprintf(text, TEXT_LENGTH, "%s", title);
    for (int i = 0; i < n; i++)
        text[at++] = letter_of(x[i]);
    text[at] = 0;
}

/* A Decoder's logits. In place of keys, the cache has the tokens so far, of which all is computed
 * again, with the fault as it is in training. */
static Tensor *next_logits(void *model, Tensor *ids, KVCache *cache)
{
    static Batch b;
    int n = cache->length[0];
    real *told = cache->keys_values[0]->data;
    b.rows = (int)cache->batch;
    for (int row = 0; row < b.rows; row++) {
        told[row * T + n] = (real)ids->ids[row];
        for (int t = 0; t <= n; t++)
            b.in[row * T + t] = (int)told[row * T + t];
    }
    return ag_copy(ag_slice(forward(model, &b, n + 1), 1, n, n + 1));
}

static int pick(void *model, const real *logits, int64_t words)
{
    Run *r = model;
    double temperature = faulty(r, "temperature-zero") ? 0 : 1;
    return nn_sample(&(Sampler){temperature, words, 1, &r->network->candidates, &r->noise}, logits);
}

/* Draws HELD texts that follow <bos>, or the best one that a beam of as many finds: above the 36
 * equally likely beginnings, so that texts that end stay in it. */
static bool write_texts(Run *r, bool search, int *x)
{
    KVCache cache = {0};
    BeamTree tree = {0};
    Decoder d = {next_logits, r, &cache, END, pick};
    const int *prompt = r->network->begin;
    double alpha = faulty(r, "beam-short") ? 0 : 1;
    bool ok = nn_cache_init(&cache, 1, HELD, T, 1, 1) &&
              (search ? nn_beam(r->tape, &d, prompt, 1, x, T, alpha, &tree)
                      : nn_generate(r->tape, &d, prompt, NULL, 1, x, T));
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    return ok;
}

/* The tokens of a text, its end included if it has one. */
static int length_of(const int *x)
{
    int n = 1;
    while (n < T && x[n - 1] != END)
        n++;
    return n;
}

/* The nats a token of a text. What the language does not have is charged with 10 nats. */
static double nats_of(const int *x, int n)
{
    double nats = 0;
    for (int i = 0; i < n; i++) {
        double p = letters_p(x, i, x[i]);
        nats += p > 0 ? -log(p) : 10;
    }
    return nats / n;
}

static bool measure_samples(Run *r)
{
    static int x[HELD * T];
    int different = 0;
    double nats = 0, length = 0;
    if (!write_texts(r, false, x))
        return false;
    for (int row = 0; row < HELD; row++) {
        const int *text = x + row * T;
        int n = length_of(text), before = 0;
        while (memcmp(x + before * T, text, sizeof(int) * T) != 0) /* its end is repeated */
            before++;
        different += before == row;
        nats += nats_of(text, n) / HELD;
        length += (double)n / HELD;
        if (row < SHOWN)
            put_text(r->text[row], "", text, n);
    }
    run_number(r, SAMPLES, (double)different / HELD, 0.1, false, "different among %d texts", HELD);
    run_number(r, SAMPLES, nats, 0.15, false, "nats a token, by the language");
    run_number(r, SAMPLES, length, 1.5, false, "mean length");
    if (!write_texts(r, true, x))
        return false;
    put_text(r->text[SHOWN], "beam: ", x, length_of(x));
    run_number(r, SAMPLES, length_of(x), 2, false, "length of the beam's best text");
    r->texts = SHOWN + 1;
    return true;
}

/* ---- data ------------------------------------------------------------------------------------ */

static bool has_sentence(const Batch *b, const int *in)
{
    for (int row = 0; row < b->rows; row++)
        if (memcmp(in, b->in + row * T, sizeof(int) * T) == 0)
            return true;
    return false;
}

/* The first two batches: what is read, and what is taken for right. */
static void measure_data(Run *r)
{
    const Network *m = r->network;
    static int label[HELD * T];
    double twice = 0, known = 0, same = 0, next = 0, all = 0;
    for (int k = 0; k < 2; k++) {
        take_labels(r, &m->first[k], label);
        put_text(r->data_text[2 * k], k ? "batch 2 in    " : "batch 1 in    ", m->first[k].in, T);
        put_text(r->data_text[2 * k + 1], "        label ", label, T);
    }
    r->data_texts = 4;
    for (int i = 0; i < BATCH * T; i++) {
        const int *in = m->first[1].in + i;
        bool begins = i % T == 0;
        twice += begins && has_sentence(&m->first[0], in);
        known += begins && has_sentence(&m->held, in);
        all += label[i] != IGNORE;
        same += label[i] == *in;
        next += (i + 1) % T && label[i] == in[1];
    }
    run_number(r, DATA, twice / BATCH, 0.1, false, "batch 2: share in batch 1");
    run_number(r, DATA, known / BATCH, 0.1, false, "batch 2: share in held-out set");
    run_number(r, DATA, same / all, 0.1, false, "labels that are the input itself");
    run_number(r, DATA, next / all, 0.1, false, "labels that are the next input");
}

static bool measure(Run *r)
{
    const Batch *b = &r->network->held;
    r->tape->keep_maps = true;
    held(r);
    for (int i = 1; i <= depth(r); i++) {
        const Tensor *x = tape_find(r->tape, params_format(r->params, "stream%d", i));
        double square = square_norm(x->data, tensor_size(x)) / (double)tensor_size(x);
        run_number(r, ACTIVATIONS, sqrt(square), 0.1, true, "after block %d", i);
    }
    measure_map(r, 1, 0);
    measure_map(r, depth(r), 1);
    r->map_side = T;
    for (int t = 0; t < T; t++)
        snprintf(r->labels[t], sizeof r->labels[t], "%c", letter_of(b->in[shown_row(b) * T + t]));
    measure_data(r);
    r->tape->keep_maps = false;
    bool ok = nn_candidates_init(&r->network->candidates, WORDS) && measure_samples(r);
    nn_candidates_free(&r->network->candidates);
    return ok && !r->tape->failed;
}

const Learner language = {init, loss, held, measure, letters_entropy};
