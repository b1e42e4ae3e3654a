/* chapter.c: chapter 5, the block: the tables of its files. */
#include "lectures/05-block/block.h"

/* clang-format off */
#define CLAIMS(X) X(residual_claims) X(layernorm_claims) X(dropout_claims) X(redundancy_claims) \
    X(feedforward_claims) X(norm_claims) X(warmup_claims) X(block_shapes_claims) \
    X(translation_claims)
#define FIGURES(X) X(block_drawings) X(residual_figures) X(layernorm_figures) \
    X(redundancy_figures) X(feedforward_figures) X(norm_figures) X(warmup_figures) \
    X(shapes_figures) X(translation_figures)
#define EXERCISES(X) X(block_exercises)
/* clang-format on */

CHAPTER(chapter_block, block_questions, .number = 5, .folder = "05-block", .title = "block",
        .first_row = 31, .last_row = 37);
