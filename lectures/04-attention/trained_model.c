/* trained_model.c: where a trained model looks (row 17; the model: reader.h).
 *
 *   The animal didn't cross the street because it was too tired / wide.       V, J: what is "it"?
 *   I swam across the river ... other bank. / I walked ... cash from the bank.        Z: which bank? */
#include "lectures/04-attention/reader.h"

#include <string.h>

/* The weight from the queried word to the word that it means. */
static double to_meaning(const Reading *r, int layer, int head)
{
    const Sentence *s = &r->sentence;
    return (double)tensor_get(r->maps[layer], (int64_t[]){0, head, s->query, s->referent});
}

/* The head that looks from "it" to the right noun in both sentences, by the lesser of the two
 * weights. */
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

/* ---- row 17: "it" and "bank" ----------------------------------------------------------------- */

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

/* The probability of the right sense of one sentence, with <mask> for some of the deciding
 * words. */
static double sense_without(const Reader *r, Tape *tape, const char *text, int without)
{
    Reading reading;
    data_grammar_parse(r->grammar, text, &reading.sentence);
    for (int i = 0; i < reading.sentence.cues; i++)
        if (without == reading.sentence.cues || i == without)
            reading.sentence.ids[reading.sentence.cue[i]] = DATA_MASK;
    read_again(r, tape, &reading);
    return reading.right;
}

/* Each deciding word is masked alone, then all of them. */
static void explain_cues(Trial *t, const Reader *r, Tape *tape, const char *text)
{
    Sentence s;
    data_grammar_parse(r->grammar, text, &s);
    explain(t, "%s", text);
    for (int i = 0; i <= s.cues; i++)
        explain(t, "    without %-18s the right bank with probability %.4f",
                i == s.cues ? "any of them:"
                            : data_vocab_word(data_grammar_words(r->grammar), s.ids[s.cue[i]]),
                sense_without(r, tape, text, i));
}

static double which_bank(Trial *t)
{
    Reader r;
    Reading reading;
    Tape *tape = trial_tape(t);
    double least = 1;
    reader_begin(&r, !broken(t, "untrained"), t->seed);
    for (int k = 0; k < 2; k++) {
        read_sentence(&r, tape, bank_sentences[k], broken(t, "cue-masked"), &reading);
        explain_cues(t, &r, tape, bank_sentences[k]);
        least = values_least(least, reading.right);
    }
    reader_end(&r);
    return least;
}

const Claim trained_model_claims[] = {
    {17, looks_at_noun,
     "one head looks from \"it\" to the animal (tired), the street (wide); one training",
     .slides = {"V: Self-Attention", "J: Self-attention",
                "V: Attention Visualization: Long distance dependency"},
     .quantity = "the lesser of the two weights, in the best head of the trained model",
     AT_LEAST(0.51, "without the last word both sentences are one: one of the nouns gets at most "
                    "a half"),
     .faults = {{"untrained", "the weights it began with"},
                {"cue-masked", "<mask> for \"tired\" and \"wide\""}}},
    {17, which_bank, "a model tells by the other words which \"bank\" is meant (one training)",
     .slides = {"Z: Attention"},
     .quantity = "the lesser probability of the right sense, trained model",
     AT_LEAST(0.9, "between two senses, chance is 1/2; 0.9 is sure of both"),
     .faults = {{"untrained", "the weights it began with"},
                {"cue-masked", "<mask> for the words that decide"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* A copy of one head's map without weights below 0.1, which would be clutter: (T, T), on the
 * tape. */
static Tensor *strong_weights(Tape *tape, const Tensor *map, int head)
{
    int64_t n = map->shape.dim[3];
    Tensor *strong = tape_full(tape, 0, shape2(n, n));
    for (int64_t i = 0; i < n * n; i++) {
        double a = (double)tensor_get(map, (int64_t[]){0, head, i / n, i % n});
        strong->data[i] = a >= 0.1 ? (real)a : 0;
    }
    return strong;
}

/* Arcs from the queried word of two sentences: in the head that looks from "it" to its noun, and in
 * the head that "bank" needs (jobs.c). */
static bool draw_pair(const Sketch *s, const char *const text[2], const char *const title[2],
                      bool it, const char *above)
{
    Reader r;
    Reading pair[2];
    Tape *tape[2] = {tape_new(1), tape_new(1)};
    PlotArcs arcs[2];
    char whole[128];
    int layer = 1, head = 0;
    reader_begin(&r, true, 1);
    for (int k = 0; k < 2; k++)
        read_sentence(&r, tape[k], text[k], false, &pair[k]);
    if (it)
        best_head(pair, &layer, &head);
    for (int k = 0; k < 2; k++)
        arcs[k] = (PlotArcs){.words = pair[k].words,
                             .map = strong_weights(tape[k], pair[k].maps[layer], head),
                             .from = pair[k].sentence.query,
                             .title = title[k]};
    snprintf(whole, sizeof whole, "%s  Layer %d, head %d; weights of 0.1 and more", above,
             layer + 1, head + 1);
    bool ok = plot_arcs(s->stem, arcs, 2, sketch_title(s, whole), s->formats);
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

static bool draw_bank(const Sketch *s)
{
    static const char *const titles[] = {"of a river", "for money"};
    return draw_pair(s, bank_sentences, titles, false,
                     "Which \xe2\x80\x9c"
                     "bank\xe2\x80\x9d?");
}

const Figure trained_model_figures[] = {
    {17, "it", draw_it,
     .what = "one head of a trained model: from \"it\" to the animal, and to the street"},
    {17, "bank", draw_bank, .what = "where the head that \"bank\" needs looks from it"},
    {0},
};
