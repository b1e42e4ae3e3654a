/* composing.c: is a translation put together, or remembered? (row 37)
 *
 *   [-, soy, gracias] x [-, un] x [estudiante, profesor, amigo, vecino]: 24 phrases, one of which is never shown:
 *   "gracias un estudiante" -> "thanks a student"
 *
 * A model that remembers whole sentences has nothing to say of one that it never saw; one that has
 * learned what each word gives, and when, writes it. V "Training the Transformer" */
#include "lectures/05-block/transformer.h"

#include <string.h>

enum { NOUNS = 4, OPENINGS = 3, PHRASES = OPENINGS * 2 * NOUNS };

static const int noun_es[NOUNS] = {ESTUDIANTE, PROFESOR, AMIGO, VECINO};
static const int noun_en[NOUNS] = {STUDENT, TEACHER, FRIEND, NEIGHBOUR};

/* opening 0: none, 1: soy, 2: gracias. After "soy" English has its article in any case. */
static Pair phrase(int opening, bool un, int noun)
{
    Pair p = {.length = 0};
    if (opening)
        p.source[p.length++] = opening == 1 ? SOY : GRACIAS;
    if (un)
        p.source[p.length++] = UN;
    p.source[p.length++] = noun_es[noun];
    if (opening == 1) {
        p.target[p.words++] = I;
        p.target[p.words++] = AM;
    }
    if (opening == 2)
        p.target[p.words++] = THANKS;
    if (un || opening == 1)
        p.target[p.words++] = A;
    p.target[p.words++] = noun_en[noun];
    p.target[p.words++] = EOS;
    return p;
}

/* All phrases but "gracias un estudiante", or but all with "gracias un". */
static int write_lesson(Pair *pairs, bool together)
{
    int count = 0;
    for (int opening = 0; opening < OPENINGS; opening++)
        for (int un = 0; un < 2; un++)
            for (int noun = 0; noun < NOUNS; noun++) {
                bool held_out = opening == 2 && un && (noun == 0 || !together);
                if (!held_out)
                    pairs[count++] = phrase(opening, un, noun);
            }
    return count;
}

/* Words of "thanks a student <eos>" that a model gets wrong which learned all other phrases. */
static double composes(Trial *t)
{
    Pair pairs[PHRASES], held_out = phrase(2, true, 0);
    Transformer m;
    Params *p = trial_params(t);
    Tape *tape = trial_tape(t);
    int said[TARGET] = {0}, wrong = 0;
    int count = write_lesson(pairs, !broken(t, "never-together"));
    const Lesson lesson = {pairs, count, .spanish = 7, .english = 9, .steps = 200};
    bool good = small_transformer_init(&m, p, &lesson, broken(t, "no-cross") ? NO_CROSS : WHOLE) &&
                small_transformer_train(&m, p, tape);
    tape->no_grad = true;
    char text[TRANSLATION_TEXT];
    for (int i = 0; i < count; i++) {
        small_transformer_write(&m, tape, &pairs[i], said);
        wrong += !small_transformer_right(&pairs[i], said, text);
    }
    explain(t, "%d phrases were trained, %d of them are wrong", count, wrong);
    double known = wrong;
    small_transformer_write(&m, tape, &held_out, said);
    wrong = 0;
    for (int k = 0; k < held_out.words; k++)
        wrong += said[k] != held_out.target[k];
    small_transformer_right(&held_out, said, text);
    explain(t, "never seen: %s", text);
    return good && (known == 0 || t->fault) ? wrong : (double)NAN;
}

const Claim composing_claims[] = {
    {37, composes, "trained on 23 of 24 phrases, a model translates the one that it never saw",
     .slides = {"V: Training the Transformer"},
     .quantity =
         "words of \"thanks a student <eos>\" that are wrong; NaN if a trained one is wrong",
     EXACTLY(0, "a model that only remembers would be right by chance once in 9^4 sentences"),
     .faults = {{"never-together", "20 phrases, none of which shows \"gracias\" before \"un\""},
                {"no-cross", "the memory is all zeros: every sentence is alike"}}},
    {0},
};
