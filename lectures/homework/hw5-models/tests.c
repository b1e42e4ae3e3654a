/* tests.c: the tests of homework 5. See homework.h, and GUIDE.md beside this folder. */
#include "homework.h"
#include "hw5.h"

#include <math.h>

/* ---- 1. masked tokens ------------------------------------------------------------------------ */

/* Labels of t positions; with `ignored`, about half of them are negative (-1 or -100), but not
 * all. */
static int *labels_of(Case *c, int t, int v, int ignored)
{
    int *labels = case_given_integers(c, "labels", 1, t);
    int sure = (int)(case_random(c) * t);
    for (int i = 0; i < t; i++) {
        int token = (int)(case_random(c) * v), hidden = case_random(c) < 0.5 ? -1 : -100;
        labels[i] = ignored && i != sure && case_random(c) < 0.6 ? hidden : token;
    }
    return labels;
}

static void masked_of(Case *c, int ignored)
{
    int t = case_size(c, "t", 1, 5), v = case_size(c, "v", 2, 6);
    const real *logits = case_input(c, "logits", 2, t, v);
    int *labels = labels_of(c, t, v, ignored);
    *case_output(c, "loss", 0) = masked_loss(logits, labels, t, v);
}

static void masked_all_case(Case *c)
{
    masked_of(c, 0);
}

static void masked_case(Case *c)
{
    masked_of(c, 1);
}

static void masked_none_case(Case *c)
{
    int t = case_size(c, "t", 1, 4), v = case_size(c, "v", 2, 5);
    const real *logits = case_input(c, "logits", 2, t, v);
    int *labels = case_given_integers(c, "labels", 1, t);
    for (int i = 0; i < t; i++)
        labels[i] = i % 2 ? -100 : -1;
    *case_output(c, "loss", 0) = masked_loss(logits, labels, t, v);
}

static void masked_backward_case(Case *c)
{
    int t = case_size(c, "t", 1, 5), v = case_size(c, "v", 2, 6);
    const real *logits = case_input(c, "logits", 2, t, v);
    int *labels = labels_of(c, t, v, 1);
    const real *dloss = case_input(c, "dloss", 0);
    masked_loss_backward(case_sum(c, "dlogits", 2, t, v), *dloss, logits, labels, t, v);
}

/* ---- 2. KL ----------------------------------------------------------------------------------- */

static void kl_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 4), n = case_size(c, "n", 1, 4);
    const real *mean = case_input(c, "mean", 2, batch, n);
    const real *logvar = case_input(c, "logvar", 2, batch, n);
    *case_output(c, "kl", 0) = gaussian_kl(mean, logvar, batch, n);
}

static void kl_backward_case(Case *c)
{
    int batch = case_size(c, "batch", 1, 4), n = case_size(c, "n", 1, 4);
    const real *mean = case_input(c, "mean", 2, batch, n);
    const real *logvar = case_input(c, "logvar", 2, batch, n);
    const real *dkl = case_input(c, "dkl", 0);
    real *dmean = case_sum(c, "dmean", 2, batch, n), *dlogvar = case_sum(c, "dlogvar", 2, batch, n);
    gaussian_kl_backward(dmean, dlogvar, *dkl, mean, logvar, batch, n);
}

/* ---- 3. reparameterisation ------------------------------------------------------------------- */

static void sample_case(Case *c)
{
    int n = case_size(c, "n", 1, 6);
    const real *mean = case_input(c, "mean", 1, n), *logvar = case_input(c, "logvar", 1, n);
    const real *noise = case_input(c, "noise", 1, n);
    reparameterise(case_output(c, "z", 1, n), mean, logvar, noise, n);
}

static void sample_backward_case(Case *c)
{
    int n = case_size(c, "n", 1, 6);
    case_input(c, "mean", 1, n);
    const real *logvar = case_input(c, "logvar", 1, n), *noise = case_input(c, "noise", 1, n);
    const real *dz = case_input(c, "dz", 1, n);
    real *dmean = case_sum(c, "dmean", 1, n), *dlogvar = case_sum(c, "dlogvar", 1, n);
    reparameterise_backward(dmean, dlogvar, dz, logvar, noise, n);
}

/* ---- 4. top-p sampling ----------------------------------------------------------------------- */

static int is_before(const real *logits, int j, int i)
{
    return logits[j] > logits[i] || (logits[j] == logits[i] && j < i);
}

/* Multiples of 1/2 plus an offset, so that equal logits are common. p lies in the middle of the
 * probability of the last word of the nucleus, so that no rounding decides. */
static void top_p_of(Case *c, double offset)
{
    int v = case_size(c, "v", 2, 8), size = case_choice(c, "nucleus", 1, v);
    real *logits = case_given(c, "logits", 1, v);
    double all = 0, p = 0;
    for (int i = 0; i < v; i++) {
        logits[i] = (real)(offset + round(case_normal(c) * 2) / 2);
        all += exp((double)logits[i] - offset);
    }
    for (int i = 0; i < v; i++) {
        int rank = 0;
        for (int j = 0; j < v; j++)
            rank += is_before(logits, j, i);
        double own = exp((double)logits[i] - offset) / all;
        p += (rank < size - 1 ? 1 : rank == size - 1 ? 0.5 : 0) * own;
    }
    *case_given(c, "p", 0) = (real)p;
    real *prob = case_output(c, "prob", 1, v);
    *case_output_integers(c, "count", 0) = top_p(prob, logits, v, (real)p);
}

static void top_p_case(Case *c)
{
    top_p_of(c, 0);
}

/* exp(1024) is beyond a double. */
static void top_p_large_case(Case *c)
{
    top_p_of(c, 1024);
}

/* Multiples of 1/64 that sum to `whole`; about a third of them are 0, every third time the first
 * one, too. */
static real *distribution(Case *c, int v, double whole)
{
    int left = 64, first = case_turn(c, "first_is_zero", 0, 2) == 1;
    real *prob = case_given(c, "prob", 1, v);
    for (int i = 0; i < v; i++) {
        int zero = i == 0 ? first : case_random(c) < 0.3;
        int part = i == v - 1 ? left : zero ? 0 : (int)(case_random(c) * left);
        prob[i] = (real)(whole * part / 64);
        left -= part;
    }
    return prob;
}

/* u is a multiple of 1/128: it is 0 in every fourth case, and may be exactly one of the sums. */
static void draw_case(Case *c)
{
    int v = case_size(c, "v", 2, 8);
    const real *prob = distribution(c, v, 1);
    real u = case_turn(c, "u_is_zero", 0, 3) == 1 ? 0 : (real)(int)(case_random(c) * 128) / 128;
    *case_given(c, "u", 0) = u;
    *case_output_integers(c, "word", 0) = draw(prob, v, u);
}

/* The sum stays below u, as it can after rounding; the last word may have probability 0. */
static void draw_end_case(Case *c)
{
    int v = case_size(c, "v", 2, 8);
    real *prob = distribution(c, v, 1 - 1.0 / 1024);
    if (case_turn(c, "last_is_zero", 0, 1)) {
        prob[0] += prob[v - 1];
        prob[v - 1] = 0;
    }
    real u = (real)(1 - 1.0 / 2048);
    *case_given(c, "u", 0) = u;
    *case_output_integers(c, "word", 0) = draw(prob, v, u);
}

/* ---- 5. the KV cache ------------------------------------------------------------------------- */

/* Elements that must not change stay -9999. */
static void append_case(Case *c)
{
    int heads = case_size(c, "heads", 1, 3), capacity = case_size(c, "capacity", 2, 5);
    int d = case_size(c, "d", 1, 4), position = case_choice(c, "position", 0, capacity - 2);
    const real *x = case_input(c, "x", 2, heads, d);
    cache_append(case_output(c, "cache", 3, heads, capacity, d), x, heads, capacity, d, position);
}

static void cached_case(Case *c)
{
    int heads = case_size(c, "heads", 1, 3), capacity = case_size(c, "capacity", 2, 6);
    int d = case_size(c, "d", 1, 4), count = case_choice(c, "count", 1, capacity);
    const real *q = case_input(c, "q", 2, heads, d);
    const real *keys = case_input(c, "keys", 3, heads, capacity, d);
    const real *values = case_input(c, "values", 3, heads, capacity, d);
    cached_attention(case_output(c, "y", 2, heads, d), q, keys, values, heads, capacity, d, count);
}

/* ---- the table ------------------------------------------------------------------------------- */

const Test tests[] = {
    {"masked_all", "masked_loss", "the loss where every position has a label", POINTS(6),
     masked_all_case},
    {"masked_loss", "masked_loss", "the loss of masked tokens", POINTS(6), masked_case,
     .needs = "masked_all"},
    {"masked_none", "masked_loss", "the loss where no position has a label", POINTS(2),
     masked_none_case, .needs = "masked_loss"},
    {"masked_loss_backward", "masked_loss_backward", "the loss of masked tokens, backward",
     POINTS(15), masked_backward_case, .forward = masked_case, .gradients = "dlogits:logits",
     .upstream = "dloss:loss"},
    {"gaussian_kl", "gaussian_kl", "the KL divergence", POINTS(8), kl_case},
    {"gaussian_kl_backward", "gaussian_kl_backward", "the KL divergence, backward", POINTS(10),
     kl_backward_case, .forward = kl_case, .gradients = "dmean:mean dlogvar:logvar",
     .upstream = "dkl:kl"},
    {"reparameterise", "reparameterise", "reparameterisation", POINTS(5), sample_case},
    {"reparameterise_backward", "reparameterise_backward", "reparameterisation, backward",
     POINTS(10), sample_backward_case, .forward = sample_case,
     .gradients = "dmean:mean dlogvar:logvar", .upstream = "dz:z"},
    {"top_p", "top_p", "the nucleus", POINTS(11), top_p_case, .cases = 24},
    {"top_p_large", "top_p", "the nucleus of large logits", POINTS(3), top_p_large_case,
     .needs = "top_p"},
    {"draw", "draw", "a word is drawn", POINTS(5), draw_case, .cases = 24},
    {"draw_end", "draw", "a word is drawn where the sum stays below u", POINTS(1), draw_end_case,
     .needs = "draw"},
    {"cache_append", "cache_append", "a token is added to the cache", POINTS(7), append_case},
    {"cached_attention", "cached_attention", "attention over the cache", POINTS(11), cached_case},
    {0},
};
