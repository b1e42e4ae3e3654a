/* language.c: nn's decoder-only model with post-norm blocks, on the language of sentences.c. See
 * mystery.h. */
#include "lectures/mystery/mystery.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, HELD = 64, IGNORE = -100, T = SENTENCE_MOST };
enum { LAYERS = 6, C = 32, H = 2, HIDDEN = 64, SHOWN = 6 };

/* Sentences as the model reads them, with padding at the end, and the token after each. */
typedef struct {
    int rows, in[HELD * T], target[HELD * T];
} Batch;

typedef struct Network {
    Gpt gpt;
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
        int length = letters_draw(rng, x);
        for (int t = 0; t < T; t++) {
            b->in[row * T + t] = t == 0 ? BOS : t < length ? x[t - 1] : PAD;
            b->target[row * T + t] = t < length ? x[t] : IGNORE;
        }
    }
}

/* ---- the model ------------------------------------------------------------------------------- */

static int depth(const Run *r)
{
    return r->model == DEEP ? LAYERS : LAYERS - 2;
}

/* A block of another model than was meant. */
static void change_blocks(const Run *r, Encoder *e)
{
    for (int i = 0; i < e->layers; i++) {
        TransformerBlock *b = &e->blocks[i];
        const char *path = b->path, *attention = b->attn.path;
        if (faulty(r, "layers-tied"))
            *b = e->blocks[0];
        if (faulty(r, "no-norm")) { /* only the pre-norm form can do without */
            b->post_norm = false;
            b->norm1 = b->norm2 = (Norm){0};
        }
        b->path = path; /* of the names of what it computes */
        b->attn.path = attention;
    }
}

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    Params *p = r->params;
    Rng rng = {.seed = r->seed, .stream = 5};
    PositionKind position = faulty(r, "no-positions") ? POSITION_NONE : POSITION_SINUSOIDAL;
    EncoderConfig c = {.words = WORDS, .longest = T, .position = position, .layers = depth(r)};
    c.block = (BlockConfig){.channels = C, .heads = H, .hidden = HIDDEN, .dropout = 0.1};
    c.block.post_norm = true;
    c.block.scale = faulty(r, "no-scale") ? 1 : 0;
    if (!m || !nn_encoder_init(&m->gpt.encoder, p, "", c))
        return false;
    for (int i = 1; i < p->count; i++) { /* matrices of blocks get the variance 1 / in, for which */
        const Tensor *w = p->weight[i];  /* deep post-norm needs the warm-up (row 35)             */
        for (int64_t k = 0; w->shape.rank == 2 && k < tensor_size(w); k++)
            w->data[k] = (real)(rng_normal(&rng) / sqrt((double)w->shape.dim[1]));
    }
    if (faulty(r, "embedding-frozen"))
        params_freeze(p, "embedding", true);
    change_blocks(r, &m->gpt.encoder);
    m->gpt.config = (GptConfig){WORDS, T, C, H, depth(r), position, 0};
    for (int row = 0; row < HELD; row++)
        m->begin[row] = BOS;
    draw_batch(&(Rng){.seed = r->seed, .stream = 3}, &m->held, HELD);
    return nn_linear_init(&m->gpt.head, p, "head", C, WORDS, true);
}

/* (T, T): 1 where query i may see key j. Padding comes later than all that has a label. */
static Mask make_mask(const Run *r)
{
    real keep[T * T];
    int ahead = faulty(r, "mask-ahead")    ? 1
                : faulty(r, "mask-behind") ? -1
                : faulty(r, "no-mask")     ? T
                                           : 0;
    for (int i = 0; i < T * T; i++)
        keep[i] = i % T <= i / T + ahead;
    return (Mask){.keep = tape_input(r->tape, keep, shape2(T, T))};
}

static void shuffle_rows(Rng *rng, Tensor *table)
{
    for (int t = T - 1; t > 0; t--) {
        int64_t other = rng_below(rng, t + 1);
        for (int c = 0; c < C; c++) {
            real kept = table->data[t * C + c];
            table->data[t * C + c] = table->data[other * C + c];
            table->data[other * C + c] = kept;
        }
    }
}

static Tensor *forward(Run *r, const Batch *b)
{
    const Gpt *gpt = &r->network->gpt;
    if (faulty(r, "positions-shuffled"))
        shuffle_rows(&r->noise, gpt->encoder.position.weight);
    Tensor *ids = tape_ids(r->tape, b->in, shape2(b->rows, T));
    return nn_linear(&gpt->head, nn_encoder(&gpt->encoder, ids, make_mask(r)));
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* What the run takes for the next token. */
static void take_labels(const Run *r, const Batch *b, int *label)
{
    for (int i = 0; i < b->rows * T; i++) {
        bool padding = b->target[i] == IGNORE;
        label[i] = padding && faulty(r, "padding-counted") ? PAD
                   : !padding && faulty(r, "not-shifted")  ? b->in[i]
                                                           : b->target[i];
    }
}

static Tensor *loss(Run *r)
{
    Network *m = r->network;
    static int label[HELD * T];
    static Batch b;
    draw_batch(&r->data, &b, BATCH);
    if (faulty(r, "test-leak")) {
        int from = r->step * BATCH % HELD * T;
        memcpy(b.in, m->held.in + from, sizeof(int) * BATCH * T);
        memcpy(b.target, m->held.target + from, sizeof(int) * BATCH * T);
    }
    if (m->batches < 2)
        m->first[m->batches++] = b;
    take_labels(r, &b, label);
    Tensor *labels = tape_ids(r->tape, label, shape2(BATCH, T));
    return ag_cross_entropy_ignore(forward(r, &b), labels, IGNORE);
}

static double held(Run *r)
{
    const Batch *b = &r->network->held;
    tape_reset(r->tape);
    r->tape->training = faulty(r, "dropout-on");
    Tensor *logits = forward(r, b);
    r->tape->training = false;
    return (double)tensor_item(
        ag_cross_entropy_ignore(logits, tape_ids(r->tape, b->target, shape2(HELD, T)), IGNORE));
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The tokens of a text, its end included if it has one. */
static int length_of(const int *x)
{
    int n = 1;
    while (n < T && x[n - 1] != END)
        n++;
    return n;
}

/* A long sentence. */
static int shown_row(const Batch *b)
{
    int row = 0;
    while (row < b->rows - 1 && length_of(b->target + row * T) < T - 3)
        row++;
    return row;
}

/* The first block's mean weights by distance; and the map of the sentence that is shown. */
static void measure_map(Run *r)
{
    enum { FAR = 4, AHEAD, FAR_AHEAD, PLACES };
    static const char *const names[] = {"itself",    "1 before", "2 before", "3 before",
                                        "4+ before", "1 later",  "2+ later"};
    const Batch *b = &r->network->held;
    const real *a = tape_find(r->tape, "blocks.0.attn.A")->data;
    double mean[PLACES] = {0}, spread = 0;
    int queries = 0;
    for (int row = 0; row < HELD; row++)
        for (int i = 3; i < length_of(b->target + row * T); i++)
            for (int h = 0; h < H; h++, queries++)
                for (int j = 0; j < T; j++) {
                    double p = (double)a[((row * H + h) * T + i) * T + j];
                    int place = j > i + 1 ? FAR_AHEAD : j > i ? AHEAD : i - j < FAR ? i - j : FAR;
                    mean[place] += p;
                    spread -= p > 0 ? p * log(p) : 0;
                }
    for (int k = 0; k < PLACES; k++)
        run_number(r, MAPS, mean[k] / queries, "weight on %s", names[k]);
    run_number(r, MAPS, exp(spread / queries), "keys seen");
    const real *first = a + (int64_t)shown_row(b) * H * T * T;
    for (int i = 0; i < T * T; i++)
        r->map[i] = (first[i] + first[T * T + i]) / H;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static char letter_of(int id)
{
    return id == IGNORE ? ' ' : id < LETTER ? "_<."[id] : (char)('a' + id - LETTER);
}

static void put_text(char text[TEXT_LENGTH], const char *title, const int *x, int n)
{
    int at = snprintf(text, TEXT_LENGTH, "%s", title);
    for (int i = 0; i < n; i++)
        text[at++] = letter_of(x[i]);
    text[at] = 0;
}

static Tensor *next_logits(void *run, Tensor *ids, KVCache *cache)
{
    return nn_gpt_cached(&((Run *)run)->network->gpt, ids, cache);
}

static int pick(void *run, const real *logits, int64_t words)
{
    Run *r = run;
    double temperature = faulty(r, "temperature-zero") ? 0 : 1;
    return nn_sample(&(Sampler){temperature, words, 1, &r->network->candidates, &r->noise}, logits);
}

/* Draws HELD texts that follow <bos>, or the best one that a beam of as many finds: above the 36
 * equally likely beginnings, so that texts that end stay in it. */
static bool write_texts(Run *r, bool search, int *x)
{
    Network *m = r->network;
    KVCache cache = {0};
    BeamTree tree = {0};
    Decoder d = {next_logits, r, &cache, END, pick};
    double alpha = faulty(r, "beam-short") ? 0 : 1;
    r->tape->no_grad = true;
    bool ok = nn_gpt_cache(&m->gpt, &cache, HELD) &&
              (search ? nn_beam(r->tape, &d, m->begin, 1, x, T, alpha, &tree)
                      : nn_generate(r->tape, &d, m->begin, NULL, 1, x, T));
    r->tape->no_grad = false;
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    return ok;
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
    run_number(r, SAMPLES, (double)different / HELD, "different among %d texts", HELD);
    run_number(r, SAMPLES, nats, "nats a token, by the language");
    run_number(r, SAMPLES, length, "mean length");
    if (!write_texts(r, true, x))
        return false;
    put_text(r->text[SHOWN], "beam: ", x, length_of(x));
    run_number(r, SAMPLES, length_of(x), "length of the beam's best text");
    r->texts = SHOWN + 1;
    return true;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* The share of the rows of a that are in b. */
static double share(const Batch *a, const Batch *b)
{
    int found = 0;
    for (int i = 0; i < a->rows; i++) {
        int row = 0;
        while (row < b->rows && memcmp(a->in + i * T, b->in + row * T, sizeof(int) * T) != 0)
            row++;
        found += row < b->rows;
    }
    return (double)found / a->rows;
}

/* The first two batches: what is read, and what is taken for right. */
static void measure_data(Run *r)
{
    const Network *m = r->network;
    static int label[HELD * T];
    double same = 0, all = 0;
    for (int k = 0; k < 2; k++) {
        take_labels(r, &m->first[k], label);
        put_text(r->data_text[2 * k], k ? "batch 2 in    " : "batch 1 in    ", m->first[k].in, T);
        put_text(r->data_text[2 * k + 1], "        label ", label, T);
    }
    for (int i = 0; i < BATCH * T; i++) {
        all += label[i] != IGNORE;
        same += label[i] == m->first[1].in[i];
    }
    run_number(r, DATA, share(&m->first[1], &m->first[0]), "batch 2: share in batch 1");
    run_number(r, DATA, share(&m->first[1], &m->held), "batch 2: share in held-out set");
    run_number(r, DATA, same / all, "labels that are the input itself");
}

static bool measure(Run *r)
{
    const Batch *b = &r->network->held;
    r->tape->keep_maps = r->tape->keep_names = true;
    held(r);
    for (int i = 0; i < depth(r); i++) {
        const Tensor *x = tape_find(r->tape, params_format(r->params, "blocks.%d.out", i));
        double square = square_norm(x->data, tensor_size(x)) / (double)tensor_size(x);
        run_number(r, ACTIVATIONS, sqrt(square), "after block %d", i);
    }
    measure_map(r);
    r->map_side = T;
    for (int t = 0; t < T; t++)
        snprintf(r->labels[t], sizeof r->labels[t], "%c", letter_of(b->in[shown_row(b) * T + t]));
    measure_data(r);
    r->tape->keep_maps = r->tape->keep_names = false;
    bool ok = nn_candidates_init(&r->network->candidates, WORDS) && measure_samples(r);
    nn_candidates_free(&r->network->candidates);
    return ok && !r->tape->failed;
}

const Learner language = {init, loss, held, measure, letters_entropy};
