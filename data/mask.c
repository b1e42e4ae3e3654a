/* mask.c: the corruption of masked language modelling.
 *
 * Tokens are chosen as targets at random. Most of these are replaced by <mask>, some by a random
 * token, and the others stay: since the model cannot know which tokens are targets, it must
 * represent every token.
 *                   Devlin et al. 2018; Z "Encoder transformers" (lectures/README.md) */
#include "data/data.h"
#include "data/null.h"

Masking data_bert_masking(int32_t mask, int32_t first, int32_t tokens)
{
    return (Masking){.chosen = 0.15,
                     .masked = 0.8,
                     .random = 0.1,
                     .mask = mask,
                     .first = first,
                     .tokens = tokens};
}

static bool is_share(double x)
{
    return x >= 0 && x <= 1;
}

static bool masking_check(const Masking *m)
{
    if (!is_share(m->chosen) || !is_share(m->masked) || !is_share(m->random) ||
        !is_share(m->masked + m->random))
        return tensor_fail("data_mask_tokens: found %g chosen, %g masked, %g random; expected "
                           "shares from 0 to 1, and masked + random at most 1",
                           m->chosen, m->masked, m->random);
    if (m->mask < 0 || m->first < 0 || m->tokens <= m->first)
        return tensor_fail("data_mask_tokens: found mask %d and tokens from %d to %d; expected a "
                           "mask of 0 or more and at least one token",
                           m->mask, m->first, m->tokens - 1);
    return true;
}

bool data_mask_tokens(const Masking *m, Rng *rng, int32_t *ids, int32_t *targets, int64_t n)
{
    if (!m || !rng || ((!ids || !targets) && n > 0))
        return null_fail("data_mask_tokens", "a masking, a generator, ids and targets");
    if (n < 0)
        return tensor_fail("data_mask_tokens: found %lld ids; expected 0 or more", (long long)n);
    if (!masking_check(m))
        return false;
    for (int64_t i = 0; i < n; i++) {
        const bool text = ids[i] >= m->first && ids[i] < m->tokens;
        targets[i] = DATA_IGNORE;
        if (!text || rng_uniform(rng) >= m->chosen)
            continue;
        const double fate = rng_uniform(rng);
        targets[i] = ids[i];
        if (fate < m->masked)
            ids[i] = m->mask;
        else if (fate < m->masked + m->random)
            ids[i] = m->first + (int32_t)rng_below(rng, m->tokens - m->first);
    }
    return true;
}
