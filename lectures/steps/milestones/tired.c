/* tired.c: your block (homeworks 2, 3, 3b, 4) with the weights of the attention example says what
 * "it" is; the positions are those of homework 7. */
#include "transformer.h"

#include "hw2.h"
#include "hw7.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static float x[ALL], codes[ALL], logits[256];
    const Transformer m = {.channels = 32, .heads = 4, .layers = 2, .window = 4};
    const char *logits_name[] = {"logits0", "logits1"};
    int ids[TOKENS_MOST], ok = 1, c = m.channels;
    given_open(argc, argv);
    for (int k = 0; k < 2; k++) {
        int t = given_int("tokens", k), query = given_int("query", k);
        int answers = given_int("answers", 0);
        for (int i = 0; i < t; i++)
            ids[i] = (int)given("ids%d", k)[i];
        embed(x, given("embedding.weight"), ids, t, c);
        sinusoids(codes, t, c, 10000);
        for (int i = 0; i < t * c; i++)
            x[i] += codes[i];
        transformer_run(&m, x, t);
        transformer_linear(logits, x + query * c, given("head.weight"), given("head.bias"), 1, c,
                           answers);
        given_print("sentence%d", k);
        printf("\nyour block answers: \"it\" is the ");
        given_print("answer%d", largest(logits, answers));
        putchar('\n');
        ok &= agrees(logits, logits_name[k], 1e-3);
    }
    return !ok;
}
