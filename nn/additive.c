/* additive.c: additive attention. A network with one hidden layer computes the score of each query
 * with each key.
 *                   Bahdanau, Cho, Bengio, "Neural machine translation by jointly learning to align and
 *                   translate" (2015), appendix A.1.2
 *   scores_ij = v . tanh(W q_i + U k_j),   A = softmax of the scores over the kept keys,   context = A k
 * Dot-product attention, which followed, computes all scores by one matrix product instead. */
#include "nn/internal.h"

bool nn_additive_attention_init(AdditiveAttention *a, Params *p, const char *path,
                                int64_t query_channels, int64_t key_channels, int64_t hidden)
{
    if (!(path = init_path(a, sizeof *a, p, path, "nn_additive_attention_init")))
        return false;
    const int first = p->count;
    a->path = path;
    bool ok =
        nn_linear_init(&a->query, p, params_path(p, "%s.query", path), query_channels, hidden,
                       false) &&
        nn_linear_init(&a->key, p, params_path(p, "%s.key", path), key_channels, hidden, false) &&
        nn_linear_init(&a->score, p, params_path(p, "%s.score", path), hidden, 1, false);
    return init_done(p, first, ok);
}

/* The score of every query with every key, (B, T, S), from the projections W q (B, T, n) and U k
 * (B, S, n). Their sum broadcasts to (B, T, S, n). */
static Tensor *scores_of(const AdditiveAttention *a, Tensor *q, Tensor *k)
{
    int64_t B = q->shape.dim[0], T = q->shape.dim[1], S = k->shape.dim[1], n = q->shape.dim[2];
    Tensor *both =
        ag_add(ag_reshape(q, shape4(B, T, 1, n)), ag_reshape(k, shape4(k->shape.dim[0], 1, S, n)));
    return ag_reshape(nn_linear(&a->score, ag_tanh(both)), shape3(B, T, S));
}

/* The module's weights are there, and keys are (B, S, Ck). */
static bool keys_check(const AdditiveAttention *a, Tensor *keys, const char *who)
{
    return check_module(a && a->path ? a->score.weight : NULL, keys, who) &&
           check_operand(keys, 3, a->key.weight->shape.dim[1], who, a->path, "keys", "(B, S, C)");
}

Tensor *nn_additive_keys(const AdditiveAttention *a, Tensor *keys)
{
    if (!keys_check(a, keys, "nn_additive_keys"))
        return tensor_poison();
    return nn_linear(&a->key, keys);
}

/* The shapes agree: query (B, T, Cq), keys (B, S, Ck), projected (B, S, n). */
static bool operands_check(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                           Tensor *projected, const char *who)
{
    if (!keys_check(a, keys, who) ||
        !check_operand(query, 3, a->query.weight->shape.dim[1], who, a->path, "query",
                       "(B, T, C)") ||
        !check_operand(projected, 3, a->key.weight->shape.dim[0], who, a->path, "projected",
                       "(B, S, n)"))
        return false;
    Shape q = query->shape, k = keys->shape, p = projected->shape;
    if (q.dim[0] == k.dim[0] && p.dim[0] == k.dim[0] && p.dim[1] == k.dim[1])
        return true;
    tape_error(query->tape,
               "%s: %s: query is %s, keys are %s, projected is %s; expected one batch size, and a "
               "projection for each key",
               who, a->path, tensor_describe(query), tensor_describe(keys),
               tensor_describe(projected));
    return false;
}

/* *weights is poison until everything was checked, so that a caller who reads it after an error
 * does not read old memory. The keys are checked before they are projected, so that the error is
 * this function's. */
Tensor *nn_additive_attention(const AdditiveAttention *a, Tensor *query, Tensor *keys,
                              Tensor *projected, Mask mask, Tensor **weights)
{
    const char *who = "nn_additive_attention";
    if (weights)
        *weights = tensor_poison();
    if (!projected && keys_check(a, keys, who))
        projected = nn_linear(&a->key, keys);
    if (!operands_check(a, query, keys, projected, who))
        return tensor_poison();
    Tensor *scores = scores_of(a, nn_linear(&a->query, query), projected);
    Tensor *A = ag_masked_softmax(shown_name(scores, a->path, "scores"), mask);
    A = shown_name(A, a->path, "A");
    if (weights)
        *weights = A;
    return given_name(ag_matmul(A, keys), a->path, "context");
}
