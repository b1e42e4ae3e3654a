/* search.c: looking for the most probable sequence (row 42).                Z "Sampling strategies"
 *
 *   exhaustive   all K^N sequences                       the best one
 *   greedy       the most probable token, N times        a good beginning may lead to a bad end
 *   beam         B beginnings at a time                  B = 1 is greedy, B = K^(N-1) exhaustive */
#include "lectures/06-language/language.h"

#include <string.h>

/* ---- the ends of a beam ---------------------------------------------------------------------- */

/* In how many of 20 models a beam finds a sequence of another probability than greedy or exhaustive
 * search does. (Not another sequence: 00101 and 01001 take the same steps in another order, and are
 * equally probable.) */
static double differing(Trial *t, uint64_t stream, int beam, SearchKind other)
{
    enum { MODELS = 20, K = 3, N = 5 };
    int differ = 0;
    for (int i = 0; i < MODELS; i++) {
        static Markov m;
        int found[N] = {0}, expected[N] = {0};
        markov_draw(&m, K, 1.5, trial_rng(t, stream));
        bool ok = markov_search(&m, SEARCH_BEAM, beam, 0, -1, N, found, NULL) &&
                  markov_search(&m, other, 1, 0, -1, N, expected, NULL);
        double p = markov_log_p(&m, found, N), q = markov_log_p(&m, expected, N);
        differ += !ok || !(fabs(p - q) < 1e-6);
        if (i < 4)
            explain(t, "model %d: a beam of %d finds %d%d%d%d%d, log p = %.4f; expected %.4f",
                    i + 1, beam, found[0], found[1], found[2], found[3], found[4], p, q);
    }
    return differ;
}

static double beam_ends(Trial *t)
{
    return differing(t, 641, broken(t, "two") ? 2 : 1, SEARCH_GREEDY) +
           differing(t, 642, broken(t, "one") ? 1 : 81 /* 3^4 */, SEARCH_EXHAUSTIVE);
}

/* ---- greedy loses ---------------------------------------------------------------------------- */

/* Three words; after the likelier first one, all are alike, and after the other, one is nearly
 * sure:
 *   the 0.6 -> 1/3 each;   a 0.3 -> cat 0.9
 * so greedy ends with 0.6 / 3 = 0.20 and the best sequence has 0.3 x 0.9 = 0.27. */
enum { THE, A, CAT, WORDS };
static const char *const words[] = {"the", "a", "cat"};

static Markov good_beginning(void)
{
    static const double p[WORDS + 1][WORDS] = {[THE] = {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                               [A] = {0.05, 0.05, 0.9},
                                               [CAT] = {0.45, 0.35, 0.2},
                                               [WORDS] = {0.6, 0.3, 0.1}};
    Markov m = {.K = WORDS};
    for (int i = 0; i < (WORDS + 1) * WORDS; i++)
        m.logits[i] = (real)log(p[i / WORDS][i % WORDS]);
    return m;
}

static double greedy_loses(Trial *t)
{
    Markov m = good_beginning();
    int greedy[2] = {0}, beam[2] = {0};
    int B = broken(t, "beam-one") ? 1 : 2;
    if (!markov_search(&m, SEARCH_GREEDY, 1, 0, -1, 2, greedy, NULL) ||
        !markov_search(&m, SEARCH_BEAM, B, 0, -1, 2, beam, NULL))
        return (double)NAN;
    double p = exp(markov_log_p(&m, greedy, 2)), q = exp(markov_log_p(&m, beam, 2));
    explain(t, "greedy: %s %s, probability %.4f", words[greedy[0]], words[greedy[1]], p);
    explain(t, "beam of %d: %s %s, probability %.4f", B, words[beam[0]], words[beam[1]], q);
    return q - p;
}

/* ---- length ---------------------------------------------------------------------------------- */

/* Of the same complete hypotheses, y has the largest log p and z the largest log p / n. If z were
 * shorter than y, then |log p(z)| <= |log p(y)| n(z) / n(y) < |log p(y)|, and y would not have the
 * largest log p. So z is never shorter. */
static double length(Trial *t)
{
    enum { MANY = 200, K = 4, N = 10, B = 4, END = K - 1 };
    int shorter = 0, longer = 0, at_once = 0;
    double sum[2] = {0};
    for (int i = 0; i < MANY; i++) {
        static Markov m;
        int n[2] = {0};
        markov_draw(&m, K, 1, trial_rng(t, 644));
        for (int k = 0; k < 2; k++) {
            BeamTree tree = {0};
            int x[N];
            double alpha = broken(t, "exchanged") ? 1 - k : broken(t, "no-normalisation") ? 0 : k;
            if (!markov_search(&m, SEARCH_BEAM, B, alpha, END, N, x, &tree))
                return (double)NAN;
            n[k] = tree.node[tree.best].length;
            sum[k] += n[k];
            nn_beam_free(&tree);
        }
        at_once += n[0] == 1;
        shorter += n[1] < n[0];
        longer += n[1] > n[0];
    }
    explain(t,
            "alpha = 0: %.2f tokens on average, in %d of %d models the end alone; alpha = 1: %.2f",
            sum[0] / MANY, at_once, MANY, sum[1] / MANY);
    explain(t, "with alpha = 1 longer in %d models, shorter in %d", longer, shorter);
    return longer > 0 ? shorter : (double)NAN;
}

/* ---- what each search costs: logits that are asked for --------------------------------------- */

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

const Claim search_claims[] = {
    {42, beam_ends, "a beam of B = 1 is greedy search, one of B = K^(N-1) exhaustive search",
     .slides = {"Z: Sampling strategies"},
     .quantity = "of 20 models with B = 1 and 20 with B = 81, those where log p differs",
     EXACTLY(0, "of the K extensions of one beginning the most probable is kept; of K^(N-1) "
                "beginnings none is ever dropped"),
     .faults = {{"two", "a beam of 2 in place of 1"}, {"one", "a beam of 1 in place of 81"}}},
    {42, greedy_loses,
     "greedy search can miss the best sequence, and a beam of two find it: an example",
     .slides = {"Z: Sampling strategies"}, .quantity = "p(beam's sequence) - p(greedy's)",
     BETWEEN(0.07 - 1e-6, 0.07 + 1e-6, "0.3 x 0.9 - 0.6 / 3 = 0.07, in floats"),
     .faults = {{"beam-one", "a beam of one"}}},
    {42, length,
     "beam search that divides log p by the length never ends earlier, and in some models later",
     .slides = {"Z: Sampling strategies"},
     .quantity = "of 200 models, those where alpha = 1 finds a shorter sequence than alpha = 0",
     EXACTLY(0, "of the same hypotheses the largest log p / n is never the shorter; NaN if none "
                "is longer"),
     .faults = {{"exchanged", "alpha = 1 for alpha = 0, and 0 for 1"},
                {"no-normalisation", "alpha = 0 both times"}}},
    {42, search_cost,
     "greedy search computes K N logits, a beam B K N, exhaustive search K + K^2 + ... + K^N",
     .slides = {"Z: Sampling strategies"},
     .quantity = "largest |counted - formula|, K = 2 .. 4, N = 2, 4, 6",
     EXACTLY(0, "a row of K logits for each beginning that is extended; the last term is Z's K^N"),
     .faults = {{"wider", "a beam of 4 for a beam of 3"}},
     .holds_on_zeros = "counts logits that are asked for, whatever they are"},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_tree(const Sketch *s)
{
    enum { NODES = 16 };
    static char name[NODES][8], p[NODES][12], path[NODES][20];
    PlotPart parts[NODES + 1] = {{"start", PLOT_BOX, 120, 360, 150, 90, .text = "start"}};
    PlotArrow arrows[NODES] = {{.path = NULL}};
    Markov m = good_beginning();
    BeamTree tree = {0};
    int x[3], rank = 0;
    if (!markov_search(&m, SEARCH_BEAM, 2, 0, -1, 3, x, &tree) || tree.nodes > NODES)
        return false;
    for (int i = 0; i < tree.nodes; i++) {
        const BeamNode *n = &tree.node[i];
        rank = i && tree.node[i - 1].length == n->length ? rank + 1 : 0;
        snprintf(name[i], sizeof *name, "n%d", i);
        snprintf(p[i], sizeof *p, "%.2f", exp(n->log_p));
        snprintf(path[i], sizeof *path, "%s > %s", n->parent < 0 ? "start" : name[n->parent],
                 name[i]);
        parts[i + 1] = (PlotPart){name[i], PLOT_BOX, 120 + 340 * n->length,   250 + 220 * rank,
                                  150,     90,       .text = words[n->token], .note = p[i]};
        arrows[i] = (PlotArrow){.path = path[i]};
    }
    for (int i = tree.best; i >= 0; i = tree.node[i].parent)
        parts[i + 1].colour = arrows[i].colour = 2;
    const PlotDiagram d = {parts, tree.nodes + 1, arrows, tree.nodes,
                           sketch_title(s, "A beam of two: the probabilities of what it keeps")};
    bool ok = plot_diagram(s->stem, &d, s->formats);
    nn_beam_free(&tree);
    return ok;
}

/* The nodes at (length, -rank), each with a line from its parent. */
static bool compute_tree(const double *value, const char *text)
{
    enum { NODES = 32, STEPS = 3 };
    const int B = (int)value[0], steps = (int)value[1];
    Markov m = good_beginning();
    BeamTree tree = {0};
    int best[STEPS];
    double x[3 * NODES], y[3 * NODES], rank[NODES], path_x[STEPS + 1], path_y[STEPS + 1];
    (void)text;
    if (!markov_search(&m, SEARCH_BEAM, B, 0, -1, steps, best, &tree) || tree.nodes > NODES)
        return false;
    computed_axes(NULL, NULL, false);
    computed_label(0, -0.7, "start");
    computed_label(steps + 0.3, -4, ""); /* so that the last labels fit */
    for (int i = 0; i < tree.nodes; i++) {
        const BeamNode *n = &tree.node[i];
        char label[32];
        rank[i] = i && tree.node[i - 1].length == n->length ? rank[i - 1] + 1 : 1;
        snprintf(label, sizeof label, "%s %.4f", words[n->token], exp(n->log_p));
        computed_label(n->length, 0.3 - rank[i], label);
        x[3 * i] = n->length - 1, y[3 * i] = n->parent < 0 ? -1 : -rank[n->parent];
        x[3 * i + 1] = n->length, y[3 * i + 1] = -rank[i];
        x[3 * i + 2] = n->length, y[3 * i + 2] = (double)NAN;
    }
    path_x[0] = 0, path_y[0] = -1;
    for (int i = tree.best; i >= 0; i = tree.node[i].parent)
        path_x[tree.node[i].length] = tree.node[i].length, path_y[tree.node[i].length] = -rank[i];
    computed_line("kept", 3 * tree.nodes, x, y);
    computed_line("leads", steps + 1, path_x, path_y);
    computed_fact("After step %d with B = %d leads “", steps, B);
    for (int i = 0; i < steps; i++)
        computed_fact("%s%s", i ? " " : "", words[best[i]]);
    computed_fact("”, with probability %.4f.", exp(tree.node[tree.best].log_p));
    nn_beam_free(&tree);
    return true;
}

const ComputedFigure tree_computed = {
    .name = "tree",
    .title = "A beam, step by step",
    .about = "Three words; after “the” all words are equally likely, after “a” one is nearly sure. "
             "Change the number of hypotheses B and the step: with B = 1, greedy search, the "
             "likelier first word wins and the sentence loses.",
    .control = {{"hypotheses B", 1, 6, 1, 2}, {"step", 1, 3, 1, 3}},
    .compute = compute_tree};

const Figure search_figures[] = {
    {42, "tree", draw_tree,
     .what = "what a beam of two keeps, three steps: the likelier first word loses",
     .computed = &tree_computed},
    {0},
};
