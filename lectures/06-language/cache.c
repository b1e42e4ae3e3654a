/* cache.c: keys and values are computed once (row 40).     B "Generation via Transformer-based LMs"
 *
 *   without a cache:  token n is chosen after a pass over all n tokens       n^2 pairs (query, key) in each layer
 *   with one:         after a pass over one token, whose query meets n keys  n pairs
 *
 * B: "we can drop number of key and query computations by caching"; "we compute only the target
 * token distribution". */
#include "lectures/06-language/language.h"

#include <string.h>

bool talker_begin(Talker *k, uint64_t seed)
{
    const GptConfig config = {.words = VOCABULARY,
                              .longest = LONGEST,
                              .channels = WIDE,
                              .heads = 4,
                              .layers = DEEP,
                              .position = POSITION_LEARNED};
    *k = (Talker){.params = params_new(seed), .tape = tape_new(seed)};
    bool ok = k->params && k->tape && nn_gpt_init(&k->gpt, k->params, "", config) &&
              nn_gpt_cache(&k->gpt, &k->cache, 1);
    for (int i = 0; ok && i < k->params->count; i++) /* nn_gpt_init's deviation is 0.02 */
        for (int64_t j = 0; j < tensor_size(k->params->weight[i]); j++)
            k->params->weight[i]->data[j] *= k->params->weight[i]->shape.rank > 1 ? 10 : 1;
    if (ok)
        k->tape->no_grad = true;
    return ok;
}

void talker_end(Talker *k)
{
    nn_cache_free(&k->cache);
    tape_free(k->tape);
    params_free(k->params);
}

void talker_tokens(uint64_t seed, int *ids, int n)
{
    Rng rng = {.seed = seed, .stream = 610};
    for (int i = 0; i < n; i++)
        ids[i] = (int)rng_below(&rng, VOCABULARY);
}

/* ---- the same numbers ------------------------------------------------------------------------ */

typedef enum { RIGHT, SAME_POSITION, FORGETS_FIRST } CacheKind;

/* One token through the cache: its logits (1, 1, V). */
static Tensor *one_more(Talker *k, int id, CacheKind kind)
{
    tape_reset(k->tape);
    Tensor *ids = tape_ids(k->tape, &id, shape2(1, 1)),
           *x = nn_embedding(&k->gpt.encoder.embedding, ids);
    Tensor *position = kind == SAME_POSITION ? tape_ids(k->tape, (int[]){0}, shape2(1, 1))
                                             : nn_cache_positions(&k->cache, k->tape, 1);
    x = nn_position_at(&k->gpt.encoder.position, x, position);
    for (int l = 0; l < DEEP; l++) {
        x = nn_transformer_block_cached(&k->gpt.encoder.blocks[l], x, &k->cache, l);
        Tensor *keys = k->cache.keys_values[2 * l]; /* (1, H, capacity, d) */
        for (int64_t h = 0; kind == FORGETS_FIRST && h < keys->shape.dim[1]; h++)
            memset(keys->data + h * LONGEST * keys->shape.dim[3], 0,
                   sizeof(real) * (size_t)keys->shape.dim[3]);
    }
    nn_cache_advance(&k->cache, NULL, 1);
    return nn_linear(&k->gpt.head, nn_norm(&k->gpt.encoder.norm, x));
}

/* max |logits with the cache - logits of one pass over all|, over the largest logit; rows (T, V) of
 * the one pass. */
static double cached_against(Talker *k, const int *ids, int T, const Tensor *full, CacheKind kind)
{
    double worst = 0, largest = values_largest(full);
    nn_cache_reset(&k->cache);
    for (int n = 0; n < T; n++) {
        const Tensor *y = one_more(k, ids[n], kind);
        for (int v = 0; v < VOCABULARY; v++)
            worst = values_worst(worst,
                                 fabs((double)y->data[v] - (double)full->data[n * VOCABULARY + v]));
    }
    return worst / largest;
}

static double cache_equal(Trial *t)
{
    enum { T = 64 };
    Talker k;
    int ids[T];
    CacheKind kind = broken(t, "same-position")   ? SAME_POSITION
                     : broken(t, "forgets-first") ? FORGETS_FIRST
                                                  : RIGHT;
    double worst = (double)NAN;
    talker_tokens(t->seed, ids, T);
    if (talker_begin(&k, t->seed)) {
        Tape *all = tape_new(t->seed);
        all->no_grad = true;
        Tensor *full = nn_gpt(&k.gpt, tape_ids(all, ids, shape2(1, T)));
        if (!tensor_is_poison(full))
            worst = cached_against(&k, ids, T, full, kind);
        explain(t, "%d tokens, largest logit %.2f: largest difference, relative to it, %.2g", T,
                values_largest(full), worst);
        tape_free(all);
    }
    talker_end(&k);
    return worst;
}

/* ---- the cache and the mask ------------------------------------------------------------------ */

/* Attention of the last `new` of n tokens to all n, with the causal mask and without: how far they
 * differ. */
static double mask_difference(Tape *tape, Rng *rng, int n, int new)
{
    enum { D = 8 };
    Tensor *q = values_normal(tape, rng, shape4(1, 1, new, D), 1);
    Tensor *k = values_normal(tape, rng, shape4(1, 1, n, D), 1);
    Tensor *v = values_normal(tape, rng, shape4(1, 1, n, D), 1);
    return values_difference(ag_attention(q, k, v, (Mask){.causal = true}, 0),
                             ag_attention(q, k, v, (Mask){0}, 0));
}

static double cache_no_mask(Trial *t)
{
    int new = broken(t, "two-at-once") ? 2 : 1;
    double worst = 0;
    for (int n = 2; n <= 64; n *= 2) {
        double off = mask_difference(trial_tape(t), trial_rng(t, 612), n, new);
        explain(t, "%d new of %2d tokens: the mask hides %d pairs and changes the result by %.3g",
                new, n, new *(new - 1) / 2, off);
        worst = values_worst(worst, off);
    }
    return worst;
}

/* Keys that were computed before a token was appended are those of after only if earlier rows
 * cannot see it. */
static double cache_needs_mask(Trial *t)
{
    enum { T = 32 };
    Talker k;
    int ids[T];
    double off = (double)NAN;
    talker_tokens(t->seed, ids, T);
    if (talker_begin(&k, t->seed)) {
        Tape *all = tape_new(t->seed);
        all->no_grad = true;
        k.gpt.encoder.causal = broken(t, "masked");
        Tensor *full = nn_gpt(&k.gpt, tape_ids(all, ids, shape2(1, T)));
        if (!tensor_is_poison(
                full)) { /* the last row alone: the only one that sees all tokens in both */
            double last = 0, largest = 0;
            nn_cache_reset(&k.cache);
            for (int n = 0; n < T; n++) {
                const Tensor *y = one_more(&k, ids[n], RIGHT);
                for (int v = 0; n == T - 1 && v < VOCABULARY; v++) {
                    double f = (double)full->data[n * VOCABULARY + v];
                    last = values_worst(last, fabs((double)y->data[v] - f));
                    largest = values_worst(largest, fabs(f));
                }
            }
            off = last / largest;
            explain(t,
                    "a model %s mask, its last row: cached and full differ by %.3g of the logits",
                    broken(t, "masked") ? "with a" : "without", off);
        }
        tape_free(all);
    }
    talker_end(&k);
    return off;
}

const Claim cache_claims[] = {
    {40, cache_equal,
     "token by token with the cache, the logits are those of one pass over all tokens",
     .slides = {"B: Generation via Transformer-based LMs"},
     .quantity = "max |cached - full logits| / max |logit|, 64 tokens",
     AT_MOST(1e-5, "the same sums; another shape may add in another order, some 1e-6 of the size"),
     .faults = {{"same-position", "every token is given the first position"},
                {"forgets-first", "the key of the first token is lost"}}},
    {40, cache_no_mask, "one new token after a cache needs no mask: all keys are earlier",
     .slides = {"B: Generation via Transformer-based LMs", "V: Decoder Block: Masked MSA"},
     .quantity = "max |with - without the causal mask|, one query, 2 to 64 keys",
     EXACTLY(0, "the mask hides no pair; of two new tokens it hides one"),
     .faults = {{"two-at-once", "two new tokens in one pass, as in a prompt"}}},
    {40, cache_needs_mask,
     "a model without mask has no use for a cache: every token changes all keys above the first "
     "layer",
     .slides = {"B: Generation via Transformer-based LMs", "V: Decoder Block: Masked MSA"},
     .quantity = "max |cached - full logits| / max |logit| of the last of 32 tokens",
     AT_LEAST(0.01, "a thousand times what rounding does; with the mask both agree to 1e-5"),
     .faults = {{"masked", "with the causal mask"}}},
    {0},
};
