/* modes.c: encoder, decoder, and both (row 43).                                       Z "Transformer Language Models"
 *
 *   encoder    tokens to a single vector       a label for a text: pooling, padding
 *   decoder    a single vector to tokens       a caption: all that is to be said must be in the vector
 *   both       tokens to tokens                cross-attention looks at each of the source's tokens */
#include "examples/classify/model.h"
#include "lectures/06-language/pairs.h"

enum { LENGTHS = 4, WIDTHS = 2, MODE_STEPS = 500 };
static const int lengths_of[LENGTHS] = {1, 2, 4, 8}, widths[WIDTHS] = {16, 32};

/* The target is the source. */
static void copy_letters(Rng *rng, int *source, int *target, int n)
{
    for (int i = 0; i < n; i++)
        target[i] = source[i] = (int)rng_below(rng, PAIR_LETTERS);
}

/* The share of letters copied rightly after training. */
static double copied(uint64_t seed, int length, int channels, MemoryKind memory)
{
    Params *p = params_new(seed);
    Pairs m;
    const PairTask task = {length, length, copy_letters};
    double share = (double)NAN;
    if (p && pairs_model_init(&m, p, channels, memory) &&
        pairs_train(&m, p, &task, MODE_STEPS, seed))
        share = pairs_right(&m, &task, seed);
    params_free(p);
    return share;
}

typedef struct {
    double one[WIDTHS][LENGTHS], all, none; /* all, none: 16 channels, 8 letters */
} Modes;

static const Modes *modes_of(uint64_t seed)
{
    static Modes m;
    static uint64_t made_for;
    static bool made;
    if (made && made_for == seed)
        return &m;
    for (int w = 0; w < WIDTHS; w++)
        for (int i = 0; i < LENGTHS; i++)
            m.one[w][i] = copied(seed, lengths_of[i], widths[w], MEMORY_ONE);
    m.all = copied(seed, 8, widths[0], MEMORY_ALL);
    m.none = copied(seed, 8, widths[0], MEMORY_NONE);
    made_for = seed;
    made = true;
    return &m;
}

static double single_vector(Trial *t)
{
    const Modes *m = modes_of(t->seed);
    for (int w = 0; w < WIDTHS; w++)
        for (int i = 0; i < LENGTHS; i++)
            explain(t, "one vector of %d channels, %d letters: %.3f copied", widths[w],
                    lengths_of[i], m->one[w][i]);
    explain(t, "8 letters, 16 channels: cross-attention %.3f, one vector %.3f, no vector %.3f",
            m->all, m->one[0][LENGTHS - 1], m->none);
    double few = broken(t, "no-vector") ? m->none : m->one[0][0];
    return values_least(few, broken(t, "eight-letters") ? m->one[0][LENGTHS - 1] : few);
}

const Claim claim_single_vector = {
    .row = 43,
    .statement = "a decoder can write a text of one letter from a single vector of 16 channels",
    .slides = {"Z: Transformer Language Models"},
    .quantity = "share of texts of one letter written rightly, a vector of 16 channels",
    AT_LEAST(0.95),
    .why = "one letter of eight is little; chance is 1/8",
    .faults = {{"no-vector", "the vector is 0: chance"},
               {"eight-letters", "eight letters in the same vector"}},
    .measure = single_vector,
};

static double cross_attention(Trial *t)
{
    const Modes *m = modes_of(t->seed);
    double one = m->one[0][LENGTHS - 1], all = broken(t, "one-vector") ? one : m->all;
    explain(t, "8 letters, 16 channels: cross-attention %.3f, one vector %.3f of the letters", all,
            one);
    return all - one;
}

const Claim claim_cross_attention = {
    .row = 43,
    .statement =
        "eight letters are copied better with cross-attention to each token than from one vector",
    .slides = {"Z: Transformer Language Models", "Z: Sequence-to-sequence transformers"},
    .quantity = "share of letters copied, all tokens as memory - their mean",
    AT_LEAST(0.15),
    .why = "of 4,000 letters: twenty standard errors of 0.008",
    .faults = {{"one-vector", "one vector against one vector"}},
    .measure = cross_attention,
};

/* ---- a classifier: padding and pooling ------------------------------------------------------------------------------------ */

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

const Claim claim_classifier_padding = {
    .row = 43,
    .statement = "padding changes neither attention nor the mean over tokens",
    .slides = {"J: Transformer Encoder for Text Classification", "H: Transformer Encoder"},
    .quantity = "max |logits alone - logits with padding|, mean and <class> pooling",
    AT_MOST(1e-5),
    .why = "the same sums; with padding the rows lie elsewhere",
    .faults = {{"no-lengths", "padding is taken for words"}},
    .measure = padding,
};

/* ---- figure --------------------------------------------------------------------------------------------------------------- */

static bool draw_capacity(const Sketch *s)
{
    static double x[LENGTHS], all[LENGTHS], chance[LENGTHS];
    const Modes *m = modes_of(s->seed);
    for (int i = 0; i < LENGTHS; i++) {
        x[i] = lengths_of[i];
        all[i] = i == LENGTHS - 1 ? m->all : copied(s->seed, lengths_of[i], widths[0], MEMORY_ALL);
        chance[i] = 1.0 / PAIR_LETTERS;
    }
    const PlotSeries series[] = {{"cross-attention to each token, 16 channels", x, all, LENGTHS},
                                 {"one vector of 32 channels", x, m->one[1], LENGTHS},
                                 {"one vector of 16 channels", x, m->one[0], LENGTHS},
                                 {"chance", x, chance, LENGTHS}};
    const PlotCurves curves = {.series = series,
                               .count = 4,
                               .title = sketch_title(s, "What a decoder can write from one vector"),
                               .x_name = "letters to be copied",
                               .y_name = "share that is right",
                               .y_low = 0,
                               .y_high = 1};
    return plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_capacity = {
    .row = 43,
    .name = "capacity",
    .what = "letters that are copied from one vector, by its width, and with cross-attention",
    .draw = draw_capacity,
};
