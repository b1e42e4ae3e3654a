/* cost.c: what each method costs, counted (row 42).                         Z "Sampling strategies"
 *
 *   exhaustive O(K^N)   greedy, random, top-k, temperature O(KN)  beam O(BKN)  nucleus O(N K log K)
 *
 * Counted are logits that are asked for, and operations on them. The model's own pass is the same
 * for each logit. */
#include "lectures/06-language/language.h"

#include <string.h>

/* ---- logits ---------------------------------------------------------------------------------- */

/* K + K^2 + ... + K^N: a row of K logits after each beginning of 0 to N - 1 tokens. */
static double all_rows(int K, int N)
{
    double sum = 0;
    for (int n = 1; n <= N; n++)
        sum += pow(K, n);
    return sum;
}

static double search_cost(Trial *t)
{
    static Markov m;
    double worst = 0;
    int x[MARKOV_LONGEST];
    for (int K = 2; K <= 4; K++)
        for (int N = 2; N <= 6; N += 2) {
            const int B = 3;
            double counted[3] = {0},
                   formula[3] = {(double)K * N, (double)B * K * N, all_rows(K, N)};
            markov_draw(&m, K, 1, trial_rng(t, 660));
            for (int k = SEARCH_GREEDY; k <= SEARCH_EXHAUSTIVE; k++) {
                m.scored = 0;
                int beam = broken(t, "wider") ? B + 1 : B;
                bool ok = markov_search(&m, (SearchKind)k, beam, 0, -1, N, x, NULL);
                counted[k] = ok ? (double)m.scored : (double)NAN;
                worst = values_worst(worst, fabs(counted[k] - formula[k]));
            }
            explain(t, "K = %d, N = %d: greedy %.0f = K N, beam of 3 %.0f = B K N, exhaustive %.0f",
                    K, N, counted[0], counted[1], counted[2]);
        }
    return worst;
}

/* ---- operations on K logits ------------------------------------------------------------------ */

static int64_t operations;

static bool larger(double a, double b)
{
    operations++;
    return a > b;
}

/* Top-k by quickselect (Hoare 1961): the k largest of n numbers come first, in any order. About 2 n
 * comparisons for small k, at most 3.4 n on average. */
static void select_largest(double *x, int n, int k, Rng *rng)
{
    for (int from = 0, to = n; to - from > 1;) {
        double pivot = x[from + (int)rng_below(rng, to - from)];
        int end = from, equal = from;
        for (int i = from; i < to; i++) /* larger ones, then equal ones, then the others */
            if (!larger(pivot, x[i])) {
                double v = x[i];
                x[i] = x[equal];
                if (v > pivot) {
                    x[equal] = x[end];
                    x[end++] = v;
                } else {
                    x[equal] = v;
                }
                equal++;
            }
        if (k <= end)
            to = end;
        else if (k <= equal)
            return;
        else
            from = equal;
    }
}

/* The nucleus, as Z finds it, from all tokens in order. Merge sort: each of log2 n levels takes n /
 * 2 to n comparisons. (A quickselect that adds up probabilities would find the same set in
 * O(n).) */
static void merge_sort(double *x, double *scratch, int n)
{
    int half = n / 2, i = 0, j = half, to = 0;
    if (n < 2)
        return;
    merge_sort(x, scratch, half);
    merge_sort(x + half, scratch, n - half);
    while (i < half && j < n) {
        bool second = larger(x[j], x[i]);
        scratch[to++] = second ? x[j++] : x[i++];
    }
    while (i < half)
        scratch[to++] = x[i++];
    while (j < n)
        scratch[to++] = x[j++];
    memcpy(x, scratch, (size_t)n * sizeof *x);
}

/* Random sampling at temperature T: an exponential of each a_i / T, their sum, and then numbers are
 * taken off u sum until it is used up. Returns the token. */
static int draw_softmax(double *x, int n, double temperature, Rng *rng)
{
    double sum = 0;
    operations += 3 * n; /* a division, an exponential and an addition of each */
    for (int i = 0; i < n; i++)
        sum += x[i] = exp(x[i] / temperature);
    double u = sum * rng_uniform(rng);
    int i = 0;
    for (; i < n - 1 && !larger(x[i], u); operations++) /* and a difference */
        u -= x[i++];
    return i;
}

enum { MOST = 16384, TOP = 10, AVERAGED = 20 };
typedef enum { DRAW, SELECT, SORT } CostKind;

/* Operations on K logits, the mean of 20 draws. */
static double cost_of(CostKind kind, int K, uint64_t seed)
{
    static double x[MOST], scratch[MOST];
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 661};
    double sum = 0;
    for (int d = 0; d < AVERAGED; d++) {
        tape_reset(tape);
        Tensor *a = ag_softmax(values_normal(tape, &rng, shape1(K), 1));
        double most = 0;
        for (int i = 0; i < K; i++) {
            x[i] = (double)a->data[i];
            most = values_worst(most, x[i]);
        }
        operations = 0;
        if (kind == DRAW)
            draw_softmax(x, K, 0.5 + d % 3, &rng); /* T = 0.5, 1.5, 2.5 */
        else if (kind == SELECT)
            select_largest(x, K, TOP, &rng);
        else if (kind == SORT)
            merge_sort(x, scratch, K);
        sum += most > 0 ? (double)operations / AVERAGED : (double)NAN;
    }
    tape_free(tape);
    return sum;
}

/* The largest number of operations / K of a draw and of top-k. NaN where a sort is not of the order
 * K log K: log2 K levels, each of K / 2 to K comparisons. */
static double token_cost(Trial *t)
{
    double worst = 0;
    for (int K = 64; K <= MOST; K *= 4) {
        double draw = cost_of(DRAW, K, t->seed), sort = cost_of(SORT, K, t->seed);
        double select = cost_of(broken(t, "sort") ? SORT : SELECT, K, t->seed);
        double levels = sort / (K * log2(K));
        explain(t, "K = %5d: a draw %.2f K operations, the %d largest %.2f K, a sort %.3f K log2 K",
                K, draw / K, TOP, select / K, levels);
        worst = values_worst(worst, values_worst(draw, select) / K);
        worst = levels >= 0.5 && levels <= 1 ? worst : (double)NAN;
    }
    return worst;
}

const Claim cost_claims[] = {
    {42, search_cost,
     "greedy search computes K N logits, a beam B K N, exhaustive search K + K^2 + ... + K^N",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest |counted - formula|, K = 2 .. 4, N = 2, 4, 6",
     EXACTLY(0, "a row of K logits for each beginning that is extended; the last term is Z's K^N"),
     .faults = {{"wider", "a beam of 4 for a beam of 3"}},
     .holds_on_zeros = "counts logits that are asked for, whatever they are"},
    {42, token_cost,
     "a draw at any temperature and top-k take at most 5 K operations a token, O(K N) as Z says; "
     "all in order, for the nucleus, takes K log K",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest operations / K of a draw and of the 10 largest, K = 64 .. 16,384",
     AT_MOST(5, "a draw: K divisions, exponentials, additions, at most K comparisons and "
                "differences; quickselect: 3.4 K comparisons on average"),
     .faults = {{"sort", "top-k by putting all in order"}}},
    {0},
};
