/* chapter.c: chapter 7, vision and audio: its claims and figures in the order of their rows. */
#include "lectures/07-vision/vision.h"

static const Claim *const claims[] = {
    /* row 48 */
    /* row 49 */
    &claim_picture_sum,
    &claim_pixel_sampling,
    &claim_gap_closed,
    &claim_blind,
    &claim_order_cancels,
    &claim_digit_nats,
    &claim_lower_half,
    &claim_looks,
    &claim_finds_rows,
    /* row 50 */
    /* row 51 */
    NULL,
};

static const Figure *const figures[] = {
    /* row 48 */
    /* row 49 */
    &figure_drawing,
    &figure_completions,
    &figure_pixel_nats,
    &figure_rows,
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
