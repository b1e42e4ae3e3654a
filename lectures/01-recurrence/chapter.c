/* chapter.c: chapter 1, recurrence: the tables of its files. */
#include "lectures/01-recurrence/recurrence.h"

extern const Question recurrence_questions[];
extern const Claim map_claims[], map_ssm_claims[], through_time_claims[], direct_claims[],
    lags_claims[], gates_claims[], align_claims[], gold_claims[], last_state_claims[],
    costs_claims[], pairs_claims[], depth_claims[], recurrence_exercises_map[],
    recurrence_exercises[];
extern const Figure recurrence_drawings[], map_figures[], through_time_figures[], gates_figures[],
    lags_figures[], gold_figures[], last_state_figures[], pairs_figures[];

const Chapter chapter_recurrence = {
    .number = 1,
    .folder = "01-recurrence",
    .title = "recurrence",
    .first_row = 1,
    .last_row = 5,
    .claims =
        (const Claim *const[]){map_claims, map_ssm_claims, through_time_claims, direct_claims,
                               lags_claims, gates_claims, align_claims, gold_claims,
                               last_state_claims, costs_claims, pairs_claims, depth_claims, NULL},
    .figures = (const Figure *const[]){recurrence_drawings, map_figures, through_time_figures,
                                       gates_figures, lags_figures, gold_figures,
                                       last_state_figures, pairs_figures, NULL},
    .exercises = (const Claim *const[]){recurrence_exercises_map, recurrence_exercises, NULL},
    .questions = recurrence_questions,
};
