/* chapter.c: chapter 7, vision and audio: its claims and figures in the order of their rows. */
#include "lectures/07-vision/vision.h"

static const Claim *const claims[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    /* pictures and words: captions.c, answers.c, drawings.c */
    &claim_captions,
    &claim_captions_held_out,
    &claim_answers,
    &claim_answers_held_out,
    &claim_other_picture,
    &claim_hidden_quadrant,
    &claim_words_attend,
    &claim_codes_keep,
    &claim_drawings,
    &claim_drawings_held_out,
    &claim_ways,
    &claim_drawing_nats,
    NULL,
};

static const Figure *const figures[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    &figure_both_ways,
    &figure_words_attend,
    &figure_picture_answers,
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
