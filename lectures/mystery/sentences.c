/* sentences.c: a language whose entropy is known. See mystery.h.
 *
 *   sentence  <bos> x_1 ... x_n .   letters a to f; from the fourth on, each is the last with
 *             probability 0.15, and the 14th always
 *   x_1, x_2  uniform; then x_i is the letter after x_(i-2) with probability 0.85, or another
 *
 * What x_(i-1) is says nothing of x_i, so that a model without positions learns less. */
#include "lectures/mystery/mystery.h"

static const int least = 4;
static const double follows = 0.85, ends = 0.15;

double letters_p(const int *x, int i, int token)
{
    double end = i < least ? 0 : i == SENTENCE_MOST - 1 ? 1 : ends;
    if (token < LETTER)
        return token == END ? end : 0;
    if (i < 2)
        return 1.0 / LETTERS;
    bool next = token == LETTER + (x[i - 2] - LETTER + 1) % LETTERS;
    return (1 - end) * (next ? follows : (1 - follows) / (LETTERS - 1));
}

int letters_draw(Rng *rng, int x[SENTENCE_MOST])
{
    for (int i = 0;; i++) {
        double u = rng_uniform(rng);
        for (x[i] = END; x[i] < WORDS - 1 && u >= letters_p(x, i, x[i]); x[i]++)
            u -= letters_p(x, i, x[i]);
        if (x[i] == END)
            return i + 1;
    }
}
