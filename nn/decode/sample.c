/* sample.c: sampling the next token from the model's distribution, or from its most likely part.
 *
 *   temperature     p_i = exp(a_i / T) / sum_j exp(a_j / T), a: the logits;  T = 1: the model's own distribution
 *   top-k           the k most likely tokens
 *   nucleus, top-p  the smallest set of most likely tokens with cumulative probability p or more
 *
 * Each restriction divides the remaining probabilities by their sum, so that they are a
 * distribution again.
 *         Z "Sampling strategies" (lectures/README.md); nucleus: Holtzman et al. 2020, "The curious
 *         case of neural text degeneration" */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>
#include <stdlib.h>

bool nn_candidates_init(Candidates *c, int64_t vocabulary)
{
    if (!c)
        return tensor_fail("nn_candidates_init: the list is NULL; expected a Candidates");
    *c = (Candidates){0};
    if (vocabulary < 1 || vocabulary > INT32_MAX)
        return tensor_fail("nn_candidates_init: a vocabulary of %lld; expected 1 to %d",
                           (long long)vocabulary, INT32_MAX);
    c->list = mem_alloc((size_t)vocabulary * sizeof *c->list);
    c->vocabulary = c->list ? vocabulary : 0;
    return c->list != NULL;
}

void nn_candidates_free(Candidates *c)
{
    if (!c)
        return;
    mem_free(c->list);
    *c = (Candidates){0};
}

static bool candidates_check(const Candidates *c, bool distribution, const char *who)
{
    if (!c || !c->list)
        return tensor_fail("%s: the candidates are NULL or empty; expected a list whose "
                           "nn_candidates_init succeeded",
                           who);
    return !distribution || c->count > 0 ||
           tensor_fail("%s: the candidates have no distribution; expected one of nn_temperature",
                       who);
}

/* For qsort: descending probability, and among equals ascending tokens. No two candidates compare
 * as equal, so the order does not depend on the C library's algorithm. */
static int compare(const void *left, const void *right)
{
    const Candidate *a = left, *b = right;
    if (a->p != b->p)
        return a->p > b->p ? -1 : 1;
    return a->token < b->token ? -1 : 1;
}

/* Restricts the distribution to its first `count` candidates and normalises it.
 * The sum is taken again, so that rounding errors of several restrictions do not add up. */
static void keep(Candidates *c, int64_t count)
{
    double sum = 0;
    c->count = count;
    for (int64_t i = 0; i < count; i++)
        sum += c->list[i].p;
    for (int64_t i = 0; i < count; i++)
        c->list[i].p /= sum;
}

/* p_i proportional to exp((a_i - max) / T): the shift changes no probability and avoids overflow. T
 * = 0 divides a negative number by 0, so that every token below the maximum gets exp(-infinity) =
 * 0. */
bool nn_temperature(Candidates *c, const real *logits, double T)
{
    const char *who = "nn_temperature";
    if (!candidates_check(c, false, who))
        return false;
    if (!logits || !(T >= 0) || isinf(T))
        return tensor_fail("%s: %s, a temperature of %g; expected logits, and a finite temperature "
                           "of 0 or more",
                           who, logits ? "logits" : "the logits are NULL", T);
    double sum;
    if (!decode_log_sum(logits, c->vocabulary, &sum, who))
        return false;
    double maximum = logits[nn_greedy(logits, c->vocabulary)];
    for (int64_t i = 0; i < c->vocabulary; i++) {
        double below = logits[i] - maximum; /* 0 for the largest, at any temperature */
        c->list[i] = (Candidate){below < 0 ? exp(below / T) : 1, (int)i};
    }
    qsort(c->list, (size_t)c->vocabulary, sizeof *c->list, compare);
    keep(c, c->vocabulary);
    return true;
}

bool nn_top_k(Candidates *c, int64_t k)
{
    if (!candidates_check(c, true, "nn_top_k"))
        return false;
    if (k < 1)
        return tensor_fail("nn_top_k: k is %lld; expected 1 or more", (long long)k);
    if (k < c->count)
        keep(c, k);
    return true;
}

bool nn_top_p(Candidates *c, double p)
{
    if (!candidates_check(c, true, "nn_top_p"))
        return false;
    if (!(p > 0 && p <= 1))
        return tensor_fail("nn_top_p: p is %g; expected 0 < p <= 1", p);
    if (p == 1) /* the rounded sum of all may be less than 1, or reach it too early */
        return true;
    int64_t nucleus = 0;
    for (double sum = 0; nucleus < c->count && sum < p; nucleus++)
        sum += c->list[nucleus].p;
    keep(c, nucleus);
    return true;
}

/* Inverse transform sampling: candidate i owns the interval of [0, 1) from p_1 + ... + p_(i-1), p_i
 * long. The first i whose cumulative probability exceeds u. */
int32_t nn_draw(const Candidates *c, Rng *rng)
{
    if (!candidates_check(c, true, "nn_draw"))
        return -1;
    if (!rng) {
        tensor_fail("nn_draw: the generator is NULL; expected an Rng");
        return -1;
    }
    double u = rng_uniform(rng), sum = 0;
    for (int64_t i = 0; i < c->count; i++)
        if (u < (sum += c->list[i].p))
            return c->list[i].token;
    return c->list[0].token; /* u lies between the sum, rounded to less than 1, and 1 */
}

int32_t nn_sample(void *sampler, const real *logits, int64_t vocabulary)
{
    const Sampler *s = sampler;
    if (!s || !s->candidates || s->candidates->vocabulary != vocabulary) {
        tensor_fail("nn_sample: %s for %lld tokens; expected a Sampler with candidates for them",
                    !s               ? "the sampler is NULL"
                    : !s->candidates ? "no candidates"
                                     : "other candidates",
                    (long long)vocabulary);
        return -1;
    }
    bool ok = nn_temperature(s->candidates, logits, s->temperature) &&
              nn_top_k(s->candidates, s->top_k) && nn_top_p(s->candidates, s->top_p);
    return ok ? nn_draw(s->candidates, s->rng) : -1;
}
