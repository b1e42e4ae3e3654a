/* writes.c: your decoder (homeworks 2, 3, 3b, 4, 7) with the weights of the gpt example writes, and
 * your sampling (homework 8) chooses. */
#include "transformer.h"

#include "hw2.h"
#include "hw7.h"
#include "hw8.h"

#include <stdio.h>

enum { WORDS = 256, LENGTH = 120, C = 64 };

/* The logits of the token after ids[0] .. ids[t - 1]; the embedding is the last layer, too. */
static void next_logits(float *logits, const int *ids, int t, int words)
{
    static const Transformer m = {.channels = C, .heads = 4, .layers = 3, .causal = 1};
    static float tokens[ALL], x[ALL];
    embed(tokens, given("embedding.weight"), ids, t, C);
    add_learned(x, tokens, given("position.weight"), 1, t, TOKENS_MOST, C);
    transformer_run(&m, x, t);
    transformer_linear(logits, x + (t - 1) * C, given("embedding.weight"), NULL, 1, C, words);
}

int main(int argc, char **argv)
{
    static float logits[WORDS], prob[WORDS], kept[WORDS];
    int ids[TOKENS_MOST];
    unsigned random = 1;
    given_open(argc, argv);
    int words = given_int("words", 0), t = given_int("tokens", 0);
    for (int i = 0; i < t; i++)
        ids[i] = given_int("prompt", i);
    next_logits(logits, ids, t, words);
    int ok = agrees(logits, "logits", 1e-3);
    for (int i = 0; i < t; i++)
        putchar(given_int("bytes", ids[i]));
    putchar('|');
    while (t < LENGTH) {
        temperature(prob, logits, words, 0.7f);
        top_p(kept, prob, words, 0.9f);
        random = random * 1664525 + 1013904223; /* Knuth's line, 32 bits */
        ids[t] = draw(kept, words, (float)(random >> 8) / 16777216);
        putchar(given_int("bytes", ids[t++]));
        next_logits(logits, ids, t, words);
    }
    putchar('\n');
    return !ok;
}
