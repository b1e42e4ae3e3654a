/* markov.c: a model whose sequences can all be tried, as a Decoder of the library. See
 * language.h. */
#include "lectures/06-language/language.h"

#include <string.h>

void markov_draw(Markov *m, int K, double deviation, Rng *rng)
{
    *m = (Markov){.K = K};
    for (int i = 0; i < (K + 1) * K; i++)
        m->logits[i] = (real)(deviation * rng_normal(rng));
}

/* log p(next | before); before = K: the first token. */
static double markov_step(const Markov *m, int before, int next)
{
    const real *row = m->logits + before * m->K;
    double sum = 0;
    for (int k = 0; k < m->K; k++)
        sum += exp((double)row[k] - (double)row[next]);
    return -log(sum);
}

double markov_log_p(const Markov *m, const int *x, int n)
{
    double sum = 0;
    for (int t = 0; t < n; t++)
        sum += markov_step(m, t ? x[t - 1] : m->K, x[t]);
    return sum;
}

static Tensor *markov_logits(void *model, Tensor *ids, KVCache *cache)
{
    Markov *m = model;
    (void)cache; /* it counts the tokens; keys and values this model has none */
    m->scored += tensor_size(ids) * m->K;
    return ag_embedding(tape_input(ids->tape, m->logits, shape2(m->K + 1, m->K)), ids);
}

/* Exhaustive search; best: of the sequences so far, the one with the largest log p /
 * length^alpha. */
typedef struct {
    Markov *m;
    int n, end, x[MARKOV_LONGEST], *best;
    double alpha, score;
} Search;

/* All continuations of the first t tokens of x, whose log p is given. */
static void try_all(Search *s, int t, double log_p)
{
    s->m->scored += s->m->K;
    for (int k = 0; k < s->m->K; k++) {
        double p = log_p + markov_step(s->m, t ? s->x[t - 1] : s->m->K, k);
        s->x[t] = k;
        if (k != s->end && t + 1 < s->n) {
            try_all(s, t + 1, p);
        } else if (p / pow(t + 1, s->alpha) > s->score) {
            s->score = p / pow(t + 1, s->alpha);
            for (int i = 0; i < s->n; i++)
                s->best[i] = i <= t ? s->x[i] : s->end;
        }
    }
}

bool markov_search(Markov *m, SearchKind kind, int beam, double alpha, int end, int n, int *x,
                   BeamTree *tree)
{
    KVCache cache = {0};
    BeamTree own = {0};
    Tape *tape = tape_new(1);
    const int prompt = m->K;
    bool ok =
        tape && nn_cache_init(&cache, 1, kind == SEARCH_BEAM ? beam : 1, MARKOV_LONGEST, 1, 1);
    const Decoder d = {.logits = markov_logits, .model = m, .cache = &cache, .end = end};
    if (ok && kind == SEARCH_GREEDY)
        ok = nn_generate(tape, &d, &prompt, NULL, 1, x, n);
    else if (ok && kind == SEARCH_BEAM)
        ok = nn_beam(tape, &d, &prompt, 1, x, n, alpha, tree ? tree : &own);
    else if (ok)
        try_all(
            &(Search){.m = m, .n = n, .end = end, .best = x, .alpha = alpha, .score = -INFINITY}, 0,
            0);
    nn_beam_free(&own);
    nn_cache_free(&cache);
    tape_free(tape);
    return ok;
}
