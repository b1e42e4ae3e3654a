/* causes.c: what a trained model's answer depends on, by cutting arcs and heads (rows 17 and 25;
 * the model: reader.h).
 *
 *   A_ij = 0 for one arc, or A_h v_h = 0 for one head: the rest is computed again (tape_edit)
 *
 * A weight says where a head reads; what changes without it says what the answer needs. The
 * gradient says what would change if only a little were cut: attribution patching (Nanda 2023). */
#include "lectures/04-attention/reader.h"

/* Sentences of which arcs are cut, and of which heads are. */
enum { ASKED = 40, MANY = 120 };
enum { CUTS_MAX = ASKED * LAYERS * HEADS * DATA_WORDS_MAX, HEADS_ASKED = MANY * LAYERS * HEADS };
typedef enum { TO_MEANING, TO_CUE, TO_OTHER, TARGETS } Target;
static const char *const target_names[TARGETS] = {"the noun it means", "the deciding word",
                                                  "any other word"};

/* One arc from "it", or one head, cut by itself: by how much the margin changes, the logit of the
 * right answer less that of the one with the opposite cues, and what the gradient predicts. */
typedef struct {
    Target target;
    double weight, change, predicted;
    bool flips; /* from the right answer to the other */
} Cut;

/* How the sentences are asked. factor: of all scores, below 1 for softmaxes that are less sure. */
typedef struct {
    bool trained, arcs, spared;
    double factor;
} Asking;

static Tensor *margin_of(const Reader *r, const Asking *a, Tape *tape, const Sentence *s)
{
    for (int l = 0; l < LAYERS && a->factor != 1; l++) {
        char name[64];
        snprintf(name, sizeof name, "blocks.%d.attn.scores", l);
        tape_edit(tape, name, (Edit){.kind = EDIT_SCALE, .factor = a->factor});
    }
    Tensor *logits = model_answer(&r->model, tape_ids(tape, s->ids, shape2(1, s->length)), NULL,
                                  tape_ids(tape, &s->query, shape1(1)));
    return ag_sub(ag_slice(logits, 1, s->label, s->label + 1),
                  ag_slice(logits, 1, s->other, s->other + 1));
}

/* -sum of gradient times value over what is cut. */
static double first_order(const Tensor *x, const Edit *e)
{
    double sum = 0;
    for (int64_t i = 0; i < x->shape.dim[2]; i++)
        for (int64_t k = 0; k < x->shape.dim[3]; k++) {
            bool query = !e->part[2].end || i == e->part[2].begin;
            bool key = !e->part[3].end || k == e->part[3].begin;
            int64_t at = e->part[1].begin * x->stride[1] + i * x->stride[2] + k * x->stride[3];
            if (query && key)
                sum -= (double)x->data[at] * (double)x->grad[at];
        }
    return sum;
}

static Target target_of(const Sentence *s, int key)
{
    for (int i = 0; i < s->cues; i++)
        if (s->cue[i] == key)
            return TO_CUE;
    return key == s->referent ? TO_MEANING : TO_OTHER;
}

/* Cut number i of a sentence: of an arc from "it" to key, or of a head. whole: the tape of the
 * sentence as it is, with its gradients. */
static Cut cut_one(const Reader *r, const Asking *a, Tape *whole, Tape *tape, const Sentence *s,
                   int i, double margin)
{
    int keys = a->arcs ? s->length : 1, layer = i / keys / HEADS, head = i / keys % HEADS;
    char name[64];
    Edit e = {.part = {[1] = {head, head + 1}}};
    if (a->spared)
        e.kind = EDIT_SCALE, e.factor = 1;
    Cut c = {.target = target_of(s, i % keys)};
    snprintf(name, sizeof name, "blocks.%d.attn.%s", layer, a->arcs ? "A" : "heads");
    const Tensor *x = tape_find(whole, name);
    if (a->arcs) {
        e.part[2].begin = s->query, e.part[2].end = s->query + 1;
        e.part[3].begin = i % keys, e.part[3].end = i % keys + 1;
        c.weight = (double)tensor_get(x, (int64_t[]){0, head, s->query, i % keys});
    }
    tape_reset(tape);
    tape_edit(tape, name, e);
    double after = (double)tensor_item(margin_of(r, a, tape, s));
    c.change = after - margin;
    c.flips = margin > 0 && after < 0;
    c.predicted = first_order(x, &e);
    return c;
}

/* All cuts in held-out sentences about "it"; returns their number. */
static int cut_all(Trial *t, Asking a, Cut *cut)
{
    Reader r;
    Tape *whole = tape_new(1), *tape = tape_new(1);
    Rng rng = {.seed = t->seed, .stream = 1725}; /* the same sentences however they are asked */
    int n = 0;
    whole->keep_names = whole->keep_maps = tape->keep_maps = true;
    reader_begin(&r, a.trained, t->seed);
    for (int i = 0; i < (a.arcs ? ASKED : MANY); i++) {
        Sentence s;
        do
            data_grammar_draw(r.grammar, &rng, DATA_HELD_OUT, &s);
        while (s.kind == DATA_SENSE);
        tape_reset(whole);
        Tensor *margin = margin_of(&r, &a, whole, &s);
        ag_backward(margin);
        for (int k = 0; k < LAYERS * HEADS * (a.arcs ? s.length : 1); k++)
            cut[n++] = cut_one(&r, &a, whole, tape, &s, k, (double)tensor_item(margin));
    }
    reader_end(&r);
    tape_free(tape);
    tape_free(whole);
    return n;
}

/* The arcs of the trained model, kept until another seed asks, since two claims ask the same; of a
 * model that is broken, not kept. */
static int arcs_of(Trial *t, const Cut **cut)
{
    static Cut kept[CUTS_MAX];
    static uint64_t seed;
    static int n;
    const Asking a = {.trained = !broken(t, "untrained"),
                      .arcs = true,
                      .spared = broken(t, "spared"),
                      .factor = 1};
    bool whole = a.trained && !a.spared;
    if (!whole || n == 0 || seed != t->seed)
        n = cut_all(t, a, kept);
    seed = t->seed;
    *cut = kept;
    int count = n;
    n = whole ? n : 0;
    return count;
}

/* ---- row 17: which arcs the answer needs ----------------------------------------------------- */

/* The share of arcs, of those with a weight of 0.3 or more, without which the answer is the other
 * one: of those to the deciding words, less of those to the noun that is meant. */
static double needs_the_cue(Trial *t)
{
    const Cut *cut;
    int n = arcs_of(t, &cut), count[TARGETS] = {0}, flips[TARGETS] = {0};
    for (int i = 0; i < n; i++)
        if (cut[i].weight >= 0.3) {
            count[cut[i].target]++;
            flips[cut[i].target] += cut[i].flips;
        }
    for (int k = 0; k < TARGETS; k++)
        explain(
            t, "%d arcs of weight 0.3 and more to %s: without it the answer is the other, %d times",
            count[k], target_names[k], flips[k]);
    if (!count[TO_CUE] || !count[TO_MEANING])
        return (double)NAN;
    return (double)flips[TO_CUE] / count[TO_CUE] - (double)flips[TO_MEANING] / count[TO_MEANING];
}

/* ---- row 25: weights and effects, gradients and effects -------------------------------------- */

/* Of arcs with a weight of 0.9 or more: the largest change of the margin, less the smallest. */
static double weight_and_effect(Trial *t)
{
    const Cut *cut;
    int n = arcs_of(t, &cut);
    double most = (double)NAN, least = (double)NAN, small = 0;
    for (int i = 0; i < n; i++) {
        double change = fabs(cut[i].change);
        if (cut[i].weight >= 0.9) {
            most = most >= change ? most : change;
            least = least <= change ? least : change;
        } else if (cut[i].weight <= 0.05) {
            small = values_worst(small, change);
        }
    }
    explain(t, "arcs of weight 0.9 and more change the margin by %.3f to %.3f", least, most);
    explain(t, "arcs of weight 0.05 and less by at most %.3f", small);
    return most - least;
}

/* Each number's rank among all n, from -n to n; ties share one. */
static void ranks_of(const double *x, int n, double *rank)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int k = 0; k < n; k++)
            rank[i] += (x[k] < x[i]) - (x[k] > x[i]);
    }
}

/* Of ranks, whose mean is 0; without sentence number `out`, of whose heads the pairs stand side by
 * side. */
static double correlation(const double *x, const double *y, int out)
{
    double xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < HEADS_ASKED; i++)
        if (i / (LAYERS * HEADS) != out)
            xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
    return xy / sqrt(xx * yy);
}

/* The rank correlation (Spearman 1904) of what cutting each head changes with what the gradient
 * predicts; its error by the jackknife over sentences. */
static double foreseen(Trial *t, Asking a)
{
    static Cut cut[HEADS_ASKED];
    double x[2][HEADS_ASKED], rank[2][HEADS_ASKED], sum = 0, squares = 0;
    int n = cut_all(t, a, cut);
    for (int i = 0; i < n; i++)
        x[0][i] = cut[i].change, x[1][i] = cut[i].predicted;
    for (int k = 0; k < 2; k++)
        ranks_of(x[k], n, rank[k]);
    double r = correlation(rank[0], rank[1], -1);
    for (int s = 0; s < MANY; s++) {
        double without = correlation(rank[0], rank[1], s);
        sum += without / MANY, squares += without * without / MANY;
    }
    explain(t, "%s, scores times %g: rank correlation %.3f +- %.3f over %d heads",
            a.trained ? "trained" : "untrained", a.factor, r,
            sqrt((MANY - 1) * (squares - sum * sum)), n);
    return r;
}

static double gradient_foresees(Trial *t)
{
    bool trained = !broken(t, "untrained");
    return foreseen(t, (Asking){.factor = 1}) -
           foreseen(t, (Asking){.trained = trained, .factor = 1});
}

static double saturation_hides(Trial *t)
{
    bool less_sure = !broken(t, "as-sure");
    return foreseen(t, (Asking){.trained = true, .factor = less_sure ? 0.1 : 1}) -
           foreseen(t, (Asking){.trained = true, .factor = 1});
}

const Claim causes_claims[] = {
    {17, needs_the_cue,
     "cutting the arc from \"it\" to the deciding word turns the answer, that to the noun hardly "
     "ever (one training)",
     .slides = {"V: Self-Attention", "J: Self-attention"},
     .quantity =
         "share of answers turned by arcs of weight 0.3 and more: to the word, less to the noun",
     AT_LEAST(0.04, "of about 55 arcs a quarter turns it: the share has an error of 0.06; 0.04 is "
                    "three of these below a quarter"),
     .faults = {{"untrained", "the weights it began with"}, {"spared", "nothing is cut"}}},
    {25, weight_and_effect,
     "a weight does not say what the answer needs: of arcs of 0.9 and more, one changes nothing, "
     "another all (one training)",
     .slides = {"V: Attention: Attention from Different Heads"},
     .quantity = "change of the answer's margin by cutting: the largest less the smallest",
     AT_LEAST(2, "a margin of 2 is a factor of 7 between two answers"),
     .faults = {{"untrained", "the weights it began with"}, {"spared", "nothing is cut"}}},
    {25, gradient_foresees,
     "before training, gradient times difference ranks heads as cutting them does; after it, worse "
     "(one training)",
     .slides = {"V: Attention: Attention from Different Heads"},
     .quantity = "rank correlation over 960 heads before training, less after it",
     AT_LEAST(0.05, "the less certain of both has an error below 0.03 by the jackknife over 120 "
                    "sentences, and 0 would be no difference"),
     .faults = {{"untrained", "the weights it began with, twice"}}},
    {25, saturation_hides,
     "it ranks them better where all scores are a tenth: a saturated softmax has small gradients "
     "(one training)",
     .slides = {"V: Attention: Attention from Different Heads"},
     .quantity = "rank correlation over 960 heads with scores times 0.1, less as they are",
     AT_LEAST(0.05, "the less certain of both has an error below 0.03 by the jackknife over 120 "
                    "sentences, and 0 would be no difference"),
     .faults = {{"as-sure", "the scores as they are, twice"}}},
    {0},
};
