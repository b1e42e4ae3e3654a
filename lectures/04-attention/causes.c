/* causes.c: what a trained model's answer depends on, by cutting arcs (row 17; the model:
 * reader.h).
 *
 *   A_ij = 0 for one arc: the rest is computed again (tape_edit)
 *
 * A weight says where a head reads; what changes without it says what the answer needs. */
#include "lectures/04-attention/reader.h"

#include "autograd/inspect.h"

enum { ASKED = 40 }; /* sentences of which arcs are cut */

static Tensor *answer(const Reader *r, Tape *tape, const Sentence *s)
{
    return model_answer(&r->model, tape_ids(tape, s->ids, shape2(1, s->length)), NULL,
                        tape_ids(tape, &s->query, shape1(1)));
}

/* The next held-out sentence about "it". */
static Sentence next_sentence(const Reader *r, Rng *rng)
{
    Sentence s;
    do
        data_grammar_draw(r->grammar, rng, DATA_HELD_OUT, &s);
    while (s.kind == DATA_SENSE);
    return s;
}

enum { TOGETHER = HEADS };

static bool answers_rightly(const Reader *r, Tape *tape, const Sentence *s)
{
    const Tensor *y = answer(r, tape, s);
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
        Sentence s = next_sentence(&r, &rng);
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
    {0},
};
