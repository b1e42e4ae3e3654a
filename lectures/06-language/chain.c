/* chain.c: the chain rule, and the cross-entropy (row 38).
 *
 *   p(x_1 ... x_N) = prod_n p(x_n | x_1 ... x_(n-1))   Z "Sampling strategies",
 *                                                                  V "Training the Transformer"
 *   -log p(x_1 ... x_N) = sum_n -log p(x_n | x_1 ... x_(n-1)) = N times the mean cross-entropy   B, V
 *
 * Each conditional sums to 1 over its letter, so all K^N products sum to 1: a distribution over
 * sequences without a normaliser over K^N terms. */
#include "lectures/06-language/language.h"

/* |sum of q - 1| over all 729 sequences; --explain has the sum over those that begin with each of
 * the 9 pairs. */
static double chain_sums(Trial *t)
{
    static double log_q[SEQUENCES];
    enum { PAIRS = LETTERS * LETTERS, EACH = SEQUENCES / PAIRS };
    Manner manner = broken(t, "no-mask") ? NO_MASK : broken(t, "no-shift") ? NO_SHIFT : HONEST;
    const Writer *w = writer_of(t->seed, manner);
    Tape *tape = trial_tape(t);
    double all = 0, worst = (double)NAN;
    tape->no_grad = true;
    if (w && writer_log_q(&w->model, tape, manner, all_sequences(), SEQUENCES, log_q)) {
        for (int pair = 0; pair < PAIRS; pair++) {
            double sum = 0;
            for (int i = 0; i < EACH; i++)
                sum += exp(log_q[pair * EACH + i]);
            explain(t, "the %d sequences that begin with %c%c: sum of q = %.6f", EACH,
                    'a' + pair / LETTERS, 'a' + pair % LETTERS, sum);
            all += sum;
        }
        worst = fabs(all - 1);
        explain(t, "all %d sequences: sum of q = %.8f", SEQUENCES, all);
    }
    return worst;
}

const Claim chain_claims[] = {
    {38, chain_sums, "the chain rule's products over all K^N sequences sum to 1",
     .slides = {"Z: Sampling strategies", "V: Training the Transformer", "Z: Decoder transformers"},
     .quantity = "|sum of q(x) - 1| over all 3^6 = 729 sequences of a trained GPT",
     AT_MOST(1e-5, "an identity; six factors that are each rounded by some 1e-7"),
     .faults = {{"no-mask", "each factor has seen the letters after it"},
                {"no-shift", "each factor has seen its own letter"}}},
    {0},
};
