/* trained_model.c: where a trained model looks (rows 17 and 25).
 *
 *   The animal didn't cross the street because it was too tired / wide.       V, J: what is "it"?
 *   I swam across the river ... other bank. / I walked ... cash from the bank.        Z: which bank?
 *
 * They are read by the model of examples/attention, trained beforehand:
 *   ./gradus example attention --channels 32 --save lectures/04-attention/trained_model.safetensors */
#include "lectures/04-attention/attention.h"

#include "examples/attention/settings.h"
#include "examples/common/options.h"

#include <string.h>

/* ---- the trained model ---------------------------------------------------------------------------------- */

typedef struct {
    Grammar *grammar;
    Params *params;
    Model model;
} Reader;

/* Loads the trained model, or begins one with random weights. */
static void reader_begin(Reader *r, bool trained, uint64_t seed)
{
    const Settings settings = {.window = 4, .channels = 32};
    *r = (Reader){.grammar = data_grammar_new(), .params = params_new(seed)};
    ModelConfig config = sentence_config(&settings, r->grammar, POSITION_SINUSOIDAL);
    if (trained)
        load_model(&r->model, r->params, LECTURES_FOLDER "/04-attention/trained_model.safetensors",
                   config, NULL);
    else
        begin_model(&r->model, r->params, config);
}

static void reader_end(Reader *r)
{
    params_free(r->params);
    data_grammar_free(r->grammar);
}

/* A sentence read, with all maps on the tape, and the probability of its right answer. */
typedef struct {
    Sentence sentence;
    const char *words[DATA_WORDS_MAX];
    Tensor *maps[LAYERS]; /* (1, H, T, T), as long as the tape is not reset */
    double right;
} Reading;

static void read_sentence(const Reader *r, Tape *tape, const char *text, bool mask_cue,
                          Reading *reading)
{
    Sentence *s = &reading->sentence;
    data_grammar_parse(r->grammar, text, s);
    if (mask_cue)
        data_sentence_mask_cue(s);
    for (int i = 0; i < s->length; i++)
        reading->words[i] = data_vocab_word(data_grammar_words(r->grammar), s->ids[i]);
    tape_reset(tape);
    tape->keep_maps = true;
    Tensor *ids = tape_ids(tape, s->ids, shape2(1, s->length));
    Tensor *logits = model_answer(&r->model, ids, NULL, tape_ids(tape, &s->query, shape1(1)));
    reading->right = (double)tensor_get(ag_softmax(logits), (int64_t[]){0, s->label});
    for (int l = 0; l < LAYERS; l++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, "blocks.%d.attn.A", l);
        reading->maps[l] = tape_find(tape, name);
    }
}

static const char *const it_sentences[2] = {
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
};
static const char *const bank_sentences[2] = {
    "I swam across the river to get to the other bank.",
    "I walked across the road to get cash from the bank.",
};

/* The weight from the queried word to the word that it means. */
static double to_meaning(const Reading *r, int layer, int head)
{
    const Sentence *s = &r->sentence;
    return (double)tensor_get(r->maps[layer], (int64_t[]){0, head, s->query, s->referent});
}

/* The head that looks from "it" to the right noun in both sentences, by the lesser of the two weights. */
static double best_head(const Reading pair[2], int *layer, int *head)
{
    double most = -1;
    for (int l = 0; l < LAYERS; l++)
        for (int h = 0; h < HEADS; h++) {
            double least = values_least(to_meaning(&pair[0], l, h), to_meaning(&pair[1], l, h));
            if (least > most) {
                most = least;
                *layer = l;
                *head = h;
            }
        }
    return most;
}

/* ---- row 17: "it" and "bank" ------------------------------------------------------------------------------ */

static double looks_at_noun(Trial *t)
{
    Reader r;
    Reading pair[2];
    Tape *tape[2] = {tape_new(t->seed), tape_new(t->seed)};
    int layer = 0, head = 0;
    reader_begin(&r, !broken(t, "untrained"), t->seed);
    for (int k = 0; k < 2; k++)
        read_sentence(&r, tape[k], it_sentences[k], broken(t, "cue-masked"), &pair[k]);
    double least = best_head(pair, &layer, &head);
    for (int k = 0; k < 2; k++)
        explain(t, "%s: layer %d, head %d gives \"%s\" %.3f; right with probability %.3f",
                k ? "wide" : "tired", layer + 1, head + 1, pair[k].words[pair[k].sentence.referent],
                to_meaning(&pair[k], layer, head), pair[k].right);
    for (int k = 0; k < 2; k++)
        tape_free(tape[k]);
    reader_end(&r);
    return least;
}

const Claim claim_it = {
    .row = 17,
    .statement = "one head looks from \"it\" to the animal (tired), the street (wide)",
    .slides = {"V: Self-Attention", "J: Self-attention",
               "V: Attention Visualization: Long distance dependency"},
    .quantity = "the lesser of the two weights, in the best head of the trained model",
    AT_LEAST(0.51),
    .why = "without the last word both sentences are one: one of the nouns gets at most a half",
    .faults = {{"untrained", "the weights it began with"},
               {"cue-masked", "<mask> for \"tired\" and \"wide\""}},
    .measure = looks_at_noun,
};

static double which_bank(Trial *t)
{
    Reader r;
    Reading reading;
    Tape *tape = tape_new(t->seed);
    double least = 1;
    reader_begin(&r, !broken(t, "untrained"), t->seed);
    for (int k = 0; k < 2; k++) {
        read_sentence(&r, tape, bank_sentences[k], broken(t, "cue-masked"), &reading);
        explain(t, "%s: the right bank with probability %.4f", bank_sentences[k], reading.right);
        least = values_least(least, reading.right);
    }
    tape_free(tape);
    reader_end(&r);
    return least;
}

const Claim claim_bank = {
    .row = 17,
    .statement = "which bank: a word far away, \"river\" or \"cash\", decides",
    .slides = {"Z: Attention"},
    .quantity = "the lesser probability of the right sense, trained model",
    AT_LEAST(0.9),
    .why = "between two senses, chance is 1/2; 0.9 is sure of both",
    .faults = {{"untrained", "the weights it began with"},
               {"cue-masked", "<mask> for the words that decide"}},
    .measure = which_bank,
};

/* ---- row 25: heads specialise ----------------------------------------------------------------------------------- */

/* How much two heads of a layer differ: half of sum |a - b|, the mean over queries; 0 alike, 1 nothing shared. */
static double heads_apart(const Reading *r, int layer, int a, int b)
{
    int n = r->sentence.length;
    double apart = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            apart += fabs((double)tensor_get(r->maps[layer], (int64_t[]){0, a, i, j}) -
                          (double)tensor_get(r->maps[layer], (int64_t[]){0, b, i, j})) /
                     (2 * n);
    return apart;
}

/* The same, the mean over all pairs of heads of both layers, for a model that was trained or was not. */
static double all_apart(bool trained, uint64_t seed)
{
    Reader r;
    Reading reading;
    Tape *tape = tape_new(seed);
    double sum = 0;
    reader_begin(&r, trained, seed);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    for (int l = 0; l < LAYERS; l++)
        for (int a = 0; a < HEADS; a++)
            for (int b = 0; b < a; b++)
                sum += heads_apart(&reading, l, a, b) / (LAYERS * HEADS * (HEADS - 1) / 2);
    tape_free(tape);
    reader_end(&r);
    return sum;
}

static double heads_differ(Trial *t)
{
    double random = all_apart(false, t->seed), apart = all_apart(!broken(t, "untrained"), t->seed);
    explain(t, "two heads of a layer differ in %.3f of their weight; with random weights in %.3f",
            apart, random);
    return apart / random;
}

const Claim claim_heads_differ = {
    .row = 25,
    .statement = "trained heads look at different words; untrained ones look alike",
    .slides = {"V: Attention: Attention from Different Heads",
               "V: Multi-Head Self-Attention (MSA)"},
    .quantity = "share of its weight in which a head differs from another, over that at the start",
    AT_LEAST(2),
    .why = "random projections differ too; twice as far apart is no accident of the start",
    .faults = {{"untrained", "the weights it began with"}},
    .measure = heads_differ,
};

/* ---- figures -------------------------------------------------------------------------------------------------------- */

/* Arcs from the queried word of two sentences, in the head that looks from "it" to its noun; for "bank", the mean of
 * the last layer. */
static bool draw_pair(const Sketch *s, const char *const text[2], const char *const title[2],
                      bool it, const char *above)
{
    Reader r;
    Reading pair[2];
    Tape *tape[2] = {tape_new(1), tape_new(1)};
    PlotArcs arcs[2];
    int layer = LAYERS - 1, head = PLOT_MEAN;
    reader_begin(&r, true, 1);
    for (int k = 0; k < 2; k++)
        read_sentence(&r, tape[k], text[k], false, &pair[k]);
    if (it)
        best_head(pair, &layer, &head);
    for (int k = 0; k < 2; k++)
        arcs[k] = (PlotArcs){.words = pair[k].words,
                             .map = pair[k].maps[layer],
                             .head = head,
                             .from = pair[k].sentence.query,
                             .title = title[k]};
    bool ok = plot_arcs(s->stem, arcs, 2, sketch_title(s, above), s->formats);
    for (int k = 0; k < 2; k++)
        tape_free(tape[k]);
    reader_end(&r);
    return ok;
}

static bool draw_it(const Sketch *s)
{
    static const char *const titles[] = {"tired", "wide"};
    return draw_pair(s, it_sentences, titles, true, "What is \xe2\x80\x9cit\xe2\x80\x9d?");
}

const Figure figure_it = {
    .row = 17,
    .name = "it",
    .what = "one head of a trained model: from \"it\" to the animal, and to the street",
    .draw = draw_it,
};

static bool draw_bank(const Sketch *s)
{
    static const char *const titles[] = {"of a river", "for money"};
    return draw_pair(s, bank_sentences, titles, false,
                     "Which \xe2\x80\x9c"
                     "bank\xe2\x80\x9d?");
}

const Figure figure_bank = {
    .row = 17,
    .name = "bank",
    .what = "where the last layer looks from \"bank\": river and cash",
    .draw = draw_bank,
};

static bool draw_heads(const Sketch *s)
{
    Reader r;
    Reading reading;
    Tape *tape = tape_new(1);
    reader_begin(&r, true, 1);
    read_sentence(&r, tape, it_sentences[0], false, &reading);
    const Tensor *maps[LAYERS];
    for (int l = 0; l < LAYERS; l++)
        maps[l] = reading.maps[l];
    const PlotGrid grid = {.layers = maps,
                           .layer_count = LAYERS,
                           .rows = reading.words,
                           .columns = reading.words,
                           .title = sketch_title(s, "All heads of a trained model")};
    bool ok = plot_grid(s->stem, &grid, s->formats);
    tape_free(tape);
    reader_end(&r);
    return ok;
}

const Figure figure_heads = {
    .row = 25,
    .name = "heads",
    .what = "all heads of both layers of a trained model, for one sentence",
    .draw = draw_heads,
};
