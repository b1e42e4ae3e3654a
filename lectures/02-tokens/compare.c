/* compare.c: the same text as characters and as byte pairs (row 8).                Z "Tokenization"
 *
 * A loss in nats a token depends on how long tokens are; nats a character compare. For whatever
 * tokens
 *   -log p(text) = sum over the tokens of -log p(token | tokens before),  divided by the bytes of the text
 * is at least the entropy of the text, which the grammar of pickers.h knows.
 *
 * Two language models (examples/gpt) of one shape see fresh text until each has had the same
 * multiply-adds. */
#include "lectures/02-tokens/pickers.h"

#include <string.h>

typedef enum { CHARACTERS, PAIRS, KINDS } Kind;
static const char *const kind_names[KINDS] = {"characters", "byte pairs"};

enum { B = 8, T = 48, WIDTH = 32, TEXT = 640, TOKENS_MAX = 1024 };
enum { MERGES = 200, LEARNT_BYTES = 60000 };
enum { CHECKS = 6, CHECK_BATCHES = 6, LAST_BATCHES = 32 };
static const double budget = 6e9, rate = 6e-3; /* multiply-adds of the forward passes */

/* ---- cutting --------------------------------------------------------------------------------- */

/* Merges, of characters none, and which ids occur, are learnt from one text. */
typedef struct {
    int V;
    Bpe bpe;
    int32_t dense[DATA_BPE_BYTES + MERGES]; /* ids that occur, numbered from 0 */
} Cutter;

static void cutter_begin(Cutter *c, Kind kind, uint64_t seed)
{
    static char text[LEARNT_BYTES + PICKERS_SENTENCE];
    Rng rng = {.seed = seed, .stream = 830};
    *c = (Cutter){0};
    pickers_text(&rng, LEARNT_BYTES, text, sizeof text);
    data_bpe_train(&c->bpe, text, strlen(text), kind == PAIRS ? MERGES : 0);
    for (const char *p = text; *p; p++)
        c->dense[(unsigned char)*p] = 1;
    for (int k = 0; k < DATA_BPE_BYTES + c->bpe.merges; k++)
        c->dense[k] = c->dense[k] || k >= DATA_BPE_BYTES ? c->V++ : 0;
}

/* A text as tokens, and the bytes that each stands for. */
typedef struct {
    int32_t id[TOKENS_MAX];
    int bytes[TOKENS_MAX];
} Cut;

static void cutter_cut(const Cutter *c, const char *text, Cut *cut)
{
    char token[DATA_BPE_TOKEN_BYTES];
    int64_t n = data_bpe_encode(&c->bpe, text, strlen(text), cut->id, TOKENS_MAX);
    for (int64_t i = 0; i < n; i++) {
        cut->bytes[i] = data_bpe_token(&c->bpe, cut->id[i], token);
        cut->id[i] = c->dense[cut->id[i]];
    }
}

/* ---- training and testing -------------------------------------------------------------------- */

/* What a model has learned after part of the budget: the loss on test rows in nats a character with
 * a standard error, and in nats a token. */
typedef struct {
    double nats, error, per_token;
} Check;

typedef struct {
    Check check[CHECKS], last;
    int V;
    double bytes; /* that a token of the test rows stands for */
} Course;

/* T + 1 tokens from the beginning of a new text: x (T), and y (T), the token that follows each. */
static void draw_row(const Cutter *c, Rng *rng, int32_t *x, int32_t *y, Cut *cut)
{
    char text[TEXT + PICKERS_SENTENCE];
    pickers_text(rng, TEXT, text, sizeof text);
    cutter_cut(c, text, cut);
    memcpy(x, cut->id, T * sizeof *x);
    memcpy(y, cut->id + 1, T * sizeof *y);
}

/* The same rows for each model. */
static Check test(const Cutter *c, const Gpt *m, Tape *tape, uint64_t seed, int batches)
{
    static Cut cut[B];
    static int32_t x[B * T], y[B * T];
    static double nats[LAST_BATCHES * B];
    Rng rng = {.seed = seed, .stream = 832};
    Check k = {0};
    int rows = batches * B;
    tape->no_grad = true;
    for (int batch = 0; batch < batches; batch++) {
        for (int b = 0; b < B; b++)
            draw_row(c, &rng, x + b * T, y + b * T, &cut[b]);
        tape_reset(tape);
        const Tensor *log_p = ag_log_softmax(nn_gpt(m, tape_ids(tape, x, shape2(B, T))));
        for (int b = 0; b < B; b++) {
            double sum = 0, bytes = 0;
            for (int i = 0; i < T; i++) {
                sum -= (double)log_p->data[(b * T + i) * c->V + y[b * T + i]];
                bytes += cut[b].bytes[i + 1];
            }
            nats[batch * B + b] = sum / bytes;
            k.per_token += sum / T / rows;
        }
    }
    tape->no_grad = false;
    k.nats = values_mean(nats, rows).mean;
    k.error = values_mean(nats, rows).error;
    return k;
}

static bool train(const Cutter *c, const Gpt *m, Params *p, uint64_t seed, Course *course)
{
    static int32_t x[B * T], y[B * T];
    static Cut cut;
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 831};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, rate);
    int checks = 0;
    double work = 0;
    while (ok && checks < CHECKS) {
        adam.rate = work < budget ? rate * (1 - work / budget) : 0;
        for (int b = 0; b < B; b++)
            draw_row(c, &rng, x + b * T, y + b * T, &cut);
        tape_reset(tape);
        Tensor *logits = nn_gpt(m, tape_ids(tape, x, shape2(B, T)));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, y, shape2(B, T)))) &&
             adam_step(&adam, p);
        work += 0.5 * (double)nn_flops(tape); /* a multiply-add is two operations */
        if (work >= budget * (checks + 1) / CHECKS) {
            int batches = checks == CHECKS - 1 ? LAST_BATCHES : CHECK_BATCHES;
            course->check[checks++] = test(c, m, tape, seed, batches);
        }
    }
    course->last = course->check[CHECKS - 1];
    course->V = c->V;
    course->bytes = course->last.per_token / course->last.nats;
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

/* Trained once for each seed: claims and figure share it. NULL after an error. */
static const Course *course_of(uint64_t seed, Kind kind)
{
    static Course known[KINDS];
    static Made done[KINDS];
    if (made_for(&done[kind], seed))
        return &known[kind];
    static Cutter c;
    static Gpt m;
    Params *p = params_new(seed);
    cutter_begin(&c, kind, seed);
    GptConfig config = {.words = c.V, .longest = T, .channels = WIDTH, .heads = 4, .layers = 2};
    config.position = POSITION_LEARNED;
    done[kind].is = nn_gpt_init(&m, p, "", config) && train(&c, &m, p, seed, &known[kind]);
    data_bpe_free(&c.bpe);
    params_free(p);
    return done[kind].is ? &known[kind] : NULL;
}

/* The entropy of the text in nats a character. */
static double entropy(void)
{
    enum { SENTENCES = 20000 };
    Rng rng = {.seed = 1, .stream = 833};
    char text[PICKERS_SENTENCE];
    double nats = 0, bytes = 0;
    for (int i = 0; i < SENTENCES; i++)
        bytes += pickers_sentence(&rng, text, &nats);
    return nats / bytes;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static double characters_and_pairs(Trial *t)
{
    Check last[KINDS];
    for (Kind k = CHARACTERS; k < KINDS; k++) {
        const Course *c = course_of(t->seed, k);
        if (!c || !(c->last.nats > 0)) /* no loss was computed */
            return (double)NAN;
        last[k] = c->last;
        explain(t, "%-10s  V %3d, %.2f bytes a token: %.3f nats a token, %.4f +- %.4f a character",
                kind_names[k], c->V, c->bytes, last[k].per_token, last[k].nats, last[k].error);
        if (broken(t, "per-token"))
            last[k].nats = last[k].per_token;
    }
    explain(t, "entropy of the text: %.4f nats a character", entropy());
    /* The error is that of independent tests: too large for tests on the same text. */
    return (last[CHARACTERS].nats - last[PAIRS].nats) /
           hypot(last[CHARACTERS].error, last[PAIRS].error);
}

const Claim compare_claims[] = {
    {8, characters_and_pairs,
     "after 6e9 multiply-adds a small GPT on byte pairs predicts better than one on characters",
     .slides = {"Z: Tokenization"},
     .quantity = "nats a character: characters less byte pairs, in standard errors",
     AT_LEAST(4, "by chance once in 30,000 trials"),
     .faults = {{"per-token", "nats a token are compared: of characters there are more"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_compare(const Sketch *s)
{
    static double x[CHECKS], y[KINDS][CHECKS], error[KINDS][CHECKS], floor[CHECKS];
    const double *errors[KINDS + 1] = {error[0], error[1], NULL};
    PlotSeries series[KINDS + 1] = {[KINDS] = {"entropy of the text", x, floor, CHECKS}};
    for (Kind k = CHARACTERS; k < KINDS; k++) {
        const Course *c = course_of(s->seed, k);
        if (!c)
            return false;
        for (int i = 0; i < CHECKS; i++) {
            x[i] = budget * (i + 1) / CHECKS / 1e9;
            y[k][i] = c->check[i].nats;
            error[k][i] = c->check[i].error;
            floor[i] = entropy();
        }
        series[k] = (PlotSeries){kind_names[k], x, y[k], CHECKS};
    }
    const PlotCurves curves = {.series = series,
                               .count = KINDS + 1,
                               .errors = errors,
                               .title = sketch_title(s, "One text, two ways to cut it"),
                               .x_name = "multiply-adds of the forward passes, in 10\xe2\x81\xb9",
                               .y_name = "nats a character",
                               .y_low = 0.4,
                               .y_high = 2};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure compare_figures[] = {
    {8, "compare", draw_compare,
     .what = "characters and byte pairs: loss a character by work, and the text's entropy"},
    {0},
};
