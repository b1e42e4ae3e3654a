/* translation.c: the Transformer learns eight sentences (row 37).
 *
 * V's slide "Training the Transformer" shows two grids of probabilities for "Soy un estudiante": as
 * they should be, and a trained model's. */
#include "lectures/05-block/transformer.h"

#include <string.h>

enum { PAIRS = 8, WORDS = 6 };

static const Pair pairs[PAIRS] = {
    {{SOY, UN, ESTUDIANTE}, 3, {I, AM, A, STUDENT, EOS}, 5}, /* the slide's */
    {{SOY, ESTUDIANTE}, 2, {I, AM, A, STUDENT, EOS}, 5},
    {{UN, ESTUDIANTE}, 2, {A, STUDENT, EOS}, 3},
    {{GRACIAS}, 1, {THANKS, EOS}, 2},
    {{GRACIAS, ESTUDIANTE}, 2, {THANKS, STUDENT, EOS}, 3},
    {{ESTUDIANTE, GRACIAS}, 2, {STUDENT, THANKS, EOS}, 3},
    {{ESTUDIANTE}, 1, {STUDENT, EOS}, 2},
    {{SOY}, 1, {I, AM, EOS}, 3},
};

static const Lesson lesson = {pairs, PAIRS, .spanish = 4, .english = WORDS, .steps = 160};

/* ---- what a model says of the slide's sentence ----------------------------------------------- */

typedef struct {
    real grid[TARGET * WORDS]; /* p(word | right words before it)             */
    int greedy[PAIRS][TARGET]; /* what it writes of each sentence */
    double loss;               /* of the slide's sentence, by the library      */
    double leak;               /* max |change of an output| as later words change */
} Says;

/* What step t says must not change with the word that it is to say, nor with later ones. */
static double leak_of(const Transformer *m, Tape *tape)
{
    double worst = 0;
    for (int t = 0; t < TARGET; t++) {
        int in[TARGET], out[TARGET];
        Pair other = pairs[0];
        for (int i = t; i < TARGET; i++)
            other.target[i] = THANKS;
        tape_reset(tape);
        small_transformer_shift(m, &pairs[0], in, out);
        Tensor *before = small_transformer_logits(m, tape, &pairs[0], in);
        small_transformer_shift(m, &other, in, out);
        Tensor *after = small_transformer_logits(m, tape, &pairs[0], in);
        worst = values_worst(worst, values_difference(ag_slice(before, 1, 0, t + 1),
                                                      ag_slice(after, 1, 0, t + 1)));
    }
    return worst;
}

static bool ask(const Transformer *m, Tape *tape, Says *says)
{
    int in[TARGET], out[TARGET];
    tape->no_grad = true;
    says->leak = leak_of(m, tape);
    for (int i = 0; i < PAIRS; i++)
        small_transformer_write(m, tape, &pairs[i], says->greedy[i]);
    tape_reset(tape);
    small_transformer_shift(m, &pairs[0], in, out);
    Tensor *logits = small_transformer_logits(m, tape, &pairs[0], in);
    says->loss =
        (double)tensor_item(ag_cross_entropy(logits, tape_ids(tape, out, shape2(1, TARGET))));
    tensor_read(ag_softmax(logits), says->grid);
    tape->no_grad = false;
    return !tensor_failed();
}

/* Each variant is trained once for all claims. */
static const Says *says_of(uint64_t seed, Variant variant)
{
    static Says known[VARIANTS];
    static Made made[VARIANTS];
    if (made_for(&made[variant], seed))
        return &known[variant];
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    static Transformer m;
    made[variant].is = p && tape && small_transformer_init(&m, p, &lesson, variant) &&
                       small_transformer_train(&m, p, tape) && ask(&m, tape, &known[variant]);
    tape_free(tape);
    params_free(p);
    return made[variant].is ? &known[variant] : NULL;
}

/* What the whole model says, or the one that the claim's fault makes of it. */
static const Says *asked(const Trial *t)
{
    static const char *const faults[VARIANTS] = {"", "untrained", "no-cross", "not-shifted"};
    Variant v = WHOLE;
    for (int i = 0; t->fault && i < VARIANTS; i++)
        v = strcmp(t->fault, faults[i]) == 0 ? (Variant)i : v;
    return says_of(t->seed, v);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static double trained_grid(Trial *t)
{
    const Says *s = asked(t);
    double worst = 0;
    for (int i = 0; s && i < TARGET; i++) {
        char line[128] = "";
        for (int w = 0; w < WORDS; w++) {
            double p = (double)s->grid[i * WORDS + w];
            worst = values_worst(worst, fabs(p - (w == pairs[0].target[i])));
            snprintf(line + strlen(line), sizeof line - strlen(line), "  %s %.3f", english_words[w],
                     p);
        }
        explain(t, "step %d:%s", i + 1, line);
    }
    return s ? worst : (double)NAN;
}

static double translation(Trial *t)
{
    const Says *s = asked(t);
    int wrong = 0;
    for (int i = 0; s && i < PAIRS; i++) {
        char text[TRANSLATION_TEXT];
        wrong += !small_transformer_right(&pairs[i], s->greedy[i], text);
        explain(t, "%s", text);
    }
    return s ? wrong : (double)NAN;
}

static double shifted(Trial *t)
{
    const Says *s = asked(t);
    explain(
        t, "max change of the outputs up to step t, as the words from t on become \"thanks\": %.3g",
        s ? s->leak : 0);
    return s ? s->leak : (double)NAN;
}

/* Six encoder and six decoder blocks of the paper's base model, from one of each, and the two norms
 * that PyTorch's Transformer has at the ends. */
static double parameters(Trial *t)
{
    Params *encoder = params_new(t->seed), *decoder = params_new(t->seed);
    BlockConfig c = {.channels = 512, .heads = 8, .hidden = 2048};
    TransformerBlock e, not_cross;
    DecoderBlock d;
    double count = (double)NAN;
    if (nn_transformer_block_init(&e, encoder, "e", c) &&
        (broken(t, "no-cross") ? nn_transformer_block_init(&not_cross, decoder, "d", c)
                               : nn_decoder_block_init(&d, decoder, "d", c))) {
        count = (double)(6 * params_size(encoder) + 6 * params_size(decoder) + 2 * 2 * 512);
        explain(t, "6 x %lld + 6 x %lld + 4 x 512 = %.0f", (long long)params_size(encoder),
                (long long)params_size(decoder), count);
    }
    params_free(encoder);
    params_free(decoder);
    return count;
}

const Claim translation_claims[] = {
    {37, trained_grid,
     "a trained model's grid for \"Soy un estudiante\" is nearly the grid of targets",
     .slides = {"V: Training the Transformer"},
     .quantity = "max |p - target| over 5 steps and 6 words",
     AT_MOST(0.1, "0.9 for each right word: eight sentences leave nothing to doubt"),
     .faults = {{"untrained", "the initial weights"}, {"no-cross", "the memory is all zeros"}}},
    {37, translation, "word by word, the trained model writes \"I am a student <eos>\"",
     .slides = {"V: Training the Transformer", "V: Transformer", "V: From RNNs to Transformers",
                "H: Transformer", "J: Transformer"},
     .quantity = "sentences of 8 that are wrong in any word",
     EXACTLY(0, "it was trained on these eight, and they say seven different things"),
     .faults = {{"no-cross", "the memory is all zeros: every sentence is alike"},
                {"not-shifted", "in training the decoder is given the word it is to say"},
                {"untrained", "the initial weights"}}},
    {37, shifted,
     "with inputs shifted right under a causal mask, no step depends on the word that it predicts",
     .slides = {"V: Training the Transformer", "J: Transformer"},
     .quantity = "max change of logits as their word and later ones change",
     EXACTLY(0, "those words come in at later steps, where the mask's weights are exactly 0"),
     .faults = {{"not-shifted", "the decoder is given the word it is to say"}}},
    {37, parameters, "the base model's 6 + 6 layers have as many weights as PyTorch's",
     .quantity = "weights at d = 512, 8 heads, hidden 2048, without embeddings",
     EXACTLY(44140544, "what torch.nn.Transformer() of PyTorch 1.13 has, counted there"),
     .faults = {{"no-cross", "decoder blocks without cross-attention"}},
     HOLDS_POISONED("counts weights; no kernel is run")},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The model's grid after so few steps, of the same schedule. */
static bool grid_after(uint64_t seed, int steps, Says *says)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    static Transformer m;
    Lesson first = lesson;
    first.steps = steps;
    bool ok = small_transformer_init(&m, p, &first, WHOLE) &&
              small_transformer_train(&m, p, tape) && ask(&m, tape, says);
    tape_free(tape);
    params_free(p);
    return ok;
}

static bool draw_grids(const Sketch *s)
{
    enum { MAPS = 4 };
    static const char *const rows[] = {"step 1", "step 2", "step 3", "step 4", "step 5", NULL};
    static const char *const words[] = {"a", "am", "I", "thanks", "student", "<eos>", NULL};
    static const char *const titles[] = {"target", "trained for 20 steps", "for 40", "for 160"};
    static const int trained[] = {0, 20, 40, 160};
    static Says says[MAPS];
    PlotHeatmap maps[MAPS];
    Tape *tape = tape_new(s->seed);
    real target[TARGET * WORDS] = {0};
    for (int i = 0; i < TARGET; i++)
        target[i * WORDS + pairs[0].target[i]] = 1;
    for (int i = 0; i < MAPS; i++) {
        if (i && !grid_after(s->seed, trained[i], &says[i]))
            return false;
        maps[i] =
            (PlotHeatmap){.map = tape_input(tape, i ? says[i].grid : target, shape2(TARGET, WORDS)),
                          .rows = rows,
                          .columns = words,
                          .title = titles[i],
                          .row_name = "",
                          .column_name = "",
                          .scale = {.low = 0, .high = 1, .name = "probability"},
                          .values = true};
    }
    bool ok =
        plot_heatmaps(s->stem, maps, MAPS, sketch_title(s, "\"Soy un estudiante\""), s->formats);
    tape_free(tape);
    return ok;
}

const Figure translation_figures[] = {
    {37, "grids", draw_grids,
     .what = "the probabilities of six words at each step: the target's, and the model's as it is "
             "trained"},
    {0},
};
