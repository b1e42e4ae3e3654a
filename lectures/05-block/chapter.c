/* chapter.c: chapter 5, the block: the tables of its files. */
#include "lectures/05-block/block.h"

extern const Question block_questions[];
extern const Claim residual_claims[], layernorm_claims[], dropout_claims[], redundancy_claims[],
    feedforward_claims[], norm_claims[], warmup_claims[], block_shapes_claims[],
    translation_claims[], composing_claims[], block_exercises[];
extern const Figure block_drawings[], residual_figures[], layernorm_figures[], dropout_figures[],
    redundancy_figures[], feedforward_figures[], norm_figures[], warmup_figures[], shapes_figures[],
    translation_figures[];

const Chapter chapter_block = {
    .number = 5,
    .folder = "05-block",
    .title = "block",
    .first_row = 31,
    .last_row = 37,
    .claims =
        (const Claim *const[]){residual_claims, layernorm_claims, dropout_claims, redundancy_claims,
                               feedforward_claims, norm_claims, warmup_claims, block_shapes_claims,
                               translation_claims, composing_claims, NULL},
    .figures = (const Figure *const[]){block_drawings, residual_figures, layernorm_figures,
                                       dropout_figures, redundancy_figures, feedforward_figures,
                                       norm_figures, warmup_figures, shapes_figures,
                                       translation_figures, NULL},
    .exercises = (const Claim *const[]){block_exercises, NULL},
    .questions = block_questions,
};
