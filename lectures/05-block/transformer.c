/* transformer.c: the whole Transformer of "Attention is all you need", fig. 1, learns eight
 * sentences (row 37).
 *
 *   source ids -> embedding + position -> N encoder blocks -> memory
 *   <bos> and the words so far -> embedding + position -> N decoder blocks over memory -> linear -> softmax
 *                                                         V "Training the Transformer", H, J "Transformer"
 *
 * V's slide shows two grids of probabilities for "Soy un estudiante": as they should be, and a
 * trained model's. */
#include "lectures/05-block/block.h"

#include <string.h>

enum { SOURCE = 3, TARGET = 5, PAIRS = 8, IGNORED = -100 };
enum { LAYERS = 2, WIDTH = 32, HEADS = 4, WARMUP = 30, STEPS = 160 };
static const double rate = 3e-3;

enum { SOY, UN, ESTUDIANTE, GRACIAS, SPANISH };
enum { A, AM, I, THANKS, STUDENT, EOS, WORDS, BOS = WORDS };
static const char *const spanish_words[] = {"soy", "un", "estudiante", "gracias"};
static const char *const english_words[] = {"a", "am", "I", "thanks", "student", "<eos>", NULL};

static const struct {
    int source[SOURCE], length;
    int target[TARGET], words; /* with its <eos> */
} pairs[PAIRS] = {
    {{SOY, UN, ESTUDIANTE}, 3, {I, AM, A, STUDENT, EOS}, 5}, /* the slide's */
    {{SOY, ESTUDIANTE}, 2, {I, AM, A, STUDENT, EOS}, 5},
    {{UN, ESTUDIANTE}, 2, {A, STUDENT, EOS}, 3},
    {{GRACIAS}, 1, {THANKS, EOS}, 2},
    {{GRACIAS, ESTUDIANTE}, 2, {THANKS, STUDENT, EOS}, 3},
    {{ESTUDIANTE, GRACIAS}, 2, {STUDENT, THANKS, EOS}, 3},
    {{ESTUDIANTE}, 1, {STUDENT, EOS}, 2},
    {{SOY}, 1, {I, AM, EOS}, 3},
};

/* What a fault makes of the model. */
typedef enum { WHOLE, UNTRAINED, NO_CROSS, NOT_SHIFTED, VARIANTS } Variant;

typedef struct {
    Variant variant;
    Embedding spanish, english;
    PositionalEncoding position;
    TransformerBlock encoder[LAYERS];
    DecoderBlock decoder[LAYERS];
    Linear head;
} Transformer;

static bool transformer_init(Transformer *m, Params *p, Variant variant)
{
    BlockConfig c = {.channels = WIDTH,
                     .heads = HEADS,
                     .post_norm = true,
                     .activation = ACTIVATION_RELU};
    m->variant = variant;
    bool ok = nn_embedding_init(&m->spanish, p, "spanish", SPANISH, WIDTH) &&
              nn_embedding_init(&m->english, p, "english", WORDS + 1, WIDTH) &&
              nn_position_init(&m->position, p, "position", POSITION_SINUSOIDAL, TARGET, WIDTH) &&
              nn_linear_init(&m->head, p, "head", WIDTH, WORDS, true);
    for (int l = 0; ok && l < LAYERS; l++)
        ok = nn_transformer_block_init(&m->encoder[l], p, params_path(p, "encoder.%d", l), c) &&
             nn_decoder_block_init(&m->decoder[l], p, params_path(p, "decoder.%d", l), c);
    return ok;
}

/* source (B, S) -> memory (B, S, C) */
static Tensor *encode(const Transformer *m, Tensor *source, Mask real_words)
{
    Tensor *memory = nn_position(&m->position, nn_embedding(&m->spanish, source));
    for (int l = 0; l < LAYERS; l++)
        memory = nn_transformer_block(&m->encoder[l], memory, real_words);
    return m->variant == NO_CROSS ? ag_scale(memory, 0) : memory;
}

/* words so far (B, T) -> logits (B, T, words) for the word after each */
static Tensor *decode(const Transformer *m, Tensor *memory, Tensor *words, Mask real_words)
{
    Tensor *y = nn_position(&m->position, nn_embedding(&m->english, words));
    for (int l = 0; l < LAYERS; l++)
        y = nn_decoder_block(&m->decoder[l], y, memory, (Mask){0}, real_words);
    return nn_linear(&m->head, y);
}

/* n sentences from the first one on, given `words` (n, T): logits (n, T, words). */
static Tensor *logits_of(const Transformer *m, Tape *tape, int first, int n, const int *words)
{
    int source[PAIRS * SOURCE], lengths[PAIRS];
    for (int i = 0; i < n; i++) {
        memcpy(source + i * SOURCE, pairs[first + i].source, sizeof pairs->source);
        lengths[i] = pairs[first + i].length;
    }
    Mask real_words = {.lengths = tape_ids(tape, lengths, shape1(n))};
    Tensor *memory = encode(m, tape_ids(tape, source, shape2(n, SOURCE)), real_words);
    return decode(m, memory, tape_ids(tape, words, shape2(n, TARGET)), real_words);
}

/* The input of each step: <bos>, then the words, shifted right by one; and the word that it is to
 * say. */
static void shift(const Transformer *m, int pair, int in[TARGET], int out[TARGET])
{
    const int *target = pairs[pair].target, words = pairs[pair].words;
    for (int i = 0; i < TARGET; i++) {
        bool there = i < words;
        out[i] = there ? target[i] : IGNORED;
        in[i] = i == 0 ? BOS : i <= words ? target[i - 1] : EOS;
        if (m->variant == NOT_SHIFTED)
            in[i] = there ? target[i] : EOS;
    }
}

/* The mean of -log p of each right word of the first n sentences. */
static Tensor *loss_of(const Transformer *m, Tape *tape, int n, Tensor **logits)
{
    int in[PAIRS * TARGET], out[PAIRS * TARGET];
    for (int i = 0; i < n; i++)
        shift(m, i, in + i * TARGET, out + i * TARGET);
    *logits = logits_of(m, tape, 0, n, in);
    return ag_cross_entropy_ignore(*logits, tape_ids(tape, out, shape2(n, TARGET)), IGNORED);
}

static bool train(const Transformer *m, Params *p, Tape *tape, int steps)
{
    Adam adam = {0};
    Tensor *logits;
    bool ok = adam_init(&adam, p, rate);
    for (int step = 0; ok && step < steps && m->variant != UNTRAINED; step++) {
        adam.rate = nn_warmup_linear(step, WARMUP, steps, rate, 0);
        tape_reset(tape);
        ok = ag_backward(loss_of(m, tape, PAIRS, &logits)) && adam_step(&adam, p);
    }
    adam_free(&adam);
    return ok;
}

/* ---- what a model says ----------------------------------------------------------------------- */

typedef struct {
    real grid[TARGET * WORDS]; /* of the slide's sentence: p(word | right words before it) */
    int greedy[PAIRS][TARGET]; /* what it writes of each sentence */
} Says;

/* Writes word by word, each the most probable one after its own words so far. */
static void write_words(const Transformer *m, Tape *tape, int pair, int greedy[TARGET])
{
    int words[TARGET] = {BOS, EOS, EOS, EOS, EOS};
    for (int i = 0; i < TARGET; i++) {
        tape_reset(tape);
        const Tensor *logits = logits_of(m, tape, pair, 1, words);
        greedy[i] = tensor_is_poison(logits) ? EOS : nn_greedy(logits->data + i * WORDS, WORDS);
        if (i + 1 < TARGET)
            words[i + 1] = greedy[i];
    }
}

static bool trained_says(uint64_t seed, Variant variant, int steps, Says *says)
{
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    static Transformer m;
    Tensor *logits;
    bool ok = p && tape && transformer_init(&m, p, variant) && train(&m, p, tape, steps);
    if (ok) {
        tape->no_grad = true;
        for (int i = 0; i < PAIRS; i++)
            write_words(&m, tape, i, says->greedy[i]);
        tape_reset(tape);
        loss_of(&m, tape, 1, &logits);
        tensor_read(ag_softmax(logits), says->grid);
        ok = !tensor_failed();
    }
    tape_free(tape);
    params_free(p);
    return ok;
}

/* What the whole model says, or the one that the claim's fault makes of it. Each is trained once
 * for all claims. */
static const Says *asked(const Trial *t)
{
    static const char *const faults[VARIANTS] = {"", "untrained", "no-cross", "not-shifted"};
    static Says known[VARIANTS];
    static Made made[VARIANTS];
    Variant v = WHOLE;
    for (int i = 0; t->fault && i < VARIANTS; i++)
        v = strcmp(t->fault, faults[i]) == 0 ? (Variant)i : v;
    if (!made_for(&made[v], t->seed))
        made[v].is = trained_says(t->seed, v, STEPS, &known[v]);
    return made[v].is ? &known[v] : NULL;
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

/* "soy un estudiante -> I am a student <eos>" */
static double translation(Trial *t)
{
    const Says *s = asked(t);
    int wrong = 0;
    for (int i = 0; s && i < PAIRS; i++) {
        char line[160] = "";
        bool right = true;
        for (int k = 0; k < pairs[i].length; k++) {
            strcat(line, spanish_words[pairs[i].source[k]]);
            strcat(line, " ");
        }
        strcat(line, "->");
        for (int k = 0; k < pairs[i].words; k++) {
            right &= s->greedy[i][k] == pairs[i].target[k];
            strcat(line, " ");
            strcat(line, english_words[s->greedy[i][k]]);
        }
        explain(t, "%s%s", line, right ? "" : "   (wrong)");
        wrong += !right;
    }
    return s ? wrong : (double)NAN;
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
    {37, parameters, "the base model's 6 + 6 layers have as many weights as PyTorch's",
     .quantity = "weights at d = 512, 8 heads, hidden 2048, without embeddings",
     EXACTLY(44140544, "what torch.nn.Transformer() of PyTorch 1.13 has, counted there"),
     .faults = {{"no-cross", "decoder blocks without cross-attention"}},
     HOLDS_POISONED("counts weights; no kernel is run")},
    {0},
};

/* ---- figure ---------------------------------------------------------------------------------- */

/* The target, and the model's grids after so few steps, each of a schedule of its own. */
static bool draw_grids(const Sketch *s)
{
    enum { MAPS = 4 };
    static const char *const rows[] = {"step 1", "step 2", "step 3", "step 4", "step 5", NULL};
    static const char *const titles[] = {"target", "trained for 20 steps", "for 40", "for 160"};
    static const int trained[] = {0, 20, 40, STEPS};
    static Says says[MAPS];
    PlotHeatmap maps[MAPS];
    Tape *tape = tape_new(s->seed);
    for (int i = 0; i < TARGET; i++)
        says[0].grid[i * WORDS + pairs[0].target[i]] = 1;
    bool ok = true;
    for (int i = 0; ok && i < MAPS; i++) {
        ok = !i || trained_says(s->seed, WHOLE, trained[i], &says[i]);
        maps[i] = (PlotHeatmap){.map = tape_input(tape, says[i].grid, shape2(TARGET, WORDS)),
                                .rows = rows,
                                .columns = english_words,
                                .title = titles[i],
                                .row_name = "",
                                .column_name = "",
                                .scale = {.low = 0, .high = 1, .name = "probability"},
                                .values = true};
    }
    ok = ok &&
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
