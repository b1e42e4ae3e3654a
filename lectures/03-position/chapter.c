/* chapter.c: chapter 3, position: the tables of its files. */
#include "lectures/03-position/position.h"

/* clang-format off */
#define CLAIMS(X) X(twins_claims) X(codes_claims) X(sinusoids_claims) X(shift_claims) \
    X(lengths_claims) X(waves_claims) X(adding_claims) X(position_grid_claims)
#define FIGURES(X) X(position_drawings) X(twins_figures) X(codes_figures) X(sinusoids_figures) \
    X(lengths_figures) X(waves_figures)
#define EXERCISES(X) X(position_exercises)
/* clang-format on */

CHAPTER(chapter_position, position_questions, .number = 3, .folder = "03-position",
        .title = "position", .first_row = 10, .last_row = 15);
