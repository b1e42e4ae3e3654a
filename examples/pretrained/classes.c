/* classes.c: what a classifier says of a text or a picture. */
#include "examples/pretrained/pretrained.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Sorted by insertion; of equal numbers the first comes first. */
int largest_of(const real *numbers, int64_t n, int largest[SHOWN])
{
    int count = 0;
    for (int64_t i = 0; i < n; i++) {
        int at = count;
        for (; at > 0 && numbers[i] > numbers[largest[at - 1]]; at--)
            if (at < SHOWN)
                largest[at] = largest[at - 1];
        if (at < SHOWN)
            largest[at] = (int)i;
        count += count < SHOWN;
    }
    return count;
}

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
    if (tensor_is_poison(y))
        return false;
    int best[SHOWN], count = largest_of(y->data, n, best);
    printf("\n%s: ", input);
    for (int k = 0; k < count; k++)
        printf("%s%s, %.1f %%", k ? "; " : "", name_of(m, best[k], text),
               100 * (double)y->data[best[k]]);
    putchar('\n');
    return true;
}
