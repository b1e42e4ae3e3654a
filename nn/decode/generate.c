/* generate.c: autoregressive generation: choose a token from the logits of the last position,
 * append it, repeat.
 *
 * One pass computes the whole prompt (prefill). Then each pass is over one new token, because the
 * KV cache has the keys and values of all others. */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <limits.h>
#include <math.h>

/* The first of equal logits: the result does not depend on the order of comparison. A NaN compares
 * as false and is never chosen, unless it is the first. */
int32_t nn_greedy(const real *logits, int64_t vocabulary)
{
    int best = 0;
    if (!logits || vocabulary < 1 || vocabulary > INT_MAX) {
        tensor_fail("nn_greedy: %s, a vocabulary of %lld; expected logits of 1 to 2^31 - 1 tokens",
                    logits ? "logits" : "the logits are NULL", (long long)vocabulary);
        return -1;
    }
    for (int64_t i = 1; i < vocabulary; i++)
        if (logits[i] > logits[best])
            best = (int)i;
    return best;
}

double decode_log_sum(const real *logits, int64_t vocabulary)
{
    /* Shifted by the maximum, no exponential exceeds 1. */
    double maximum = logits[nn_greedy(logits, vocabulary)], sum = 0;
    for (int64_t i = 0; i < vocabulary; i++)
        sum += exp((double)logits[i] - maximum);
    return maximum + log(sum);
}

bool decode_fail_undefined(const char *who)
{
    return tensor_fail("%s: a logit is NaN or +infinity, or all are -infinity; expected logits "
                       "whose softmax is defined",
                       who);
}

/* length^alpha divides a negative number: a larger alpha favours longer continuations. */
double decode_score(double log_p, int64_t length, double alpha)
{
    return log_p / pow((double)length, alpha);
}

/* length^alpha is between 1 and count^alpha. Within these limits the quotient neither overflows nor
 * underflows for any log p of a model; beyond them all scores could be 0, or all -infinity. */
bool decode_check_alpha(double alpha, int64_t count, const char *who)
{
    double power = count > 0 ? pow((double)count, alpha) : 1;
    if (isfinite(alpha) && power >= 1e-100 && power <= 1e100)
        return true;
    return tensor_fail("%s: alpha is %g and count %lld; expected a finite alpha and count^alpha "
                       "from 1e-100 to 1e+100",
                       who, alpha, (long long)count);
}

/* Invariant of all decoding strategies: the tape is reset before each pass, so that its memory does
 * not grow with the number of tokens, and the cache is advanced after the pass succeeded and its
 * logits have the right shape. */
const Tensor *decode_pass(Tape *tape, const Decoder *d, const int32_t *ids, const int32_t *counts,
                          int64_t tokens, const char *who)
{
    int64_t batch = d->cache->batch;
    tape_reset(tape);
    Tensor *y = d->logits(d->model, tape_ids(tape, ids, shape2(batch, tokens)), d->cache);
    if (tensor_is_poison(y)) {
        tensor_fail("%s: the model returned no logits; expected a tensor", who);
        return NULL;
    }
    bool last_only = !counts && y->shape.rank == 3 && y->shape.dim[1] == 1;
    if (!y->data || y->shape.rank != 3 || y->shape.dim[0] != batch ||
        (y->shape.dim[1] != tokens && !last_only) || shape_last(y->shape) < 1 ||
        !tensor_is_contiguous(y)) {
        tensor_fail("%s: the model's logits are %s; expected (%lld, %lld, V), contiguous", who,
                    tensor_describe(y), (long long)batch, (long long)tokens);
        return NULL;
    }
    return nn_cache_advance(d->cache, counts, tokens) ? y : NULL;
}

/* One pass; writes the next token of each sequence into next[].
 * With padded prompts (counts), the last token of sequence b is at counts[b] - 1. */
static bool pass(Tape *tape, const Decoder *d, const int32_t *ids, const int32_t *counts,
                 int64_t tokens, int32_t *next)
{
    const Tensor *y = decode_pass(tape, d, ids, counts, tokens, "nn_generate");
    for (int64_t b = 0; y && b < d->cache->batch; b++) {
        int64_t rows = y->shape.dim[1], V = shape_last(y->shape);
        int64_t last = (counts ? counts[b] : rows) - 1;
        const real *logits = y->data + (b * rows + last) * V;
        next[b] =
            d->pick ? d->pick(d->picker ? d->picker : d->model, logits, V) : nn_greedy(logits, V);
        if (next[b] < 0 || next[b] >= V)
            return tensor_fail("nn_generate: the decoder picked token %d; expected 0 to %lld",
                               next[b], (long long)V - 1);
    }
    return y != NULL;
}

/* Writes the new tokens into column i of out. A sequence that has ended continues with `end`: it
 * stays in the batch, whose size is fixed, and its logits are ignored. True when all have ended. */
static bool put(const Decoder *d, int32_t *next, int32_t *out, int64_t count, int64_t i)
{
    bool ended = d->end >= 0;
    for (int64_t b = 0; b < d->cache->batch; b++) {
        if (i > 0 && decode_ends(d, out[b * count + i - 1]))
            next[b] = d->end;
        out[b * count + i] = next[b];
        ended = ended && decode_ends(d, next[b]);
    }
    return ended;
}

/* The loop over new tokens; next (B) is its scratch memory.
 * Once all sequences have ended, the rest of out is filled with `end`. */
static bool run(Tape *tape, const Decoder *d, const int32_t *prompt, const int32_t *lengths,
                int64_t tokens, int32_t *out, int64_t count, int32_t *next)
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

/* The last token that is generated is never fed to the model, hence the capacity and one. */
bool decode_check(const Tape *tape, const Decoder *d, const int32_t *prompt, int64_t tokens,
                  const int32_t *out, int64_t count, const char *who)
{
    const char *missing = !tape                                 ? "the tape"
                          : !d                                  ? "the decoder"
                          : !d->logits                          ? "the decoder's logits"
                          : !d->cache || !d->cache->keys_values ? "the decoder's cache"
                          : !prompt                             ? "the prompt"
                          : !out && count > 0                   ? "out"
                                                                : NULL;
    if (missing)
        return tensor_fail("%s: %s is NULL; expected a tape, a decoder with logits and a cache, a "
                           "prompt, and memory for the new tokens",
                           who, missing);
    if (tokens < 1 || count < 0 || tokens > d->cache->capacity ||
        count > d->cache->capacity - tokens + 1)
        return tensor_fail("%s: %lld tokens after a prompt of %lld; expected a prompt of 1 or more "
                           "and %lld tokens in all, the capacity of the cache and one",
                           who, (long long)count, (long long)tokens,
                           (long long)d->cache->capacity + 1);
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

static bool lengths_check(const int32_t *lengths, int64_t batch, int64_t tokens)
{
    for (int64_t b = 0; lengths && b < batch; b++)
        if (lengths[b] < 1 || lengths[b] > tokens)
            return tensor_fail("nn_generate: prompt %lld has %d tokens; expected 1 to %lld",
                               (long long)b, lengths[b], (long long)tokens);
    return true;
}

bool nn_generate(Tape *tape, const Decoder *d, const int32_t *prompt, const int32_t *lengths,
                 int64_t tokens, int32_t *out, int64_t count)
{
    if (!decode_check(tape, d, prompt, tokens, out, count, "nn_generate") ||
        !lengths_check(lengths, d->cache->batch, tokens))
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
