/* questions.c: what chapter 5 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/05-block/block.h"

const Question block_questions[] = {
    {.row = 35,
     .claim = &claim_post_equations,
     .question = "Where does post-norm normalise?",
     .choices = {{"after each sum x + f(x)", "x = LN(x + f(x)): the path itself passes the norm."},
                 {"before each sub-layer", "that is pre-norm, x = x + f(LN(x)): the path is never "
                                           "normalised, and a last norm is needed."}},
     .right = 1,
     .answer = "After each sum, x = LN(x + f(x)), as in the first paper."},
    {0},
};
