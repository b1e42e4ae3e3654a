/* compare.c: the same text as words, as characters and as byte pairs (row 8).                          Z "Tokenization"
 *
 * A loss in nats a token depends on how long tokens are; nats a character compare. For whatever tokens
 *   -log p(text) = sum over the tokens of -log p(token | tokens before),   divided by the bytes of the text
 * is at least the entropy of the text, which the grammar of pickers.h knows. A word that the dictionary lacks has to be
 * spelled beside its <unk>, else the text could not be read: log 27 for each letter and for its end.
 *
 * Three language models (examples/gpt) of one shape see fresh text until each has had the same multiply-adds. */
#include "lectures/02-tokens/pickers.h"

#include "examples/gpt/model.h"

#include <string.h>

typedef enum { CHARACTERS, PAIRS, DICTIONARY, KINDS } Kind;
static const char *const kind_names[KINDS] = {"characters", "byte pairs", "words"};

enum { B = 8, T = 48, ROW = T + 1, WIDTH = 32, TEXT = 640, TOKENS_MAX = 1024, MERGES = 200 };
enum { CHECKS = 6, CHECK_BATCHES = 6, LAST_BATCHES = 32, DICTIONARY_BYTES = 60000 };
static const double budget = 6e9, rate = 6e-3; /* multiply-adds of the forward passes */

/* ---- three ways to cut a text ------------------------------------------------------------------------------------- */

typedef struct {
    Kind kind;
    int V;
    Bpe bpe; /* of characters: without merges */
    Vocab words;
    int32_t dense[DATA_BPE_BYTES + MERGES]; /* ids that occur, numbered from 0 */
} Cutter;

/* A text as tokens, and the bytes that each stands for: a word with the blank before it. */
typedef struct {
    int n;
    int32_t id[TOKENS_MAX];
    int bytes[TOKENS_MAX];
} Cut;

static void cut_words(const Cutter *c, const char *text, Cut *cut)
{
    cut->n = (int)data_words_encode(&c->words, text, cut->id, TOKENS_MAX);
    for (int i = 0; i < cut->n; i++) {
        int blank = *text == ' ', letters = (int)strcspn(text + blank, " .");
        cut->bytes[i] = blank + (letters ? letters : 1); /* a full stop is a word */
        text += cut->bytes[i];
    }
}

static void cut_text(const Cutter *c, const char *text, Cut *cut)
{
    char token[DATA_BPE_TOKEN_BYTES];
    if (c->kind == DICTIONARY) {
        cut_words(c, text, cut);
        return;
    }
    cut->n = (int)data_bpe_encode(&c->bpe, text, strlen(text), cut->id, TOKENS_MAX);
    for (int i = 0; i < cut->n; i++) {
        cut->bytes[i] = data_bpe_token(&c->bpe, cut->id[i], token);
        cut->id[i] = c->dense[cut->id[i]];
    }
}

/* Dictionary and merges come from one text; so do the ids that are used. */
static void cutter_begin(Cutter *c, Kind kind, uint64_t seed)
{
    static char text[DICTIONARY_BYTES + PICKERS_SENTENCE];
    static int32_t ids[DICTIONARY_BYTES + PICKERS_SENTENCE];
    Rng rng = {.seed = seed, .stream = 830};
    *c = (Cutter){.kind = kind};
    pickers_text(&rng, DICTIONARY_BYTES, text, sizeof text);
    if (kind == DICTIONARY) {
        data_words_build(&c->words, text, 1 << 20, 2);
        c->V = c->words.count;
        return;
    }
    data_bpe_train(&c->bpe, text, strlen(text), kind == PAIRS ? MERGES : 0);
    for (const char *p = text; *p;
         p++) /* all letters, also those that only parts of longer tokens have */
        c->dense[(unsigned char)*p] = 1;
    int64_t n = data_bpe_encode(&c->bpe, text, strlen(text), ids, (int64_t)sizeof ids / 4);
    for (int64_t i = 0; i < n; i++)
        c->dense[ids[i]] = 1;
    for (int k = 0; k < DATA_BPE_BYTES + c->bpe.merges; k++)
        c->dense[k] = c->dense[k] || k >= DATA_BPE_BYTES ? c->V++ : 0;
}

static void cutter_end(Cutter *c)
{
    data_bpe_free(&c->bpe);
    data_vocab_free(&c->words);
}

/* ---- training and testing ------------------------------------------------------------------------------------------- */

/* What a model has learned after part of the budget: the loss on test rows, with a standard error. spelling: the part
 * of it that spells unknown words. */
typedef struct {
    double work, nats, error; /* in nats a character */
    double spelling, per_token;
} Check;

typedef struct {
    Check check[CHECKS + 1];
    int V, steps;
    double bytes; /* that a token of the test rows stands for */
} Course;

/* T + 1 tokens from the beginning of a new text: x (T), and y (T), the token that follows each. */
static void draw_row(const Cutter *c, Rng *rng, int32_t *x, int32_t *y, Cut *cut)
{
    char text[TEXT + PICKERS_SENTENCE];
    pickers_text(rng, TEXT, text, sizeof text);
    cut_text(c, text, cut);
    memcpy(x, cut->id, T * sizeof *x);
    memcpy(y, cut->id + 1, T * sizeof *y);
}

/* Sums over the tokens 1 .. T of a row. */
typedef struct {
    double nats, spelling;
    int bytes;
} RowLoss;

/* log_p (T, V). An unknown word costs, beside its <unk>, log 27 for each letter and for its end. */
static RowLoss row_loss(const Cutter *c, const real *log_p, const Cut *cut)
{
    RowLoss loss = {0};
    for (int i = 0; i < T; i++) {
        int id = cut->id[i + 1], bytes = cut->bytes[i + 1]; /* the blank stands for the end */
        loss.nats -= (double)log_p[i * c->V + id];
        loss.bytes += bytes;
        if (c->kind == DICTIONARY && id == DATA_UNK)
            loss.spelling += bytes * log(27);
    }
    loss.nats += loss.spelling;
    return loss;
}

/* The same rows for each model. */
static Check test(const Cutter *c, const Gpt *m, Tape *tape, uint64_t seed, int batches)
{
    static Cut cut[B];
    static int32_t x[B * T], y[B * T];
    Rng rng = {.seed = seed, .stream = 832};
    Check k = {0};
    double square = 0, rows = batches * B;
    tape->no_grad = true;
    for (int batch = 0; batch < batches; batch++) {
        for (int b = 0; b < B; b++)
            draw_row(c, &rng, x + b * T, y + b * T, &cut[b]);
        tape_reset(tape);
        const Tensor *log_p = ag_log_softmax(gpt_logits(m, tape_ids(tape, x, shape2(B, T))));
        for (int b = 0; b < B; b++) {
            RowLoss loss = row_loss(c, log_p->data + b * T * c->V, &cut[b]);
            double nats = loss.nats / loss.bytes;
            k.nats += nats / rows;
            k.spelling += loss.spelling / loss.bytes / rows;
            k.per_token += loss.nats / T / rows;
            square += nats * nats / rows;
        }
    }
    tape->no_grad = false;
    k.error = sqrt((square - k.nats * k.nats) / (rows - 1));
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
    course->check[0] = test(c, m, tape, seed, CHECK_BATCHES);
    for (course->steps = 0; ok && checks < CHECKS; course->steps++) {
        adam.rate = work < budget ? rate * (1 - work / budget) : 0;
        for (int b = 0; b < B; b++)
            draw_row(c, &rng, x + b * T, y + b * T, &cut);
        tape_reset(tape);
        Tensor *logits = gpt_logits(m, tape_ids(tape, x, shape2(B, T)));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, y, shape2(B, T)))) &&
             adam_step(&adam, p);
        work += 0.5 * (double)nn_flops(tape); /* a multiply-add is two operations */
        if (work >= budget * (checks + 1) / CHECKS) {
            checks++;
            course->check[checks] =
                test(c, m, tape, seed, checks == CHECKS ? LAST_BATCHES : CHECK_BATCHES);
            course->check[checks].work = work;
        }
    }
    course->V = c->V;
    course->bytes = course->check[CHECKS].per_token / course->check[CHECKS].nats;
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

/* Trained once for each seed: claims and figure share it. NULL after an error. */
static const Course *course_of(uint64_t seed, Kind kind)
{
    static Course known[KINDS];
    static uint64_t done[KINDS];
    static bool has[KINDS];
    if (has[kind] && done[kind] == seed)
        return &known[kind];
    static Cutter c;
    static Gpt m;
    Params *p = params_new(seed);
    cutter_begin(&c, kind, seed);
    GptConfig config = {.words = c.V,
                        .longest = T,
                        .channels = WIDTH,
                        .heads = 4,
                        .layers = 2,
                        .position = POSITION_LEARNED};
    has[kind] = gpt_init(&m, p, config) && train(&c, &m, p, seed, &known[kind]);
    done[kind] = seed;
    cutter_end(&c);
    params_free(p);
    return has[kind] ? &known[kind] : NULL;
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

/* ---- claims ------------------------------------------------------------------------------------------------------------ */

/* The three models at the end of the budget; false after an error. */
static bool last_checks(Trial *t, Check last[KINDS])
{
    for (Kind k = CHARACTERS; k < KINDS; k++) {
        const Course *c = course_of(t->seed, k);
        if (!c)
            return false;
        last[k] = c->check[CHECKS];
        if (!(last[k].nats > last[k].spelling)) /* no loss was computed */
            return false;
        explain(t,
                "%-10s  V %3d, %.2f bytes a token: %.3f nats a token, %.4f +- %.4f a character%s",
                kind_names[k], c->V, c->bytes, last[k].per_token, last[k].nats, last[k].error,
                k == DICTIONARY ? " with" : "");
        if (k == DICTIONARY)
            explain(t, "%12s %.4f a character for the letters of unknown words", "",
                    last[k].spelling);
    }
    explain(t, "entropy of the text: %.4f nats a character", entropy());
    return true;
}

/* In standard errors of the difference, as of independent tests: too large for tests on the same text. */
static double errors_apart(Check a, Check b)
{
    return (a.nats - b.nats) / sqrt(a.error * a.error + b.error * b.error);
}

static double characters_and_pairs(Trial *t)
{
    Check last[KINDS];
    if (!last_checks(t, last))
        return (double)NAN;
    if (broken(t, "per-token"))
        for (Kind k = CHARACTERS; k < KINDS; k++)
            last[k].nats = last[k].per_token;
    return errors_apart(last[CHARACTERS], last[PAIRS]);
}

const Claim claim_characters = {
    .row = 8,
    .statement = "after the same work a model of byte pairs predicts better than one of characters",
    .slides = {"Z: Tokenization"},
    .quantity = "nats a character: characters less byte pairs, in standard errors",
    AT_LEAST(4),
    .why = "by chance once in 30,000 trials",
    .faults = {{"per-token", "nats a token are compared: of characters there are more"}},
    .measure = characters_and_pairs,
};

static double words_and_pairs(Trial *t)
{
    Check last[KINDS];
    if (!last_checks(t, last))
        return (double)NAN;
    if (broken(t, "unspelled"))
        last[DICTIONARY].nats -= last[DICTIONARY].spelling;
    return errors_apart(last[DICTIONARY], last[PAIRS]);
}

const Claim claim_words = {
    .row = 8,
    .statement = "byte pairs predict better than words, if unknown words are spelled",
    .slides = {"Z: Tokenization"},
    .quantity = "nats a character: words less byte pairs, in standard errors",
    AT_LEAST(4),
    .why = "by chance once in 30,000 trials",
    .faults = {{"unspelled",
                "an <unk> costs no more than itself: the text could not be read back"}},
    .measure = words_and_pairs,
};

static double above_entropy(Trial *t)
{
    Check last[KINDS];
    double least = INFINITY, floor = entropy();
    if (!last_checks(t, last))
        return (double)NAN;
    if (broken(t, "unspelled"))
        last[DICTIONARY].nats -= last[DICTIONARY].spelling;
    for (Kind k = CHARACTERS; k < KINDS; k++)
        least = values_least(least, (last[k].nats - floor) / last[k].error);
    return least;
}

const Claim claim_above_entropy = {
    .row = 8,
    .statement = "no model's loss is below the text's entropy, if unknown words are spelled",
    .slides = {"Z: Tokenization"},
    .quantity = "least of (nats a character - entropy) over the models, in standard errors",
    AT_LEAST(-4),
    .why = "no code is shorter than the entropy in expectation; 4 standard errors of the test",
    .faults = {{"unspelled", "an <unk> costs no more than itself"}},
    .measure = above_entropy,
};

static double more_complex(Trial *t)
{
    enum { HALF = CHECKS / 2 };
    const Course *c = course_of(t->seed, CHARACTERS), *p = course_of(t->seed, PAIRS);
    if (!c || !p)
        return (double)NAN;
    for (int i = 1; i <= CHECKS; i++)
        explain(t, "%.1e multiply-adds: characters %.4f, byte pairs %.4f nats a character",
                c->check[i].work, c->check[i].nats, p->check[i].nats);
    return errors_apart(c->check[CHECKS], p->check[broken(t, "no-work") ? 0 : HALF]);
}

const Claim claim_more_complex = {
    .row = 8,
    .statement = "a model of byte pairs is ahead of one of characters after half of the work",
    .slides = {"Z: Tokenization"},
    .quantity =
        "nats a character: characters, all work, less byte pairs, half of it, in standard errors",
    AT_LEAST(4),
    .why = "by chance once in 30,000 trials",
    .faults = {{"no-work", "byte pairs before the first step"}},
    .measure = more_complex,
};

/* ---- figure --------------------------------------------------------------------------------------------------------------- */

static bool draw_compare(const Sketch *s)
{
    static double x[KINDS + 1][CHECKS], y[KINDS + 1][CHECKS], errors[KINDS][CHECKS];
    const double *bars[KINDS + 2] = {errors[0], errors[1], errors[2], NULL, NULL};
    static double unspelled[CHECKS], floor[CHECKS];
    PlotSeries series[KINDS + 2];
    for (Kind k = CHARACTERS; k < KINDS; k++) {
        const Course *c = course_of(s->seed, k);
        if (!c)
            return false;
        for (int i = 0; i < CHECKS; i++) {
            x[k][i] = budget * (i + 1) / CHECKS / 1e9;
            y[k][i] = c->check[i + 1].nats;
            errors[k][i] = c->check[i + 1].error;
            unspelled[i] = c->check[i + 1].nats - c->check[i + 1].spelling;
            floor[i] = entropy();
        }
        series[k] = (PlotSeries){kind_names[k], x[k], y[k], CHECKS};
    }
    series[DICTIONARY].name = "words, unknown ones spelled";
    series[KINDS] = (PlotSeries){"words, unknown ones left out", x[DICTIONARY], unspelled, CHECKS};
    series[KINDS + 1] = (PlotSeries){"entropy of the text", x[CHARACTERS], floor, CHECKS};
    const PlotCurves curves = {.series = series,
                               .count = KINDS + 2,
                               .errors = bars,
                               .title = sketch_title(s, "One text, three ways to cut it"),
                               .x_name = "multiply-adds of the forward passes, in 10\xe2\x81\xb9",
                               .y_name = "nats a character",
                               .y_low = 0.4,
                               .y_high = 2};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_compare = {
    .row = 8,
    .name = "compare",
    .what = "words, characters and byte pairs: loss a character by work, and the text's entropy",
    .draw = draw_compare,
};
