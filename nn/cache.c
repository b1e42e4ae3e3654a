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

bool cache_check(const KVCache *c, const char *who)
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
        capacity > INT32_MAX || heads < 1 || channels < 1 || channels % heads != 0)
        return tensor_fail(
            "nn_cache_init: %d layers, %lld sequences, a capacity of %lld tokens, %d "
            "heads for %lld channels; expected 1 or more of each, at most %d "
            "layers, and a number of heads that divides the channels",
            layers, (long long)batch, (long long)capacity, heads, (long long)channels,
            CACHE_LAYERS_MAX);
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

bool nn_cache_advance(KVCache *c, const int32_t *counts, int64_t tokens)
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
void cache_copy(KVCache *c, int64_t from, int64_t to)
{
    for (int i = 0; from != to && i < 2 * c->layers; i++) {
        const Tensor *t = c->keys_values[i]; /* in each head the valid tokens are contiguous */
        for (int64_t h = 0; h < t->shape.dim[1]; h++)
            memcpy(t->data + to * t->stride[0] + h * t->stride[1],
                   t->data + from * t->stride[0] + h * t->stride[1],
                   (size_t)(c->length[from] * t->stride[2]) * sizeof(real));
    }
    c->length[to] = c->length[from];
}

Tensor *nn_cache_positions(const KVCache *c, Tape *tape, int64_t tokens)
{
    int *position = NULL;
    if (!tape || tokens < 0)
        tensor_fail("nn_cache_positions: %lld tokens on %s; expected 0 or more, on a tape",
                    (long long)tokens, tape ? "a tape" : "a tape that is NULL");
    else if (cache_check(c, "nn_cache_positions") && has_capacity(c, tokens, "nn_cache_positions"))
        position = tape_memory(tape, (size_t)(c->batch * tokens) * sizeof *position);
    if (!position)
        return tape_fail(tape);
    for (int64_t b = 0; b < c->batch; b++)
        for (int64_t t = 0; t < tokens; t++)
            position[b * tokens + t] = c->length[b] + (int)t;
    return tape_ids(tape, position, shape2(c->batch, tokens));
}

bool cache_takes(const KVCache *c, int layer, const Tensor *x, int64_t tokens, int heads,
                 int64_t size, const char *who, const char *path, const char *what)
{
    if (!cache_check(c, who))
        return false;
    if (!x->tape->no_grad)
        return tensor_fail("%s: %s: the tape records gradients, which a cache does not carry; "
                           "expected tape->no_grad to be set",
                           who, path);
    if (layer < 0 || layer >= c->layers)
        return tensor_fail("%s: %s: layer %d of the cache; expected 0 to %d", who, path, layer,
                           c->layers - 1);
    Shape s = c->keys_values[0]->shape;
    if (x->shape.dim[0] != c->batch || heads != s.dim[1] || size != s.dim[3])
        return tensor_fail("%s: %s: %s is %s, with %d heads; expected (%lld, T, %lld) with %lld "
                           "heads, as the cache",
                           who, path, what, tensor_describe(x), heads, (long long)c->batch,
                           (long long)(s.dim[1] * s.dim[3]), (long long)s.dim[1]);
    return has_capacity(c, tokens, who);
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

bool cache_extend(const KVCache *c, int layer, Tensor **k, Tensor **v)
{
    if (tensor_is_poison(*k) || tensor_is_poison(*v))
        return false;
    Tape *tape = (*k)->tape;
    int64_t keys = longest(c) + (*k)->shape.dim[2];
    append(c, c->keys_values[2 * layer], *k);
    append(c, c->keys_values[2 * layer + 1], *v);
    *k = first_of(c, layer, 0, keys, tape);
    *v = first_of(c, layer, 1, keys, tape);
    return true;
}

/* Query t of sequence b is at position length[b] + t. Where all sequences have the same length this
 * is the causal mask; otherwise a keep matrix for each sequence. Lengths differ where the prompts
 * of a batch do. */
Mask cache_mask(const KVCache *c, Tape *tape, int64_t T)
{
    bool even = true;
    for (int64_t b = 1; b < c->batch; b++)
        even = even && c->length[b] == c->length[0];
    if (even)
        return (Mask){.causal = true};
    int64_t keys = longest(c) + T;
    Tensor *keep = tape_full(tape, 0, shape3(c->batch, T, keys));
    if (!tensor_is_poison(keep))
        for (int64_t row = 0; row < c->batch * T; row++)
            for (int64_t j = 0; j <= c->length[row / T] + row % T; j++)
                keep->data[row * keys + j] = 1;
    return (Mask){.keep = keep};
}

Mask cache_all(const KVCache *c, int layer, Tape *tape, Tensor **k, Tensor **v)
{
    *k = first_of(c, layer, 0, longest(c), tape);
    *v = first_of(c, layer, 1, longest(c), tape);
    return (Mask){.lengths = tape_ids(tape, c->length, shape1(c->batch))};
}

/* ---- multi-head attention -------------------------------------------------------------------- */

static bool takes(const MultiHeadAttention *a, Tensor *x, const KVCache *c, int layer,
                  int64_t tokens, const char *who, const char *what)
{
    return cache_takes(c, layer, x, tokens, a->heads, a->in_proj_weight->shape.dim[1] / a->heads,
                       who, a->path, what);
}

Tensor *nn_attention_cached(const MultiHeadAttention *a, Tensor *x, KVCache *c, int layer)
{
    const char *who = "nn_attention_cached";
    if (!attention_check(a, x, who, "x") || !takes(a, x, c, layer, x->shape.dim[1], who, "x"))
        return tape_fail(x ? x->tape : NULL);
    Tensor *positions = a->rotary ? nn_cache_positions(c, x->tape, x->shape.dim[1]) : NULL;
    Tensor *qkv = given_name(ag_linear(x, a->in_proj_weight, a->in_proj_bias), a->path, "qkv");
    Tensor *q = rotary_turn(a->rotary, attention_heads(a, qkv, 0), positions);
    Tensor *k = rotary_turn(a->rotary, attention_heads(a, qkv, 1), positions);
    Tensor *v = attention_heads(a, qkv, 2);
    if (!cache_extend(c, layer, &k, &v))
        return tensor_poison();
    q = shown_name(q, a->path, "q");
    k = shown_name(k, a->path, "k");
    v = given_name(v, a->path, "v");
    Mask mask = cache_mask(c, x->tape, x->shape.dim[1]);
    return attention_join(a, ag_attention(q, k, v, mask, a->dropout));
}

/* The keys and values of memory (B, S, C) go into the layer of the cache. */
bool nn_decoder_block_fill(const DecoderBlock *b, Tensor *memory, KVCache *source, int layer)
{
    const char *who = "nn_decoder_block_fill";
    const MultiHeadAttention *a = b ? &b->cross_attn : NULL;
    if (!attention_check(a, memory, who, "memory") ||
        !takes(a, memory, source, layer, memory->shape.dim[1], who, "memory")) {
        tape_fail(memory ? memory->tape : NULL);
        return false;
    }
    Tensor *kv = attention_project(a, memory, 1, 3);
    Tensor *k = attention_heads(a, kv, 0), *v = attention_heads(a, kv, 1);
    return cache_extend(source, layer, &k, &v);
}

Tensor *cross_attention_cached(const MultiHeadAttention *a, Tensor *x, const KVCache *source,
                               int layer)
{
    const char *who = "nn_decoder_block_cached";
    if (!attention_check(a, x, who, "x") || !takes(a, x, source, layer, 0, who, "x"))
        return tape_fail(x ? x->tape : NULL);
    Tensor *q = attention_project(a, x, 0, 1), *k, *v;
    Mask mask = cache_all(source, layer, x->tape, &k, &v);
    q = shown_name(attention_heads(a, q, 0), a->path, "q");
    k = shown_name(k, a->path, "k");
    v = given_name(v, a->path, "v");
    return attention_join(a, ag_attention(q, k, v, mask, a->dropout));
}
