/* chain.c: the chain rule, and the cross-entropy (row 38).
 *
 *   p(x_1 ... x_N) = prod_n p(x_n | x_1 ... x_(n-1))   Z "Sampling strategies",
 *                                                                  V "Training the Transformer"
 *   -log p(x_1 ... x_N) = sum_n -log p(x_n | x_1 ... x_(n-1)) = N times the mean cross-entropy           B, V
 *
 * Each conditional sums to 1 over its letter, so all K^N products sum to 1: a distribution over
 * sequences without a normaliser over K^N terms. */
#include "lectures/06-language/language.h"

/* ---- all sequences together ------------------------------------------------------------------ */

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

/* ---- an end token ---------------------------------------------------------------------------- */

/* ---- the gradient of a batch ----------------------------------------------------------------- */

enum { ROWS = 4, IGNORE = -100 };
static const int lengths[ROWS] = {6, 5, 3, 1};

/* Adds `share` times the present gradient of all weights to sum, and sets it to 0. */
static void collect(Params *p, double share, double *sum)
{
    int64_t at = 0;
    for (int i = 0; i < p->count; at += tensor_size(p->weight[i++]))
        for (int64_t k = 0; k < tensor_size(p->weight[i]); k++)
            sum[at + k] += share * (double)p->grad[i][k];
    params_zero_grad(p);
}

/* Backward of the mean loss over the tokens that count: of one sequence, or of all (b < 0). */
static bool backward_of(const Writer *w, Tape *tape, const int *x, const int *targets, int b)
{
    int from = b < 0 ? 0 : b, n = b < 0 ? ROWS : 1;
    tape_reset(tape);
    Tensor *logits = writer_logits(&w->model, tape, HONEST, x + from * LENGTH, n);
    Tensor *y = tape_ids(tape, targets + from * LENGTH, shape2(n, LENGTH));
    return ag_backward(ag_cross_entropy_ignore(logits, y, IGNORE));
}

/* B's loop: nabla_b is a sum over the tokens of one sequence, lengths[b] times its mean; the
 * average over b, divided by the mean length, against the library's one pass over the batch. */
static double batch_mean(Trial *t)
{
    static double one[20000], many[20000];
    Writer *w = writer_of(t->seed, HONEST);
    Tape *tape = trial_tape(t);
    int x[ROWS * LENGTH], targets[ROWS * LENGTH], tokens = 0;
    double worst = w ? 0 : (double)NAN, largest = 0;
    int64_t size = w ? params_size(w->params) : 0;
    for (int i = 0; i < size; i++)
        one[i] = many[i] = 0;
    for (int b = 0; b < ROWS; b++) {
        source_draw(trial_rng(t, 603), x + b * LENGTH);
        tokens += lengths[b];
        for (int n = 0; n < LENGTH; n++)
            targets[b * LENGTH + n] = n < lengths[b] ? x[b * LENGTH + n] : IGNORE;
    }
    for (int b = 0; w && b < ROWS; b++) {
        double share = broken(t, "mean-of-means") ? 1.0 / ROWS : (double)lengths[b] / tokens;
        backward_of(w, tape, x, targets, b);
        collect(w->params, share, many);
        explain(t, "sequence %d has %d tokens: its mean gradient counts %.4f", b + 1, lengths[b],
                share);
    }
    if (w && backward_of(w, tape, x, targets, -1))
        collect(w->params, 1, one);
    for (int i = 0; i < size; i++) {
        worst = values_worst(worst, fabs(one[i] - many[i]));
        largest = values_worst(largest, fabs(one[i]));
    }
    explain(t, "%lld weights: largest gradient %.3f, largest difference %.2g", (long long)size,
            largest, worst);
    return worst / largest;
}

const Claim chain_claims[] = {
    {38, chain_sums, "the chain rule's products over all K^N sequences sum to 1",
     .slides = {"Z: Sampling strategies", "V: Training the Transformer", "Z: Decoder transformers"},
     .quantity = "|sum of q(x) - 1| over all 3^6 = 729 sequences of a trained GPT",
     AT_MOST(1e-5, "an identity; six factors that are each rounded by some 1e-7"),
     .faults = {{"no-mask", "each factor has seen the letters after it"},
                {"no-shift", "each factor has seen its own letter"}}},
    {38, batch_mean,
     "B's sum over t, averaged over b, is up to a factor the library's mean over all tokens, not "
     "the mean of the sequences' means",
     .slides = {"B: Training Transformer-based LM"},
     .quantity = "max |one pass - weighed sum of 4 sequences' gradients| / max |gradient|",
     AT_MOST(1e-5, "the same sums in another order; a sequence of 6, 5, 3 or 1 tokens counts as "
                   "so many"),
     .faults = {{"mean-of-means", "each sequence counts as much, however short it is"}}},
    {0},
};
