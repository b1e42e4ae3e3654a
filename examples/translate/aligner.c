/* aligner.c: struct, init, forward. See aligner.h. */
#include "examples/translate/aligner.h"

#include <string.h>

bool aligner_init(Aligner *m, Params *p, TranslatorConfig c)
{
    *m = (Aligner){.config = c};
    bool ok =
        nn_embedding_init(&m->from, p, "from", c.from_words, c.channels) &&
        nn_embedding_init(&m->to, p, "to", c.to_words, c.channels) &&
        nn_rnn_init(&m->forward, p, "forward", RNN_GRU, c.channels, c.hidden / 2, 1) &&
        nn_rnn_init(&m->backward, p, "backward", RNN_GRU, c.channels, c.hidden / 2, 1) &&
        nn_linear_init(&m->start, p, "start", c.hidden / 2, c.hidden, true) &&
        nn_additive_attention_init(&m->align, p, "align", c.hidden, c.hidden, c.hidden) &&
        nn_rnn_cell_init(&m->decoder, p, "decoder", RNN_GRU, c.channels + c.hidden, c.hidden) &&
        nn_linear_init(&m->out, p, "out", 2 * c.hidden + c.channels, c.channels, true);
    if (!ok)
        return false;
    m->head = (Linear){.weight = m->to.weight, .path = "head"};
    for (int64_t i = 0; i < tensor_size(m->to.weight); i++)
        m->to.weight->data[i] *= (real)0.3; /* logits of about 1 at first */
    return true;
}

/* ---- the encoder ----------------------------------------------------------------------------- */

/* The index among all B S words of word i of sentence b after the sentence, without padding, has
 * been reversed. */
static Tensor *opposite(Tensor *ids, const Tensor *lengths)
{
    const int64_t B = ids->shape.dim[0], S = ids->shape.dim[1];
    Tensor *index = tape_ids(ids->tape, ids->ids, ids->shape);
    if (tensor_is_poison(index))
        return index;
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < S; i++) {
            int n = lengths->ids[b];
            index->ids[b * S + i] = (int)(b * S + (i < n ? n - 1 - i : i));
        }
    return index;
}

/* Selects words of x (B, S, C) by their indices, as an embedding selects rows. */
static Tensor *reorder(Tensor *x, Tensor *indices)
{
    if (tensor_is_poison(x))
        return x;
    return ag_embedding(ag_reshape(x, shape2(-1, shape_last(x->shape))), indices);
}

Tensor *aligner_encode(const Aligner *m, Tensor *ids, Tensor *lengths)
{
    if (tensor_is_poison(ids) || tensor_is_poison(lengths))
        return tensor_poison();
    Tensor *x = ag_dropout(nn_embedding(&m->from, ids), (real)m->config.dropout);
    Tensor *indices = opposite(ids, lengths);
    Tensor *there = nn_rnn(&m->forward, x, NULL);
    Tensor *back = reorder(nn_rnn(&m->backward, reorder(x, indices), NULL), indices);
    return ag_concat((Tensor *[]){there, back}, 2, -1);
}

/* ---- one step of the decoder ----------------------------------------------------------------- */

/* What is constant over the steps of the decoder. */
typedef struct {
    const Aligner *m;
    Tensor *z, *projected; /* (B, S, hidden) */
    Mask mask;
} Reading;

/* s_0 from the last state of the backward RNN, which is that at the first word. */
static RNNState first_state(const Reading *r)
{
    const TranslatorConfig *c = &r->m->config;
    if (tensor_is_poison(r->z))
        return (RNNState){.h = tensor_poison()};
    Tensor *at_first = ag_slice(ag_slice(r->z, 1, 0, 1), 2, c->hidden / 2, c->hidden);
    at_first = ag_reshape(at_first, shape2(-1, c->hidden / 2));
    return (RNNState){.h = ag_tanh(nn_linear(&r->m->start, at_first))};
}

/* Updates the state with y_(t-1) (B, C) and returns [s_t; c_t; y_(t-1)] (B, 2 hidden + C). */
static Tensor *next(const Reading *r, Tensor *y, RNNState *state)
{
    const int hidden = r->m->config.hidden;
    if (tensor_is_poison(state->h) || tensor_is_poison(y))
        return tensor_poison();
    Tensor *query = ag_reshape(state->h, shape3(-1, 1, hidden)), *A;
    Tensor *context = nn_additive_attention(&r->m->align, query, r->z, r->projected, r->mask, &A);
    if (tensor_is_poison(context))
        return context;
    context = ag_reshape(context, shape2(-1, hidden));
    if (r->m->config.blind)
        context = ag_scale(context, 0);
    Tensor *s = nn_rnn_cell(&r->m->decoder, ag_concat((Tensor *[]){y, context}, 2, 1), state);
    return ag_concat((Tensor *[]){s, context, y}, 3, 1);
}

static Tensor *logits_of(const Aligner *m, Tensor *x)
{
    Tensor *hidden = ag_dropout(ag_tanh(nn_linear(&m->out, x)), (real)m->config.dropout);
    return nn_linear(&m->head, hidden);
}

enum { LONGEST = 256 };

/* Processes all words of ids (B, T) in order; after[t] gets the state after word t unless `after`
 * is NULL. */
static Tensor *unroll(const Reading *r, Tensor *ids, RNNState state, RNNState *after)
{
    const int C = r->m->config.channels;
    Tensor *features[LONGEST], *x = nn_embedding(&r->m->to, ids);
    if (tensor_is_poison(x) || ids->shape.dim[1] > LONGEST)
        return tensor_poison();
    for (int64_t t = 0; t < ids->shape.dim[1]; t++) {
        Tensor *y = ag_reshape(ag_slice(x, 1, t, t + 1), shape2(-1, C));
        features[t] = next(r, ag_dropout(y, (real)r->m->config.dropout), &state);
        if (after)
            after[t] = state;
    }
    return logits_of(r->m, ag_stack(features, (int)ids->shape.dim[1], 1));
}

Tensor *aligner_decode(const Aligner *m, Tensor *memory, Tensor *lengths, Tensor *ids)
{
    Reading r = {m, memory, nn_additive_keys(&m->align, memory), {.lengths = lengths}};
    return unroll(&r, ids, first_state(&r), NULL);
}

/* ---- with caches ----------------------------------------------------------------------------- */

/* Copies row t of all sequences from x (B, hidden) into the cache (B, 1, capacity, hidden). */
static void keep(Tensor *kept, const Tensor *x, int64_t t)
{
    for (int64_t b = 0; b < x->shape.dim[0]; b++)
        memcpy(kept->data + b * kept->stride[0] + t * kept->stride[2], x->data + b * x->stride[0],
               (size_t)x->shape.dim[1] * sizeof(real));
}

/* Rows from..to-1 of the cache, as (B, to - from, hidden). */
static Tensor *kept_rows(Tensor *kept, Tape *tape, int64_t from, int64_t to)
{
    Shape s = kept->shape;
    return ag_reshape(ag_slice(tape_param(tape, kept), 2, from, to),
                      shape3(s.dim[0], to - from, s.dim[3]));
}

bool aligner_read(const Aligner *m, Tensor *memory, const int *lengths, KVCache *source)
{
    Tensor *part[2] = {nn_additive_keys(&m->align, memory), memory};
    if (tensor_is_poison(part[0]))
        return false;
    nn_cache_reset(source);
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < memory->shape.dim[1]; i++) {
            Tensor *row = ag_reshape(ag_slice(part[k], 1, i, i + 1), shape2(-1, m->config.hidden));
            if (tensor_is_poison(row))
                return false;
            keep(source->keys_values[k], row, i);
        }
    return nn_cache_advance(source, lengths, memory->shape.dim[1]);
}

Tensor *aligner_write(const Aligner *m, Tensor *ids, KVCache *written, const KVCache *source)
{
    RNNState after[LONGEST], state = {0};
    if (tensor_is_poison(ids) || ids->shape.dim[1] > LONGEST)
        return tensor_poison();
    const int at = written->length[0], T = (int)ids->shape.dim[1];
    int S = 0;
    for (int64_t b = 0; b < source->batch; b++)
        S = source->length[b] > S ? source->length[b] : S;
    Reading r = {m,
                 kept_rows(source->keys_values[1], ids->tape, 0, S),
                 kept_rows(source->keys_values[0], ids->tape, 0, S),
                 {.lengths = tape_ids(ids->tape, source->length, shape1(source->batch))}};
    const Shape one = shape2(written->batch, m->config.hidden);
    if (at == 0)
        state = first_state(&r);
    else
        state.h = ag_reshape(kept_rows(written->keys_values[0], ids->tape, at - 1, at), one);
    Tensor *logits = unroll(&r, ids, state, after);
    if (tensor_is_poison(logits) || at + T > written->capacity)
        return tensor_poison();
    for (int t = 0; t < T; t++)
        keep(written->keys_values[0], after[t].h, at + t);
    return logits;
}
