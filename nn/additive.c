/* additive.c: additive attention, a small network that says how well a key fits a query.
 *                   Bahdanau, Cho, Bengio, "Neural machine translation by jointly learning to align and
 *                   translate" (2015), appendix A.1.2
 *   scores_ij = v . tanh(W q_i + U k_j),   A = softmax over kept keys of the scores,   context = A k
 * The product attention that followed needs no network, and its scores are one matrix product. */
#include "nn/internal.h"

bool nn_additive_attention_init(AdditiveAttention *a, Params *p, const char *name,
                                int64_t query_channels, int64_t key_channels, int64_t hidden)
{
    *a = (AdditiveAttention){0};
    params_enter(p, name);
    a->path = params_scope(p);
    bool ok = nn_linear_init(&a->query, p, "query", query_channels, hidden, false) &&
              nn_linear_init(&a->key, p, "key", key_channels, hidden, false) &&
              nn_linear_init(&a->score, p, "score", hidden, 1, false);
    params_leave(p);
    return ok && a->path;
}

/* Every query with every key: (B, T, S) from their projections q (B, T, n) and k (B, S, n). */
static Tensor *scores_of(const AdditiveAttention *a, Tensor *q, Tensor *k)
{
    if (tensor_is_poison(q) || tensor_is_poison(k))
        return tensor_poison();
    int64_t B = q->shape.dim[0], T = q->shape.dim[1], S = k->shape.dim[1], n = q->shape.dim[2];
    Tensor *both =
        ag_add(ag_reshape(q, shape4(B, T, 1, n)), ag_reshape(k, shape4(k->shape.dim[0], 1, S, n)));
    return ag_reshape(nn_linear(&a->score, ag_tanh(both)), shape3(B, T, S));
}

static bool is_ready(const AdditiveAttention *a, Tensor *x)
{
    if (a->path && a->score.weight)
        return true;
    tape_error(x ? x->tape : NULL,
               "additive_attention: the module has no weights; its init failed");
    return false;
}

Tensor *nn_additive_keys(const AdditiveAttention *a, Tensor *keys)
{
    if (!is_ready(a, keys) ||
        !check_operand(keys, 3, a->key.weight->shape.dim[1], a->path, "keys", "(B, S, C)"))
        return tensor_poison();
    return nn_linear(&a->key, keys);
}

Tensor *nn_additive_attention_to(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                                 Tensor *projected, Mask mask, Tensor **weights)
{
    if (weights)
        *weights = tensor_poison();
    if (!is_ready(a, query) ||
        !check_operand(query, 3, a->query.weight->shape.dim[1], a->path, "query", "(B, T, C)") ||
        !check_operand(keys, 3, a->key.weight->shape.dim[1], a->path, "keys", "(B, S, C)") ||
        !check_operand(projected, 3, a->key.weight->shape.dim[0], a->path, "projected",
                       "(B, S, n)"))
        return tensor_poison();
    if (query->shape.dim[0] != keys->shape.dim[0])
        return tape_error(query->tape,
                          "%s: query is %s, keys are %s; need as many sequences of both", a->path,
                          tensor_describe(query), tensor_describe(keys));
    if (projected->shape.dim[0] != keys->shape.dim[0] ||
        projected->shape.dim[1] != keys->shape.dim[1])
        return tape_error(query->tape, "%s: projected is %s, keys are %s; need one for each key",
                          a->path, tensor_describe(projected), tensor_describe(keys));
    Tensor *scores = scores_of(a, nn_linear(&a->query, query), projected);
    Tensor *A = ag_masked_softmax(scores, mask);
    if (query->tape->keep_maps) {
        ag_name(scores, "%s.scores", a->path);
        ag_name(A, "%s.A", a->path);
    }
    if (weights)
        *weights = A;
    return ag_matmul(A, keys);
}

Tensor *nn_additive_attention(const AdditiveAttention *a, Tensor *query, Tensor *keys, Mask mask,
                              Tensor **weights)
{
    return nn_additive_attention_to(a, query, keys, nn_additive_keys(a, keys), mask, weights);
}
