/* embedding.c: a vector for each word.   V "Word to Word Embedding", Z "Word embedding" */
#include "nn/nn.h"

bool nn_embedding_init(Embedding *e, Params *p, const char *name, int64_t words, int64_t channels)
{
    params_enter(p, name);
    e->weight = params_add(p, "weight", shape2(words, channels), nn_normal(1));
    params_leave(p);
    return e->weight != NULL;
}

Tensor *nn_embedding(const Embedding *e, Tensor *ids)
{
    return ag_embedding(e->weight, ids);
}
