/* modalities.c: patches, words and amino acids in one sequence of one model (row 9; the model:
 * mixed.h).
 *
 *   X (N, D): a row a token, whatever it stands for; TransformerLayer[X] has the same shape
 *                                                      Z "Transformer processing", "Notation"
 *
 * The weights were trained beforehand (train_mixed.c), with and without type embedding; the seed
 * draws the pictures and the questions, none of which the model has seen. */
#include "lectures/02-tokens/mixed.h"

#include <string.h>

enum { BATCHES = 64 };

/* ---- each part alone ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int at, end;
} parts[] = {{"class", AT_CLASS, AT_WORD},
             {"word", AT_WORD, AT_PATCHES},
             {"patches", AT_PATCHES, AT_RESIDUES},
             {"amino acids", AT_RESIDUES, N}};

static Tensor *layers(const Mixed *m, Tensor *X, Mask mask)
{
    for (int i = 0; i < LAYERS; i++)
        X = nn_transformer_block(&m->blocks[i], X, mask);
    return X;
}

/* 1 where query and key are of one part. */
static Tensor *within_parts(Tape *tape)
{
    Tensor *keep = tape_full(tape, 0, shape2(N, N));
    for (int p = 0; p < 4; p++)
        for (int i = parts[p].at; i < parts[p].end; i++)
            for (int j = parts[p].at; j < parts[p].end; j++)
                keep->data[i * N + j] = 1;
    return keep;
}

static double each_alone(Trial *t)
{
    static Questions q;
    Exam e;
    exam_begin(&e, true, t->seed);
    mixed_questions(&q, &e.album, &e.rng);
    Tensor *X = mixed_tokens(&e.model, e.tape, &q);
    Mask mask = {.keep = broken(t, "no-mask") ? NULL : within_parts(e.tape)};
    Tensor *all = layers(&e.model, X, mask);
    double worst = 0;
    for (int p = 0; p < 4; p++) {
        Tensor *part = ag_slice(X, 1, parts[p].at, parts[p].end);
        Tensor *alone = layers(&e.model, ag_copy(part), (Mask){0});
        double off = values_difference(alone, ag_slice(all, 1, parts[p].at, parts[p].end));
        explain(t, "%-11s alone: X (%2d, %d) -> (%2d, %d); within the sequence of %d: %.2g apart",
                parts[p].name, (int)part->shape.dim[1], WIDTH, (int)alone->shape.dim[1],
                (int)alone->shape.dim[2], N, off);
        worst = values_worst(worst, off);
    }
    explain(
        t,
        "weights: %lld, of which %lld are of a part's own: E, W of the patches, positions, types",
        (long long)params_size(e.params),
        (long long)((IDS + TYPES + PATCHES) * WIDTH + (FEATURES + 1) * WIDTH));
    exam_end(&e);
    return worst;
}

/* ---- a set ----------------------------------------------------------------------------------- */

static double any_order(Trial *t)
{
    static Questions q;
    Exam e;
    int order[N];
    exam_begin(&e, true, t->seed);
    mixed_questions(&q, &e.album, &e.rng);
    order[0] = AT_CLASS; /* the answer is read there */
    data_order(order + 1, N - 1, t->seed, 0);
    for (int n = 1; n < N; n++)
        order[n]++;
    Tensor *X = mixed_tokens(&e.model, e.tape, &q), *moved = values_permuted(X, order);
    if (broken(t, "by-index")) {
        static real table[N * WIDTH];
        nn_sinusoids(table, N, WIDTH, 10000);
        Tensor *by_index = tape_input(e.tape, table, shape2(N, WIDTH));
        X = ag_add(X, by_index);
        moved = ag_add(moved, by_index);
    }
    double off = values_difference(mixed_logits(&e.model, X), mixed_logits(&e.model, moved));
    explain(t, "tokens 2 to %d in a random order: the logits of %d questions move by at most %.2g",
            N, BATCH, off);
    exam_end(&e);
    return off;
}

/* ---- questions across modalities ------------------------------------------------------------- */

/* Shares right, by whether the question is about the protein. */
typedef struct {
    double right[2];
    int asked[2];
    /* questions about the protein: right by Bayes' rule on the set of tokens without types */
    double bayes;
} Result;

/* Without types the word is one of seven letters. The protein is drawn letter by letter, then the
 * word among the d letters that it has, or among the 8 - d that it lacks, with 1/2 each. So for
 * letter l with c_l of the seven:
 *   word l, yes (c_l >= 2):  proportional to c_l / d         d: different letters of the seven
 *   word l, no  (c_l = 1):   proportional to 1 / (9 - d)
 * and Bayes' rule says yes if the sum of the former is larger. */
static bool bayes_says_yes(int word, const int residues[RESIDUES])
{
    int count[ACIDS] = {0}, different = 0;
    double yes = 0, no = 0;
    count[word]++;
    for (int i = 0; i < RESIDUES; i++)
        count[residues[i]]++;
    for (int l = 0; l < ACIDS; l++)
        different += count[l] > 0;
    for (int l = 0; l < ACIDS; l++) {
        if (count[l] >= 2)
            yes += (double)count[l] / different;
        if (count[l] == 1)
            no += 1.0 / (ACIDS + 1 - different);
    }
    return yes > no;
}

/* NaN where a logit is no number, or both are equal: then nothing was computed. */
static Result examine(uint64_t seed, bool typed, Damage damage)
{
    static Questions q;
    Exam e;
    Result r = {{0}, {0}, 0};
    exam_begin(&e, typed, seed);
    for (int k = 0; k < BATCHES; k++) {
        mixed_questions(&q, &e.album, &e.rng);
        damage_questions(&q, damage);
        tape_reset(e.tape);
        const Tensor *y = mixed_logits(&e.model, mixed_tokens(&e.model, e.tape, &q));
        for (int b = 0; b < BATCH; b++) {
            double more = (double)y->data[2 * b + 1] - (double)y->data[2 * b];
            r.asked[q.protein[b]]++;
            r.right[q.protein[b]] +=
                isfinite(more) && more != 0 ? (more > 0) == q.yes[b] : (double)NAN;
            if (q.protein[b] && damage == WHOLE)
                r.bayes += bayes_says_yes(q.ids[b][1], q.residues[b]) == q.yes[b];
        }
    }
    for (int protein = 0; protein < 2; protein++)
        r.right[protein] /= r.asked[protein];
    r.bayes /= r.asked[1];
    exam_end(&e);
    return r;
}

static double across(Trial *t)
{
    Damage damage = broken(t, "blank-picture") ? BLANK_PICTURE
                    : broken(t, "no-word")     ? NO_WORD
                                               : WHOLE;
    Result r = examine(t->seed, !broken(t, "untyped"), damage);
    explain(t, "%4d times \"seven?\" and the like, about the picture: %.4f right", r.asked[0],
            r.right[0]);
    explain(t, "%4d times \"K?\" and the like, about the protein: %.4f right", r.asked[1],
            r.right[1]);
    return values_least(r.right[0], r.right[1]);
}

static double without_types(Trial *t)
{
    Result r = examine(t->seed, broken(t, "typed"), WHOLE);
    double error = sqrt(r.bayes * (1 - r.bayes) / r.asked[1]);
    explain(t, "questions about the protein, without types: %.4f right; Bayes' rule %.4f +- %.4f",
            r.right[1], r.bayes, error);
    return r.right[1] - r.bayes;
}

const Claim modalities_claims[] = {
    {9, each_alone,
     "words, patches and amino acids go through one stack as (N, D), alone or in one sequence",
     .slides = {"Z: Transformer processing", "Z: Notation"},
     .quantity = "max |each part alone - in one sequence, parts hidden from each other|",
     AT_MOST(2e-4, "sums of 24 terms, of which the hidden ones are 0; numbers up to 200, rounded "
                   "by 1.2e-5"),
     .faults = {{"no-mask", "the parts attend to each other"}}},
    {9, any_order,
     "tokens that carry type and position are a set: their order in X changes nothing",
     .slides = {"Z: Transformer processing"},
     .quantity = "max |logit - logit with tokens in another order|, 32 questions",
     AT_MOST(2e-4, "the same sums in another order; numbers up to 200, rounded by 1.2e-5 in ten "
                   "sums"),
     .faults = {{"by-index", "a positional encoding by index in the sequence is added"}}},
    {9, across,
     "one model answers questions about pictures (\"seven?\") and about proteins (\"K?\")",
     .slides = {"Z: Transformer processing"},
     .quantity = "share right of new questions about pictures, and about proteins: the lesser; one "
                 "training",
     AT_LEAST(0.94, "the trained model is right in 0.97, over 1,000 questions with an error of "
                    "0.006: five of them"),
     .faults = {{"untyped", "the model without type embedding"},
                {"blank-picture", "all patches are black"},
                {"no-word", "the word is not told"}}},
    {9, without_types,
     "without type embeddings a model does as well as Bayes' rule that cannot tell the word K from "
     "amino acids",
     .slides = {"Z: Transformer processing"},
     .quantity = "share right of questions about proteins, less that of Bayes' rule without types; "
                 "one training",
     BETWEEN(-0.08, 0.055,
             "0.055 is 4 standard errors; 0.08 below it a third of what is above "
             "chance, 0.22, is not learned"),
     .faults = {{"typed", "the model with type embedding"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_types(const Sketch *s)
{
    static const char *const names[] = {"seven?, typed", "seven?, untyped", "K?, typed",
                                        "K?, untyped", "K?, Bayes' rule"};
    Result typed = examine(s->seed, true, WHOLE), untyped = examine(s->seed, false, WHOLE);
    const double right[] = {typed.right[0], untyped.right[0], typed.right[1], untyped.right[1],
                            untyped.bayes};
    const PlotBars bars = {.names = names,
                           .values = right,
                           .count = 5,
                           .title = "share right; Bayes' rule: the limit without type embedding"};
    return plot_bars(s->stem, &bars, 1, sketch_title(s, "The word K and the amino acid K"),
                     s->formats);
}

const Figure modalities_figures[] = {
    {9, "types", draw_types,
     .what = "what type embedding is needed for: one vocabulary, two kinds of tokens"},
    {0},
};
