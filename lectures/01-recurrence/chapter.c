/* chapter.c: chapter 1, recurrence: the tables of its files. */
#include "lectures/01-recurrence/recurrence.h"

/* clang-format off */
#define CLAIMS(X) X(map_claims) X(map_ssm_claims) X(through_time_claims) X(direct_claims) \
    X(lags_claims) X(gates_claims) X(align_claims) X(gold_claims) X(last_state_claims) \
    X(costs_claims) X(depth_claims)
#define FIGURES(X) X(recurrence_drawings) X(map_figures) X(through_time_figures) \
    X(gates_figures) X(lags_figures) X(gold_figures) X(last_state_figures)
#define EXERCISES(X) X(recurrence_exercises)
/* clang-format on */

CHAPTER(chapter_recurrence, recurrence_questions, .number = 1, .folder = "01-recurrence",
        .title = "recurrence", .first_row = 1, .last_row = 5);
