/* lab-train-other-transformer.c: a right answer in another style: one transformer block that sees
 * three letters. A relative position bias lets a head find the letter two back; learned positions
 * tell the first letters, which follow no rule. */
#include "lab-train.h"

#include <stdlib.h>

enum { BATCH = 16, CHANNELS = 16, NEAR = 3, STEPS = 400 };

typedef struct {
    Params *params;
    Embedding letters;
    PositionalEncoding places;
    RelativeBias distance;
    TransformerBlock block;
    Norm norm;
    Linear head;
} Gpt;

static Tensor *answer(void *own, Tensor *ids)
{
    Gpt *g = own;
    Tensor *x = nn_position(&g->places, nn_embedding(&g->letters, ids));
    x = nn_transformer_block(&g->block, x, (Mask){.causal = true});
    return nn_linear(&g->head, nn_norm(&g->norm, x));
}

static void give_back(void *own)
{
    Gpt *g = own;
    params_free(g->params);
    free(g);
}

static bool make(Gpt *g, uint64_t seed)
{
    Params *p = g->params = params_new(seed);
    BlockConfig config = {.channels = CHANNELS, .heads = 2, .hidden = 64, .window = NEAR};
    config.bias = &g->distance;
    return p && nn_embedding_init(&g->letters, p, "letters", LETTERS, CHANNELS) &&
           nn_position_init(&g->places, p, "places", POSITION_LEARNED, LENGTH, CHANNELS) &&
           nn_relative_bias_init(&g->distance, p, "distance", 2, 2 * NEAR, LENGTH, false) &&
           nn_transformer_block_init(&g->block, p, "block", config) &&
           nn_layernorm_init(&g->norm, p, "norm", CHANNELS) &&
           nn_linear_init(&g->head, p, "head", CHANNELS, LETTERS, true);
}

static bool step(Gpt *g, Tape *tape, Adam *adam, Rng *rng)
{
    int text[BATCH][LENGTH + 1], ids[BATCH][LENGTH], next[BATCH][LENGTH];
    for (int b = 0; b < BATCH; b++) {
        draw_text(text[b], LENGTH + 1, rng);
        for (int t = 0; t < LENGTH; t++)
            ids[b][t] = text[b][t], next[b][t] = text[b][t + 1];
    }
    tape_reset(tape);
    Tensor *y = answer(g, tape_ids(tape, ids[0], shape2(BATCH, LENGTH)));
    Tensor *loss = ag_cross_entropy(y, tape_ids(tape, next[0], shape2(BATCH, LENGTH)));
    return ag_backward(loss) && adam_step(adam, g->params);
}

bool train(Learner *l, double seconds, uint64_t seed)
{
    double end = seconds_used() + seconds;
    Rng rng = {.seed = seed, .stream = 7};
    Gpt *g = calloc(1, sizeof *g);
    Tape *tape = tape_new(seed);
    Adam adam;
    bool good = g && tape && make(g, seed) && adamw_init(&adam, g->params, 0, 0.01);
    for (int s = 0; good && s < STEPS && seconds_used() < end; s++) {
        adam.rate = nn_warmup_cosine(s, 20, STEPS, 0.03, 0.001);
        good = step(g, tape, &adam, &rng);
    }
    if (good)
        adam_free(&adam);
    tape_free(tape);
    *l = (Learner){.own = g, .logits = answer, .release = give_back};
    return good;
}
