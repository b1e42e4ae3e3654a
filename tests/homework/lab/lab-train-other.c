/* lab-train-other.c: a right answer in another style: a transformer block, with Adam at a constant
 * rate, which stops when its loss is low. */
#include "lab-train.h"

#include <stdlib.h>

typedef struct {
    Params *params;
    Embedding embedding;
    PositionalEncoding position;
    TransformerBlock block;
    Linear head;
} Transformer;

static Tensor *forward(void *own, Tensor *ids)
{
    Transformer *m = own;
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, ids));
    return nn_linear(&m->head, nn_transformer_block(&m->block, x, (Mask){.causal = true}));
}

static void forget(void *own)
{
    params_free(((Transformer *)own)->params);
    free(own);
}

bool train(Learner *l, double seconds, uint64_t seed)
{
    enum { TEXTS = 8 };
    double begin = seconds_used(), mean = 3;
    Transformer *m = malloc(sizeof *m);
    Rng rng = {.seed = seed};
    Adam adam;
    if (!m)
        return false;
    m->params = params_new(seed);
    nn_embedding_init(&m->embedding, m->params, "embedding", LETTERS, 24);
    nn_position_init(&m->position, m->params, "position", POSITION_LEARNED, LENGTH, 24);
    nn_transformer_block_init(&m->block, m->params, "block",
                              (BlockConfig){.channels = 24, .heads = 2, .hidden = 64});
    nn_linear_init(&m->head, m->params, "head", 24, LETTERS, true);
    adam_init(&adam, m->params, 0.006);
    Tape *tape = tape_new(seed);
    while (seconds_used() - begin < seconds && mean > 0.895) {
        int text[TEXTS][LENGTH + 1];
        tape_reset(tape);
        for (int i = 0; i < TEXTS; i++)
            draw_text(text[i], LENGTH + 1, &rng);
        Tensor *all = tape_ids(tape, text[0], shape2(TEXTS, LENGTH + 1));
        int in[TEXTS * LENGTH], out[TEXTS * LENGTH];
        for (int i = 0; i < TEXTS * LENGTH; i++) {
            in[i] = all->ids[i / LENGTH * (LENGTH + 1) + i % LENGTH];
            out[i] = all->ids[i / LENGTH * (LENGTH + 1) + i % LENGTH + 1];
        }
        Tensor *loss = ag_cross_entropy(forward(m, tape_ids(tape, in, shape2(TEXTS, LENGTH))),
                                        tape_ids(tape, out, shape2(TEXTS, LENGTH)));
        if (!ag_backward(loss) || !adam_step(&adam, m->params))
            break;
        mean = 0.98 * mean + 0.02 * loss->data[0];
    }
    tape_free(tape);
    adam_free(&adam);
    l->own = m;
    l->logits = forward;
    l->release = forget;
    return true;
}
