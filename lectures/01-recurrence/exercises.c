/* exercises.c: functions to be changed, in one to ten lines, and the claims that tell whether the
 * change is right. exercises_map.c has that of row 1.
 *
 * `./gradus claims 1 --try 2` runs those of row 2. As they stand they compute something else, so
 * their claims FAIL. solutions.c has a solution of each, which `--try 2:solved` measures, and
 * mistakes, NAME_wrong_WHAT, with which the claim must FAIL, too. */
#include "lectures/01-recurrence/exercises.h"

/* ---- row 2: clip a gradient ------------------------------------------------------------------ */

/* Now: nothing. Change it: where the length of g (n numbers) is above `most`, scale g so that it is
 * `most`, which keeps its direction; exploding gradients are trained with that (Pascanu et al.
 * 2013). */
static void clip(double *g, int n, double most)
{
    (void)g;
    (void)n;
    (void)most;
}

/* Of the gradient of an RNN that explodes, and of one that does not: against params_clip_grad on
 * the same numbers. */
static double clipped(Trial *t)
{
    enum { N = 8, MOST = 2 };
    double worst = 0;
    for (double size = 0.1; size < 1e4; size *= 10) {
        Params *p = params_new(t->seed);
        Rng rng = {.seed = t->seed, .stream = 180};
        Tensor *w = params_add(p, "w", shape1(N), nn_constant(0));
        double g[N];
        for (int i = 0; i < N; i++)
            g[i] = (double)(w->grad[i] = (real)(size * rng_normal(&rng)));
        params_clip_grad(p, MOST);
        TRIED(t, clip, clip_solved, clip_wrong_each, clip_wrong_always, clip_wrong_to_one)
        (g, N, MOST);
        for (int i = 0; i < N; i++)
            worst = values_worst(worst, fabs(g[i] - (double)w->grad[i]));
        explain(t, "numbers of size %g: the largest difference so far is %.2g", size, worst);
        params_free(p);
    }
    return worst;
}

/* ---- row 4: alignment weights ---------------------------------------------------------------- */

/* Now: equal weights. Change it: gamma = softmax of the scores e of a source of `words` words,
 * padded to S; padding gets 0. Scores may be large: exp(1000) is infinite. */
static void align(const double *e, int S, int words, double *gamma)
{
    (void)e, (void)words;
    for (int i = 0; i < S; i++)
        gamma[i] = 1.0 / S;
}

/* Against the library's softmax of the words alone. */
static double aligned(Trial *t)
{
    enum { S = 8 };
    double worst = 0;
    for (double size = 1; fabs(size) < 1e6; size *= -10) /* each word can be far above the others */
        for (int words = 1; words <= S; words++) {
            Tape *tape = tape_new(t->seed);
            Rng rng = {.seed = t->seed, .stream = 182 + (uint64_t)words};
            Tensor *e = values_normal(tape, &rng, shape2(1, S), size);
            Tensor *right = ag_softmax(ag_slice(e, 1, 0, words));
            double scores[S], gamma[S];
            for (int i = 0; i < S; i++)
                scores[i] = (double)e->data[i];
            TRIED(t, align, align_solved, align_wrong_padding, align_wrong_overflow,
                  align_wrong_sum)
            (scores, S, words, gamma);
            for (int i = 0; i < S; i++)
                worst =
                    values_worst(worst, fabs(gamma[i] - (i < words ? (double)right->data[i] : 0)));
            tape_free(tape);
        }
    explain(t, "scores of size 1 to 100,000, 1 to 8 words: max |gamma - softmax| = %.2g", worst);
    return worst;
}

const Claim recurrence_exercises[] = {
    EXERCISE(2, "clip: a gradient no longer than 2, in its direction",
             "V: RNN vs Transformers: Why RNNs fall short?",
             "largest |clip - params_clip_grad| of gradients of size 0.1 to 1,000", 1e-5,
             "rounding of numbers below 2", clipped,
             {"each", "each number by itself, which changes the direction"},
             {"always", "a short gradient is scaled, too"},
             {"to_one", "a long gradient gets length 1"}),
    EXERCISE(4, "align: weights of the words, nothing on padding, at any size of the scores",
             "V: Recall the Translate and Align Model in RNNs",
             "largest |gamma - softmax of the words|", 1e-5, "a softmax of at most 8 floats",
             aligned, {"padding", "padding is a word like the others"},
             {"overflow", "exp of the scores themselves"},
             {"sum", "softmax over all, then padding is set to 0: the sum is below 1"}),
    {0},
};
