/* rules.c: rules by which the tokens so far change the scores of the next one, as transformers 5
 * defines them.
 *
 *   repetition   s / r for a score s of 0 or more, s r below 0, of each token that occurs already
 *   no_repeat    -infinity for a token that completes n tokens which occur already in this order
 *   forbidden    -infinity
 *   shortest     -infinity for the tokens that end a text, while it has fewer tokens
 *
 *         repetition: Keskar et al. 2019, "CTRL", section 4.1; no_repeat: Paulus et al. 2017, "A
 *         deep reinforced model for abstractive summarization", section 2.5 */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* Each token once: a token whose first position is not i was seen before. */
static void penalise(double r, const int32_t *ids, int64_t n, real *scores, int64_t vocabulary)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t first = 0;
        while (ids[first] != ids[i])
            first++;
        if (first == i && ids[i] >= 0 && ids[i] < vocabulary)
            scores[ids[i]] = (real)(scores[ids[i]] < 0 ? (double)scores[ids[i]] * r
                                                       : (double)scores[ids[i]] / r);
    }
}

static void forbid(int32_t token, real *scores, int64_t vocabulary)
{
    if (token >= 0 && token < vocabulary)
        scores[token] = -INFINITY;
}

static bool check(const DecodeRules *r, const char *who)
{
    if (!(r->repetition >= 0) || isinf(r->repetition) || r->no_repeat < 0)
        return tensor_fail("%s: a penalty of %g for repetitions, no %d tokens twice; expected a "
                           "finite penalty above 0, or 0 for none, and 0 or more tokens",
                           who, r->repetition, r->no_repeat);
    return true;
}

bool nn_rules(const Decoder *d, const int32_t *ids, int64_t n, real *scores, int64_t vocabulary)
{
    const char *who = "nn_rules";
    if (!d || !scores || (!ids && n > 0) || n < 0)
        return tensor_fail("%s: %s; expected a decoder, the ids so far, and scores", who,
                           !d        ? "the decoder is NULL"
                           : !scores ? "the scores are NULL"
                                     : "the ids are NULL, or fewer than 0");
    const DecodeRules *r = d->rules;
    if (!r)
        return true;
    if (!check(r, who))
        return false;
    if (r->repetition > 0 && r->repetition != 1)
        penalise(r->repetition, ids, n, scores, vocabulary);
    const int64_t before = r->no_repeat - 1; /* the last tokens, which another would follow */
    for (int64_t i = 0; r->no_repeat > 0 && i + before < n; i++)
        if (memcmp(ids + i, ids + n - before, (size_t)before * sizeof *ids) == 0)
            forbid(ids[i + before], scores, vocabulary);
    for (const int32_t *f = r->forbidden; f && *f >= 0; f++)
        forbid(*f, scores, vocabulary);
    if (n < r->shortest) {
        forbid(d->end, scores, vocabulary);
        for (const int32_t *e = d->ends; e && *e >= 0; e++)
            forbid(*e, scores, vocabulary);
    }
    return true;
}

const real *decode_scores(const Decoder *d, const int32_t *ids, int64_t n, const real *logits,
                          double sum, int64_t vocabulary, real **scores)
{
    if (!d->rules)
        return logits;
    if (!*scores)
        *scores = mem_alloc((size_t)vocabulary * sizeof **scores);
    for (int64_t i = 0; *scores && i < vocabulary; i++)
        (*scores)[i] = (real)(logits[i] - sum);
    return *scores && nn_rules(d, ids, n, *scores, vocabulary) ? *scores : NULL;
}
