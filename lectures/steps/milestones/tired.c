/* tired.c: your block (homeworks 2, 3, 3b, 4, 4b) with the weights of the attention example says
 * what "it" is; the positions are those of homework 7.
 *
 *   tired WEIGHTS INPUT
 *
 * INPUT: sentences; for each: tokens, ids, the query's row, its adjective, answers; the answers'
 * words; the library's logits. */
#include "transformer.h"

#include "hw4.h"
#include "hw7.h"

#include <stdio.h>

enum { ANSWERS = 256 };

int main(int argc, char **argv)
{
    static float x[TOKENS_MOST * CHANNELS_MOST], codes[TOKENS_MOST * CHANNELS_MOST];
    static float logits[ANSWERS], right[ANSWERS];
    static char name[ANSWERS][64];
    char adjective[64];
    int ids[TOKENS_MOST], wrong = 0, c = 32;
    if (argc != 3)
        return 2;
    Transformer m = {weights_open(argv[1]), c, 4, 2, 0, 4};
    input_open(argv[2]);
    for (int sentences = input_int(); sentences > 0; sentences--) {
        int t = input_int(), best = 0;
        for (int i = 0; i < t; i++)
            ids[i] = input_int();
        int query = input_int();
        input_word(adjective);
        int answers = input_int();
        for (int i = 0; i < answers; i++)
            input_word(name[i]);
        input_numbers(right, answers);
        embed(x, weights_of(&m.weights, "embedding.weight"), ids, t, c);
        sinusoids(codes, t, c, 10000);
        for (int i = 0; i < t * c; i++)
            x[i] += codes[i];
        transformer_run(&m, x, t);
        transformer_head(&m, "head", 1, logits, x + query * c, answers);
        for (int i = 1; i < answers; i++)
            best = logits[i] > logits[best] ? i : best;
        double apart = farthest(logits, right, answers);
        printf("... because it was too %s: your block answers \"%s\"; at most %.1g from the "
               "library's logits, expected 1e-3\n",
               adjective, name[best], apart);
        wrong |= !(apart < 1e-3);
    }
    return wrong;
}
