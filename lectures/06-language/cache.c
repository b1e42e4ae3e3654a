/* cache.c: keys and values are computed once (row 40).     B "Generation via Transformer-based LMs"
 *
 *   without a cache:  token n is chosen after a pass over all n tokens       n^2 pairs (query, key) in each layer
 *   with one:         after a pass over one token, whose query meets n keys  n pairs
 *
 * B: "we can drop number of key and query computations by caching"; "we compute only the target
 * token distribution". */
#include "lectures/06-language/language.h"

#include <string.h>

Talker *talker_of(uint64_t seed)
{
    static Talker k;
    static Made made;
    GptConfig config = {
        .words = VOCABULARY, .longest = LONGEST, .channels = WIDE, .heads = 4, .layers = DEEP};
    config.position = POSITION_LEARNED;
    if (made_for(&made, seed))
        return &k;
    nn_cache_free(&k.cache);
    tape_free(k.tape);
    params_free(k.params);
    k = (Talker){.params = params_new(seed), .tape = tape_new(seed)};
    made.is = k.params && k.tape && nn_gpt_init(&k.gpt, k.params, "", config) &&
              nn_gpt_cache(&k.gpt, &k.cache, 1);
    for (int i = 0; made.is && i < k.params->count; i++) /* nn_gpt_init's deviation is 0.02 */
        for (int64_t j = 0; j < tensor_size(k.params->weight[i]); j++)
            k.params->weight[i]->data[j] *= k.params->weight[i]->shape.rank > 1 ? 10 : 1;
    if (made.is)
        k.tape->no_grad = true;
    return made.is ? &k : NULL;
}

void talker_tokens(uint64_t seed, int *ids, int n)
{
    Rng rng = {.seed = seed, .stream = 610};
    for (int i = 0; i < n; i++)
        ids[i] = (int)rng_below(&rng, VOCABULARY);
}

/* ---- the same numbers ------------------------------------------------------------------------ */

/* The key of the first token is lost, in all layers and heads. */
static void forget_first(KVCache *c)
{
    for (int l = 0; l < c->layers; l++) {
        Tensor *keys = c->keys_values[2 * l]; /* (1, H, capacity, d) */
        int64_t d = keys->shape.dim[3];
        for (int64_t h = 0; h < keys->shape.dim[1]; h++)
            memset(keys->data + h * c->capacity * d, 0, sizeof(real) * (size_t)d);
    }
}

/* max |logits with the cache - logits of one pass over all|, over the largest logit. */
static double cache_equal(Trial *t)
{
    enum { T = 64 };
    int ids[T];
    double worst = 0;
    Talker *k = talker_of(t->seed);
    if (!k)
        return (double)NAN;
    Gpt gpt = k->gpt;
    gpt.encoder.causal = !broken(t, "no-mask");
    talker_tokens(t->seed, ids, T);
    trial_tape(t)->no_grad = true;
    Tensor *full = nn_gpt(&gpt, tape_ids(trial_tape(t), ids, shape2(1, T)));
    nn_cache_reset(&k->cache);
    for (int n = 0; n < T && !tensor_is_poison(full); n++) {
        tape_reset(k->tape);
        Tensor *y = nn_gpt_cached(&k->gpt, tape_ids(k->tape, ids + n, shape2(1, 1)), &k->cache);
        nn_cache_advance(&k->cache, NULL, 1);
        if (n == 0 && broken(t, "forgets-first"))
            forget_first(&k->cache);
        worst = values_worst(worst, values_difference(y, ag_slice(full, 1, n, n + 1)));
    }
    worst /= values_largest(full);
    explain(t, "%d tokens, largest logit %.2f: largest difference, relative to it, %.2g", T,
            values_largest(full), worst);
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

const Claim cache_claims[] = {
    {40, cache_equal,
     "token by token with the cache, the logits are those of one pass over all tokens",
     .slides = {"B: Generation via Transformer-based LMs"},
     .quantity = "max |cached - full logits| / max |logit|, 64 tokens",
     AT_MOST(1e-5, "the same sums; another shape may add in another order, some 1e-6 of the size"),
     .faults = {{"forgets-first", "the key of the first token is lost"},
                {"no-mask", "the model has no mask: each token changes all keys above the first "
                            "layer"}}},
    {40, cache_no_mask, "one new token after a cache needs no mask: all keys are earlier",
     .slides = {"B: Generation via Transformer-based LMs", "V: Decoder Block: Masked MSA"},
     .quantity = "max |with - without the causal mask|, one query, 2 to 64 keys",
     EXACTLY(0, "the mask hides no pair; of two new tokens it hides one"),
     .faults = {{"two-at-once", "two new tokens in one pass, as in a prompt"}}},
    {0},
};
