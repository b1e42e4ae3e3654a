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

/* ---- row 41: a model that reads its own words in training ------------------------------------ */

void mixed_inputs_solved(const int *right, const int *own, int n, double share, Rng *rng, int *in)
{
    for (int i = 0; i < n; i++)
        in[i] = rng_uniform(rng) < share ? own[i] : right[i];
}

void mixed_inputs_wrong_first(const int *right, const int *own, int n, double share, Rng *rng,
                              int *in)
{
    (void)rng;
    for (int i = 0; i < n; i++)
        in[i] = i < share * n ? own[i] : right[i];
}

void mixed_inputs_wrong_exchanged(const int *right, const int *own, int n, double share, Rng *rng,
                                  int *in)
{
    mixed_inputs_solved(own, right, n, share, rng, in);
}

void mixed_inputs_wrong_once(const int *right, const int *own, int n, double share, Rng *rng,
                             int *in)
{
    bool chosen = rng_uniform(rng) < share;
    for (int i = 0; i < n; i++)
        in[i] = chosen ? own[i] : right[i];
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

/* ---- row 46: which rank ---------------------------------------------------------------------- */

int rank_needed_solved(const double *sigma, int n, double share)
{
    double whole = 0, left = 0;
    int r = n;
    for (int i = 0; i < n; i++)
        whole += sigma[i] * sigma[i];
    while (r > 0 && left + sigma[r - 1] * sigma[r - 1] <= share * share * whole) {
        r--;
        left += sigma[r] * sigma[r];
    }
    return r;
}

int rank_needed_wrong_sums(const double *sigma, int n, double share)
{
    double whole = 0, left = 0;
    int r = n;
    for (int i = 0; i < n; i++)
        whole += sigma[i];
    while (r > 0 && left + sigma[r - 1] <= share * whole)
        left += sigma[--r];
    return r;
}

int rank_needed_wrong_squared(const double *sigma, int n, double share)
{
    return rank_needed_solved(sigma, n, sqrt(share));
}

/* ---- row 47: T5's own training --------------------------------------------------------------- */

void corrupt_solved(const int *x, const bool *hidden, int n, int *source, int *target,
                    int length[2])
{
    int spans = 0;
    length[0] = length[1] = 0;
    for (int i = 0; i < n; i++) {
        if (hidden[i] && (i == 0 || !hidden[i - 1]))
            source[length[0]++] = target[length[1]++] = SENTINEL + spans++;
        if (hidden[i])
            target[length[1]++] = x[i];
        else
            source[length[0]++] = x[i];
    }
}

/* A sentinel for each word. */
void corrupt_wrong_words(const int *x, const bool *hidden, int n, int *source, int *target,
                         int length[2])
{
    int words = 0;
    length[0] = length[1] = 0;
    for (int i = 0; i < n; i++)
        if (hidden[i]) {
            source[length[0]++] = target[length[1]++] = SENTINEL + words++;
            target[length[1]++] = x[i];
        } else {
            source[length[0]++] = x[i];
        }
}

/* The same sentinel for all spans. */
void corrupt_wrong_same(const int *x, const bool *hidden, int n, int *source, int *target,
                        int length[2])
{
    corrupt_solved(x, hidden, n, source, target, length);
    for (int i = 0; i < length[0]; i++)
        source[i] = source[i] < SENTINEL ? source[i] : SENTINEL;
    for (int i = 0; i < length[1]; i++)
        target[i] = target[i] < SENTINEL ? target[i] : SENTINEL;
}
