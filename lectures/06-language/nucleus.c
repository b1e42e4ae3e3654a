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

const Claim nucleus_claims[] = {
    {42, nucleus_smallest, "the nucleus is the smallest set whose probability is at least p",
     .slides = {"Z: Sampling strategies"},
     .quantity = "of 1,000 sets, those below p, or not below it without their last token",
     EXACTLY(0, "the definition; floats may miss p by 1e-6"),
     .faults = {{"top-k", "three tokens whatever p is"}}},
    {0},
};
