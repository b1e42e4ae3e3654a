/* writes.c: your decoder (homeworks 2, 3, 3b, 4, 4b, 7) with the weights of the gpt example writes,
 * and your sampling (homework 8) chooses. */
#include "library.h"

#include "hw4.h"
#include "hw7.h"
#include "hw8.h"

#include "examples/gpt/tokens.h"

enum { WORDS = 256, LENGTH = 120, C = 64 };

/* The logits of the token after ids[0] .. ids[t - 1]. */
static void next_logits(float *logits, const Gpt *gpt, const int *ids, int t)
{
    static float tokens[ALL], x[ALL];
    const Encoder *e = &gpt->encoder;
    embed(tokens, e->embedding.weight->data, ids, t, C);
    add_learned(x, tokens, e->position.weight->data, 1, t, TOKENS_MOST, C);
    own_blocks(e, 0, x, t);
    own_linear(logits, x + (t - 1) * C, &gpt->head, 1);
}

bool milestone(Params *p, Tape *tape, const char *weights)
{
    static float logits[WORDS], prob[WORDS], kept[WORDS];
    char said[4 * LENGTH];
    int ids[TOKENS_MOST];
    TokenisedText text;
    Gpt gpt;
    Rng rng = {.seed = 1};
    tokens_from_text(&text, NULL, 0, TOKENS_MOST); /* the fables that the example learned */
    const int words = text.words;
    nn_gpt_init(&gpt, p, "", (GptConfig){words, TOKENS_MOST, C, 4, 3, POSITION_LEARNED, 0});
    params_load(weights, p);
    int t = (int)tokens_encode(&text, "The ", ids, LENGTH);
    next_logits(logits, &gpt, ids, t);
    Tensor *right = nn_gpt(&gpt, tape_ids(tape, ids, shape2(1, t)));
    const bool ok = agrees(logits, ag_slice(right, 1, t - 1, t), 1e-3);
    for (; t < LENGTH; next_logits(logits, &gpt, ids, t)) {
        temperature(prob, logits, words, 0.7f);
        top_p(kept, prob, words, 0.9f);
        ids[t++] = draw(kept, words, (float)rng_uniform(&rng));
    }
    tokens_decode(&text, ids, t, said, sizeof said);
    printf("%s\n", said);
    tokens_free(&text);
    return ok;
}
