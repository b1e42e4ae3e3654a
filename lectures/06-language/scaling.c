/* scaling.c: larger models (row 44).
 * B "Ready for LLMs!": "if scale it crazy up"; Kaplan et al. 2020
 *
 * A language of 32 words, each with its own order of likely successors, whose probabilities fall
 * off as rank^-1.5. Its conditional probabilities are known, so that what a model lacks is known as
 * well:
 *
 *   excess = E[loss] - H = E[KL(p(. | word) || q(. | text))] */
#include "lectures/06-language/language.h"

#include <string.h>

enum { WORDS_K = 32, T = 16, BATCH = 32, SIZES = 5, TESTED = 200, STEPS = 400 };
static const int channels[SIZES] = {2, 4, 8, 16, 32};

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
    return nn_gpt(m, tape_ids(tape, in, shape2(n, T)));
}

/* The mean over the words of 200 fresh texts of KL(p || q): the expectation over the next word is
 * exact. */
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

/* Trains a model of so many channels on fresh texts. Its parameters go into *size. */
static double trained_excess(uint64_t seed, const Successors *s, int C, bool shuffled, double *size)
{
    GptConfig config = {.words = WORDS_K, .longest = T, .channels = C, .heads = 1, .layers = 1};
    config.position = POSITION_LEARNED;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 762};
    Adam adam = {0};
    Gpt m;
    double found = (double)NAN;
    bool ok = p && tape && nn_gpt_init(&m, p, "", config) && adam_init(&adam, p, 0.01);
    for (int step = 0; ok && step < STEPS; step++) {
        int x[BATCH * (T + 1)], y[BATCH * T];
        for (int b = 0; b < BATCH; b++)
            draw_text(s, &rng, x + b * (T + 1));
        for (int i = 0; i < BATCH * T; i++)
            y[i] = shuffled ? (int)rng_below(&rng, WORDS_K) : x[i / T * (T + 1) + i % T + 1];
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.02, 0.001);
        Tensor *loss =
            ag_cross_entropy(logits_of(&m, tape, x, BATCH), tape_ids(tape, y, shape2(BATCH, T)));
        ok = ag_backward(loss) && adam_step(&adam, p);
    }
    if (ok)
        found = excess(&m, tape, s, seed);
    *size = ok ? (double)params_size(p) : (double)NAN;
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return found;
}

/* ---- two laws, compared ---------------------------------------------------------------------- */

/* The root of the mean square of (fit - y) / y, and what was fitted, c x^exponent. */
typedef struct {
    double misfit, exponent, c;
} Law;

static double misfit_of(const double *fit, const double *y)
{
    double square = 0;
    for (int i = 0; i < SIZES; i++)
        square += (fit[i] / y[i] - 1) * (fit[i] / y[i] - 1) / SIZES;
    return sqrt(square);
}

/* y as a power of x, by least squares of the logarithms. */
static Law power_law(const double *x, const double *y)
{
    double fit[SIZES];
    Law law = {.exponent = values_exponent(x, y, SIZES)};
    for (int i = 0; i < SIZES; i++)
        law.c += (log(y[i]) - law.exponent * log(x[i])) / SIZES;
    law.c = exp(law.c);
    for (int i = 0; i < SIZES; i++)
        fit[i] = law.c * pow(x[i], law.exponent);
    law.misfit = misfit_of(fit, y);
    return law;
}

/* a - b log x with the least sum of ((fit - y) / y)^2. */
static double misfit_of_logarithm(const double *x, const double *y)
{
    double w = 0, wl = 0, wll = 0, wy = 0, wly = 0, fit[SIZES];
    for (int i = 0; i < SIZES; i++) {
        double weight = 1 / (y[i] * y[i]), l = log(x[i]);
        w += weight, wl += weight * l, wll += weight * l * l;
        wy += weight * y[i], wly += weight * l * y[i];
    }
    double slope = (w * wly - wl * wy) / (w * wll - wl * wl), a = (wy - slope * wl) / w;
    for (int i = 0; i < SIZES; i++)
        fit[i] = a + slope * log(x[i]);
    return misfit_of(fit, y);
}

typedef struct {
    double size[SIZES], by_size[SIZES];
} Scaling;

static const Scaling *scaling_of(uint64_t seed, bool shuffled)
{
    static Scaling both[2];
    static Made made[2];
    Scaling *r = &both[shuffled];
    Successors s;
    if (made_for(&made[shuffled], seed))
        return r;
    draw_successors(&s, seed);
    for (int i = 0; i < SIZES; i++)
        r->by_size[i] = trained_excess(seed, &s, channels[i], shuffled, &r->size[i]);
    return r;
}

static double by_size(Trial *t)
{
    const Scaling *r = scaling_of(t->seed, broken(t, "shuffled"));
    const double *n = r->size, *y = r->by_size, other = misfit_of_logarithm(n, y);
    Law power = power_law(n, y);
    for (int i = 0; i < SIZES; i++)
        explain(t, "%5.0f parameters: excess %.4f nats a word", n[i], y[i]);
    explain(t, "a power law, exponent %.2f: off by %.3f of the excess; a - b log n: by %.3f",
            power.exponent, power.misfit, other);
    return power.exponent < 0 ? other / power.misfit : 0;
}

const Claim scaling_claims[] = {
    {44, by_size,
     "the excess loss falls more nearly as a power of the number of parameters than as a - b log "
     "n, 2 to 32 channels",
     .slides = {"B: Ready for LLMs!"},
     .quantity = "relative misfit of a - b log n / that of c n^-alpha, five sizes",
     AT_LEAST(1.5, "1: both laws are as near; five points of one training each scatter, so half "
                   "as much again"),
     .faults = {{"shuffled", "the next word is drawn at random in training"}}},
    {0},
};

/* The measured excess, and the power law. */
static bool draw_by_size(const Sketch *s)
{
    const Scaling *r = scaling_of(s->seed, false);
    Law law = power_law(r->size, r->by_size);
    double fit[SIZES];
    char name[64];
    for (int i = 0; i < SIZES; i++)
        fit[i] = law.c * pow(r->size[i], law.exponent);
    snprintf(name, sizeof name, "power law, exponent %.2f", law.exponent);
    const PlotSeries series[] = {{"measured", r->size, r->by_size, SIZES},
                                 {name, r->size, fit, SIZES}};
    return SKETCH_CURVES(s, "Loss above the entropy: larger models", series, .x_name = "parameters",
                         .y_name = "loss above the entropy (nats a word)", .y_low = 0.01,
                         .y_high = 2, .log_x = true, .log_y = true);
}

const Figure scaling_figures[] = {
    {44, "by-size", draw_by_size, .what = "loss above the entropy by parameters, with a power law"},
    {0},
};
