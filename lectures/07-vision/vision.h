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

/* row 51: spectrum.c, sound.c, wav.c, codes.c, spoken.c, alignment.c, shapes.c */
extern const Claim claim_parseval, claim_tone, claim_mel, claim_overlap_add;
extern const Claim claim_reads_words, claim_sixteen_bits;
extern const Claim claim_codec_means, claim_residual, claim_codec_read;
extern const Claim claim_says_text, claim_prompt_pitch, claim_prompt_tract;
extern const Claim claim_looks_at_word;
extern const Claim exercise_overlap, exercise_codes; /* exercises_sound.c */
/* For the questions: how many times fewer pairs of tokens a second of sound has as frames than as samples; and how many
 * different frames the codec can write. */
double sound_pairs(Trial *t);
double codec_frames(Trial *t);
extern const Figure figure_spectrogram, figure_spoken, figure_voices, figure_letters;

#endif
