/* embedding.c: a learned vector of C channels for each token of the vocabulary.
 *                   V "Word to Word Embedding", Z "Word embedding" (lectures/README.md)
 *   y_t = weight[ids_t],   weight (V, C) */
#include "nn/internal.h"

/* Standard normal, as in PyTorch. A model that ties its output to this weight usually begins with
 * smaller numbers. */
bool nn_embedding_init(Embedding *e, Params *p, const char *name, int64_t vocabulary,
                       int64_t channels)
{
    if (!check_init(e, sizeof *e, p, name, "nn_embedding_init"))
        return false;
    e->path = params_enter(p, name);
    e->weight = params_add(p, "weight", shape2(vocabulary, channels), nn_normal(1));
    params_leave(p);
    return e->path && e->weight;
}

/* A look-up instead of the product of one-hot rows with the table, which would compute the same. */
Tensor *nn_embedding(const Embedding *e, Tensor *ids)
{
    if (!check_module(e ? e->weight : NULL, ids, "nn_embedding"))
        return tensor_poison();
    return given_name(ag_embedding(e->weight, ids), e->path, "");
}
