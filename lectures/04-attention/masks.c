/* masks.c: what a query may not see (row 26).
 *
 *   A = softmax(Q K^T / sqrt(d) + M),  M = 0 where a key is kept, -infinity where it is hidden
 *                       V "Decoder Block: Masked MSA", B "Masked Decoding", J "Masked self-attention layer", H */
#include "lectures/04-attention/attention.h"

#include <string.h>

enum { T = 8, D = 8 };

/* The masks of this chapter, as a matrix of 1 (kept) and 0. */
typedef enum { CAUSAL, PADDING, BOTH, NONE, MASKS } Kind;
static const char *const mask_names[MASKS] = {"causal", "padding", "causal and padding", "none"};
enum { LENGTH = 5 }; /* tokens before the padding */

static bool kept(Kind kind, int i, int j)
{
    bool causal = j <= i, real_token = j < LENGTH;
    return kind == CAUSAL    ? causal
           : kind == PADDING ? real_token
           : kind == BOTH    ? causal && real_token
                             : true;
}

static Mask mask_of(Kind kind, Tape *tape)
{
    Tensor *lengths = tape_ids(tape, (int[]){LENGTH}, shape1(1));
    return (Mask){.causal = kind == CAUSAL || kind == BOTH,
                  .lengths = kind == PADDING || kind == BOTH ? lengths : NULL};
}

/* J's slide taken literally: scores times the mask. What was hidden scores 0, and exp 0 = 1. */
static Tensor *zero_scores(Tape *tape, Tensor *scores, Kind kind)
{
    real keep[T * T];
    for (int i = 0; i < T * T; i++)
        keep[i] = kept(kind, i / T, i % T);
    return ag_softmax(ag_mul(scores, tape_input(tape, keep, shape2(T, T))));
}

/* The causal mask as its formula has it: -infinity for later keys, then a softmax. */
static Tensor *softmax_of_the_past(Tensor *scores)
{
    for (int i = 0; i < T; i++)
        for (int j = i + 1; j < T; j++)
            scores->data[i * T + j] = -INFINITY;
    return ag_softmax(scores);
}

/* Scores of random queries and keys (1, T, T), of variance 1. */
static Tensor *random_scores(Tape *tape, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 260};
    Tensor *q = values_normal(tape, &rng, shape3(1, T, D), 1);
    Tensor *k = values_normal(tape, &rng, shape3(1, T, D), 1);
    return ag_scale(ag_matmul(q, ag_transpose(k, 1, 2)), (real)(1 / sqrt(D)));
}

/* The largest weight on a key that is hidden, or the sum over hidden keys, a query's mean. No
 * number where the rows do not sum to 1: weights that are all 0 hide nothing. */
static double hidden_weight(const Tensor *A, Kind kind, bool mean)
{
    double most = 0, sum = 0, all = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            double a = (double)tensor_get(A, (int64_t[]){0, i, j}),
                   hidden = kept(kind, i, j) ? 0 : a;
            most = values_worst(most, hidden);
            sum += hidden / T;
            all += a / T;
        }
    return fabs(all - 1) > 1e-5 ? (double)NAN : mean ? sum : most;
}

static double masked_is_zero(Trial *t)
{
    Tape *tape = trial_tape(t);
    double worst = 0;
    for (Kind kind = CAUSAL; kind < MASKS; kind++) {
        Tensor *scores = random_scores(tape, t->seed);
        Tensor *A = broken(t, "zero-scores") ? zero_scores(tape, scores, kind)
                    : broken(t, "no-mask")   ? ag_softmax(scores)
                                             : ag_masked_softmax(scores, mask_of(kind, tape));
        double most = hidden_weight(A, kind, false);
        explain(t, "%-18s largest hidden weight %g", mask_names[kind], most);
        worst = values_worst(worst, most);
    }
    return worst;
}

/* The share of a query's weight on the future, the mean over 50 draws of scores. */
static double leaked(uint64_t seed, bool minus_infinity)
{
    enum { DRAWS = 50 };
    Tape *tape = tape_new(seed);
    double sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        tape_reset(tape);
        Tensor *scores = random_scores(tape, seed + (uint64_t)i);
        Tensor *A =
            minus_infinity ? softmax_of_the_past(scores) : zero_scores(tape, scores, CAUSAL);
        sum += hidden_weight(A, CAUSAL, true) / DRAWS;
    }
    tape_free(tape);
    return sum;
}

static double zeros_leak(Trial *t)
{
    double share = leaked(t->seed, broken(t, "minus-infinity"));
    explain(t, "T = %d: %.3f of a query's weight lies on the future, over 50 draws", T, share);
    return share;
}

/* B's slide taken literally: exp(xi), not xi, is -infinity where a key is hidden; then divided by
 * the sum of the row. The weight of the keys that are seen, a query's mean, over the first T - 1
 * queries; the last one sees all keys. */
static double seen_weight(Trial *t, const Tensor *scores, bool scores_hidden)
{
    double seen = 0;
    for (int i = 0; i < T - 1; i++) {
        double e[T], sum = 0;
        for (int j = 0; j < T; j++) {
            double x = (double)tensor_get(scores, (int64_t[]){0, i, j});
            bool hide = !kept(CAUSAL, i, j);
            double hidden = scores_hidden ? 0 : -(double)INFINITY;
            e[j] = hide ? hidden : exp(x);
            sum += e[j];
        }
        for (int j = 0; j <= i; j++)
            seen += e[j] / sum / (T - 1);
        explain(t, "%s hidden, query %d: the row's sum is %g, weight of a hidden key %g",
                scores_hidden ? "score" : "exponential", i + 1, sum, e[T - 1] / sum);
    }
    return fabs(seen);
}

static double hidden_exponentials(Trial *t)
{
    Tensor *scores = random_scores(trial_tape(t), t->seed);
    bool computed = values_largest(scores) > 0;
    double meant = seen_weight(t, scores, true), printed = seen_weight(t, scores, false);
    double value = broken(t, "hidden-scores") ? meant : printed;
    return computed && fabs(meant - 1) < 1e-6 ? value : (double)NAN;
}

/* ---- nothing flows back from the future ------------------------------------------------------ */

static double no_gradient_from_future(Trial *t)
{
    real size[T * T] = {0};
    double future = 0, past = 0;
    attention_jacobian(size, broken(t, "no-mask") ? SEEN : BY_SCORES, t->seed);
    for (int i = 0; i < T * T; i++) {
        bool later = i % T > i / T;
        future = later ? values_worst(future, (double)size[i]) : future;
        past = later ? past : values_worst(past, (double)size[i]);
    }
    explain(t, "max |dy_t / dx_j|: %.3f for j <= t, %g for j > t", past, future);
    return past > 0 ? future : (double)NAN;
}

const Claim masks_claims[] = {
    {26, masked_is_zero, "a hidden key has weight 0, exactly, under every mask",
     .slides = {"V: Decoder Block: Masked MSA", "B: Masked Decoding",
                "B: Self-Attention with Masked Decoding", "J: Masked self-attention layer",
                "H: Masked Attention"},
     .quantity = "largest weight on a hidden key", EXACTLY(0, "exp(-infinity) is 0, not small"),
     .faults = {{"no-mask", "no mask"}, {"zero-scores", "hidden scores are set to 0"}}},
    {26, zeros_leak,
     "setting the scores of hidden keys to 0, as J says, leaves weight on the future",
     .slides = {"J: Masked self-attention layer"},
     .quantity = "share of the weight on the future, T = 8",
     BETWEEN(0.35, 0.4375,
             "7/16 if all scores were 0; Jensen: no less than if each kept key "
             "weighed its mean, 1.71"),
     .faults = {{"minus-infinity", "hidden scores are set to -infinity"}},
     .against = {CONTRADICTED, "J: Masked self-attention layer",
                 "\"Simply set the dot product scores to be 0 if the mask value is 0. Why?\" (the "
                 "slide before: \"Modify the attention weights to remove the contribution from the "
                 "future tokens\")"}},
    {26, hidden_exponentials,
     "with exp(xi) = -infinity for hidden keys, as B prints it, the tokens that are seen get no "
     "weight",
     .slides = {"B: Masked Decoding"},
     .quantity = "weight on the keys that are seen, a query's mean",
     EXACTLY(0, "a finite number divided by -infinity; and a hidden key's weight is infinity by "
                "infinity, no number"),
     .faults = {{"hidden-scores", "x_i, the score, is -infinity, as meant: exp(x_i) is 0"}},
     .against = {MISPRINTED, "B: Masked Decoding",
                 "\"By setting exp{xi_(j -> t)} = -infinity for j > t\"; its next line has "
                 "exp{-infinity} = 0, as the slide means"}},
    {26, no_gradient_from_future, "under the causal mask dy_t / dx_j is 0 for every j after t",
     .slides = {"B: Masked Decoding", "V: Decoder Block: Masked MSA",
                "J: Masked self-attention layer", "H: Masked Attention"},
     .quantity = "max |dy_t / dx_j| over j > t; NaN if it is 0 for the past too",
     EXACTLY(0, "no operation leads from x_j to y_t, so nothing is ever added to that gradient"),
     .faults = {{"no-mask", "every token sees all"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

static bool draw_masks(const Sketch *s)
{
    static const char *const legend[] = {"masked", "kept", NULL};
    Tensor *keep[MASKS];
    PlotHeatmap maps[MASKS];
    for (Kind kind = CAUSAL; kind < MASKS; kind++) {
        keep[kind] = tensor_new(shape2(T, T));
        for (int i = 0; i < T * T; i++)
            keep[kind]->data[i] = kept(kind, i / T, i % T);
        maps[kind] = (PlotHeatmap){.map = keep[kind],
                                   .title = mask_names[kind],
                                   .scale = {.legend = legend}};
    }
    bool ok =
        plot_heatmaps(s->stem, maps, MASKS, sketch_title(s, "What a query may see"), s->formats);
    for (Kind kind = CAUSAL; kind < MASKS; kind++)
        tensor_free(keep[kind]);
    return ok;
}

/* Of a matrix (T, T): 0 where a number is 0, 1 where a query uses what it may see, 2 where it uses
 * a later key. */
static Tensor *uses(Tape *tape, const real *number)
{
    Tensor *use = tape_full(tape, 0, shape2(T, T));
    for (int i = 0; i < T * T; i++)
        use->data[i] = number[i] == 0 ? 0 : kept(CAUSAL, i / T, i % T) ? 1 : 2;
    return use;
}

/* Weights under -infinity and under J's zeros; Jacobians under -infinity and with weights masked
 * after the softmax. */
static bool draw_masked(const Sketch *s)
{
    static const char *const legend[] = {"not used", "used", "leaked", NULL};
    static const char *const minus = "\xe2\x88\x92\xe2\x88\x9e";
    char titles[4][96];
    PlotHeatmap maps[4];
    real before[T * T] = {0}, after[T * T] = {0};
    Tape *tape = tape_new(s->seed);
    Tensor *scores = random_scores(tape, s->seed);
    Tensor *hidden = ag_masked_softmax(scores, (Mask){.causal = true});
    Tensor *zeros = zero_scores(tape, scores, CAUSAL);
    attention_jacobian(before, BY_SCORES, s->seed);
    attention_jacobian(after, BY_WEIGHTS, s->seed);
    const real *numbers_of[] = {hidden->data, zeros->data, before, after};
    snprintf(titles[0], sizeof *titles, "weights, later scores %s", minus);
    snprintf(titles[1], sizeof *titles, "weights, later scores 0: %.0f %% leak",
             100 * leaked(s->seed, false));
    snprintf(titles[2], sizeof *titles, "|dy/dx|, later scores %s", minus);
    snprintf(titles[3], sizeof *titles, "|dy/dx|, weights masked after softmax");
    for (int i = 0; i < 4; i++)
        maps[i] = (PlotHeatmap){.map = uses(tape, numbers_of[i]),
                                .title = titles[i],
                                .row_name = i < 2 ? "query" : "result t",
                                .column_name = i < 2 ? "key" : "token j",
                                .scale = {.legend = legend}};
    bool ok =
        plot_heatmaps(s->stem, maps, 4,
                      sketch_title(s, "A later score must be \xe2\x88\x92\xe2\x88\x9e, not 0"),
                      s->formats);
    tape_free(tape);
    return ok;
}

const Figure masks_figures[] = {
    {26, "masks", draw_masks, .what = "causal, padding, both, none: keys that each query may see",
     .computed = &masks_computed},
    {26, "masked", draw_masked,
     .what = "which later keys are used: scores of -infinity, J's zeros, a mask after the softmax"},
    {0},
};
