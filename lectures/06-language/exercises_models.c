/* exercises_models.c: the exercises of rows 45 and 46 (exercises.c). */
#include "lectures/06-language/exercises.h"

/* ---- row 45: whole words ------------------------------------------------------------------------------------------ */

/* Pieces of words: word[i] is the number of the word that piece i belongs to, chosen[i] whether it was chosen. Now: the
 * chosen pieces are masked. Change it: all pieces of a word are masked if one of them was chosen (whole word masking),
 * so that no word can be read off its other pieces. */
static void whole_words(const int *word, const bool *chosen, int n, bool *masked)
{
    (void)word;
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i];
}

static void whole_words_solved(const int *word, const bool *chosen, int n, bool *masked)
{
    for (int i = 0; i < n; i++) {
        masked[i] = false;
        for (int k = 0; k < n; k++)
            masked[i] |= chosen[k] && word[k] == word[i];
    }
}

/* Words of 1 to 3 pieces, of which 15 % are chosen. */
static double words_right(Trial *t)
{
    enum { N = 300 };
    int word[N], wrong = 0, of_word[N] = {0};
    bool chosen[N], masked[N];
    Rng rng = {.seed = t->seed, .stream = 696};
    for (int i = 0, k = 0; i < N; k++)
        for (int pieces = 1 + (int)rng_below(&rng, 3); pieces > 0 && i < N; pieces--)
            word[i++] = k;
    for (int i = 0; i < N; i++) {
        chosen[i] = rng_uniform(&rng) < 0.15;
        of_word[word[i]] += chosen[i];
    }
    (broken(t, "solved") ? whole_words_solved : whole_words)(word, chosen, N, masked);
    for (int i = 0; i < N; i++)
        wrong += masked[i] != (of_word[word[i]] > 0);
    explain(t, "%d pieces: %d are masked wrongly", N, wrong);
    return wrong;
}

const Claim exercise_whole_words =
    EXERCISE(45, "whole_words: a word is masked as a whole", "Z: Encoder transformers",
             "pieces of 300 that are masked wrongly", 0,
             "a piece is masked where a piece of its word is chosen, and nowhere else",
             words_right);

/* ---- row 46: merging by hand ---------------------------------------------------------------------------------------- */

/* Now: W + B A, written into w (out, in). Change it: what LoRA computes, W + (alpha / r) B A; scale is alpha / r. */
static void merged(const Lora *l, double scale, real *w)
{
    int64_t out = l->base.weight->shape.dim[0], in = l->base.weight->shape.dim[1];
    int64_t r = l->lora_A->shape.dim[0];
    (void)scale;
    for (int64_t i = 0; i < out * in; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum +=
                (double)l->lora_B->data[i / in * r + k] * (double)l->lora_A->data[k * in + i % in];
        w[i] = (real)((double)l->base.weight->data[i] + sum);
    }
}

static void merged_solved(const Lora *l, double scale, real *w)
{
    int64_t out = l->base.weight->shape.dim[0], in = l->base.weight->shape.dim[1];
    int64_t r = l->lora_A->shape.dim[0];
    for (int64_t i = 0; i < out * in; i++) {
        double sum = 0;
        for (int64_t k = 0; k < r; k++)
            sum +=
                (double)l->lora_B->data[i / in * r + k] * (double)l->lora_A->data[k * in + i % in];
        w[i] = (real)((double)l->base.weight->data[i] + scale * sum);
    }
}

static double merged_right(Trial *t)
{
    enum { IN = 6, OUT = 4, RANK = 2 };
    Params *p = params_new(t->seed);
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 695};
    Linear base;
    Lora lora;
    real w[OUT * IN];
    nn_linear_init(&base, p, "base", IN, OUT, false);
    nn_lora_init(&lora, p, "lora", base, RANK, 8);
    for (int i = 0; i < OUT * RANK; i++)
        lora.lora_B->data[i] = (real)rng_normal(&rng);
    (broken(t, "solved") ? merged_solved : merged)(&lora, 8.0 / RANK, w);
    Tensor *x = values_normal(tape, &rng, shape2(3, IN), 1);
    double off = values_difference(nn_lora(&lora, x),
                                   ag_linear(x, tape_input(tape, w, shape2(OUT, IN)), NULL));
    explain(t, "alpha = 8, r = 2: max |adapted - merged| = %.2g", off);
    tape_free(tape);
    params_free(p);
    return off;
}

const Claim exercise_merged =
    EXERCISE(46, "merged: W + (alpha / r) B A", "Z: Large language models (LLMs)",
             "max |nn_lora - the merged matrix|", 1e-5, "rounding of numbers of size 10",
             merged_right);
