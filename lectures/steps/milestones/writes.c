/* writes.c: your decoder (homeworks 2, 3, 3b, 4, 4b, 7) with the weights of the gpt example writes,
 * and your sampling (homework 8) chooses.
 *
 *   writes WEIGHTS INPUT
 *
 * INPUT: words of the vocabulary and the byte of each; the prompt's length and ids; the library's
 * logits after it. */
#include "transformer.h"

#include "hw4.h"
#include "hw7.h"
#include "hw8.h"

#include <stdio.h>

enum { WORDS = 256, LENGTH = 120, CHANNELS = 64 };

/* The logits of the token after ids[0] .. ids[t - 1]. */
static void next_logits(const Transformer *m, float *logits, const int *ids, int t, int words)
{
    static float tokens[TOKENS_MOST * CHANNELS], x[TOKENS_MOST * CHANNELS];
    embed(tokens, weights_of(&m->weights, "embedding.weight"), ids, t, CHANNELS);
    add_learned(x, tokens, weights_of(&m->weights, "position.weight"), 1, t, TOKENS_MOST, CHANNELS);
    transformer_run(m, x, t);
    transformer_head(m, "embedding", 0, logits, x + (t - 1) * CHANNELS, words);
}

int main(int argc, char **argv)
{
    static float logits[WORDS], right[WORDS], prob[WORDS], kept[WORDS];
    int byte[WORDS], ids[TOKENS_MOST];
    unsigned random = 1;
    if (argc != 3)
        return 2;
    Transformer m = {weights_open(argv[1]), CHANNELS, 4, 3, 1, 0};
    input_open(argv[2]);
    int words = input_int();
    for (int i = 0; i < words; i++)
        byte[i] = input_int();
    int t = input_int();
    for (int i = 0; i < t; i++)
        ids[i] = input_int();
    input_numbers(right, words);
    next_logits(&m, logits, ids, t, words);
    double apart = farthest(logits, right, words);
    for (int i = 0; i < t; i++)
        putchar(byte[ids[i]]);
    putchar('|');
    while (t < LENGTH) {
        temperature(prob, logits, words, 0.7f);
        top_p(kept, prob, words, 0.9f);
        random = random * 1664525 + 1013904223; /* Knuth's line, 32 bits */
        ids[t] = draw(kept, words, (float)(random >> 8) / 16777216);
        putchar(byte[ids[t++]]);
        next_logits(&m, logits, ids, t, words);
    }
    printf("\nat most %.1g from the library's logits after the prompt; expected 1e-3\n", apart);
    return !(apart < 1e-3);
}
