/* recall.c: keys that are learned to be found (row 20): how many pairs of key and value a width d
 * can store.
 *
 *   query i, key i: learned vectors of d numbers, i = 1 .. n;  scores S = Q K^T
 *   loss = -mean_i log softmax(S)_ii;  recall = the share of queries whose own key scores highest
 *                                       V "Analogy for Query, Key, and Value", B "Key-Query-Value Tuple"
 *
 * What width can do, in four lines:
 *   1  d = 1: q k is largest for the largest key if q > 0, for the smallest if q < 0: two keys of n are ever found
 *   2  d = 2: put the keys on a circle and q_i = k_i: k_i . k_j = cos of the angle between them, largest for j = i
 *   3  so from d = 2 on any number of keys can be stored; whether they are learned is another question
 *   4  keys that are drawn and not learned collide: another key of n is longer in the direction of k_i */
#include "lectures/04-attention/attention.h"

enum { PAIRS_MAX = 256, STEPS = 200 };

typedef struct {
    int pairs, width;
    bool learned; /* or queries and keys as they were drawn, equal */
} Store;

/* How many queries find their own key, and (unless NULL) how many different keys are found by any
 * query. NaN where a score is NaN, or all are 0. */
static double keys_found(const Tensor *scores, int n, int *different)
{
    int right = 0, count = 0;
    bool found[PAIRS_MAX] = {false};
    double largest = values_largest(scores);
    for (int i = 0; i < n; i++) {
        const real *s = scores->data + i * n;
        int best = 0;
        for (int j = 1; j < n; j++)
            best = s[j] > s[best] ? j : best;
        right += best == i;
        count += !found[best];
        found[best] = true;
    }
    if (different)
        *different = count;
    return largest > 0 ? (double)right / n : (double)NAN;
}

static double recall(uint64_t seed, Store s, int *different)
{
    static int own[PAIRS_MAX];
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Embedding query, key;
    Adam adam;
    nn_embedding_init(&query, p, "query", s.pairs, s.width);
    nn_embedding_init(&key, p, "key", s.pairs, s.width);
    adam_init(&adam, p, 0.1);
    for (int i = 0; i < s.pairs; i++)
        own[i] = i;
    for (int step = 0; s.learned && step < STEPS; step++) {
        tape_reset(tape);
        Tensor *ids = tape_ids(tape, own, shape1(s.pairs));
        Tensor *q = nn_embedding(&query, ids), *k = nn_embedding(&key, ids);
        ag_backward(ag_cross_entropy(ag_matmul(q, ag_transpose(k, 0, 1)), ids));
        adam_step(&adam, p);
    }
    tape_reset(tape);
    Tensor *k = nn_embedding(&key, tape_ids(tape, own, shape1(s.pairs)));
    Tensor *q = s.learned ? nn_embedding(&query, tape_ids(tape, own, shape1(s.pairs))) : k;
    double share = keys_found(ag_matmul(q, ag_transpose(k, 0, 1)), s.pairs, different);
    adam_free(&adam);
    tape_free(tape);
    params_free(p);
    return share;
}

static double learned_keys(Trial *t)
{
    enum { N = 64, D = 4 };
    double learned = recall(t->seed, (Store){N, D, !broken(t, "not-learned")}, NULL);
    double drawn = recall(t->seed, (Store){N, D, false}, NULL);
    explain(t, "%d pairs, d = %d: keys as drawn, recall %.3f; learned, %.3f", N, D, drawn, learned);
    for (int d = 2; t->notes && d <= 8; d *= 2)
        for (int n = 16; n <= PAIRS_MAX; n *= 4)
            explain(t, "%3d pairs, d = %d: as drawn %.2f, learned %.2f", n, d,
                    recall(t->seed, (Store){n, d, false}, NULL),
                    recall(t->seed, (Store){n, d, true}, NULL));
    return learned - drawn;
}

static double one_dimension(Trial *t)
{
    enum { N = 64 };
    int different, width = broken(t, "two-dimensions") ? 2 : 1;
    double share = recall(t->seed, (Store){N, width, true}, &different);
    explain(t, "%d pairs, d = %d: %d different keys are found, recall %.3f", N, width, different,
            share);
    return share >= 0 ? different : (double)NAN;
}

const Claim recall_claims[] = {
    {20, learned_keys,
     "64 learned keys of width 4 are recalled more often than keys as they were drawn",
     .slides = {"V: Analogy for Query, Key, and Value", "V: Self-Attention",
                "B: Key-Query-Value Tuple"},
     .quantity = "recall of 64 learned keys less recall of 64 drawn keys, d = 4",
     AT_LEAST(0.36, "four standard errors of a difference of two shares of 64, at most sqrt(0.5 / "
                    "64) = 0.09 each"),
     .faults = {{"not-learned", "queries and keys stay as they were drawn"}}},
    {20, one_dimension,
     "in one dimension queries can find only two keys of n, the largest and the smallest",
     .slides = {"B: Key-Query-Value Tuple"},
     .quantity = "different keys that 64 learned queries find, d = 1",
     EXACTLY(2, "q k is linear in k: its maximum lies at one end or at the other"),
     .faults = {{"two-dimensions", "d = 2: the keys can stand on a circle"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_recall(const Sketch *s)
{
    enum { POINTS = 8, LINES = 4 };
    static const Store stores[LINES] = {{0, 4, true}, {0, 2, true}, {0, 1, true}, {0, 4, false}};
    static const char *const names[LINES] = {"d = 4, learned", "d = 2, learned", "d = 1, learned",
                                             "d = 4, as drawn"};
    double x[POINTS], y[LINES][POINTS], theory[POINTS];
    PlotSeries series[LINES + 1];
    for (int i = 0; i < POINTS; i++) {
        x[i] = i + 1;
        theory[i] = 2.0 / (2 << i);
        for (int k = 0; k < LINES; k++) {
            Store store = stores[k];
            store.pairs = 2 << i;
            y[k][i] = recall(s->seed, store, NULL);
        }
    }
    for (int k = 0; k < LINES; k++)
        series[k] = (PlotSeries){names[k], x, y[k], POINTS};
    series[LINES] = (PlotSeries){"2 / n", x, theory, POINTS};
    const PlotCurves curves = {.series = series,
                               .count = LINES + 1,
                               .title = sketch_title(s, "How many pairs can be told apart"),
                               .x_name = "log\xe2\x82\x82 of the number n of stored pairs",
                               .y_name = "recall: queries that find their own key",
                               .y_low = 0,
                               .y_high = 1.05};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure recall_figures[] = {
    {20, "recall", draw_recall,
     .what = "recall against the number of stored pairs, learned keys and drawn ones"},
    {0},
};
