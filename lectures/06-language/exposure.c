/* exposure.c: in training a model reads right words, in generation its own (row 41).
 *
 *                    J "Decoder: Training vs Inference"; teacher forcing: Williams and Zipser 1989;
 *                    exposure bias: Ranzato et al. 2016
 *
 * A language in which every letter but the first four is determined: a phrase of 4 letters out of
 * 8, and then again and again. A mistake in one repetition is the phrase of the next. */
#include "lectures/06-language/language.h"

enum {
    PHRASE = 4,
    REPEATS = 6,
    ECHO = PHRASE * REPEATS,
    KINDS = 8,
    FIRST = KINDS, /* <bos> */
    TRIALS = 2000,
    ECHO_STEPS = 60,
    ECHO_BATCH = 32
};

/* Shares of wrong letters in each repetition but the first, which is given: with right words
 * before, and with the model's own. */
typedef struct {
    double taught[REPEATS], own[REPEATS];
    double late, late_error; /* own, the mean over repetitions 3 and later; its standard error  */
} Exposure;

typedef struct {
    Gpt gpt;
    Candidates candidates;
    Rng rng;
} Echo;

/* <bos> and a phrase, again and again: (count, ECHO + 1). */
static void draw_echoes(Rng *rng, int *x, int count)
{
    for (int i = 0; i < count; i++) {
        int *row = x + i * (ECHO + 1);
        row[0] = FIRST;
        for (int n = 0; n < ECHO; n++)
            row[n + 1] = n < PHRASE ? (int)rng_below(rng, KINDS) : row[n + 1 - PHRASE];
    }
}

static bool train_echo(Echo *e, Params *p, Tape *tape, uint64_t seed)
{
    int x[ECHO_BATCH * (ECHO + 1)], in[ECHO_BATCH * ECHO], y[ECHO_BATCH * ECHO];
    Rng rng = {.seed = seed, .stream = 630};
    Adam adam = {0};
    bool ok = adam_init(&adam, p, 0.01);
    for (int step = 0; ok && step < ECHO_STEPS; step++) {
        draw_echoes(&rng, x, ECHO_BATCH);
        for (int i = 0; i < ECHO_BATCH * ECHO; i++) {
            in[i] = x[i / ECHO * (ECHO + 1) + i % ECHO];
            y[i] = x[i / ECHO * (ECHO + 1) + i % ECHO + 1];
        }
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, ECHO_STEPS, 0.01, 0.001);
        Tensor *logits = nn_gpt(&e->gpt, tape_ids(tape, in, shape2(ECHO_BATCH, ECHO)));
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, y, shape2(ECHO_BATCH, ECHO)))) &&
             adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* The probability of a wrong letter with right words before: no draw is needed. */
static void measure_taught(Echo *e, Tape *tape, const int *x, Exposure *r)
{
    static int in[TRIALS * ECHO];
    for (int i = 0; i < TRIALS * ECHO; i++)
        in[i] = x[i / ECHO * (ECHO + 1) + i % ECHO];
    tape_reset(tape);
    Tensor *q = ag_softmax(nn_gpt(&e->gpt, tape_ids(tape, in, shape2(TRIALS, ECHO))));
    for (int i = 0; i < TRIALS * ECHO && !tensor_is_poison(q); i++) {
        int n = i % ECHO, right = x[i / ECHO * (ECHO + 1) + n + 1];
        r->taught[n / PHRASE] += (1 - (double)q->data[i * (KINDS + 1) + right]) / (TRIALS * PHRASE);
    }
}

/* The share of wrong letters in what it writes after <bos> and the phrase. */
static bool measure_own(Echo *e, Tape *tape, const int *x, Exposure *r)
{
    enum { NEW = ECHO - PHRASE };
    static int prompt[TRIALS * (PHRASE + 1)], out[TRIALS * NEW];
    KVCache cache = {0};
    double late[TRIALS] = {0}, square = 0;
    for (int i = 0; i < TRIALS * (PHRASE + 1); i++)
        prompt[i] = x[i / (PHRASE + 1) * (ECHO + 1) + i % (PHRASE + 1)];
    Sampler sampler = {1, KINDS + 1, 1, &e->candidates, &e->rng};
    const Decoder d = {.logits = nn_gpt_cached,
                       .model = &e->gpt,
                       .cache = &cache,
                       .end = -1,
                       .pick = nn_sample,
                       .picker = &sampler};
    bool ok = nn_gpt_cache(&e->gpt, &cache, TRIALS) &&
              nn_generate(tape, &d, prompt, NULL, PHRASE + 1, out, NEW);
    for (int i = 0; ok && i < TRIALS * NEW; i++) {
        int n = i % NEW + PHRASE, right = x[i / NEW * (ECHO + 1) + n + 1];
        bool wrong = out[i] != right;
        r->own[n / PHRASE] += (double)wrong / (TRIALS * PHRASE);
        if (n >= 2 * PHRASE)
            late[i / NEW] += (double)wrong / (ECHO - 2 * PHRASE);
    }
    for (int i = 0; i < TRIALS; i++) {
        r->late += late[i] / TRIALS;
        square += late[i] * late[i] / TRIALS;
    }
    r->late_error = sqrt(fabs(square - r->late * r->late) / TRIALS);
    nn_cache_free(&cache);
    return ok;
}

/* Trained and measured once a seed. */
static const Exposure *exposure_of(uint64_t seed)
{
    static Exposure r;
    static Made made;
    static int x[TRIALS * (ECHO + 1)];
    GptConfig config = {
        .words = KINDS + 1, .longest = ECHO, .channels = 32, .heads = 2, .layers = 2};
    config.position = POSITION_LEARNED;
    if (made_for(&made, seed))
        return &r;
    Echo e = {.rng = {.seed = seed, .stream = 631}};
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    r = (Exposure){.late = 0};
    made.is = p && tape && nn_candidates_init(&e.candidates, KINDS + 1) &&
              nn_gpt_init(&e.gpt, p, "", config) && train_echo(&e, p, tape, seed);
    if (made.is) {
        draw_echoes(&e.rng, x, TRIALS);
        tape->no_grad = true;
        measure_taught(&e, tape, x, &r);
        made.is = measure_own(&e, tape, x, &r);
    }
    nn_candidates_free(&e.candidates);
    tape_free(tape);
    params_free(p);
    return made.is ? &r : NULL;
}

/* The standard error of a share over TRIALS texts; its 4 letters in one repetition count as one, to
 * be safe. */
static double error_of(double share)
{
    return sqrt(share * (1 - share) / TRIALS);
}

static double exposure(Trial *t)
{
    const Exposure *r = exposure_of(t->seed);
    double right = 1, taught = 0;
    if (!r)
        return (double)NAN;
    for (int k = 1; k < REPEATS; k++) {
        right *= 1 - r->taught[k];
        taught += k > 1 ? r->taught[k] / (REPEATS - 2) : 0;
        explain(t,
                "repetition %d: wrong letters %.4f after right words, %.4f +- %.4f after its own; "
                "1 - prod (1 - e) = %.4f",
                k + 1, r->taught[k], r->own[k], error_of(r->own[k]), 1 - right);
    }
    explain(t, "repetitions 3 to %d: %.4f after right words, %.4f +- %.4f after its own", REPEATS,
            taught, r->late, r->late_error);
    return ((broken(t, "taught") ? taught : r->late) - taught) / r->late_error;
}

const Claim exposure_claims[] = {
    {41, exposure,
     "a model that errs in one letter of 20 makes more mistakes after its own words than after the "
     "right ones",
     .slides = {"J: Decoder: Training vs Inference", "V: Decoder Block"},
     .quantity = "(wrong letters, own - taught) in repetitions 3 to 6, in standard errors",
     AT_LEAST(5, "by chance once in three million; the error is that of 2,000 texts' means"),
     .faults = {{"taught", "right words before, as in training"}}},
    {0},
};

static bool draw_exposure(const Sketch *s)
{
    static double x[REPEATS], bound[REPEATS], error[REPEATS];
    const Exposure *r = exposure_of(s->seed);
    double right = 1;
    for (int k = 0; r && k < REPEATS; k++) {
        right *= k ? 1 - r->taught[k] : 1;
        x[k] = (k + 1) * PHRASE; /* the last letter of the repetition */
        bound[k] = 1 - right;
        error[k] = 2 * error_of(r->own[k]);
    }
    if (!r)
        return false;
    const PlotSeries series[] = {{"after right words (training)", x + 1, r->taught + 1,
                                  REPEATS - 1},
                                 {"after its own words, 2 standard errors", x + 1, r->own + 1,
                                  REPEATS - 1},
                                 {"no mistake is ever made good", x + 1, bound + 1, REPEATS - 1}};
    const double *const errors[] = {NULL, error + 1, NULL};
    return SKETCH_CURVES(s, "A phrase, repeated: the share of wrong letters", series,
                         .errors = errors, .x_name = "letter of the text (repetitions of 4)",
                         .y_name = "share of wrong letters", .y_low = 0, .y_high = 0.25);
}

const Figure exposure_figures[] = {
    {41, "exposure", draw_exposure,
     .what = "wrong letters by repetition, after right words and after the model's own"},
    {0},
};
