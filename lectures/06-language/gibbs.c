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

static bool learned_conditionals(const Filler *f, Tape *tape, Conditionals q)
{
    bool ok = f != NULL;
    for (int t = 0; ok && t < LENGTH; t++)
        ok = filler_log_q(f, tape, t, 1u << t, q[t]);
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

/* Of the three fillers and of the exact conditionals: the distance after sweeps_of[], and the sum
 * of products. */
typedef struct {
    double distance[FILLERS + 1][SWEEPS], sum[FILLERS + 1];
} Gibbs;

static bool gibbs_of(uint64_t seed, Gibbs *g)
{
    static Conditionals q;
    Tape *tape = tape_new(seed);
    bool ok = tape != NULL;
    for (int k = 0; ok && k <= FILLERS; k++) {
        const Filler *f = k < FILLERS ? filler_of(seed, k) : NULL;
        tape->no_grad = true;
        if (k == FILLERS)
            exact_conditionals(q);
        else
            ok = f && learned_conditionals(f, tape, q);
        for (int i = 0; ok && i < SWEEPS; i++)
            g->distance[k][i] = after_sweeps(q, sweeps_of[i]);
        g->sum[k] = sum_of_products(q);
    }
    tape_free(tape);
    return ok;
}

static double bert_gibbs(Trial *t)
{
    static Gibbs g;
    if (!gibbs_of(t->seed, &g))
        return (double)NAN;
    for (int i = 0; i < SWEEPS; i++)
        explain(t, "%2d sweeps: distance %.4f, %.4f, %.4f after %d, %d, %d steps; exact %.4f",
                sweeps_of[i], g.distance[0][i], g.distance[1][i], g.distance[2][i], filler_steps[0],
                filler_steps[1], filler_steps[2], g.distance[FILLERS][i]);
    explain(t, "sum over all sequences of prod q(x_t | all others): %.3f, %.3f, %.3f; exact %.4f",
            g.sum[0], g.sum[1], g.sum[2], g.sum[FILLERS]);
    int sweeps = broken(t, "at-once") ? 0 : broken(t, "one-sweep") ? 1 : SWEEPS - 1;
    return g.distance[FILLERS - 1][sweeps];
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
    static double x[SWEEPS];
    static Gibbs g;
    static const char *const names[FILLERS + 1] = {"encoder, 250 steps", "1,000 steps",
                                                   "4,000 steps", "exact conditionals"};
    PlotSeries series[FILLERS + 1];
    if (!gibbs_of(s->seed, &g))
        return false;
    for (int i = 0; i < SWEEPS; i++)
        x[i] = sweeps_of[i];
    for (int k = 0; k <= FILLERS; k++)
        series[k] = (PlotSeries){names[k], x, g.distance[k], SWEEPS};
    const PlotCurves curves = {.series = series,
                               .count = FILLERS + 1,
                               .title =
                                   sketch_title(s, "An encoder writes: one mask after another"),
                               .x_name = "sweeps of Gibbs sampling (0: letters at random)",
                               .y_name = "distance from the language (total variation)",
                               .y_low = 0,
                               .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure gibbs_figures[] = {
    {45, "gibbs", draw_gibbs,
     .what = "how near to the language an encoder writes, by sweeps of Gibbs sampling"},
    {0},
};
