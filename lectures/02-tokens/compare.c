/* compare.c: the same text as words, as characters and as byte pairs (row 8).      Z "Tokenization"
 *
 * A loss in nats a token depends on how long tokens are; nats a character compare. For whatever
 * tokens
 *   -log p(text) = sum over the tokens of -log p(token | tokens before),  divided by the bytes of the text
 * is at least the entropy of the text, which the grammar of pickers.h knows. A word that the
 * dictionary lacks has to be spelled beside its <unk>, else the text could not be read. The
 * spellers are those of cutter.h.
 *
 * Three language models (examples/gpt) of one shape see fresh text until each has had the same
 * multiply-adds. */
#include "lectures/02-tokens/cutter.h"
#include "lectures/02-tokens/pickers.h"

#include "gradus.h"

#include <string.h>

typedef enum { LEFT_OUT, COUNTED, UNIFORM, SPELLERS } Speller;
static const char *const kind_names[KINDS] = {"characters", "byte pairs", "words"};

enum { B = 8, T = 48, ROW = T + 1, WIDTH = 32, TEXT = 640 };
enum { CHECKS = 6, CHECK_BATCHES = 6, LAST_BATCHES = 32 };
static const double budget = 6e9, rate = 6e-3; /* multiply-adds of the forward passes */

/* ---- training and testing -------------------------------------------------------------------- */

/* What a model has learned after part of the budget: the loss on test rows in nats a character,
 * with a standard error; of the words with each speller, of the other models three times the
 * same. */
typedef struct {
    double work, nats[SPELLERS], error[SPELLERS];
    double per_token; /* nats, unknown words left out */
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
    cutter_cut(c, text, cut);
    memcpy(x, cut->id, T * sizeof *x);
    memcpy(y, cut->id + 1, T * sizeof *y);
}

/* Sums over the tokens 1 .. T of a row. */
typedef struct {
    double nats[SPELLERS];
    int bytes;
} RowLoss;

/* log_p (T, V). */
static RowLoss row_loss(const Cutter *c, const real *log_p, const Cut *cut)
{
    RowLoss loss = {0};
    for (int i = 0; i < T; i++) {
        double nats = -(double)log_p[i * c->V + cut->id[i + 1]];
        loss.bytes += cut->bytes[i + 1];
        loss.nats[LEFT_OUT] += nats;
        loss.nats[COUNTED] += nats + cut->counted[i + 1];
        loss.nats[UNIFORM] += nats + cut->uniform[i + 1];
    }
    return loss;
}

/* The same rows for each model. */
static Check test(const Cutter *c, const Gpt *m, Tape *tape, uint64_t seed, int batches)
{
    static Cut cut[B];
    static int32_t x[B * T], y[B * T];
    static double nats[SPELLERS][LAST_BATCHES * B];
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
            RowLoss loss = row_loss(c, log_p->data + b * T * c->V, &cut[b]);
            for (Speller s = 0; s < SPELLERS; s++)
                nats[s][batch * B + b] = loss.nats[s] / loss.bytes;
            k.per_token += loss.nats[LEFT_OUT] / T / rows;
        }
    }
    tape->no_grad = false;
    for (Speller s = 0; s < SPELLERS; s++) {
        Mean mean = values_mean(nats[s], rows);
        k.nats[s] = mean.mean;
        k.error[s] = mean.error;
    }
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
        Tensor *logits = nn_gpt(m, tape_ids(tape, x, shape2(B, T)));
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
    course->bytes = course->check[CHECKS].per_token / course->check[CHECKS].nats[LEFT_OUT];
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
    GptConfig config = {.words = c.V,
                        .longest = T,
                        .channels = WIDTH,
                        .heads = 4,
                        .layers = 2,
                        .position = POSITION_LEARNED};
    done[kind].is = nn_gpt_init(&m, p, "", config) && train(&c, &m, p, seed, &known[kind]);
    cutter_end(&c);
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

/* The three models at the end of the budget; false after an error. */
static bool last_checks(Trial *t, Check last[KINDS])
{
    for (Kind k = CHARACTERS; k < KINDS; k++) {
        const Course *c = course_of(t->seed, k);
        if (!c)
            return false;
        last[k] = c->check[CHECKS];
        if (!(last[k].nats[LEFT_OUT] > 0)) /* no loss was computed */
            return false;
        explain(t, "%-10s  V %3d, %.2f bytes a token: %.3f nats a token, %.4f +- %.4f a character",
                kind_names[k], c->V, c->bytes, last[k].per_token, last[k].nats[LEFT_OUT],
                last[k].error[LEFT_OUT]);
    }
    explain(t, "%12s unknown words spelled by letter counts %.4f +- %.4f, at log 27 a letter %.4f",
            "", last[DICTIONARY].nats[COUNTED], last[DICTIONARY].error[COUNTED],
            last[DICTIONARY].nats[UNIFORM]);
    explain(t, "entropy of the text: %.4f nats a character", entropy());
    return true;
}

/* a - b in standard errors of the difference, as of independent tests: too large for tests on the
 * same text. */
static double errors_apart(const Check *a, const Check *b, Speller s)
{
    return (a->nats[s] - b->nats[s]) / hypot(a->error[s], b->error[s]);
}

static double characters_and_pairs(Trial *t)
{
    Check last[KINDS];
    if (!last_checks(t, last))
        return (double)NAN;
    if (broken(t, "per-token"))
        for (Kind k = CHARACTERS; k < KINDS; k++)
            last[k].nats[COUNTED] = last[k].per_token;
    return errors_apart(&last[CHARACTERS], &last[PAIRS], COUNTED);
}

static double words_and_pairs(Trial *t)
{
    Check last[KINDS];
    if (!last_checks(t, last))
        return (double)NAN;
    double uniform = errors_apart(&last[PAIRS], &last[DICTIONARY], UNIFORM);
    double counted = errors_apart(&last[PAIRS], &last[DICTIONARY], COUNTED);
    explain(t, "byte pairs less words: %.1f errors with letter counts, %.1f at log 27 a letter",
            counted, uniform);
    return broken(t, "uniform") ? uniform : counted;
}

const Claim compare_claims[] = {
    {8, characters_and_pairs,
     "after 6e9 multiply-adds a small GPT on byte pairs predicts better than one on characters",
     .slides = {"Z: Tokenization"},
     .quantity = "nats a character: characters less byte pairs, in standard errors",
     AT_LEAST(4, "by chance once in 30,000 trials"),
     .faults = {{"per-token", "nats a token are compared: of characters there are more"}}},
    {8, words_and_pairs,
     "after 6e9 multiply-adds words predict better than byte pairs, if letter counts spell unknown "
     "words, and worse at log 27 a letter",
     .slides = {"Z: Tokenization"},
     .quantity = "nats a character: byte pairs less words with letter counts, in standard errors",
     AT_LEAST(4, "by chance once in 30,000 trials"),
     .faults = {{"uniform", "log 27 for each letter of an unknown word and for its end"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_compare(const Sketch *s)
{
    enum { LINES = KINDS + SPELLERS };
    static const char *const names[LINES] = {"characters",
                                             "byte pairs",
                                             "words, unknown ones left out",
                                             "words, spelled by letter counts",
                                             "words, spelled at log 27 a letter",
                                             "entropy of the text"};
    static double x[CHECKS], y[LINES][CHECKS], errors[LINES - 1][CHECKS];
    const double *bars[LINES] = {errors[0], errors[1], errors[2], errors[3], errors[4], NULL};
    PlotSeries series[LINES];
    for (int k = 0; k < LINES; k++) {
        const Course *c = course_of(s->seed, k < DICTIONARY ? (Kind)k : DICTIONARY);
        if (!c)
            return false;
        for (int i = 0; i < CHECKS; i++) {
            Speller speller = k < DICTIONARY ? LEFT_OUT : (Speller)(k - DICTIONARY);
            bool floor = k == LINES - 1;
            x[i] = budget * (i + 1) / CHECKS / 1e9;
            y[k][i] = floor ? entropy() : c->check[i + 1].nats[speller];
            if (!floor)
                errors[k][i] = c->check[i + 1].error[speller];
        }
        series[k] = (PlotSeries){names[k], x, y[k], CHECKS};
    }
    const PlotCurves curves = {.series = series,
                               .count = LINES,
                               .errors = bars,
                               .title = sketch_title(s, "One text, three ways to cut it"),
                               .x_name = "multiply-adds of the forward passes, in 10\xe2\x81\xb9",
                               .y_name = "nats a character",
                               .y_low = 0.4,
                               .y_high = 2};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure compare_figures[] = {
    {8, "compare", draw_compare,
     .what = "words, characters and byte pairs: loss a character by work, and the text's entropy",
     .computed = &compare_computed},
    {0},
};
