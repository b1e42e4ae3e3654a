/* words.c: a masked language model predicts the words at [MASK] in a text.  Z "Encoder
 * transformers" (BERT) */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 5 };

/* The most probable words at token i, and their probabilities. */
static void print_hole(const Tokeniser *t, const real *logits, int64_t words, int hole)
{
    double largest = logits[nn_greedy(logits, words)], sum = 0, last = INFINITY;
    int last_id = -1;
    for (int64_t v = 0; v < words; v++)
        sum += exp((double)logits[v] - largest);
    printf("  mask %d:", hole);
    for (int k = 0; k < SHOWN && k < words; k++) {
        int best = -1;
        for (int64_t v = 0; v < words; v++) {
            bool later = logits[v] < last || (logits[v] == last && v > last_id);
            if (later && (best < 0 || logits[v] > logits[best]))
                best = (int)v;
        }
        last = logits[best];
        last_id = best;
        printf(" %s %.3f%s", data_token(t, best), exp(last - largest) / sum,
               k + 1 < SHOWN ? "," : "\n");
    }
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
        Tensor *x = nn_pretrained_run(m, tape_ids(tape, e.ids, shape2(1, T)), NULL, NULL, NULL);
        Tensor *y = nn_pretrained_logits(m, x);
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
