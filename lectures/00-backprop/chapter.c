/* chapter.c: chapter 0, backpropagation: the tables of its files. On no slide of the lectures. */
#include "lectures/00-backprop/backprop.h"

extern const Question backprop_questions[];
extern const Claim graph_claims[], rules_claims[], check_claims[], backprop_exercises[];
extern const Figure check_figures[];

const Chapter chapter_backprop = {
    .number = 0,
    .folder = "00-backprop",
    .title = "backpropagation",
    .first_row = 58,
    .last_row = 60,
    .claims = (const Claim *const[]){graph_claims, rules_claims, check_claims, NULL},
    .exercises = (const Claim *const[]){backprop_exercises, NULL},
    .figures = (const Figure *const[]){check_figures, NULL},
    .questions = backprop_questions,
};
