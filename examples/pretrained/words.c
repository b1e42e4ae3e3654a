/* words.c: a masked language model predicts the words at [MASK] in a text.  Z "Encoder
 * transformers" (BERT) */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most probable words at token i, and their probabilities. */
static void print_hole(const Tokeniser *t, const real *logits, int64_t words, int hole)
{
    int best[SHOWN], n = largest_of(logits, words, best);
    double largest = (double)logits[best[0]], sum = 0;
    for (int64_t v = 0; v < words; v++)
        sum += exp((double)logits[v] - largest);
    printf("  mask %d:", hole);
    for (int k = 0; k < n; k++)
        printf(" %s %.3f%s", data_token(t, best[k]), exp((double)logits[best[k]] - largest) / sum,
               k + 1 < n ? "," : "\n");
}

int mask_of(const Tokeniser *t)
{
    int mask = data_token_find(t, "[MASK]");
    return mask >= 0 ? mask : data_token_find(t, "<mask>");
}

bool print_masks(const char *text, const Pretrained *m, const Tokeniser *t, const Encoded *e,
                 Tensor *x, int *holes)
{
    const int mask = mask_of(t);
    const Tensor *y = nn_pretrained_logits(m, x);
    if (tensor_is_poison(y))
        return false;
    for (int i = 0, here = 0; i < e->tokens.count; i++)
        if (e->ids[i] == mask) {
            if (here++ == 0)
                printf("\n%s\n", text);
            print_hole(t, y->data + i * shape_last(y->shape), shape_last(y->shape), ++*holes);
        }
    return true;
}
