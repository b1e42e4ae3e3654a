/* modes.c: encoder, decoder, and both (row 43).                     Z "Transformer Language Models"
 *
 *   encoder    tokens to a single vector    a label for a text: pooling, padding
 *   decoder    a single vector to tokens    a caption: all that is to be said must be in the vector
 *   both       tokens to tokens             cross-attention looks at each of the source's tokens */
#include "examples/classify/model.h"
#include "lectures/06-language/pairs.h"

enum { LENGTHS = 4, FEW = 500, MANY = 5000, LONGEST_COPY = 8 };

/* The target is the source. */
static void copy_letters(Rng *rng, int *source, int *target, int n, int number)
{
    (void)number;
    for (int i = 0; i < n; i++)
        target[i] = source[i] = (int)rng_below(rng, PAIR_LETTERS);
}

/* The share of letters that a model of 16 channels writes rightly after so many steps. */
static double copied(uint64_t seed, int length, MemoryKind memory, int steps)
{
    Params *p = params_new(seed);
    Pairs m;
    const PairTask task = {length, length, copy_letters, 0};
    double share = (double)NAN;
    if (p && pairs_model_init(&m, p, 16, memory) && pairs_train(&m, p, &task, steps, seed))
        share = pairs_right(&m, &task, true, seed);
    params_free(p);
    return share;
}

/* Eight letters: one vector after 500 and 5,000 steps; each token, and no vector, after 500. */
typedef struct {
    double few, many, all, none;
} Modes;

static const Modes *modes_of(Trial *t)
{
    static Modes m;
    static Made made;
    if (!made_for(&made, t->seed)) {
        m.few = copied(t->seed, LONGEST_COPY, MEMORY_ONE, FEW);
        m.many = copied(t->seed, LONGEST_COPY, MEMORY_ONE, MANY);
        m.all = copied(t->seed, LONGEST_COPY, MEMORY_ALL, FEW);
        m.none = copied(t->seed, LONGEST_COPY, MEMORY_NONE, FEW);
    }
    explain(t, "8 letters, written rightly: %.3f with cross-attention, 500 steps", m.all);
    explain(t, "one vector of 16 channels: %.3f after 500 steps, %.3f after 5,000; none: %.3f",
            m.few, m.many, m.none);
    return &m;
}

static double single_vector(Trial *t)
{
    const Modes *m = modes_of(t);
    return broken(t, "no-vector") ? m->none : broken(t, "500-steps") ? m->few : m->many;
}

static double cross_attention(Trial *t)
{
    const Modes *m = modes_of(t);
    return (broken(t, "one-vector") ? m->few : m->all) - m->few;
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
        few[i] = copied(s->seed, lengths_of[i], MEMORY_ONE, FEW);
        many[i] = copied(s->seed, lengths_of[i], MEMORY_ONE, MANY);
        all[i] = copied(s->seed, lengths_of[i], MEMORY_ALL, FEW);
        chance[i] = 1.0 / PAIR_LETTERS;
    }
    const PlotSeries series[] = {{"cross-attention, 500 steps", x, all, LENGTHS},
                                 {"one vector, 5,000 steps", x, many, LENGTHS},
                                 {"one vector, 500 steps", x, few, LENGTHS},
                                 {"chance", x, chance, LENGTHS}};
    return SKETCH_CURVES(s, "What a decoder can write from one vector of 16 channels", series,
                         .x_name = "letters to be copied", .y_name = "share that it writes rightly",
                         .y_low = 0, .y_high = 1);
}

const Figure modes_figures[] = {
    {43, "capacity", draw_capacity,
     .what = "letters that are written from one vector after 500 and 5,000 steps, and with "
             "cross-attention"},
    {0},
};
