/* chapter.c: chapter 3, position: the tables of its files. */
#include "lectures/03-position/position.h"

extern const Question position_questions[];
extern const Claim twins_claims[], codes_claims[], sinusoids_claims[], shift_claims[],
    lengths_claims[], waves_claims[], adding_claims[], position_patches_claims[],
    position_grid_claims[], position_exercises[];
extern const Figure position_drawings[], twins_figures[], codes_figures[], sinusoids_figures[],
    lengths_figures[], waves_figures[], position_patches_figures[];

const Chapter chapter_position = {
    .number = 3,
    .folder = "03-position",
    .title = "position",
    .first_row = 10,
    .last_row = 15,
    .claims = (const Claim *const[]){twins_claims, codes_claims, sinusoids_claims, shift_claims,
                                     lengths_claims, waves_claims, adding_claims,
                                     position_patches_claims, position_grid_claims, NULL},
    .figures =
        (const Figure *const[]){position_drawings, twins_figures, codes_figures, sinusoids_figures,
                                lengths_figures, waves_figures, position_patches_figures, NULL},
    .exercises = (const Claim *const[]){position_exercises, NULL},
    .questions = position_questions,
};
