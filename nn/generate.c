/* generate.c: a decoder-only model writes: the most likely token, then the same again with it.
 *
 * The prompt goes through the model once; after it, each token costs the model one token, for the cache
 * holds what it made of the others. */
#include "nn/nn.h"

#include "tensor/memory.h"

static int largest(const real *logits, int64_t words)
{
    int best = 0;
    for (int64_t i = 1; i < words; i++)
        if (logits[i] > logits[best])
            best = (int)i;
    return best;
}

/* The logits (V) that follow a sequence's last token. NULL, with an error, when the model gave no such. */
static const real *logits_of(const Tensor *y, int64_t b, int64_t batch, int64_t tokens,
                             int64_t last)
{
    if (tensor_is_poison(y)) {
        tensor_fail("generate: the model gave no logits");
        return NULL;
    }
    if (!y->data || y->shape.rank != 3 || y->shape.dim[0] != batch || y->shape.dim[1] != tokens ||
        shape_last(y->shape) < 1 || !tensor_is_contiguous(y)) {
        tensor_fail("generate: the model's logits are %s; need (%lld, %lld, V), contiguous",
                    tensor_describe(y), (long long)batch, (long long)tokens);
        return NULL;
    }
    return y->data + (b * tokens + last) * shape_last(y->shape);
}

/* One pass over `tokens` new tokens of each sequence, of which counts[b] (NULL: all) are no padding. Writes
 * the next token of each into next[]. */
static bool pass(Tape *tape, const Decoder *d, const int *ids, const int *counts, int64_t tokens,
                 int *next)
{
    int64_t batch = d->cache->batch;
    tape_reset(tape);
    Tensor *y = d->logits(d->model, tape_ids(tape, ids, shape2(batch, tokens)), d->cache);
    for (int64_t b = 0; b < batch; b++) {
        int64_t last = (counts ? counts[b] : tokens) - 1;
        const real *logits = logits_of(y, b, batch, tokens, last);
        if (!logits)
            return false;
        int64_t words = shape_last(y->shape);
        next[b] = d->pick ? d->pick(d->model, logits, words) : largest(logits, words);
    }
    return nn_cache_advance(d->cache, counts, tokens);
}

/* Puts the new tokens into column i of out; a sequence that has ended stays so. True when all have. */
static bool put(const Decoder *d, int *next, int *out, int64_t count, int64_t i)
{
    bool ended = d->end >= 0;
    for (int64_t b = 0; b < d->cache->batch; b++) {
        if (i > 0 && d->end >= 0 && out[b * count + i - 1] == d->end)
            next[b] = d->end;
        out[b * count + i] = next[b];
        ended = ended && next[b] == d->end;
    }
    return ended;
}

static bool run(Tape *tape, const Decoder *d, const int *prompt, const int *lengths, int64_t tokens,
                int *out, int64_t count, int *next)
{
    nn_cache_reset(d->cache);
    bool ended = false;
    for (int64_t i = 0; i < count && !ended; i++) {
        if (!(i == 0 ? pass(tape, d, prompt, lengths, tokens, next)
                     : pass(tape, d, next, NULL, 1, next)))
            return false;
        ended = put(d, next, out, count, i);
        for (int64_t b = 0; ended && b < d->cache->batch; b++)
            for (int64_t k = i + 1; k < count; k++)
                out[b * count + k] = d->end;
    }
    return true;
}

static bool fits(const Tape *tape, const Decoder *d, const int *prompt, const int *lengths,
                 int64_t tokens, const int *out, int64_t count)
{
    if (!tape || !d || !d->logits || !d->cache || !d->cache->kept || !prompt || (!out && count > 0))
        return tensor_fail(
            "generate: need a tape, a model's logits, a cache, a prompt and room for "
            "what is written");
    if (tokens < 1 || count < 0 || tokens > d->cache->capacity ||
        count > d->cache->capacity - tokens + 1)
        return tensor_fail("generate: %lld tokens after a prompt of %lld; the cache has room for "
                           "%lld, of which the last is not needed",
                           (long long)count, (long long)tokens, (long long)d->cache->capacity);
    for (int64_t b = 0; lengths && b < d->cache->batch; b++)
        if (lengths[b] < 1 || lengths[b] > tokens)
            return tensor_fail("generate: prompt %lld has %d tokens; need 1 to %lld", (long long)b,
                               lengths[b], (long long)tokens);
    return true;
}

bool nn_generate(Tape *tape, const Decoder *d, const int *prompt, const int *lengths,
                 int64_t tokens, int *out, int64_t count)
{
    if (!fits(tape, d, prompt, lengths, tokens, out, count))
        return false;
    int *next = mem_alloc((size_t)d->cache->batch * sizeof *next);
    if (!next)
        return false;
    bool training = tape->training, no_grad = tape->no_grad;
    tape->training = false;
    tape->no_grad = true;
    bool ok = run(tape, d, prompt, lengths, tokens, out, count, next);
    tape->training = training;
    tape->no_grad = no_grad;
    mem_free(next);
    return ok;
}
