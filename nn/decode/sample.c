/* sample.c: which token comes next? Chance decides, among all tokens or among the likely ones.
 *
 *   temperature   p_i = exp(a_i / T) / sum_j exp(a_j / T)       T = 1: the model's own distribution
 *   top-k         only the k likeliest tokens
 *   top-p         only the likeliest tokens whose probabilities together reach p: the nucleus
 *
 * What is left is divided by its sum, so that it is a distribution again. a: the logits.
 *                   Z "Sampling strategies"; nucleus: Holtzman et al. 2020, "The curious case of neural
 *                   text degeneration" */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>

bool nn_candidates_init(Candidates *c, int64_t words)
{
    *c = (Candidates){.words = words};
    if (words < 1 || words > INT32_MAX)
        return tensor_fail("candidates: %lld words; need 1 to %d", (long long)words, INT32_MAX);
    c->list = mem_alloc((size_t)words * sizeof *c->list);
    return c->list != NULL;
}

void nn_candidates_free(Candidates *c)
{
    mem_free(c->list);
    *c = (Candidates){0};
}

/* ---- in order ------------------------------------------------------------------------------------------- */

static bool likelier(Candidate a, Candidate b)
{
    return a.p > b.p || (a.p == b.p && a.token < b.token);
}

/* In a heap no parent is likelier than its children 2 i + 1 and 2 i + 2. Here only list[i] may break that. */
static void sift(Candidate *list, int64_t i, int64_t n)
{
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && likelier(list[child], list[child + 1]))
            child++;
        if (likelier(list[child], list[i]))
            return;
        Candidate moved = list[i];
        list[i] = list[child];
        list[child] = moved;
    }
}

/* The least likely of a heap goes to its end, again and again: the likeliest is first then. */
static void sort(Candidate *list, int64_t n)
{
    for (int64_t i = n / 2; i-- > 0;)
        sift(list, i, n);
    for (int64_t end = n - 1; end > 0; end--) {
        Candidate least = list[0];
        list[0] = list[end];
        list[end] = least;
        sift(list, 0, end);
    }
}

/* ---- distributions -------------------------------------------------------------------------------------- */

/* Only the first `count`, divided by their sum. */
static void keep(Candidates *c, int64_t count)
{
    double sum = 0;
    c->count = count;
    for (int64_t i = 0; i < count; i++)
        sum += c->list[i].p;
    for (int64_t i = 0; i < count; i++)
        c->list[i].p /= sum;
}

bool nn_temperature(Candidates *c, const real *logits, double temperature)
{
    double most = logits[nn_greedy(logits, c->words)];
    if (!(temperature >= 0) || isinf(temperature))
        return tensor_fail("temperature: %g; need 0 (the likeliest) or more", temperature);
    if (isnan(decode_log_sum(logits, c->words)))
        return decode_no_numbers("temperature");
    for (int64_t i = 0; i < c->words; i++) {
        double below = logits[i] - most; /* 0 for the largest, at any temperature */
        c->list[i] = (Candidate){below < 0 ? exp(below / temperature) : 1, (int)i};
    }
    sort(c->list, c->words);
    keep(c, c->words);
    return true;
}

bool nn_top_k(Candidates *c, int64_t k)
{
    if (k < 1)
        return tensor_fail("top-k: k is %lld; need 1 or more", (long long)k);
    if (k < c->count)
        keep(c, k);
    return true;
}

bool nn_top_p(Candidates *c, double p)
{
    if (!(p > 0 && p <= 1))
        return tensor_fail("top-p: p is %g; need more than 0, and at most 1", p);
    double sum = 0;
    for (int64_t i = 0; p < 1 && i < c->count; i++)
        if ((sum += c->list[i].p) >= p)
            keep(c, i + 1);
    return true;
}

/* ---- chance --------------------------------------------------------------------------------------------- */

/* Candidate i owns the stretch of [0, 1) that is p_i long, behind those of the candidates before it. */
int nn_draw(const Candidates *c, Rng *rng)
{
    double u = rng_uniform(rng), sum = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (u < (sum += c->list[i].p))
            return c->list[i].token;
    return c->list[0].token; /* the sum was rounded to less than 1, and u lies between */
}

int nn_sample(const Sampler *s, const real *logits)
{
    bool ok = nn_temperature(s->candidates, logits, s->temperature) &&
              nn_top_k(s->candidates, s->top_k) && nn_top_p(s->candidates, s->top_p);
    return ok ? nn_draw(s->candidates, s->rng) : -1;
}
