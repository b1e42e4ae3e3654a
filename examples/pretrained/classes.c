/* classes.c: what a classifier says of a text or a picture. */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 5 };

static const char *name_of(const Pretrained *m, int label, char text[24])
{
    snprintf(text, 24, "class %d", label);
    return m->label ? m->label[label] : text;
}

/* Labels that exclude each other have the softmax of the logits; others a sigmoid each. A single
 * one is a number, such as a similarity, without a probability (transformers' num_labels 1). */
bool print_classes(const char *input, const Pretrained *m, Tensor *logits)
{
    if (tensor_is_poison(logits))
        return false;
    const int n = m->config.labels;
    char text[24];
    if (n == 1) {
        printf("\n%s: %s %.4g, a logit\n", input, name_of(m, 0, text), (double)logits->data[0]);
        return true;
    }
    Tensor *y = m->config.several ? ag_sigmoid(logits) : ag_softmax(logits);
    bool *told = example_alloc((size_t)n * sizeof *told);
    if (tensor_is_poison(y) || !told)
        return false;
    printf("\n%s: ", input);
    for (int k = 0; k < n && k < SHOWN; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!told[i] && (best < 0 || y->data[i] > y->data[best]))
                best = i;
        told[best] = true;
        printf("%s%s, %.1f %%", k ? "; " : "", name_of(m, best, text), 100 * (double)y->data[best]);
    }
    putchar('\n');
    free(told);
    return true;
}

bool show_classes(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    bool ok = true;
    for (int k = 0; ok && k < s->texts.count; k++) {
        Encoded e;
        tape_reset(tape);
        ok = sentence_open(&e, t, s->texts.text[k], longest_text(m));
        Tensor *x = ok ? nn_pretrained_run(m, tape_ids(tape, e.ids, shape2(1, e.tokens.count)),
                                           NULL, NULL, NULL)
                       : tensor_poison();
        ok = ok && print_classes(s->texts.text[k], m, nn_pretrained_classify(m, x));
        sentence_close(&e);
    }
    return ok;
}
