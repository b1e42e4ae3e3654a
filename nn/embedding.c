/* embedding.c: a learned vector of C channels for each token of the vocabulary.
 *                   V "Word to Word Embedding", Z "Word embedding" (lectures/README.md)
 *   y_t = weight[ids_t],   weight (V, C) */
#include "nn/internal.h"

/* Standard normal, as in PyTorch. A model that ties its output to this weight usually begins with
 * smaller numbers. */
bool nn_embedding_init(Embedding *e, Params *p, const char *path, int64_t vocabulary,
                       int64_t channels)
{
    if (!(path = init_path(e, sizeof *e, p, path, "nn_embedding_init")))
        return false;
    e->path = path;
    e->weight = params_add(p, params_path(p, "%s.weight", path), shape2(vocabulary, channels),
                           nn_normal(1));
    return e->weight != NULL;
}

/* A look-up instead of the product of one-hot rows with the table, which would compute the same. */
Tensor *nn_embedding(const Embedding *e, Tensor *ids)
{
    if (!check_module(e ? e->weight : NULL, ids, "nn_embedding"))
        return tensor_poison();
    return given_name(ag_embedding(e->weight, ids), e->path, "");
}
