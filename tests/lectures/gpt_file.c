/* gpt_file.c: lectures/00-backprop/gpt.c as it stands, without its main. See gpt_file.h. */
#include "tests/lectures/gpt_file.h"

#define main gpt_main
int gpt_main(void);
#include "lectures/00-backprop/gpt.c"

double *const gpt_weights = data, *const gpt_gradients = grad;

/* Where main puts the weights. */
static void place(void)
{
    used = 0;
    E = tensor(LETTERS + T, C), Wq = tensor(C, C), Wk = tensor(C, C), Wv = tensor(C, C);
    Wo = tensor(C, C), up = tensor(C, 4 * C), down = tensor(4 * C, C), head = tensor(C, LETTERS);
    for (int i = 0; i < WEIGHTS; i++)
        data[i] = rand() / (RAND_MAX + 1.) - 0.5;
}

double gpt_loss(const char *text, int backward)
{
    if (!E.data)
        place();
    word = text;
    Tensor logits = gpt((int)strlen(text) - 1), loss = ag_apply(cross_entropy, logits, logits);
    if (backward)
        ag_backward(loss);
    return loss.data[0];
}
