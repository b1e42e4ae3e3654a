/* questions.c: what chapter 6 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/06-language/language.h"

/* The last loss of the model that was trained without the mask. */
static double loss_without_mask(Trial *t)
{
    const Writer *w = writer_of(t->seed, NO_MASK);
    return w ? w->loss[CHECKS - 1] : (double)NAN;
}

static double entropy_of_source(Trial *t)
{
    (void)t;
    return source_entropy();
}

const Question language_questions[] = {
    {.row = 38,
     .claim = &claim_entropy_floor,
     .question = "Six letters: the first is a, b or c alike; each further one is the next in the "
                 "circle a b c with probability 3/4, the one after that with 1/4. Below which loss "
                 "of a sequence, in nats, is no honest model?",
     .measure = entropy_of_source,
     .quantity = "-sum p log p over all 729 sequences",
     .within = 0.02,
     .answer = "3.91 = log 3 + 5 h(1/4), h(1/4) = 0.5623: the entropies of the six conditionals "
               "add up.",
     .misconception = "6 log 3 = 6.59 holds for letters without any order; 5 h(1/4) = 2.81 forgets "
                      "the first letter; 0 would need a language without chance."},
    {.row = 38,
     .claim = &claim_cheat_loss,
     .question = "The same six letters, and a model trained without the mask: its input is <bos> "
                 "and the first five letters. At which loss of a sequence, in nats, does it end?",
     .measure = loss_without_mask,
     .quantity = "expected loss of a sequence after 400 steps",
     .within = 0.15,
     .answer = "Near h(1/4) = 0.56: letters 1 to 5 are in the input, one position later; only the "
               "sixth is not.",
     .misconception = "0 would need the sixth letter in the input; 3.91 is the floor of a model "
                      "that sees earlier letters alone."},
    {.row = 38,
     .claim = &claim_cheat_writes,
     .question = "A model is trained without the shift: each position is given the letter that it "
                 "is to name. What does it write after b?",
     .choices = {{"bbbbbb", "it has learned to repeat what it is given, and gets it back."},
                 {"bcabca", "that needs the order of the letters, of which it learned nothing: its "
                            "loss was 0 without it."},
                 {"letters at random", "it is sure of its answer, and always gives the same."}},
     .right = 1,
     .answer = "bbbbbb: the task it solved is the identity. A loss near 0 said so."},
    {.row = 0},
};
