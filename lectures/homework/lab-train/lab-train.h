/* lab-train.h: the language of the lab on training, and the function that you write. Your file
 * includes this header alone; it brings the tensors, the tape and the modules of gradus, whose
 * headers are the reference: tensor/tensor.h, autograd/autograd.h and nn/nn.h. */
#ifndef LAB_TRAIN_H
#define LAB_TRAIN_H

#include "nn/nn.h"

#include <time.h>
#ifndef TASK
#define TASK /* the grader's own mark; it means nothing to you */
#endif

/* ---- the language ---------------------------------------------------------------------------- */

/* Letters 0 .. LETTERS - 1. With probability RULE the next letter is the sum of the last one and
 * of the one two before it, modulo LETTERS; otherwise it is any of them. */
enum { LETTERS = 8, LENGTH = 32 };
#define RULE 0.8

/* The letter that follows text[0 .. count - 1] by the rule; count is 3 or more. */
static inline int letter_by_rule(const int *text, int count)
{
    return (text[count - 1] + text[count - 3]) % LETTERS;
}

/* Writes a text of `count` letters; the first three are any letters. */
static inline void draw_text(int *text, int count, Rng *rng)
{
    for (int i = 0; i < count; i++) {
        bool ruled = i >= 3 && rng_uniform(rng) < RULE;
        text[i] = ruled ? letter_by_rule(text, i) : (int)rng_below(rng, LETTERS);
    }
}

/* Processor time of this process so far. */
static inline double seconds_used(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- what you write -------------------------------------------------------------------------- */

/* A trained model: your own struct, and two functions that the grader calls with it. */
typedef struct {
    void *own;
    /* ids (B, LENGTH) on a tape -> logits (B, LENGTH, LETTERS): row t is about letter t + 1, and
     * depends on letters 0 to t alone. */
    Tensor *(*logits)(void *own, Tensor *ids);
    void (*release)(void *own); /* gives its memory back */
} Learner;

/* Makes a model, trains it on texts of its own drawing for at most `seconds` of processor time, and
 * sets all members. With 0 seconds it returns the model as it begins. Random numbers follow from
 * `seed`. False where memory is out. */
TASK bool train(Learner *l, double seconds, uint64_t seed);

#endif
