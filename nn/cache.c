/* cache.c: the KV cache: keys and values of all earlier tokens, so that a new token costs a pass
 * over one token.
 *                   B "Generation via Transformer-based LMs" (lectures/README.md)
 *   prefill   one pass over all tokens of the prompt, whose keys and values are stored
 *   step      one pass over one new token, whose query attends to all stored keys and to its own
 *
 * Invariant: in sequence b the first length[b] tokens of each layer are valid. A pass writes its
 * keys and values after them, and only nn_cache_advance counts them, so that a pass that failed or
 * is repeated leaves no trace. Padding of a shorter prompt is written and never counted; the next
 * token overwrites it. */
#include "nn/internal.h"

#include "tensor/memory.h"

#include <string.h>

/* More layers than any model has, and few enough that 2 layers tensors can be counted by an int. */
enum { CACHE_LAYERS_MAX = 1 << 16 };

static bool cache_check(const KVCache *c, const char *who)
{
    return (c && c->keys_values) ||
           tensor_fail("%s: the cache is NULL or empty; expected one whose nn_cache_init succeeded",
                       who);
}

bool nn_cache_init(KVCache *c, int layers, int64_t batch, int64_t capacity, int heads,
                   int64_t channels)
{
    if (!c)
        return tensor_fail("nn_cache_init: the cache is NULL; expected a KVCache");
    *c = (KVCache){0};
    if (layers < 1 || batch < 1 || capacity < 1 || layers > CACHE_LAYERS_MAX || batch > INT32_MAX ||
        capacity > INT32_MAX)
        return tensor_fail("nn_cache_init: %d layers, %lld sequences, a capacity of %lld tokens; "
                           "expected 1 or more of each, and at most %d layers",
                           layers, (long long)batch, (long long)capacity, CACHE_LAYERS_MAX);
    if (heads < 1 || channels < 1 || channels % heads != 0)
        return tensor_fail("nn_cache_init: %d heads for %lld channels; expected a number of heads "
                           "that divides the channels",
                           heads, (long long)channels);
    c->batch = batch;
    c->capacity = capacity;
    c->length = mem_alloc((size_t)batch * sizeof *c->length);
    c->keys_values = mem_zeroed(2 * (size_t)layers * sizeof *c->keys_values);
    c->layers = c->keys_values ? layers : 0;
    bool ok = c->length && c->keys_values;
    for (int i = 0; ok && i < 2 * layers; i++) {
        c->keys_values[i] = tensor_new(shape4(batch, heads, capacity, channels / heads));
        ok = c->keys_values[i] != NULL;
    }
    if (ok)
        nn_cache_reset(c);
    else
        nn_cache_free(c);
    return ok;
}

/* Also after an init that failed: layers is set before the tensors, which are NULL at first. */
void nn_cache_free(KVCache *c)
{
    if (!c)
        return;
    for (int i = 0; i < 2 * c->layers; i++)
        tensor_free(c->keys_values[i]);
    mem_free(c->keys_values);
    mem_free(c->length);
    *c = (KVCache){0};
}

/* Zeros: a masked value is multiplied by a weight of 0, and 0 times an earlier NaN would be NaN. */
void nn_cache_reset(KVCache *c)
{
    if (!cache_check(c, "nn_cache_reset"))
        return;
    for (int64_t b = 0; b < c->batch; b++)
        c->length[b] = 0;
    for (int i = 0; i < 2 * c->layers; i++)
        memset(c->keys_values[i]->data, 0, (size_t)tensor_size(c->keys_values[i]) * sizeof(real));
}

static int64_t longest(const KVCache *c)
{
    int64_t most = 0;
    for (int64_t b = 0; b < c->batch; b++)
        most = c->length[b] > most ? c->length[b] : most;
    return most;
}

/* Do `tokens` new tokens fit after the longest sequence? Each sequence of a batch gets as many. */
static bool has_capacity(const KVCache *c, int64_t tokens, const char *who)
{
    return tokens <= c->capacity - longest(c) ||
           tensor_fail("%s: %lld new tokens after %lld; expected at most %lld in all, the capacity "
                       "of the cache",
                       who, (long long)tokens, (long long)longest(c), (long long)c->capacity);
}

bool nn_cache_advance(KVCache *c, const int *counts, int64_t tokens)
{
    if (!cache_check(c, "nn_cache_advance"))
        return false;
    if (tokens < 0)
        return tensor_fail("nn_cache_advance: %lld tokens; expected 0 or more", (long long)tokens);
    if (!has_capacity(c, tokens, "nn_cache_advance"))
        return false;
    for (int64_t b = 0; counts && b < c->batch; b++)
        if (counts[b] < 0 || counts[b] > tokens)
            return tensor_fail("nn_cache_advance: %d tokens of sequence %lld; expected 0 to %lld",
                               counts[b], (long long)b, (long long)tokens);
    for (int64_t b = 0; b < c->batch; b++)
        c->length[b] += counts ? counts[b] : (int)tokens;
    return true;
}

/* Copies the valid tokens of each layer and head alone: beam search copies at every step. */
bool nn_cache_copy(KVCache *c, int64_t from, int64_t to)
{
    if (!cache_check(c, "nn_cache_copy"))
        return false;
    if (from < 0 || to < 0 || from >= c->batch || to >= c->batch)
        return tensor_fail("nn_cache_copy: from sequence %lld to %lld; expected both in 0 .. %lld",
                           (long long)from, (long long)to, (long long)c->batch - 1);
    for (int i = 0; from != to && i < 2 * c->layers; i++) {
        const Tensor *t = c->keys_values[i]; /* in each head the valid tokens are contiguous */
        for (int64_t h = 0; h < t->shape.dim[1]; h++)
            memcpy(t->data + to * t->stride[0] + h * t->stride[1],
                   t->data + from * t->stride[0] + h * t->stride[1],
                   (size_t)(c->length[from] * t->stride[2]) * sizeof(real));
    }
    c->length[to] = c->length[from];
    return true;
}

Tensor *nn_cache_positions(const KVCache *c, Tape *tape, int64_t tokens)
{
    int *position = NULL;
    if (!tape || tokens < 0)
        tensor_fail("nn_cache_positions: %lld tokens on %s; expected 0 or more, on a tape",
                    (long long)tokens, tape ? "a tape" : "a tape that is NULL");
    else if (cache_check(c, "nn_cache_positions") && has_capacity(c, tokens, "nn_cache_positions"))
        position = arena_alloc(&tape->arena, (size_t)(c->batch * tokens) * sizeof *position);
    if (!position)
        return tape_fail(tape);
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t t = 0; t < tokens; t++)
            position[b * tokens + t] = c->length[b] + (int)t;
    return tape_ids(tape, position, shape2(c->batch, tokens));
}

static bool cached_check(const MultiHeadAttention *a, Tensor *x, const KVCache *c, int layer,
                         const char *who, const char *what)
{
    if (!attention_check(a, x, who, what) || !cache_check(c, who))
        return false;
    if (!x->tape->no_grad)
        return tensor_fail("%s: %s: the tape records gradients, which a cache does not carry; "
                           "expected tape->no_grad to be set",
                           who, a->path);
    if (layer < 0 || layer >= c->layers)
        return tensor_fail("%s: %s: layer %d of the cache; expected 0 to %d", who, a->path, layer,
                           c->layers - 1);
    Shape s = c->keys_values[0]->shape;
    if (x->shape.dim[0] != c->batch || a->kv_heads != s.dim[1] || a->head_size != s.dim[3])
        return tensor_fail("%s: %s: %s is %s, with %d heads; expected (%lld, T, %lld) with %lld "
                           "heads, as the cache",
                           who, a->path, what, tensor_describe(x), a->kv_heads, (long long)c->batch,
                           (long long)(s.dim[1] * s.dim[3]), (long long)s.dim[1]);
    return true;
}

/* Writes the keys or values of the new tokens, fresh (B, H, T, d), after the valid ones.
 * fresh is a view with any strides but contiguous channels; d numbers are copied at a time. */
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

/* The keys (part 0) or values (part 1) of the first `keys` tokens: a view (B, H, keys, d) of the
 * cache. tape_param makes it an operand without a copy. */
static Tensor *first_of(const KVCache *c, int layer, int part, int64_t keys, Tape *tape)
{
    return ag_slice(tape_param(tape, c->keys_values[2 * layer + part]), 2, 0, keys);
}

/* Stores keys and values of the new tokens in the layer, unless an op before it failed. */
static bool append_both(const KVCache *c, int layer, const Tensor *keys, const Tensor *values)
{
    if (tensor_is_poison(keys) || tensor_is_poison(values))
        return false;
    append(c, c->keys_values[2 * layer], keys);
    append(c, c->keys_values[2 * layer + 1], values);
    return true;
}

/* The mask that lets query t of sequence b, at position length[b] + t, attend to no later key.
 * Where all sequences have the same length it is the causal mask; otherwise a keep matrix for each
 * sequence. Lengths differ where the prompts of a batch do. window: as in Mask. */
static Mask mask_of(const KVCache *c, Tape *tape, int64_t tokens, int64_t keys, int window)
{
    bool even = true;
    for (int64_t b = 1; b < c->batch; b++)
        even = even && c->length[b] == c->length[0];
    if (even)
        return (Mask){.causal = true, .window = window};
    Tensor *keep = tape_full(tape, 0, shape3(c->batch, tokens, keys));
    if (!tensor_is_poison(keep))
        for (int64_t b = 0; b < c->batch; b++)
            for (int64_t t = 0; t < tokens; t++)
                for (int64_t at = c->length[b] + t, j = window > 0 && at > window ? at - window : 0;
                     j <= at; j++)
                    keep->data[(b * tokens + t) * keys + j] = 1;
    return (Mask){.keep = keep};
}

Tensor *nn_attention_cached(const MultiHeadAttention *a, Tensor *x, KVCache *c, int layer)
{
    const char *who = "nn_attention_cached";
    if (!cached_check(a, x, c, layer, who, "x") || !has_capacity(c, x->shape.dim[1], who))
        return tape_fail(x ? x->tape : NULL);
    Tensor *qkv = attention_project_all(a, x);
    if (tensor_is_poison(qkv))
        return qkv;
    int64_t T = x->shape.dim[1], keys = longest(c) + T;
    Tensor *positions = a->rotary ? nn_cache_positions(c, x->tape, T) : NULL;
    Tensor *q = attention_rotate(a, &a->q_norm, attention_heads(a, qkv, 0, 0), positions);
    Tensor *k = attention_rotate(a, &a->k_norm, attention_heads(a, qkv, 1, 0), positions);
    Tensor *v = attention_heads(a, qkv, 2, 0);
    if (!append_both(c, layer, k, v))
        return tensor_poison();
    k = first_of(c, layer, 0, keys, x->tape);
    v = first_of(c, layer, 1, keys, x->tape);
    Tensor *bias =
        a->bias ? nn_relative_bias(a->bias, x->tape, c->length, c->batch, T, keys) : NULL;
    return attention_output(a, q, k, v, bias, mask_of(c, x->tape, T, keys, a->window));
}

bool nn_cross_attention_fill(const MultiHeadAttention *a, Tensor *memory, KVCache *source,
                             int layer)
{
    const char *who = "nn_cross_attention_fill";
    if (!cached_check(a, memory, source, layer, who, "memory") ||
        !has_capacity(source, memory->shape.dim[1], who)) {
        tape_fail(memory ? memory->tape : NULL);
        return false;
    }
    Tensor *kv = attention_project(a, memory, 1, 3);
    return append_both(source, layer, attention_heads(a, kv, 1, 1), attention_heads(a, kv, 2, 1));
}

Tensor *nn_cross_attention_cached(const MultiHeadAttention *a, Tensor *x, const KVCache *source,
                                  int layer)
{
    if (!cached_check(a, x, source, layer, "nn_cross_attention_cached", "x"))
        return tape_fail(x ? x->tape : NULL);
    int64_t keys = longest(source);
    Tensor *q = attention_project(a, x, 0, 1);
    Mask mask = {.lengths = tape_ids(x->tape, source->length, shape1(source->batch))};
    return attention_output(a, attention_heads(a, q, 0, 0),
                            first_of(source, layer, 0, keys, x->tape),
                            first_of(source, layer, 1, keys, x->tape), NULL, mask);
}
