/* chapter.c: chapter 0, backpropagation: the tables of its files. On no slide of the lectures. */
#include "lectures/00-backprop/backprop.h"

/* clang-format off */
#define CLAIMS(X) X(graph_claims) X(rules_claims) X(check_claims)
#define FIGURES(X) X(graph_figures) X(check_figures)
#define EXERCISES(X) X(backprop_exercises)
/* clang-format on */

CHAPTER(chapter_backprop, backprop_questions, .number = 0, .folder = "00-backprop",
        .title = "backpropagation", .first_row = 58, .last_row = 60);
