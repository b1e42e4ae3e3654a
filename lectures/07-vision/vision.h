/* vision.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_VISION_H
#define LECTURES_VISION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question vision_questions[];
extern const Claim *const vision_exercises[];

/* row 48: patches.c, biases.c */

/* row 49: nine.c, nine_claims.c */
extern const Claim claim_picture_sum, claim_pixel_sampling, claim_gap_closed, claim_blind,
    claim_order_cancels;
/* Of picture number k, whose first pixel is its highest bit: p(x), known; q(x) of the trained network, for all; and the sum of
 * the products of a network whose mask is shifted by one. */
enum { NINE_PICTURES = 512 };
double nine_source(int k);
bool nine_network(uint64_t seed, double q[NINE_PICTURES]);
double nine_shifted_mask(Trial *t);
/* row 49: completion.c, grid.c */
extern const Claim claim_digit_nats, claim_lower_half, claim_looks, claim_finds_rows;
/* row 49: pixels_figures.c */
extern const Figure figure_drawing, figure_completions, figure_pixel_nats, figure_rows;

/* row 50: windows.c, hierarchy.c */

/* row 51: sound.c, speech.c, shapes.c */

#endif
