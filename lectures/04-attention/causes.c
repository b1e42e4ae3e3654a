/* causes.c: what a trained model's answer depends on, by cutting arcs and heads (rows 17 and 25;
 * the model: reader.h).
 *
 *   A_ij = 0 for one arc, or A_h v_h = 0 for one head: the rest is computed again (tape_edit)
 *
 * A weight says where a head reads; what changes without it says what the answer needs. The
 * gradient says what would change if only a little were cut: attribution patching (Nanda 2023). */
#include "lectures/04-attention/reader.h"

#include "autograd/inspect.h"

/* Sentences of which arcs are cut, and of which heads are. */
enum { ASKED = 40, MANY = 120 };
enum { CUTS_MAX = ASKED * LAYERS * HEADS * DATA_WORDS_MAX, HEADS_ASKED = MANY * LAYERS * HEADS };

/* One arc from "it", or one head, cut by itself: by how much the margin changes, the logit of the
 * right answer less that of the one with the opposite cues, and what the gradient predicts. */
typedef struct {
    double weight, change, predicted;
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
    Cut c = {0};
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

/* ---- row 17: which arcs the answer needs, one by one and together ---------------------------- */

enum { TOGETHER = HEADS };

static bool answers_rightly(const Reader *r, Tape *tape, const Sentence *s)
{
    const Tensor *y = model_answer(&r->model, tape_ids(tape, s->ids, shape2(1, s->length)), NULL,
                                   tape_ids(tape, &s->query, shape1(1)));
    return !tensor_is_poison(y) && nn_greedy(y->data, (int)shape_last(y->shape)) == s->label;
}

/* Of the heads of layer 2 the arc from "it" to key, of one head or of all together, cut: is the
 * answer no longer the right one? */
static bool lost_without(const Reader *r, bool spared, Tape *tape, const Sentence *s, int head,
                         int key)
{
    Edit e = {.part = {[2] = {s->query, s->query + 1}, [3] = {key, key + 1}}};
    if (head != TOGETHER)
        e.part[1].begin = head, e.part[1].end = head + 1;
    if (spared)
        e.kind = EDIT_SCALE, e.factor = 1;
    tape_reset(tape);
    bool before = answers_rightly(r, tape, s);
    tape_reset(tape);
    tape_edit(tape, "blocks.1.attn.A", e);
    return before && !answers_rightly(r, tape, s);
}

/* The share of sentences whose answer is lost without the arcs of layer 2 to the noun that is
 * meant, all together, less the share where the arc of any one head is enough. */
static double needs_all_arcs(Trial *t)
{
    bool spared = broken(t, "spared");
    Reader r;
    Tape *tape = trial_tape(t);
    Rng rng = {.seed = t->seed, .stream = 1725};
    int alone = 0, together = 0;
    tape->keep_names = tape->keep_maps = true;
    reader_begin(&r, !broken(t, "untrained"), t->seed);
    for (int i = 0; i < ASKED; i++) {
        Sentence s;
        do
            data_grammar_draw(r.grammar, &rng, DATA_HELD_OUT, &s);
        while (s.kind == DATA_SENSE);
        int key = broken(t, "word-before") ? s.query - 1 : s.referent;
        bool any = false;
        for (int h = 0; h < HEADS; h++)
            any |= lost_without(&r, spared, tape, &s, h, key);
        alone += any;
        together += lost_without(&r, spared, tape, &s, TOGETHER, key);
    }
    reader_end(&r);
    explain(t, "answers of %d that are lost without the arc of one head of layer 2: %d", ASKED,
            alone);
    explain(t, "without those of its %d heads together: %d", HEADS, together);
    return (double)(together - alone) / ASKED;
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

static double less_sure_foresees(Trial *t)
{
    bool less_sure = !broken(t, "as-sure");
    return foreseen(t, (Asking){.trained = true, .factor = less_sure ? 0.1 : 1}) -
           foreseen(t, (Asking){.trained = true, .factor = 1});
}

const Claim causes_claims[] = {
    {17, needs_all_arcs,
     "a single arc of layer 2 from \"it\" to the noun is hardly ever needed, all of them together "
     "mostly are (one training)",
     .slides = {"V: Self-Attention", "J: Self-attention"},
     .quantity = "share of answers lost without all heads' arcs to the noun, less without one's",
     AT_LEAST(0.5, "more than every second answer hangs on the arcs together alone; a share of 40 "
                   "has an error below 0.08"),
     .faults = {{"untrained", "the weights it began with"},
                {"spared", "nothing is cut"},
                {"word-before", "the arcs to the word before \"it\" are cut"}}},
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
    {25, less_sure_foresees, "it ranks them better where all scores are a tenth (one training)",
     .slides = {"V: Attention: Attention from Different Heads"},
     .quantity = "rank correlation over 960 heads with scores times 0.1, less as they are",
     AT_LEAST(0.05, "the less certain of both has an error below 0.03 by the jackknife over 120 "
                    "sentences, and 0 would be no difference"),
     .faults = {{"as-sure", "the scores as they are, twice"}}},
    {0},
};
