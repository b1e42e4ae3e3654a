/* chapter.c: chapter 7, vision and audio: its claims and figures in the order of their rows. */
#include "lectures/07-vision/vision.h"

static const Claim *const claims[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    &claim_parseval,      &claim_tone,
    &claim_mel,           &claim_overlap_add,
    &claim_reads_words,   &claim_sixteen_bits,
    &claim_codec_means,   &claim_residual,
    &claim_codec_read,    &claim_says_text,
    &claim_prompt_pitch,  &claim_prompt_tract,
    &claim_looks_at_word, NULL,
};

static const Figure *const figures[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    /* row 51 */
    &figure_spectrogram, &figure_spoken, &figure_voices, &figure_letters, NULL,
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
