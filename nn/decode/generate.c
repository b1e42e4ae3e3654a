/* generate.c: autoregressive generation: choose a token from the logits of the last position,
 * append it, repeat.
 *
 * One pass computes the whole prompt (prefill). Then each pass is over one new token, because the
 * KV cache has the keys and values of all others. */
#include "nn/decode/internal.h"

#include "tensor/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

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

bool decode_log_sum(const real *logits, int64_t vocabulary, double *sum, const char *who)
{
    /* Shifted by the maximum, no exponential exceeds 1. */
    double maximum = logits[nn_greedy(logits, vocabulary)], all = 0;
    for (int64_t i = 0; i < vocabulary; i++)
        all += exp((double)logits[i] - maximum);
    *sum = maximum + log(all);
    return !isnan(*sum) || tensor_fail("%s: a logit is NaN or +infinity, or all are -infinity; "
                                       "expected logits whose softmax is defined",
                                       who);
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

/* One call of nn_generate. */
typedef struct {
    Tape *tape;
    const Decoder *d;
    int64_t batch, tokens, count; /* B; of the padded prompts; to generate */
    int32_t *out;
    int32_t *next;   /* (B): the token that each row continues with                          */
    int32_t *length; /* (B): tokens of each row so far                                       */
    int32_t *ids;    /* (B, tokens + count): these tokens                                    */
    bool *ended;     /* (B)                                                                  */
    real *scores;    /* (V): of a row, changed by the rules; NULL until V is known           */
} Generation;

/* One pass; writes the next token of each row into next[].
 * With padded prompts (counts), the last token of row b is at counts[b] - 1. */
static bool pass(Generation *g, const int32_t *ids, const int32_t *counts, int64_t tokens)
{
    const Decoder *d = g->d;
    const Tensor *y = decode_pass(g->tape, d, ids, counts, tokens, "nn_generate");
    for (int64_t b = 0; y && b < g->batch; b++) {
        int64_t rows = y->shape.dim[1], V = shape_last(y->shape);
        int64_t last = (counts ? counts[b] : rows) - 1;
        const int32_t *row = g->ids + b * (g->tokens + g->count);
        const real *scores =
            decode_scores(d, row, g->length[b], y->data + (b * rows + last) * V, 0, V, &g->scores);
        if (!scores)
            return false;
        g->next[b] =
            d->pick ? d->pick(d->picker ? d->picker : d->model, scores, V) : nn_greedy(scores, V);
        if (g->next[b] < 0 || g->next[b] >= V)
            return tensor_fail("nn_generate: the decoder picked token %d; expected 0 to %lld",
                               g->next[b], (long long)V - 1);
    }
    return y != NULL;
}

/* Writes the new tokens into column i of out. A row that has ended continues with `end`: it stays
 * in the batch, whose size is fixed, and its logits are ignored; where there is no `end`, the model
 * is given token 0. True when all have ended. */
static bool put(Generation *g, int64_t i)
{
    const Decoder *d = g->d;
    bool all = true;
    for (int64_t b = 0; b < g->batch; b++) {
        int32_t *ids = g->ids + b * (g->tokens + g->count);
        int32_t token = g->ended[b] ? d->end : g->next[b];
        g->out[b * g->count + i] = token;
        g->next[b] = ids[g->length[b]++] = token < 0 ? 0 : token;
        g->ended[b] = g->ended[b] || decode_ends(d, token) ||
                      (d->stop && d->stop(d->stopper, ids, g->length[b]));
        all = all && g->ended[b];
    }
    return all;
}

static void put_prompts(Generation *g, const int32_t *prompt, const int32_t *lengths)
{
    for (int64_t b = 0; b < g->batch; b++) {
        g->length[b] = lengths ? lengths[b] : (int32_t)g->tokens;
        g->ended[b] = false;
        memcpy(g->ids + b * (g->tokens + g->count), prompt + b * g->tokens,
               (size_t)g->length[b] * sizeof *g->ids);
    }
}

/* The loop over new tokens. Once all rows have ended, the rest of out is filled with `end`. */
static bool run(Generation *g, const int32_t *prompt, const int32_t *lengths)
{
    bool ended = false;
    for (int64_t i = 0; i < g->count && !ended; i++) {
        if (!(i == 0 ? pass(g, prompt, lengths, g->tokens) : pass(g, g->next, NULL, 1)))
            return false;
        ended = put(g, i);
        for (int64_t b = 0; ended && b < g->batch; b++)
            for (int64_t k = i + 1; k < g->count; k++)
                g->out[b * g->count + k] = g->d->end;
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
    const int64_t B = d->cache->batch;
    Generation g = {.tape = tape, .d = d, .batch = B, .tokens = tokens, .count = count, .out = out};
    g.next = mem_alloc((size_t)B * ((size_t)(tokens + count + 2) * sizeof *g.next + 1));
    if (!g.next)
        return false;
    g.length = g.next + B;
    g.ids = g.length + B;
    g.ended = (bool *)(g.ids + B * (tokens + count));
    put_prompts(&g, prompt, lengths);
    TapeMode mode = decode_begin(tape, d);
    bool ok = run(&g, prompt, lengths);
    decode_end(tape, mode);
    mem_free(g.next);
    mem_free(g.scores);
    return ok;
}
