/* gibbs.c: what an encoder's conditionals are worth as a language model (row 45).
 * Z "Encoder transformers"
 *
 *   q(x_t | all other letters) for each t
 *
 * Their product is no chain rule, but to mask one letter after another and to draw it again is
 * Gibbs sampling (Geman and Geman 1984; of BERT: Wang and Cho 2019; all masks in a few passes:
 * Ghazvininejad et al. 2019), a chain whose stationary distribution is p where the conditionals are
 * p's.
 *
 * All 729 sequences are followed at once, so that no number is an estimate. */
#include "lectures/06-language/language.h"

/* ---- texts, by sweeps ------------------------------------------------------------------------ */

/* q[t][i]: log q(x_t | all other letters) of sequence i, by a filler, or the language's own. */
typedef double Conditionals[LENGTH][SEQUENCES];

/* p(x_t | all others) depends on the neighbours alone, and exists for every pair of them: some
 * letter is always possible. */
static void exact_conditionals(Conditionals q)
{
    const int *x = all_sequences();
    for (int i = 0; i < SEQUENCES; i++)
        for (int t = 0; t < LENGTH; t++) {
            double of[LETTERS], sum = 0;
            for (int k = 0; k < LETTERS; k++)
                sum += of[k] = (t ? source_step(x[i * LENGTH + t - 1], k) : 1) *
                               (t < LENGTH - 1 ? source_step(k, x[i * LENGTH + t + 1]) : 1);
            q[t][i] = log(of[x[i * LENGTH + t]] / sum);
        }
}

static bool learned_conditionals(uint64_t seed, Conditionals q)
{
    const Filler *f = filler_of(seed);
    Tape *tape = tape_new(seed);
    bool ok = f && tape;
    tape->no_grad = true;
    for (int t = 0; ok && t < LENGTH; t++)
        ok = filler_log_q(f, tape, t, 1u << t, q[t]);
    tape_free(tape);
    return ok;
}

/* The sum over all sequences of the product of all six conditionals. */
static double sum_of_products(Conditionals q)
{
    double sum = 0;
    for (int i = 0; i < SEQUENCES; i++) {
        double log_product = 0;
        for (int t = 0; t < LENGTH; t++)
            log_product += q[t][i];
        sum += exp(log_product);
    }
    return sum;
}

/* One sweep of Gibbs sampling: each letter in turn is masked and drawn again. p: the probability of
 * each sequence, before and after; no sequence is drawn. */
static void sweep(Conditionals q, double *p)
{
    for (int t = 0, apart = SEQUENCES / LETTERS; t < LENGTH; t++, apart /= LETTERS)
        for (int i = 0; i < SEQUENCES; i++)
            if (i / apart % LETTERS == 0) { /* i and two more differ in letter t alone */
                double sum = 0;
                for (int k = 0; k < LETTERS; k++)
                    sum += p[i + k * apart];
                for (int k = 0; k < LETTERS; k++)
                    p[i + k * apart] = sum * exp(q[t][i + k * apart]);
            }
}

/* The distance from the language after so many sweeps, from letters at random. */
static double after_sweeps(Conditionals q, int sweeps)
{
    static double p[SEQUENCES];
    for (int i = 0; i < SEQUENCES; i++)
        p[i] = 1.0 / SEQUENCES;
    for (int n = 0; n < sweeps; n++)
        sweep(q, p);
    return source_distance(p);
}

enum { SWEEPS = 6, ENOUGH = 30 };
static const int sweeps_of[SWEEPS] = {0, 1, 3, 10, 20, ENOUGH};

/* Of the encoder and of the exact conditionals: the distance after sweeps_of[], and the sum of
 * products. */
enum { LEARNED, EXACT, KINDS };
typedef struct {
    double distance[KINDS][SWEEPS], sum[KINDS];
} Gibbs;

static bool gibbs_of(uint64_t seed, Gibbs *g)
{
    static Conditionals q[KINDS];
    exact_conditionals(q[EXACT]);
    if (!learned_conditionals(seed, q[LEARNED]))
        return false;
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < SWEEPS; i++)
            g->distance[k][i] = after_sweeps(q[k], sweeps_of[i]);
        g->sum[k] = sum_of_products(q[k]);
    }
    return true;
}

static double bert_gibbs(Trial *t)
{
    Gibbs g;
    if (!gibbs_of(t->seed, &g))
        return (double)NAN;
    for (int i = 0; i < SWEEPS; i++)
        explain(t, "%2d sweeps: distance %.4f; with exact conditionals %.4f", sweeps_of[i],
                g.distance[LEARNED][i], g.distance[EXACT][i]);
    explain(t, "sum over all sequences of prod q(x_t | all others): %.3f; exact %.4f",
            g.sum[LEARNED], g.sum[EXACT]);
    int sweeps = broken(t, "at-once") ? 0 : broken(t, "one-sweep") ? 1 : SWEEPS - 1;
    return g.distance[LEARNED][sweeps];
}

const Claim gibbs_claims[] = {
    {45, bert_gibbs,
     "an encoder that fills one mask after another, thirty times each, writes nearly the language; "
     "in one pass it does not",
     .slides = {"Z: Encoder transformers"},
     .quantity = "total variation between the language and texts after 30 sweeps, 4,000 steps",
     AT_MOST(0.22, "a quarter of the 0.88 of letters at random, which is all that one pass can "
                   "give; with exact conditionals it is 0"),
     .faults = {{"at-once", "all six masks are filled in at once: each letter's marginal"},
                {"one-sweep", "each letter is filled in once, beginning from letters at random"}},
     .against = {QUALIFIED, "Z: Encoder transformers",
                 "\"An encoder model is unable to generate sequences\" (in one pass it is)"}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_gibbs(const Sketch *s)
{
    double x[SWEEPS];
    Gibbs g;
    if (!gibbs_of(s->seed, &g))
        return false;
    for (int i = 0; i < SWEEPS; i++)
        x[i] = sweeps_of[i];
    const PlotSeries series[] = {{"encoder, 4,000 steps", x, g.distance[LEARNED], SWEEPS},
                                 {"exact conditionals", x, g.distance[EXACT], SWEEPS}};
    return SKETCH_CURVES(s, "An encoder writes: one mask after another", series,
                         .x_name = "sweeps of Gibbs sampling (0: letters at random)",
                         .y_name = "distance from the language (total variation)", .y_low = 0,
                         .y_high = 1);
}

const Figure gibbs_figures[] = {
    {45, "gibbs", draw_gibbs,
     .what = "how near to the language an encoder writes, by sweeps of Gibbs sampling"},
    {0},
};
