/* chapter.c: chapter 7, vision and audio: its claims and figures in the order of their rows. */
#include "lectures/07-vision/vision.h"

static const Claim *const claims[] = {
    /* row 48 */
    &claim_patch_convolution,
    &claim_vit_base,
    &claim_mean_is_attention,
    &claim_only_attention,
    &claim_both_pool,
    &claim_relabelled,
    &claim_same_training,
    &claim_convnet_falls,
    &claim_scattered,
    &claim_one_patch,
    &claim_moved,
    &claim_grid_found,
    /* row 49 */
    /* row 50 */
    /* row 51 */
    NULL,
};

static const Figure *const figures[] = {
    /* row 48 */
    &figure_cut,
    &figure_arranged,
    &figure_orders,
    &figure_moved,
    &figure_found_grid,
    /* row 49 */
    /* row 50 */
    /* row 51 */
    NULL,
};

const Chapter chapter_vision = {
    .number = 7,
    .folder = "07-vision",
    .title = "vision and audio",
    .first_row = 48,
    .last_row = 51,
    .claims = claims,
    .figures = figures,
    .exercises = vision_exercises,
    .questions = vision_questions,
};
