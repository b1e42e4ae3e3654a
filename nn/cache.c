/* cache.c: keys and values of the tokens so far, so that the next token costs one token.
 *
 *   prefill   all tokens of the prompt at once: their keys and values are kept
 *   step      one new token: its query against all kept keys, itself included
 *
 * A forward pass writes behind the `length` tokens that are there, and only nn_cache_advance counts them: a
 * pass that failed, or that is taken again, leaves no trace. The same holds for the padding of a shorter
 * prompt: it is written, never counted, and the next token overwrites it.
 *
 * A decoder that reads a source has a second cache for it: the keys and values of its cross-attention, which are the
 * same at every step. */
#include "nn/internal.h"

#include "tensor/memory.h"

#include <string.h>

bool nn_cache_init(KVCache *c, int layers, int64_t batch, int64_t capacity, int heads,
                   int64_t channels)
{
    *c = (KVCache){0};
    if (layers < 1 || batch < 1 || capacity < 1 || batch > INT32_MAX || capacity > INT32_MAX)
        return tensor_fail("cache: %d layers, %lld sequences, room for %lld tokens; need at least "
                           "1 of each",
                           layers, (long long)batch, (long long)capacity);
    if (heads < 1 || channels < 1 || channels % heads != 0)
        return tensor_fail("cache: %d heads for %lld channels; the channels must divide evenly",
                           heads, (long long)channels);
    c->batch = batch;
    c->capacity = capacity;
    c->length = mem_alloc((size_t)batch * sizeof *c->length);
    c->kept = mem_zeroed(2 * (size_t)layers * sizeof *c->kept);
    c->layers = c->kept ? layers : 0;
    bool ok = c->length && c->kept;
    for (int i = 0; ok && i < 2 * layers; i++) {
        c->kept[i] = tensor_new(shape4(batch, heads, capacity, channels / heads));
        ok = c->kept[i] != NULL;
    }
    if (ok)
        nn_cache_reset(c);
    else
        nn_cache_free(c);
    return ok;
}

void nn_cache_free(KVCache *c)
{
    for (int i = 0; i < 2 * c->layers; i++)
        tensor_free(c->kept[i]);
    mem_free(c->kept);
    mem_free(c->length);
    *c = (KVCache){0};
}

/* Also to zeros: what is not counted yet is multiplied by 0, and 0 times a NaN of the last run is one. */
void nn_cache_reset(KVCache *c)
{
    for (int64_t b = 0; b < c->batch; b++)
        c->length[b] = 0;
    for (int i = 0; i < 2 * c->layers; i++)
        memset(c->kept[i]->data, 0, (size_t)tensor_size(c->kept[i]) * sizeof(real));
}

/* The most tokens in any sequence. */
static int64_t longest(const KVCache *c)
{
    int64_t most = 0;
    for (int64_t b = 0; b < c->batch; b++)
        most = c->length[b] > most ? c->length[b] : most;
    return most;
}

static bool has_capacity(const KVCache *c, int64_t tokens, const char *who)
{
    return tokens <= c->capacity - longest(c) ||
           tensor_fail("%s: %lld tokens more than the %lld that are there; the cache has room for "
                       "%lld in all",
                       who, (long long)tokens, (long long)longest(c), (long long)c->capacity);
}

bool nn_cache_advance(KVCache *c, const int *counts, int64_t tokens)
{
    if (tokens < 0)
        return tensor_fail("cache_advance: %lld tokens; need 0 or more", (long long)tokens);
    if (!has_capacity(c, tokens, "cache_advance"))
        return false;
    for (int64_t b = 0; counts && b < c->batch; b++)
        if (counts[b] < 0 || counts[b] > tokens)
            return tensor_fail("cache_advance: %d tokens of sequence %lld; need 0 to %lld",
                               counts[b], (long long)b, (long long)tokens);
    for (int64_t b = 0; b < c->batch; b++)
        c->length[b] += counts ? counts[b] : (int)tokens;
    return true;
}

bool nn_cache_copy(KVCache *c, int64_t from, int64_t to)
{
    if (from < 0 || to < 0 || from >= c->batch || to >= c->batch)
        return tensor_fail("cache_copy: sequence %lld to %lld, of %lld", (long long)from,
                           (long long)to, (long long)c->batch);
    for (int i = 0; from != to && i < 2 * c->layers; i++) {
        const Tensor *t = c->kept[i]; /* of each head, only the tokens that are there */
        for (int64_t h = 0; h < t->shape.dim[1]; h++)
            memcpy(t->data + to * t->stride[0] + h * t->stride[1],
                   t->data + from * t->stride[0] + h * t->stride[1],
                   (size_t)(c->length[from] * t->stride[2]) * sizeof(real));
    }
    c->length[to] = c->length[from];
    return true;
}

Tensor *nn_cache_places(const KVCache *c, Tape *tape, int64_t tokens)
{
    int *place = NULL;
    if (!tape || tokens < 0)
        tensor_fail("cache_places: %lld tokens on %s; need 0 or more, on a tape", (long long)tokens,
                    tape ? "a tape" : "none");
    else if (has_capacity(c, tokens, "cache_places"))
        place = arena_alloc(&tape->arena, (size_t)(c->batch * tokens) * sizeof *place);
    if (!place)
        return tape_fail(tape);
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t t = 0; t < tokens; t++)
            place[b * tokens + t] = c->length[b] + (int)t;
    return tape_ids(tape, place, shape2(c->batch, tokens));
}

/* ---- attention ------------------------------------------------------------------------------------------ */

static bool usable(const MultiHeadAttention *a, Tensor *x, const char *what, const KVCache *c,
                   int layer)
{
    if (!attention_fits(a, x, what))
        return false;
    if (!x->tape->no_grad)
        return tensor_fail("%s: a cache is for decoding, which brings no gradients; set "
                           "tape->no_grad",
                           a->path);
    if (layer < 0 || layer >= c->layers)
        return tensor_fail("%s: layer %d of a cache of %d", a->path, layer, c->layers);
    Shape s = c->kept[0]->shape;
    if (x->shape.dim[0] != c->batch || a->heads != s.dim[1] ||
        shape_last(x->shape) != s.dim[1] * s.dim[3])
        return tensor_fail("%s: %s is %s, with %d heads; the cache is for (%lld, T, %lld) with "
                           "%lld heads",
                           a->path, what, tensor_describe(x), a->heads, (long long)c->batch,
                           (long long)(s.dim[1] * s.dim[3]), (long long)s.dim[1]);
    return true;
}

/* Writes the new tokens' part (B, H, T, d) behind those that are there. */
static void append(const KVCache *c, Tensor *all, const Tensor *fresh)
{
    Shape s = fresh->shape;
    for (int64_t b = 0; b < s.dim[0]; b++)
        for (int64_t h = 0; h < s.dim[1]; h++)
            for (int64_t t = 0; t < s.dim[2]; t++) {
                const real *from = fresh->data + b * fresh->stride[0] + h * fresh->stride[1] +
                                   t * fresh->stride[2];
                real *to = all->data + b * all->stride[0] + h * all->stride[1] +
                           (c->length[b] + t) * all->stride[2];
                memcpy(to, from, (size_t)s.dim[3] * sizeof *to);
            }
}

/* The keys (part 0) or the values (1) of the first `keys` tokens (B, H, keys, d): a view of the cache, not a copy. */
static Tensor *first_of(const KVCache *c, int layer, int part, int64_t keys, Tape *tape)
{
    return ag_slice(tape_param(tape, c->kept[2 * layer + part]), 2, 0, keys);
}

static bool append_both(const KVCache *c, int layer, const Tensor *keys, const Tensor *values)
{
    if (tensor_is_poison(keys) || tensor_is_poison(values))
        return false;
    append(c, c->kept[2 * layer], keys);
    append(c, c->kept[2 * layer + 1], values);
    return true;
}

/* No token after the query. With sequences of one length that is the causal mask; otherwise each has its
 * own: query t of sequence b stands at length[b] + t. */
static Mask mask_of(const KVCache *c, Tape *tape, int64_t tokens, int64_t keys)
{
    bool even = true;
    for (int64_t b = 1; b < c->batch; b++)
        even = even && c->length[b] == c->length[0];
    if (even)
        return (Mask){.causal = true};
    Tensor *keep = tape_full(tape, 0, shape3(c->batch, tokens, keys));
    if (!tensor_is_poison(keep))
        for (int64_t b = 0; b < c->batch; b++)
            for (int64_t t = 0; t < tokens; t++)
                for (int64_t j = 0; j <= c->length[b] + t; j++)
                    keep->data[(b * tokens + t) * keys + j] = 1;
    return (Mask){.keep = keep};
}

Tensor *nn_attention_cached(const MultiHeadAttention *a, Tensor *x, KVCache *c, int layer)
{
    if (!usable(a, x, "x", c, layer) || !has_capacity(c, x->shape.dim[1], a->path))
        return tape_fail(x ? x->tape : NULL);
    Tensor *qkv = ag_linear(x, a->in_proj_weight, a->in_proj_bias); /* (B, T, 3C) */
    if (tensor_is_poison(qkv))
        return qkv;
    int64_t C = shape_last(x->shape), T = x->shape.dim[1], keys = longest(c) + T;
    Tensor *k = attention_heads(a, qkv, C), *v = attention_heads(a, qkv, 2 * C);
    if (!append_both(c, layer, k, v))
        return tensor_poison();
    k = first_of(c, layer, 0, keys, x->tape);
    v = first_of(c, layer, 1, keys, x->tape);
    return attention_output(a, attention_heads(a, qkv, 0), k, v, mask_of(c, x->tape, T, keys));
}

/* ---- what is read, and does not grow --------------------------------------------------------------------- */

bool nn_cross_attention_read(const MultiHeadAttention *a, Tensor *memory, KVCache *source,
                             int layer)
{
    if (!usable(a, memory, "memory", source, layer) ||
        !has_capacity(source, memory->shape.dim[1], a->path)) {
        tape_fail(memory ? memory->tape : NULL);
        return false;
    }
    Tensor *kv = attention_project(a, memory, 1, 3);
    return append_both(source, layer, attention_heads(a, kv, 0),
                       attention_heads(a, kv, shape_last(memory->shape)));
}

Tensor *nn_cross_attention_cached(const MultiHeadAttention *a, Tensor *x, const KVCache *source,
                                  int layer)
{
    if (!usable(a, x, "x", source, layer))
        return tape_fail(x ? x->tape : NULL);
    int64_t keys = longest(source);
    Tensor *q = attention_project(a, x, 0, 1);
    Mask mask = {.lengths = tape_ids(x->tape, source->length, shape1(source->batch))};
    return attention_output(a, attention_heads(a, q, 0), first_of(source, layer, 0, keys, x->tape),
                            first_of(source, layer, 1, keys, x->tape), mask);
}
