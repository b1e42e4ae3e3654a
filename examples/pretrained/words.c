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

bool show_masks(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    int mask = mask_of(t), holes = 0;
    for (int k = 0; k < s->texts.count; k++) {
        Encoded e;
        if (!sentence_open(&e, t, s->texts.text[k], longest_text(m)))
            return false;
        tape_reset(tape);
        int T = e.tokens.count;
        Tensor *y = nn_pretrained_logits(m, sentence_states(&e, m, tape));
        if (tensor_is_poison(y))
            return false;
        for (int i = 0, here = 0; i < T; i++)
            if (e.ids[i] == mask) {
                if (here++ == 0)
                    printf("\n%s\n", s->texts.text[k]);
                print_hole(t, y->data + i * shape_last(y->shape), shape_last(y->shape), ++holes);
            }
        sentence_close(&e);
    }
    if (holes == 0)
        printf("\nno %s in the texts: --text \"Paris is the capital of %s.\" shows the most "
               "probable words\n",
               data_token(t, mask), data_token(t, mask));
    return true;
}
