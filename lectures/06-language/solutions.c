/* solutions.c: solutions of the chapter's exercises, and mistakes that students make; try the
 * exercises first. */
#include "lectures/06-language/exercises.h"

/* ---- row 38: the logarithm of a text's probability ------------------------------------------- */

Tensor *text_log_probability_solved(Tensor *logits, Tensor *next)
{
    return ag_sum(ag_gather(ag_log_softmax(logits), -1, next));
}

Tensor *text_log_probability_wrong_logits(Tensor *logits, Tensor *next)
{
    return ag_sum(ag_gather(logits, -1, next));
}

Tensor *text_log_probability_wrong_mean(Tensor *logits, Tensor *next)
{
    return ag_mean(ag_gather(ag_log_softmax(logits), -1, next));
}

/* ---- row 40: a cache of a fixed size --------------------------------------------------------- */

void ring_insert_solved(real *ring, int n, const real *key)
{
    for (int c = 0; c < RING_WIDTH; c++)
        ring[n % RING * RING_WIDTH + c] = key[c];
}

void ring_insert_wrong_last_slot(real *ring, int n, const real *key)
{
    for (int c = 0; c < RING_WIDTH; c++)
        ring[(n < RING ? n : RING - 1) * RING_WIDTH + c] = key[c];
}

/* ---- row 42: min-p sampling ------------------------------------------------------------------ */

void min_p_solved(double *p, int n, double share)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = p[i] > most ? p[i] : most;
    for (int i = 0; i < n; i++) {
        p[i] = p[i] < share * most ? 0 : p[i];
        sum += p[i];
    }
    for (int i = 0; i < n; i++)
        p[i] /= sum;
}

void min_p_wrong_sum(double *p, int n, double share)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = p[i] > most ? p[i] : most;
    for (int i = 0; i < n; i++)
        p[i] = p[i] < share * most ? 0 : p[i];
}

/* ---- row 45: whole words --------------------------------------------------------------------- */

void whole_words_solved(const int *word, const bool *chosen, int n, bool *masked)
{
    for (int i = 0; i < n; i++) {
        masked[i] = false;
        for (int k = 0; k < n; k++)
            masked[i] |= chosen[k] && word[k] == word[i];
    }
}

void whole_words_wrong_later(const int *word, const bool *chosen, int n, bool *masked)
{
    for (int i = 0; i < n; i++)
        masked[i] = chosen[i] || (i > 0 && word[i] == word[i - 1] && masked[i - 1]);
}
