/* queries.c: which of q, k and v says what is looked for (row 20; the model: reader.h).
 *
 *   y_it = sum_j softmax(q_it . k_j / sqrt(d))_j v_j     with q, or k, or v of another sentence
 *
 * Two sentences that differ in the last adjective alone: "tired" means the animal, "wide" the
 * street. In layer 2, where "it" reads the nouns, one of the three is taken from the other sentence
 * (activation patching), and the rest is computed again. */
#include "lectures/04-attention/reader.h"

#include "autograd/inspect.h"

enum { PAIRS = 60, PARTS = 3 };
static const char *const parts[PARTS] = {"q", "k", "v"};
static const char *const animals[] = {"animal", "dog", "cat",  "horse", "cow",    "goat",
                                      "sheep",  "fox", "wolf", "bear",  "rabbit", "donkey"};
static const char *const towns[] = {"street", "square", "avenue", "park", "road", "market", "lane"};
static const char *const tired[] = {"tired", "nervous", "scared", "sleepy", "lazy", "sick"};
static const char *const wide[] = {"wide", "busy", "crowded", "steep", "slippery", "noisy"};
#define DRAW(list, rng) list[rng_below(rng, sizeof list / sizeof *list)]

/* The logit of the animal less that of the town's noun, in s with this part of layer 2 taken from
 * `other`, the tape of the other sentence; part PARTS: with none. */
static double margin(const Reader *r, Tape *tape, Tape *other, const Sentence *s, int part)
{
    tape_reset(tape);
    if (part < PARTS) {
        char name[64];
        snprintf(name, sizeof name, "blocks.1.attn.%s", parts[part]);
        tape_edit(tape, name, (Edit){.kind = EDIT_PATCH, .with = tape_find(other, name)});
    }
    const Tensor *y = model_answer(&r->model, tape_ids(tape, s->ids, shape2(1, s->length)), NULL,
                                   tape_ids(tape, &s->query, shape1(1)));
    return tensor_is_poison(y) ? (double)NAN
                               : (double)y->data[s->label] - (double)y->data[s->other];
}

/* Two sentences that differ in the adjective: s[0] means the animal, s[1] the town's noun. */
static void draw_pair(const Reader *r, Rng *rng, Sentence s[2])
{
    const char *animal = DRAW(animals, rng), *town = DRAW(towns, rng);
    const char *adjective[] = {DRAW(tired, rng), DRAW(wide, rng)};
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "the %s didn't cross the %s because it was too %s .", animal,
                 town, adjective[i]);
        data_grammar_parse(r->grammar, text, &s[i]);
    }
}

/* By how much margins move, on average over the pairs, and by how much with each part alone;
 * returns the share of the queries less that of the values. */
static double queries_look(Trial *t)
{
    Reader r;
    Rng *rng = trial_rng(t, 2037);
    Tape *tape = trial_tape(t), *other = tape_new(t->seed);
    double moved[PARTS + 1][PAIRS];
    reader_begin(&r, !broken(t, "untrained"), t->seed);
    other->keep_names = true;
    for (int i = 0; i < PAIRS; i++) {
        Sentence s[2];
        draw_pair(&r, rng, s);
        double here = margin(&r, tape, NULL, &s[0], PARTS);
        /* of the second sentence the town's noun is right: its margin is that of the other sign */
        moved[PARTS][i] = here + margin(&r, other, NULL, &s[1], PARTS);
        if (broken(t, "itself"))
            margin(&r, other, NULL, &s[0], PARTS);
        for (int k = 0; k < PARTS; k++)
            moved[k][i] = here - margin(&r, tape, other, &s[0], k);
    }
    double all = values_mean(moved[PARTS], PAIRS).mean;
    Mean more = values_mean_difference(moved[0], moved[2], PAIRS);
    explain(t, "the adjective moves the margin between the two nouns by %.2f", all);
    for (int k = 0; k < PARTS; k++)
        explain(t, "with the other sentence's %s in layer 2 it moves by %.3f of that", parts[k],
                values_mean(moved[k], PAIRS).mean / all);
    explain(t, "queries less values: %.3f +- %.3f", more.mean / all, more.error / fabs(all));
    reader_end(&r);
    tape_free(other);
    return all > 1 ? more.mean / all : (double)NAN;
}

const Claim queries_claims[] = {
    {20, queries_look,
     "what \"it\" looks for stands in its query, not in the values: queries of another sentence "
     "move the margin between two nouns (one training)",
     .slides = {"V: Self-Attention", "V: Analogy for Query, Key, and Value", "H: Q, K, V"},
     .quantity = "share of the margin that an adjective moves by the queries of layer 2 alone, "
                 "less by the values alone",
     AT_LEAST(0.2, "over 60 pairs the share has an error below 0.05: four of these; where there "
                   "is no margin to move (below 1) it is NaN"),
     .faults = {{"untrained", "the weights it began with"},
                {"itself", "the queries, keys and values of the same sentence"}}},
    {0},
};
