/* tests.c: the tests of homework 9. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw9.h"

#include <math.h>

static void shift_case(Case *c)
{
    int n = case_size(c, "n", 1, 6), start = case_choice(c, "start", 10, 12);
    const int *labels = case_integers(c, "labels", 0, 9, 1, n);
    shift_right(case_output_integers(c, "inputs", 1, n), labels, n, start);
}

typedef struct {
    int t, v;
    const real *logits;
    int *labels;
    real *smoothing;
} Loss;

/* Of `ignored`, about every third label is -1, sometimes all of them; -100 stands for others. */
static Loss loss_of(Case *c, double scale, int ignored, int smooth)
{
    Loss l = {.t = case_size(c, "t", 1, 5), .v = case_size(c, "v", 2, 6)};
    l.logits = case_input_scaled(c, "logits", scale, 2, l.t, l.v);
    l.labels = case_given_integers(c, "labels", 1, l.t);
    l.smoothing = case_given(c, "smoothing", 0);
    *l.smoothing = smooth ? (real)(0.05 + case_random(c) / 2) : 0;
    for (int i = 0; i < l.t; i++) {
        int hidden = ignored && case_random(c) < 0.4;
        l.labels[i] = hidden ? (i % 2 ? -1 : -100) : (int)(case_random(c) * l.v);
    }
    return l;
}

static void loss_of_case(Case *c, double scale, int ignored, int smooth)
{
    Loss l = loss_of(c, scale, ignored, smooth);
    *case_output(c, "loss", 0) = cross_entropy(l.logits, l.labels, l.t, l.v, *l.smoothing);
}

static void loss_case(Case *c)
{
    loss_of_case(c, 1, 0, 0);
}

static void loss_ignored_case(Case *c)
{
    loss_of_case(c, 1, 1, 0);
}

static void loss_smooth_case(Case *c)
{
    loss_of_case(c, 1, 1, 1);
}

static void loss_large_case(Case *c)
{
    loss_of_case(c, 1024, 1, 0);
}

static void loss_backward_case(Case *c)
{
    Loss l = loss_of(c, 1, 1, 1);
    const real *dloss = case_input(c, "dloss", 0);
    cross_entropy_backward(case_sum(c, "dlogits", 2, l.t, l.v), *dloss, l.logits, l.labels, l.t,
                           l.v, *l.smoothing);
}

/* From half to twice the norm, none too near to it. */
static void clip_case(Case *c)
{
    int n = case_size(c, "n", 2, 6), above = case_choice(c, "above", 0, 1);
    const real *before = case_input(c, "before", 1, n);
    real *most = case_given(c, "most", 0), *g = case_output(c, "g", 1, n);
    double squares = 0.01;
    for (int i = 0; i < n; i++) {
        g[i] = before[i];
        squares += (double)before[i] * (double)before[i];
    }
    *most = (real)(sqrt(squares) * (above ? 1.25 + case_random(c) : 0.25 + case_random(c) / 2));
    *case_output(c, "norm", 0) = clip(g, n, *most);
}

static void rate_of(Case *c, int low, int high)
{
    int warmup = case_choice(c, "warmup", 0, 6), total = warmup + case_choice(c, "rest", 1, 12);
    real *peak = case_given(c, "peak", 0), *lowest = case_given(c, "lowest", 0);
    *peak = (real)(0.5 + case_random(c));
    *lowest = (real)(0.25 * case_random(c));
    real *rate = case_output(c, "rate", 1, high - low + 1);
    for (int step = low; step <= high; step++)
        rate[step - low] = learning_rate(step, warmup, total, *peak, *lowest);
}

static void rate_case(Case *c)
{
    rate_of(c, 1, 20);
}

/* Betas far from 1 and a large eps, so that each shows. */
static Settings *settings_of(Case *c, Settings *s)
{
    real *given = case_given(c, "settings", 1, 7);
    given[0] = (real)(0.5 + 0.4 * case_random(c));
    given[1] = (real)(0.6 + 0.35 * case_random(c));
    given[2] = (real)(0.02 + 0.1 * case_random(c));
    given[3] = (real)(0.1 + 0.2 * case_random(c));
    given[4] = (real)(0.05 + 0.05 * case_random(c));
    given[5] = given[4] / 8;
    given[6] = (real)(0.1 + 0.2 * case_random(c));
    *s = (Settings){given[0], given[1], given[2], given[3], given[4], given[5], given[6], 0};
    return s;
}

static void adamw_of(Case *c, int first)
{
    int n = case_size(c, "n", 1, 4), step = first ? 1 : case_choice(c, "step", 2, 9);
    const real *g = case_input(c, "g", 1, n), *old = case_input(c, "before", 2, 3, n);
    real *rate = case_given(c, "rate", 0);
    real *w = case_output(c, "w", 1, n), *m = case_output(c, "m", 1, n);
    real *v = case_output(c, "v", 1, n);
    Settings s;
    *rate = (real)(0.25 + case_random(c) / 2);
    for (int i = 0; i < n; i++) {
        w[i] = old[i];
        m[i] = first ? 0 : old[n + i];
        v[i] = first ? 0 : old[2 * n + i] * old[2 * n + i];
    }
    adamw(w, m, v, g, n, step, *rate, settings_of(c, &s));
}

static void adamw_first_case(Case *c)
{
    adamw_of(c, 1);
}

static void adamw_case(Case *c)
{
    adamw_of(c, 0);
}

static void accumulate_case(Case *c)
{
    int n = case_size(c, "n", 1, 5), count = case_choice(c, "count", 1, 6);
    int all = count + case_choice(c, "others", 0, 9);
    const real *g = case_input(c, "g", 1, n);
    accumulate(case_sum(c, "sum", 1, n), g, n, count, all);
}

enum { LABELS = 9, CLASSES = 4, CHANNELS = 3 };

/* Regression with a softmax: batch b has count[b] examples, which are rows of one table. */
typedef struct {
    int channels;
    const real *x; /* (LABELS, channels) */
    const int *y, *count;
} Examples;

static real gradient_of(real *g, const real *w, int batch, const void *model)
{
    const Examples *e = model;
    double loss = 0;
    for (int i = 0; i < CLASSES * e->channels; i++)
        g[i] = 0;
    for (int i = 0; i < e->count[batch]; i++) {
        int at = (batch * 4 + i) % LABELS;
        double logits[CLASSES] = {0}, sum = 0;
        for (int j = 0; j < CLASSES; j++) {
            for (int k = 0; k < e->channels; k++)
                logits[j] += (double)w[j * e->channels + k] * (double)e->x[at * e->channels + k];
            sum += exp(logits[j]);
        }
        loss -= (logits[e->y[at]] - log(sum)) / e->count[batch];
        for (int j = 0; j < CLASSES; j++)
            for (int k = 0; k < e->channels; k++)
                g[j * e->channels + k] +=
                    (real)((exp(logits[j]) / sum - (j == e->y[at])) *
                           (double)e->x[at * e->channels + k] / e->count[batch]);
    }
    return (real)loss;
}

/* The last case has as many weights as a model may have. In half of the cases no gradient is
 * clipped, so that its size shows. */
static void train_of(Case *c, int steps, int last)
{
    int parts = 1 + case_turn(c, "parts", 0, 4) % 3, clips = case_turn(c, "clips", 0, 1);
    int channels = case_turn(c, "case", 0, last) == last ? WEIGHTS_MOST / CLASSES : CHANNELS;
    int n = CLASSES * channels;
    int *count = case_given_integers(c, "count", 1, steps * parts);
    for (int b = 0; b < steps * parts; b++)
        count[b] = 1 + (int)(case_random(c) * 4);
    const real *start = case_input(c, "start", 1, n);
    const int *y = case_integers(c, "y", 0, CLASSES - 1, 1, LABELS);
    Examples e = {channels, case_input(c, "x", 2, LABELS, channels), y, count};
    real *w = case_output(c, "w", 1, n), *loss = case_output(c, "loss", 0);
    Settings s;
    settings_of(c, &s)->warmup = case_choice(c, "warmup", 0, steps / 2);
    real *most = case_given(c, "most", 0);
    *most = s.most = clips ? s.most : 64;
    for (int i = 0; i < n; i++)
        w[i] = start[i];
    *loss = train(w, n, steps, parts, count, gradient_of, &e, &s);
}

static void train_case(Case *c)
{
    train_of(c, case_turn(c, "steps", 1, 3), 23);
}

static void train_long_case(Case *c)
{
    train_of(c, 100, 5);
}

const Test tests[] = {
    {"shift", "shift_right", "inputs are labels shifted right", POINTS(4), shift_case},
    {"loss", "cross_entropy", "cross-entropy", POINTS(5), loss_case},
    {"loss_ignored", "cross_entropy", "labels that are ignored", POINTS(4), loss_ignored_case,
     .needs = "loss", .cases = 24},
    {"loss_smooth", "cross_entropy", "label smoothing", POINTS(4), loss_smooth_case,
     .needs = "loss"},
    {"loss_large", "cross_entropy", "large logits", POINTS(3), loss_large_case, .needs = "loss"},
    {"loss_backward", "cross_entropy_backward", "cross-entropy, backward", POINTS(14),
     loss_backward_case, .forward = loss_smooth_case, .gradients = "dlogits:logits",
     .upstream = "dloss:loss"},
    {"clip", "clip", "clip by the norm", POINTS(8), clip_case, .cases = 24},
    {"rate", "learning_rate", "warm-up and cosine", POINTS(12), rate_case, .cases = 24},
    {"adamw_first", "adamw", "the first step of AdamW", POINTS(7), adamw_first_case},
    {"adamw", "adamw", "a later step of AdamW", POINTS(10), adamw_case},
    {"accumulate", "accumulate", "accumulate gradients", POINTS(7), accumulate_case},
    {"train", "train", "up to three steps of training", POINTS(14), train_case, .cases = 24},
    {"train_long", "train", "a hundred steps", POINTS(8), train_long_case, .needs = "train",
     .cases = 6},
    {0},
};
