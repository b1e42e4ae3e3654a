/* nucleus.c: the smallest set of most probable tokens whose probability is at least p (row 42).
 * Z "Sampling strategies"
 *
 * Z: "smallest set ... whose cumulative probability exceeds threshold p", and sum_(i in S) p(y_i)
 * >= p. Holtzman et al. 2020 have >=. */
#include "lectures/06-language/language.h"

enum { V = SAMPLED };

/* Of 1,000 distributions with thresholds at random: how many sets fall short of p, or would not
 * without the last token. */
static double nucleus_smallest(Trial *t)
{
    enum { N = 1000 };
    Tape *tape = trial_tape(t);
    Rng *rng = trial_rng(t, 653);
    int wrong = 0, sizes[V + 1] = {0};
    for (int n = 0; n < N; n++) {
        Candidates c = {0};
        double a[V], p[V], all = 0, threshold = 0.05 + 0.9 * rng_uniform(rng), sum = 0;
        tape_reset(tape);
        Tensor *logits = sampling_logits(tape, rng, a);
        bool ok = nn_candidates_init(&c, V) && nn_temperature(&c, logits->data, 1) &&
                  (broken(t, "top-k") ? nn_top_k(&c, 3) : nn_top_p(&c, threshold));
        for (int i = 0; i < V; i++)
            all += p[i] = exp(a[i]);
        for (int i = 0; ok && i < c.count - 1; i++)
            sum += p[c.list[i].token] / all;
        double whole = ok ? sum + p[c.list[c.count - 1].token] / all : 0;
        wrong += !ok || !(whole >= threshold - 1e-6 && sum < threshold + 1e-6);
        sizes[ok ? c.count : 0]++;
        nn_candidates_free(&c);
    }
    for (int i = 1; i <= V; i++)
        explain(t, "%d tokens are kept in %d of %d cases", i, sizes[i], N);
    return wrong;
}

/* Equal logits, p a multiple of 1 / count: how many tokens are kept. */
static int kept_of_equal(int count, double p, Tape *tape)
{
    Candidates c = {0};
    Tensor *logits = ag_exp(tape_full(tape, 0, shape1(count)));
    bool ok = nn_candidates_init(&c, count) && (double)logits->data[0] == 1 &&
              nn_temperature(&c, logits->data, 1) && nn_top_p(&c, p);
    int kept = ok ? (int)c.count : -1;
    nn_candidates_free(&c);
    return kept;
}

static double nucleus_exceeds(Trial *t)
{
    double p = broken(t, "exceeds") ? nextafter(0.5, 1) : 0.5;
    int kept = kept_of_equal(4, p, trial_tape(t));
    explain(t, "four equal tokens, p = 0.5: %d are kept; \"exceeds\" asks for 3, \">=\" for 2",
            kept);
    return kept;
}

/* How many tokens are kept of a flat distribution and of a peaked one. */
static double nucleus_adapts(Trial *t)
{
    enum { N = 10 };
    Candidates c = {0};
    int kept[2] = {0};
    for (int k = 0; k < 2; k++) {
        real x[N] = {k ? 10 : 0};
        Tensor *logits = ag_scale(tape_input(trial_tape(t), x, shape1(N)), 1);
        bool ok = (double)logits->data[0] == (double)x[0] &&
                  (c.list || nn_candidates_init(&c, N)) && nn_temperature(&c, logits->data, 1) &&
                  (broken(t, "top-k") ? nn_top_k(&c, 3) : nn_top_p(&c, 0.75));
        kept[k] = ok ? (int)c.count : 100 * k;
        explain(t, "%s: %d of %d tokens are kept",
                k ? "one logit is 10, the others 0" : "equal logits", kept[k], N);
    }
    nn_candidates_free(&c);
    return kept[0] - kept[1];
}

const Claim nucleus_claims[] = {
    {42, nucleus_smallest, "the nucleus is the smallest set whose probability is at least p",
     .slides = {"Z: Sampling strategies"},
     .quantity = "of 1,000 sets, those below p, or not below it without their last token",
     EXACTLY(0, "the definition; floats may miss p by 1e-6"),
     .faults = {{"top-k", "three tokens whatever p is"}}},
    {42, nucleus_exceeds,
     "\"exceeds p\" and \"sum >= p\" define two nuclei; the library takes sum >= p",
     .slides = {"Z: Sampling strategies"},
     .quantity = "tokens kept of four equally likely ones, p = 0.5",
     EXACTLY(2, "1/4 + 1/4 = 0.5 exactly: it reaches p and does not exceed it"),
     .faults = {{"exceeds", "the smallest set whose probability exceeds 0.5"}}},
    {42, nucleus_adapts, "the nucleus is large where the model is unsure; top-k keeps k everywhere",
     .slides = {"Z: Sampling strategies"},
     .quantity = "tokens kept of ten, equally likely - one nearly sure, p = 0.75",
     EXACTLY(7, "8 x 0.1 is the first sum of at least 0.75; e^10 / (e^10 + 9) = 0.9996 is above "
                "it alone"),
     .faults = {{"top-k", "three tokens whatever the distribution is"}}},
    {0},
};
