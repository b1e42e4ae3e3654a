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

/* Are your temperature and top-p the library's for these logits, and is `drawn` the first word
 * where the probabilities sum to more than u? */
static bool sampling_agrees(Candidates *c, const float *logits, const float *kept, float u,
                            int drawn)
{
    float right[WORDS] = {0};
    double before = 0;
    bool agree =
        drawn >= 0 && drawn < c->vocabulary && nn_temperature(c, logits, 0.7) && nn_top_p(c, 0.9);
    for (int i = 0; agree && i < c->count; i++)
        right[c->list[i].token] = (float)c->list[i].p;
    for (int i = 0; i < c->vocabulary; i++)
        agree = agree && fabsf(kept[i] - right[i]) < 1e-5f;
    for (int i = 0; agree && i < drawn; i++)
        before += (double)kept[i];
    agree = agree && before < (double)u + 1e-5 && (double)u - 1e-5 < before + (double)kept[drawn];
    if (!agree)
        printf("your sampling does not keep and draw what the library would\n");
    return agree;
}

bool milestone(Params *p, Tape *tape, const char *weights)
{
    static float logits[WORDS], prob[WORDS], kept[WORDS];
    char said[4 * LENGTH];
    int ids[TOKENS_MOST];
    TokenisedText text;
    Gpt gpt;
    Candidates c = {0};
    Rng rng = {.seed = 1};
    tokens_from_text(&text, NULL, 0, TOKENS_MOST); /* the fables that the example learned */
    const int words = text.words;
    nn_gpt_init(&gpt, p, "", (GptConfig){words, TOKENS_MOST, C, 4, 3, POSITION_LEARNED, 0});
    params_load(weights, p);
    int t = (int)tokens_encode(&text, "The ", ids, LENGTH);
    next_logits(logits, &gpt, ids, t);
    Tensor *right = nn_gpt(&gpt, tape_ids(tape, ids, shape2(1, t)));
    bool ok = agrees(logits, ag_slice(right, 1, t - 1, t), 1e-3);
    ok &= nn_candidates_init(&c, words);
    for (; ok && t < LENGTH; next_logits(logits, &gpt, ids, t)) {
        float u = (float)rng_uniform(&rng);
        temperature(prob, logits, words, 0.7f);
        top_p(kept, prob, words, 0.9f);
        ids[t] = draw(kept, words, u);
        ok = sampling_agrees(&c, logits, kept, u, ids[t]);
        t += ok;
    }
    nn_candidates_free(&c);
    tokens_decode(&text, ids, t, said, sizeof said);
    printf("%s\n", said);
    tokens_free(&text);
    return ok;
}
