/* generate.c: a decoder-only model writes: the most likely token, then the same again with it.
 *
 * The prompt goes through the model once; after it, each token costs the model one token, for the cache
 * holds what it made of the others. */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <math.h>

int nn_greedy(const real *logits, int64_t words)
{
    int best = 0;
    for (int64_t i = 1; i < words; i++)
        if (logits[i] > logits[best])
            best = (int)i;
    return best;
}

double decode_log_sum(const real *logits, int64_t words)
{
    double most = logits[nn_greedy(logits, words)], sum = 0;
    for (int64_t i = 0; i < words; i++)
        sum += exp((double)logits[i] - most);
    return most + log(sum);
}

bool decode_no_numbers(const char *who)
{
    return tensor_fail("%s: among the logits is NaN or +infinity, or all are -infinity", who);
}

double decode_score(double log_p, int64_t length, double alpha)
{
    return log_p / pow((double)length, alpha);
}

const Tensor *decode_pass(Tape *tape, const Decoder *d, const int *ids, const int *counts,
                          int64_t tokens)
{
    int64_t batch = d->cache->batch;
    tape_reset(tape);
    Tensor *y = d->logits(d->model, tape_ids(tape, ids, shape2(batch, tokens)), d->cache);
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
    return nn_cache_advance(d->cache, counts, tokens) ? y : NULL;
}

/* Writes the next token of each sequence into next[]. */
static bool pass(Tape *tape, const Decoder *d, const int *ids, const int *counts, int64_t tokens,
                 int *next)
{
    const Tensor *y = decode_pass(tape, d, ids, counts, tokens);
    for (int64_t b = 0; y && b < d->cache->batch; b++) {
        int64_t last = (counts ? counts[b] : tokens) - 1, words = shape_last(y->shape);
        const real *logits = y->data + (b * tokens + last) * words;
        next[b] = d->pick ? d->pick(d->model, logits, words) : nn_greedy(logits, words);
        if (next[b] < 0 || next[b] >= words)
            return tensor_fail("generate: picked token %d of %lld", next[b], (long long)words);
    }
    return y != NULL;
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

bool decode_fits(const Tape *tape, const Decoder *d, const int *prompt, int64_t tokens,
                 const int *out, int64_t count, const char *who)
{
    if (!tape || !d || !d->logits || !d->cache || !d->cache->kept || !prompt || (!out && count > 0))
        return tensor_fail("%s: need a tape, a model's logits, a cache, a prompt and room for "
                           "what is written",
                           who);
    if (tokens < 1 || count < 0 || tokens > d->cache->capacity ||
        count > d->cache->capacity - tokens + 1)
        return tensor_fail("%s: %lld tokens after a prompt of %lld; the cache has room for "
                           "%lld, of which the last is not needed",
                           who, (long long)count, (long long)tokens, (long long)d->cache->capacity);
    return true;
}

TapeMode decode_begin(Tape *tape, const Decoder *d)
{
    TapeMode was = {tape->training, tape->no_grad};
    tape->training = false;
    tape->no_grad = true;
    nn_cache_reset(d->cache);
    return was;
}

void decode_end(Tape *tape, TapeMode mode)
{
    tape->training = mode.training;
    tape->no_grad = mode.no_grad;
}

static bool lengths_fit(const int *lengths, int64_t batch, int64_t tokens)
{
    for (int64_t b = 0; lengths && b < batch; b++)
        if (lengths[b] < 1 || lengths[b] > tokens)
            return tensor_fail("generate: prompt %lld has %d tokens; need 1 to %lld", (long long)b,
                               lengths[b], (long long)tokens);
    return true;
}

bool nn_generate(Tape *tape, const Decoder *d, const int *prompt, const int *lengths,
                 int64_t tokens, int *out, int64_t count)
{
    if (!decode_fits(tape, d, prompt, tokens, out, count, "generate") ||
        !lengths_fit(lengths, d->cache->batch, tokens))
        return false;
    int *next = mem_alloc((size_t)d->cache->batch * sizeof *next);
    if (!next)
        return false;
    TapeMode mode = decode_begin(tape, d);
    bool ok = run(tape, d, prompt, lengths, tokens, out, count, next);
    decode_end(tape, mode);
    mem_free(next);
    return ok;
}
