/* pretrained.c: vectors that were trained on text without labels, in a classifier with few labels
 * (row 7).
 *
 *   "E is the embedding matrix, and can be pre-trained or learned end-to-end"  V "Word to Word Embedding"
 *
 * Is a word a capital, a country, a language or a currency? Of the six words of each class three
 * have a label; the others are asked for. By row 6, end-to-end training never moves a word without
 * a label, so that only pre-trained vectors, here frozen, say anything about it. */
#include "lectures/02-tokens/word2vec.h"

enum { DRAWS = 24, STEPS = 100, CLASSES = RELATIONS, LABELS = 3, KNOWN = LABELS * CLASSES };

/* Logits (n, CLASSES) of words with these vectors. */
static Tensor *logits_of(const Linear *head, Tape *tape, const Vectors *v, const int *words, int n)
{
    Tensor *x = tape_full(tape, 0, shape2(n, DIMENSIONS));
    for (int i = 0; i < n * DIMENSIONS; i++)
        x->data[i] = (real)v->word[words[i / DIMENSIONS]][i % DIMENSIONS];
    return nn_linear(head, x);
}

/* Trains a linear classifier on the words of LABELS countries of a random order for each class, and
 * returns the share of the other words that it classifies rightly. */
static double classify_words(uint64_t seed, const Vectors *v)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Linear head;
    Adam adam = {0};
    int words[WORDS], class[WORDS], order[CLASSES][COUNTRIES], right = 0;
    for (int r = 0; r < CLASSES; r++)
        data_order(order[r], COUNTRIES, seed, (uint64_t)r);
    for (int i = 0; i < WORDS; i++) {
        class[i] = i % CLASSES;
        words[i] = order[i % CLASSES][i / CLASSES] * RELATIONS + class[i];
    }
    bool ok =
        nn_linear_init(&head, p, "head", DIMENSIONS, CLASSES, true) && adam_init(&adam, p, 0.05);
    for (int step = 0; ok && step < STEPS; step++) {
        tape_reset(tape);
        Tensor *logits = logits_of(&head, tape, v, words, KNOWN);
        ok = ag_backward(ag_cross_entropy(logits, tape_ids(tape, class, shape1(KNOWN)))) &&
             adam_step(&adam, p);
    }
    tape_reset(tape);
    const Tensor *y = logits_of(&head, tape, v, words + KNOWN, WORDS - KNOWN);
    ok = ok && values_largest(y) > 0;
    for (int i = 0; ok && i < WORDS - KNOWN; i++)
        right += nn_greedy(y->data + i * CLASSES, CLASSES) == class[KNOWN + i];
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return ok ? (double)right / (WORDS - KNOWN) : (double)NAN;
}

static double frozen(Trial *t)
{
    double share[DRAWS];
    const Vectors *v = word2vec(t->seed, SKIP_GRAM, broken(t, "shuffled") ? SHUFFLED : WORLD, 5);
    for (int d = 0; v && d < DRAWS; d++)
        share[d] = classify_words((t->seed * 10 + LABELS) * 1000 + (uint64_t)d, v);
    Mean a = v ? values_mean(share, DRAWS) : (Mean){(double)NAN, 0};
    explain(t,
            "vectors frozen, 3 of 6 words of each class labelled: %.3f +- %.3f of the others right",
            a.mean, a.error);
    return a.mean;
}

const Claim pretrained_claims[] = {
    {7, frozen,
     "with frozen pre-trained vectors, three labelled words of each of four classes tell the class "
     "of most other words",
     .slides = {"V: Word to Word Embedding", "Z: Word2Vec: Continuous bag-of-words and skip-grams"},
     .quantity = "share right of words without a label, mean of 24 draws",
     AT_LEAST(0.85, "a relation's share of PMI is the same in all its words: in theory 1, by "
                    "chance 1/4; at 0.85 the mean has an error of 0.02"),
     .faults = {{"shuffled", "the vectors were trained on text in which contexts say nothing"}}},
    {0},
};
