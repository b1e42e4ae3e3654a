/* vision.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_VISION_H
#define LECTURES_VISION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question vision_questions[];
extern const Claim *const vision_exercises[];

/* row 48: patches.c, biases.c */

/* row 49: pixels.c */

/* row 50: windows.c, hierarchy.c */

/* row 51: sound.c, speech.c, shapes.c */

/* row 51, pictures and words: captions.c, answers.c, drawings.c */
extern const Claim claim_captions, claim_captions_held_out, claim_answers, claim_answers_held_out,
    claim_other_picture, claim_hidden_quadrant, claim_words_attend, claim_codes_keep,
    claim_drawings, claim_drawings_held_out, claim_ways, claim_drawing_nats;
extern const Figure figure_both_ways, figure_words_attend, figure_picture_answers;

#endif
