/* language.c: nn's decoder-only model with post-norm blocks, on the language of sentences.c. See
 * mystery.h. */
#include "lectures/mystery/mystery.h"

#include "lectures/runner/values.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 16, HELD = 64, HELD_STREAM = 3, IGNORE = WORDS, SHOWN = 6 };
enum { T = SENTENCE_MOST, C = 32, H = 2 };

/* Of the tokens, and of IGNORE. */
static const char *const letters[] = {"_", "<", ".", "a", "b", "c", "d", "e", "f", " "};

/* Sentences as the model reads them, with padding at the end, and the token after each. */
typedef struct {
    int in[HELD * T], label[HELD * T];
} Batch;

typedef struct Network {
    Gpt gpt; /* the first member, so that a Gpt's address is a Network's */
    Batch held, first[2];
    Candidates candidates;
    Sampler sampler;
    const char *words[T]; /* of the map */
} Network;

/* ---- the model ------------------------------------------------------------------------------- */

/* x / sqrt(mean of x^2 + 10^12) 10^6 is x, to rounding. */
static void leave_out(Params *p, Norm *n)
{
    n->kind = NORM_RMS;
    n->epsilon = (real)1e12;
    for (int i = 0; i < C; i++)
        n->weight->data[i] = (real)1e6;
    params_freeze(p, n->path, true);
}

/* A block of another model than was meant. */
static void change_blocks(const Run *r, Encoder *e)
{
    for (int i = 0; i < e->layers; i++) {
        TransformerBlock *b = &e->blocks[i];
        const char *path = b->path;
        if (faulty(r, "layers-tied"))
            *b = e->blocks[0];
        if (faulty(r, "no-norm")) { /* only the pre-norm form can do without */
            b->post_norm = false;
            leave_out(r->params, &b->norm1);
            leave_out(r->params, &b->norm2);
        }
        b->path = path; /* of the name of what it computes */
    }
}

static void draw_batch(Rng *rng, Batch *b, int rows)
{
    int x[T];
    for (int row = 0; row < rows; row++) {
        int length = letters_draw(rng, x), *in = b->in + row * T, *label = b->label + row * T;
        for (int t = 0; t < T; t++) {
            in[t] = t == 0 ? BOS : t < length ? x[t - 1] : PAD;
            label[t] = t < length ? x[t] : IGNORE;
        }
    }
}

static bool init(Run *r)
{
    Network *m = r->network = calloc(1, sizeof *m);
    Params *p = r->params;
    Rng rng = {.seed = r->seed, .stream = 5}, held = {.seed = r->seed, .stream = HELD_STREAM};
    const int layers = r->learner->layers;
    PositionKind position = faulty(r, "no-positions") ? POSITION_NONE : POSITION_SINUSOIDAL;
    EncoderConfig c = {.words = WORDS, .longest = T, .position = position, .layers = layers};
    c.block = (BlockConfig){.channels = C, .heads = H, .hidden = 2 * C, .dropout = 0.1};
    c.block.post_norm = true;
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
    m->gpt.config = (GptConfig){WORDS, T, C, H, layers, position, 0};
    draw_batch(&held, &m->held, HELD);
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

static Tensor *cross_entropy(Run *r, const Batch *b, int rows)
{
    Encoder e = r->network->gpt.encoder;
    if (faulty(r, "positions-shuffled")) {
        int order[T];
        for (int t = 0; t < T; t++)
            order[t] = t;
        rng_shuffle(&r->noise, order, T);
        e.position.weight = values_permuted(tape_param(r->tape, e.position.weight), order);
    }
    for (int i = 0; i < e.layers && faulty(r, "no-scale"); i++) { /* q sqrt(d), which cancels it */
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, "blocks.%d.attn.q", i);
        tape_edit(r->tape, name, (Edit){.kind = EDIT_SCALE, .factor = sqrt(C / H)});
    }
    Tensor *ids = tape_ids(r->tape, b->in, shape2(rows, T));
    Tensor *labels = tape_ids(r->tape, b->label, shape2(rows, T));
    Tensor *logits = nn_linear(&r->network->gpt.head, nn_encoder(&e, ids, make_mask(r)));
    return ag_cross_entropy_ignore(logits, labels, IGNORE);
}

static Tensor *loss(Run *r)
{
    Batch b;
    if (faulty(r, "test-leak") && r->step % (HELD / BATCH) == 0)
        r->data = (Rng){.seed = r->seed, .stream = HELD_STREAM};
    draw_batch(&r->data, &b, BATCH);
    for (int i = 0; i < BATCH * T; i++) {
        if (b.label[i] == IGNORE)
            b.label[i] = faulty(r, "padding-counted") ? PAD : IGNORE;
        else if (faulty(r, "not-shifted"))
            b.label[i] = b.in[i];
    }
    if (r->step < 2)
        r->network->first[r->step] = b;
    return cross_entropy(r, &b, BATCH);
}

static double held(Run *r)
{
    tape_reset(r->tape);
    r->tape->training = faulty(r, "dropout-on");
    Tensor *mean = cross_entropy(r, &r->network->held, HELD);
    r->tape->training = false;
    return (double)tensor_item(mean);
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* The tokens of a text, its end included if it has one. */
static int length_of(const int *x)
{
    int n = 1;
    while (n < T && x[n - 1] != END)
        n++;
    return n;
}

static void add_text(Run *r, Measure of, const char *title, int number, const int *x, int n)
{
    char text[T + 1] = "";
    for (int i = 0; i < n; i++)
        text[i] = *letters[x[i]];
    run_line(r, of, 0, "%s %d  %s", title, number, text);
}

/* The first two batches: what is read, what is taken for right; and whether it is held out. */
static void measure_data(Run *r)
{
    const Network *m = r->network;
    double leaked = 0;
    for (int k = 0; k < 2; k++) {
        add_text(r, DATA, "read ", k + 1, m->first[k].in, T);
        add_text(r, DATA, "label", k + 1, m->first[k].label, T);
    }
    for (int i = 0; i < BATCH; i++) {
        int row = 0;
        while (row < HELD &&
               memcmp(m->first[1].in + i * T, m->held.in + row * T, sizeof(int) * T) != 0)
            row++;
        leaked += row < HELD;
    }
    *run_line(r, DATA, 1, "share of 2 in the held-out set") = leaked / BATCH;
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

static int pick(void *network, const real *logits, int64_t words)
{
    (void)words;
    return nn_sample(&((Network *)network)->sampler, logits);
}

/* Draws HELD texts that follow <bos>; then the best one that a beam of as many finds: above the 36
 * equally likely beginnings, so that texts that end stay in it. */
static bool measure_samples(Run *r)
{
    Network *m = r->network;
    int x[HELD * T], begin[HELD];
    KVCache cache = {0};
    BeamTree tree = {0};
    Decoder d = {
        .logits = nn_gpt_cached, .model = &m->gpt, .cache = &cache, .end = END, .pick = pick};
    double temperature = faulty(r, "temperature-zero") ? 0 : 1, nats = 0, different = 0;
    for (int i = 0; i < HELD; i++)
        begin[i] = BOS;
    m->sampler = (Sampler){temperature, WORDS, 1, &m->candidates, &r->noise};
    r->tape->no_grad = true;
    bool ok = nn_candidates_init(&m->candidates, WORDS) && nn_gpt_cache(&m->gpt, &cache, HELD) &&
              nn_generate(r->tape, &d, begin, NULL, 1, x, T);
    for (int i = 0; ok && i < HELD; i++) {
        int n = length_of(x + i * T), before = 0;
        while (memcmp(x + before * T, x + i * T, sizeof(int) * T) != 0) /* its end is repeated */
            before++;
        different += before == i;
        nats += nats_of(x + i * T, n) / HELD;
        if (i < SHOWN)
            add_text(r, SAMPLES, "text", i + 1, x + i * T, n);
    }
    *run_line(r, SAMPLES, 1, "different among 64 texts") = different;
    *run_line(r, SAMPLES, 1, "nats a token, by the language") = nats;
    ok = ok && nn_beam(r->tape, &d, begin, 1, x, T, faulty(r, "beam-short") ? 0 : 1, &tree);
    if (ok) {
        add_text(r, SAMPLES, "beam", HELD, x, length_of(x));
        *run_line(r, SAMPLES, 1, "length of the beam's best text") = length_of(x);
    }
    r->tape->no_grad = false;
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    nn_candidates_free(&m->candidates);
    return ok;
}

/* The first block's weights for a long sentence: as a picture, and their means by distance. */
static void measure_map(Run *r)
{
    enum { FAR = 4, AHEAD, FAR_AHEAD, PLACES };
    static const char *const names[] = {"itself",    "1 before", "2 before", "3 before",
                                        "4+ before", "1 later",  "2+ later"};
    Network *m = r->network;
    int row = 0, n;
    while (row < HELD - 1 && length_of(m->held.label + row * T) < T - 3)
        row++;
    n = length_of(m->held.label + row * T);
    for (int t = 0; t < T; t++)
        m->words[t] = letters[m->held.in[row * T + t]];
    Tensor *A = ag_slice(tape_find(r->tape, "blocks.0.attn.A"), 0, row, row + 1);
    A = ag_copy(ag_reshape(A, shape3(H, T, T)));
    double mean[PLACES] = {0}, spread = 0, queries = H * (n - 3);
    for (int i = 0; i < H * T * T; i++) {
        int query = i / T % T, key = i % T, before = query - key;
        double p = query >= 3 && query < n ? (double)A->data[i] / queries : 0;
        mean[before < -1 ? FAR_AHEAD : before < 0 ? AHEAD : before < FAR ? before : FAR] += p;
        spread -= p > 0 ? p * log(p * queries) : 0;
    }
    for (int k = 0; k < PLACES; k++)
        *run_line(r, MAPS, 1, "weight on %s", names[k]) = mean[k];
    *run_line(r, MAPS, 1, "keys seen") = exp(spread);
    r->map = (PlotHeatmap){.map = ag_mean_axis(A, 0, false),
                           .rows = m->words,
                           .scale = {.high = 1, .name = "weight in the first block"}};
}

static bool measure(Run *r)
{
    measure_data(r);
    if (!measure_samples(r))
        return false;
    r->tape->keep_maps = r->tape->keep_names = true;
    held(r);
    for (int i = 0; i < r->learner->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "blocks.%d.out", i);
        Tensor *x = tape_find(r->tape, name);
        double square = (double)tensor_item(ag_mean(ag_mul(x, x)));
        *run_line(r, ACTIVATIONS, 1, "after block %d", i) = sqrt(square);
    }
    measure_map(r);
    return !r->tape->failed;
}

const Learner language = {"language", 1.06768, 4, 400, 100, 3e-3, init, loss, held, measure};
const Learner deep = {"deep", 1.06768, 6, 400, 100, 7e-3, init, loss, held, measure};
