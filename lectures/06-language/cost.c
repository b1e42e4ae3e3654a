/* cost.c: what each method costs, counted (row 42).                         Z "Sampling strategies"
 *
 *   exhaustive O(K^N)   greedy, random, top-k, temperature O(KN)  beam O(BKN)  nucleus O(N K log K)
 *
 * Counted are logits that are asked for, and operations on them: comparisons, and for random
 * sampling exponentials and additions as well. The model's own pass is the same for each logit. */
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
    for (int i = 0; i < n; i++) {
        sum += x[i] = exp(x[i] / temperature);
        operations += 2; /* an exponential, an addition */
    }
    double u = sum * rng_uniform(rng);
    int i = 0;
    while (i < n - 1 && !larger(x[i], u))
        u -= x[i++];
    return i;
}

enum { MOST = 16384, TOP = 10, AVERAGED = 20 };
typedef enum { SCAN, DRAW, SELECT, SORT, COSTS } CostKind;

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
        for (int i = 1, best = 0; i < K && kind == SCAN; i++)
            best = larger(x[i], x[best]) ? i : best;
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

static double draw_cost_of(Trial *t)
{
    double worst = 0;
    for (int K = 64; K <= MOST; K *= 4) {
        double draw = cost_of(broken(t, "sort") ? SORT : DRAW, K, t->seed);
        explain(t, "K = %5d: %8.0f exponentials, additions and comparisons = %.2f K", K, draw,
                draw / K);
        worst = values_worst(worst, draw / K);
    }
    return worst;
}

static double select_cost(Trial *t)
{
    double worst = 0;
    for (int K = 64; K <= MOST; K *= 4) {
        double scan = cost_of(SCAN, K, t->seed);
        double select = cost_of(broken(t, "sort") ? SORT : SELECT, K, t->seed);
        explain(t, "K = %5d: greedy %6.0f comparisons, the %d largest %7.0f = %.2f K", K, scan, TOP,
                select, select / K);
        worst = values_worst(worst, select / K);
    }
    return worst;
}

static double sort_cost(Trial *t)
{
    double worst = 0.75;
    for (int K = 64; K <= MOST; K *= 4) {
        double sort = cost_of(broken(t, "select") ? SELECT : SORT, K, t->seed);
        double share = sort / (K * log2(K));
        explain(t, "K = %5d: %7.0f comparisons = %.3f K log2 K", K, sort, share);
        worst = values_worst(fabs(share - 0.75), fabs(worst - 0.75)) + 0.75;
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
    {42, draw_cost_of,
     "random sampling, at any temperature, takes at most 3 K exponentials, additions and "
     "comparisons a token: O(K N)",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest number of these / K of one draw, T = 0.5, 1.5, 2.5, K = 64 .. 16,384",
     AT_MOST(3, "K exponentials, K additions, at most K - 1 comparisons; a logit / T is no "
                "further pass"),
     .faults = {{"sort", "all K are sorted first"}}},
    {42, select_cost, "top-k needs no sorting: 2 to 3 K comparisons, O(K N) as Z says",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest comparisons / K for the 10 largest of K = 64 .. 16,384",
     AT_MOST(4.1, "quickselect: at most 2 (1 + log 2) K = 3.4 K on average; a mean of 20 scatters "
                  "by 0.15 K"),
     .faults = {{"sort", "all K are sorted"}}},
    {42, sort_cost,
     "putting all tokens in order, as Z does for the nucleus, takes K log K comparisons",
     .slides = {"Z: Sampling strategies"},
     .quantity = "comparisons / (K log2 K) of merge sort, farthest from 3/4, K = 64 .. 16,384",
     BETWEEN(0.5, 1, "log2 K levels, each of K / 2 to K comparisons"),
     .faults = {{"select", "the ten largest are selected, not sorted"}}},
    {0},
};

static bool draw_cost(const Sketch *s)
{
    enum { POINTS = 7 };
    static const int sizes[POINTS] = {10, 30, 100, 300, 1000, 3000, 10000};
    static const char *const names[COSTS] = {"greedy: the largest", "random, any temperature",
                                             "top-k: the 10 largest", "nucleus: all in order"};
    static double x[POINTS], y[COSTS][POINTS], levels[POINTS];
    PlotSeries series[COSTS + 1] = {{"log2 K", x, levels, POINTS}};
    for (int i = 0; i < POINTS; i++) {
        x[i] = sizes[i];
        levels[i] = log2(sizes[i]);
    }
    for (int k = SORT; k >= SCAN; k--) {
        for (int i = 0; i < POINTS; i++)
            y[k][i] = cost_of((CostKind)k, sizes[i], s->seed) / sizes[i];
        series[COSTS - k] = (PlotSeries){names[k], x, y[k], POINTS};
    }
    const PlotCurves curves = {.series = series,
                               .count = COSTS + 1,
                               .title = sketch_title(s, "What it takes to choose one token"),
                               .x_name = "vocabulary K",
                               .y_name = "operations / K",
                               .log_x = true,
                               .y_low = 0,
                               .y_high = 14};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure cost_figures[] = {
    {42, "cost", draw_cost,
     .what = "operations for one token, over K: greedy, random, top-k and nucleus"},
    {0},
};
