/* scaling.c: larger models, more data (row 44).              B "Ready for LLMs!": "if scale it crazy up"; Kaplan et al. 2020
 *
 * A language of 32 words, each with its own order of likely successors, whose probabilities fall off as rank^-1.5. Its
 * conditional probabilities are known, so that what a model lacks is known as well:
 *
 *   excess = E[loss] - H = E[KL(p(. | word) || q(. | text))] */
#include "lectures/06-language/language.h"

#include <string.h>

enum {
    WORDS_K = 32,
    T = 16,
    BATCH = 32,
    SIZES = 5,
    TESTED = 200,
    SIZE_STEPS = 400,
    DATA_STEPS = 400,
    CHECK_EACH = 40
};
static const int channels[SIZES] = {2, 4, 8, 16, 32}, texts[SIZES] = {25, 50, 100, 200, 400};

typedef struct {
    double p[WORDS_K][WORDS_K];
} Successors;

static void draw_successors(Successors *s, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 760};
    for (int i = 0; i < WORDS_K; i++) {
        int order[WORDS_K];
        double sum = 0;
        for (int k = 0; k < WORDS_K; k++) {
            order[k] = k;
            sum += pow(k + 1, -1.5);
        }
        rng_shuffle(&rng, order, WORDS_K);
        for (int k = 0; k < WORDS_K; k++)
            s->p[i][order[k]] = pow(k + 1, -1.5) / sum;
    }
}

/* T + 1 words; the first is any. */
static void draw_text(const Successors *s, Rng *rng, int *x)
{
    x[0] = (int)rng_below(rng, WORDS_K);
    for (int t = 1; t <= T; t++) {
        double u = rng_uniform(rng);
        for (x[t] = 0; x[t] < WORDS_K - 1 && u >= s->p[x[t - 1]][x[t]]; x[t]++)
            u -= s->p[x[t - 1]][x[t]];
    }
}

static Tensor *logits_of(const Gpt *m, Tape *tape, const int *x, int n)
{
    static int in[TESTED * T];
    for (int i = 0; i < n * T; i++)
        in[i] = x[i / T * (T + 1) + i % T];
    return gpt_logits(m, tape_ids(tape, in, shape2(n, T)));
}

/* The mean over the words of 200 fresh texts of KL(p || q): the expectation over the next word is exact. */
static double excess(const Gpt *m, Tape *tape, const Successors *s, uint64_t seed)
{
    static int x[TESTED * (T + 1)];
    Rng rng = {.seed = seed, .stream = 761};
    double sum = 0;
    for (int i = 0; i < TESTED; i++)
        draw_text(s, &rng, x + i * (T + 1));
    tape->no_grad = true;
    tape_reset(tape);
    const Tensor *l = ag_log_softmax(logits_of(m, tape, x, TESTED));
    tape->no_grad = false;
    if (tensor_is_poison(l) || values_largest(l) == 0)
        return (double)NAN;
    for (int i = 0; i < TESTED * T; i++) {
        const double *p = s->p[x[i / T * (T + 1) + i % T]];
        for (int k = 0; k < WORDS_K; k++)
            sum += p[k] * (log(p[k]) - (double)l->data[i * WORDS_K + k]) / (TESTED * T);
    }
    return sum;
}

/* Trains a model of so many channels on fresh texts (data = 0), or on `data` texts again and again, and then takes the
 * best of the checks, as early stopping does. Its parameters go into *size. */
static double trained_excess(uint64_t seed, const Successors *s, int C, int data, bool shuffled,
                             double *size)
{
    static int corpus[400 * (T + 1)];
    const GptConfig config = {.words = WORDS_K,
                              .longest = T,
                              .channels = C,
                              .heads = 1,
                              .layers = 1,
                              .position = POSITION_LEARNED};
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 762};
    Adam adam = {0};
    Gpt m;
    double best = INFINITY;
    int steps = data ? DATA_STEPS : SIZE_STEPS;
    bool ok = p && tape && gpt_init(&m, p, config) && adam_init(&adam, p, 0.01);
    for (int i = 0; i < data; i++)
        draw_text(s, &rng, corpus + i * (T + 1));
    for (int step = 0; ok && step < steps; step++) {
        int x[BATCH * (T + 1)], y[BATCH * T];
        for (int b = 0; b < BATCH; b++) {
            if (data)
                memcpy(x + b * (T + 1), corpus + rng_below(&rng, data) * (T + 1),
                       sizeof(int) * (T + 1));
            else
                draw_text(s, &rng, x + b * (T + 1));
        }
        for (int i = 0; i < BATCH * T; i++)
            y[i] = shuffled ? (int)rng_below(&rng, WORDS_K) : x[i / T * (T + 1) + i % T + 1];
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, steps, 0.02, 0.001);
        Tensor *loss =
            ag_cross_entropy(logits_of(&m, tape, x, BATCH), tape_ids(tape, y, shape2(BATCH, T)));
        ok = ag_backward(loss) && adam_step(&adam, p);
        if ((data && (step + 1) % CHECK_EACH == 0) || step + 1 == steps)
            best = values_least(best, excess(&m, tape, s, seed));
    }
    if (size)
        *size = ok ? (double)params_size(p) : (double)NAN;
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok ? best : (double)NAN;
}

typedef struct {
    double size[SIZES], by_size[SIZES], tokens[SIZES], by_data[SIZES];
    double exponent[2], r2[2]; /* of excess against parameters, and against tokens */
} Scaling;

/* How much of the variance of log y a line in log x explains. */
static double explained_share(const double *x, const double *y, int n, double slope)
{
    double mx = 0, my = 0, left = 0, all = 0;
    for (int i = 0; i < n; i++) {
        mx += log(x[i]) / n;
        my += log(y[i]) / n;
    }
    for (int i = 0; i < n; i++) {
        double off = log(y[i]) - my - slope * (log(x[i]) - mx);
        left += off * off;
        all += (log(y[i]) - my) * (log(y[i]) - my);
    }
    return 1 - left / all;
}

static const Scaling *scaling_of(uint64_t seed, bool shuffled)
{
    static Scaling both[2];
    static uint64_t made_for[2];
    static bool made[2];
    Scaling *r = &both[shuffled];
    Successors s;
    if (made[shuffled] && made_for[shuffled] == seed)
        return r;
    draw_successors(&s, seed);
    for (int i = 0; i < SIZES; i++) {
        r->by_size[i] = trained_excess(seed, &s, channels[i], 0, shuffled, &r->size[i]);
        r->by_data[i] = trained_excess(seed, &s, 16, texts[i], shuffled, NULL);
        r->tokens[i] = texts[i] * T;
    }
    r->exponent[0] = values_exponent(r->size, r->by_size, SIZES);
    r->exponent[1] = values_exponent(r->tokens, r->by_data, SIZES);
    r->r2[0] = explained_share(r->size, r->by_size, SIZES, r->exponent[0]);
    r->r2[1] = explained_share(r->tokens, r->by_data, SIZES, r->exponent[1]);
    made_for[shuffled] = seed;
    made[shuffled] = true;
    return r;
}

static double by_size(Trial *t)
{
    const Scaling *r = scaling_of(t->seed, broken(t, "shuffled"));
    for (int i = 0; i < SIZES; i++)
        explain(t, "%2d channels, %6.0f parameters: excess %.4f nats a word", channels[i],
                r->size[i], r->by_size[i]);
    explain(t, "excess ~ parameters^%.3f, r^2 = %.4f", r->exponent[0], r->r2[0]);
    return r->exponent[0] < 0 ? r->r2[0] : 0;
}

const Claim claim_scaling_size = {
    .row = 44,
    .statement = "the excess loss falls as a power of the number of parameters",
    .slides = {"B: Ready for LLMs!"},
    .quantity = "r^2 of a falling line through log excess by log parameters, five sizes",
    AT_LEAST(0.9),
    .why = "a line explains nine tenths of the variance; 0 where it does not fall",
    .faults = {{"shuffled", "the next word is drawn at random in training"}},
    .measure = by_size,
};

static double by_data(Trial *t)
{
    const Scaling *r = scaling_of(t->seed, broken(t, "shuffled"));
    for (int i = 0; i < SIZES; i++)
        explain(t, "%3d texts, %5.0f words: excess %.4f nats a word", texts[i], r->tokens[i],
                r->by_data[i]);
    explain(t, "excess ~ words^%.3f, r^2 = %.4f", r->exponent[1], r->r2[1]);
    return r->exponent[1] < 0 ? r->r2[1] : 0;
}

const Claim claim_scaling_data = {
    .row = 44,
    .statement = "the excess loss falls as a power of the number of words to train on",
    .slides = {"B: Ready for LLMs!"},
    .quantity = "r^2 of a falling line through log excess by log words, five sizes",
    AT_LEAST(0.9),
    .why = "a line explains nine tenths of the variance; 0 where it does not fall",
    .faults = {{"shuffled", "the next word is drawn at random in training"}},
    .measure = by_data,
};

static bool draw_scaling(const Sketch *s)
{
    static double fit[2][SIZES];
    const Scaling *r = scaling_of(s->seed, false);
    for (int k = 0; k < 2; k++) {
        const double *x = k ? r->tokens : r->size, *y = k ? r->by_data : r->by_size;
        double mx = 0, my = 0;
        for (int i = 0; i < SIZES; i++) {
            mx += log(x[i]) / SIZES;
            my += log(y[i]) / SIZES;
        }
        for (int i = 0; i < SIZES; i++)
            fit[k][i] = exp(my + r->exponent[k] * (log(x[i]) - mx));
    }
    const PlotSeries series[] = {{"by parameters", r->size, r->by_size, SIZES},
                                 {"its power law", r->size, fit[0], SIZES},
                                 {"by words to train on", r->tokens, r->by_data, SIZES},
                                 {"its power law", r->tokens, fit[1], SIZES}};
    const PlotCurves curves = {.series = series,
                               .count = 4,
                               .title = sketch_title(s, "Loss above the entropy"),
                               .x_name = "parameters, or words to train on",
                               .y_name = "excess (nats a word)",
                               .y_low = 0.01,
                               .y_high = 2,
                               .log_x = true,
                               .log_y = true};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_scaling = {
    .row = 44,
    .name = "scaling",
    .what = "loss above the entropy by parameters and by words to train on, with their power laws",
    .draw = draw_scaling,
};
