/* questions.c: what chapter 4 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/04-attention/attention.h"

const Question attention_questions[] = {
    {.row = 22,
     .claim = &claim_shapes,
     .question = "3 queries attend to 5 keys. Which shape has the matrix of weights A?",
     .choices = {{"3 x 5", "one row of weights for each query, one column for each key"},
                 {"5 x 3",
                  "H's slide writes m x n; then A V would multiply 3 columns with 5 values, "
                  "which do not fit."},
                 {"3 x 3",
                  "that is self-attention, where the keys are made from the same tokens as "
                  "the queries."},
                 {"5 x 5", "that would be keys with keys; the scores compare queries with keys."}},
     .right = 1,
     .answer = "3 x 5: one row of weights for each query, so that A V has one row for each query."},
    {0},
};
