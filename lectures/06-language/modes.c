/* modes.c: encoder, decoder, and both (row 43).                     Z "Transformer Language Models"
 *
 *   encoder    tokens to a single vector    a label for a text: pooling, padding
 *   decoder    a single vector to tokens    a caption: all that is to be said must be in the vector
 *   both       tokens to tokens             cross-attention looks at each of the source's tokens */
#include "examples/classify/model.h"
#include "lectures/06-language/pairs.h"

enum { LENGTHS = 4, FEW = 500, MANY = 5000, LONGEST_COPY = 8, NARROW = 16 };

/* The target is the source. */
static void copy_letters(Rng *rng, int *source, int *target, int n)
{
    for (int i = 0; i < n; i++)
        target[i] = source[i] = (int)rng_below(rng, PAIR_LETTERS);
}

/* The shares of letters copied rightly after so many steps: written one after another, and named
 * after the right ones before, as in training. */
typedef struct {
    double own, taught;
} Copied;

static Copied copied(uint64_t seed, int length, int channels, MemoryKind memory, int steps)
{
    Params *p = params_new(seed);
    Pairs m;
    const PairTask task = {length, length, copy_letters};
    Copied share = {(double)NAN, (double)NAN};
    if (p && pairs_model_init(&m, p, channels, memory) && pairs_train(&m, p, &task, steps, seed))
        share = (Copied){pairs_written(&m, &task, seed), pairs_right(&m, &task, seed)};
    params_free(p);
    return share;
}

/* Eight letters, 16 channels: one vector after 500 and 5,000 steps; each token, and no vector,
 * after 500. */
typedef struct {
    Copied few, many, all, none;
} Modes;

static const Modes *modes_of(uint64_t seed)
{
    static Modes m;
    static Made made;
    if (made_for(&made, seed))
        return &m;
    m.few = copied(seed, LONGEST_COPY, NARROW, MEMORY_ONE, FEW);
    m.many = copied(seed, LONGEST_COPY, NARROW, MEMORY_ONE, MANY);
    m.all = copied(seed, LONGEST_COPY, NARROW, MEMORY_ALL, FEW);
    m.none = copied(seed, LONGEST_COPY, NARROW, MEMORY_NONE, FEW);
    return &m;
}

static void explain_modes(Trial *t, const Modes *m)
{
    const struct {
        const char *name;
        Copied share;
    } line[] = {{"cross-attention, 500 steps", m->all},
                {"one vector, 500 steps", m->few},
                {"one vector, 5,000 steps", m->many},
                {"no vector, 500 steps", m->none}};
    for (int i = 0; i < 4; i++)
        explain(t, "8 letters, 16 channels, %s: %.3f written rightly, %.3f named after right ones",
                line[i].name, line[i].share.own, line[i].share.taught);
}

static double single_vector(Trial *t)
{
    const Modes *m = modes_of(t->seed);
    explain_modes(t, m);
    return broken(t, "no-vector") ? m->none.own : broken(t, "500-steps") ? m->few.own : m->many.own;
}

static double cross_attention(Trial *t)
{
    const Modes *m = modes_of(t->seed);
    explain_modes(t, m);
    return (broken(t, "one-vector") ? m->few : m->all).own - m->few.own;
}

/* ---- a classifier: padding and pooling ------------------------------------------------------- */

/* A text alone, and the same with padding beside a longer one: how far its logits move. */
static double padding(Trial *t)
{
    enum { SHORT = 4, LONG = 9, WORDS = 12, PAD = 0 };
    double worst = 0;
    for (int pool = POOL_MEAN; pool <= POOL_CLASS; pool++) {
        const ClassifierConfig config = {.words = WORDS,
                                         .classes = 3,
                                         .channels = 16,
                                         .heads = 2,
                                         .layers = 2,
                                         .longest = LONG,
                                         .position = POSITION_LEARNED,
                                         .pool = pool};
        Params *p = params_new(t->seed);
        Tape *tape = tape_new(t->seed);
        Rng rng = {.seed = t->seed, .stream = 740};
        Classifier m;
        int ids[2 * LONG], lengths[2] = {SHORT, LONG};
        for (int i = 0; i < 2 * LONG; i++)
            ids[i] = i >= SHORT && i < LONG ? PAD : 1 + (int)rng_below(&rng, WORDS - 1);
        if (broken(t, "no-lengths"))
            lengths[0] = LONG;
        bool ok = classifier_init(&m, p, config);
        int alone = SHORT;
        Tensor *first = classifier_logits(&m, tape_ids(tape, ids, shape2(1, SHORT)),
                                          tape_ids(tape, &alone, shape1(1)));
        Tensor *both = classifier_logits(&m, tape_ids(tape, ids, shape2(2, LONG)),
                                         tape_ids(tape, lengths, shape1(2)));
        double off = ok ? values_difference(first, ag_slice(both, 0, 0, 1)) : (double)NAN;
        explain(t, "%s: 4 words alone, and with 5 <pad> beside 9 words: logits apart by %.2g",
                pool == POOL_MEAN ? "mean over the tokens" : "<class> token", off);
        worst = values_worst(worst, off);
        tape_free(tape);
        params_free(p);
    }
    return worst;
}

const Claim modes_claims[] = {
    {43, single_vector,
     "after 5,000 steps a decoder writes most of eight letters from a single vector of 16 channels",
     .slides = {"Z: Transformer Language Models"},
     .quantity = "share of letters that it writes rightly after its own ones, 5,000 steps",
     AT_LEAST(0.7, "not above 0.5 after 500 steps; 4,000 letters in 500 texts: errors below 0.02"),
     .faults = {{"no-vector", "the vector is 0: chance"}, {"500-steps", "500 steps of training"}}},
    {43, cross_attention,
     "after 500 steps eight letters are copied better with cross-attention to each token than from "
     "one vector of 16 channels",
     .slides = {"Z: Transformer Language Models", "Z: Sequence-to-sequence transformers"},
     .quantity = "share of letters written rightly, all tokens as memory - their mean, 500 steps",
     AT_LEAST(0.15, "4,000 letters in 500 texts: errors below 0.02"),
     .faults = {{"one-vector", "one vector against one vector"}}},
    {43, padding, "padding changes neither attention nor the mean over tokens",
     .slides = {"J: Transformer Encoder for Text Classification", "H: Transformer Encoder"},
     .quantity = "max |logits alone - logits with padding|, mean and <class> pooling",
     AT_MOST(1e-5, "the same sums; with padding the rows lie elsewhere"),
     .faults = {{"no-lengths", "padding is taken for words"}}},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

static bool draw_capacity(const Sketch *s)
{
    static const int lengths_of[LENGTHS] = {2, 4, 8, 12};
    static double x[LENGTHS], few[LENGTHS], many[LENGTHS], all[LENGTHS], chance[LENGTHS];
    for (int i = 0; i < LENGTHS; i++) {
        x[i] = lengths_of[i];
        few[i] = copied(s->seed, lengths_of[i], NARROW, MEMORY_ONE, FEW).own;
        many[i] = copied(s->seed, lengths_of[i], NARROW, MEMORY_ONE, MANY).own;
        all[i] = copied(s->seed, lengths_of[i], NARROW, MEMORY_ALL, FEW).own;
        chance[i] = 1.0 / PAIR_LETTERS;
    }
    const PlotSeries series[] = {{"cross-attention, 500 steps", x, all, LENGTHS},
                                 {"one vector, 5,000 steps", x, many, LENGTHS},
                                 {"one vector, 500 steps", x, few, LENGTHS},
                                 {"chance", x, chance, LENGTHS}};
    const PlotCurves curves = {
        .series = series,
        .count = 4,
        .title = sketch_title(s, "What a decoder can write from one vector of 16 channels"),
        .x_name = "letters to be copied",
        .y_name = "share that it writes rightly",
        .y_low = 0,
        .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure modes_figures[] = {
    {43, "capacity", draw_capacity,
     .what = "letters that are written from one vector after 500 and 5,000 steps, and with "
             "cross-attention"},
    {0},
};
