/* position.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_POSITION_H
#define LECTURES_POSITION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question position_questions[];
extern const Claim *const position_exercises[];

/* twins.c */
extern const Claim claim_same_bag, claim_half_right, claim_twins_apart, claim_recurrence;
extern const Figure figure_twins;

/* codes.c */
extern const Claim claim_binary_flips, claim_normalised_gap, claim_index_grows, claim_desiderata,
    claim_waste_of_space;
extern const Figure figure_neighbours;
double binary_gap(Trial *t); /* the distance of 7 and 8 as bits */

/* sinusoids.c */
extern const Claim claim_notations, claim_robot_table, claim_omega_comma, claim_pairs,
    claim_slowest_wave, claim_no_repeat;
extern const Figure figure_repeat;

/* shift.c */
extern const Claim claim_shift_distance, claim_shift_rotation, claim_shift_product,
    claim_rotary_shift, claim_look_back;
extern const Figure figure_shift_product;

/* lengths.c */
extern const Claim claim_order_unknown, claim_trained_lengths, claim_new_positions,
    claim_random_offsets, claim_beyond, claim_by_distance;
extern const Figure figure_lengths;

/* waves.c */
extern const Claim claim_wave_bits, claim_half_as_fast, claim_constant_columns;
extern const Figure figure_code_map, figure_waves, figure_wave_bits;

/* adding.c */
extern const Claim claim_add_concat, claim_sum_read, claim_learned_add, claim_learned_gradient;

/* patches.c */
extern const Claim claim_patch_neighbours, claim_row_column;
extern const Figure figure_patches;

/* grid.c */
extern const Claim claim_patch_dimensions;

/* grid.c: the codes of the patches of a grid, (side side, C), as a sum over rows r and columns c by least squares:
 * code_(r,c) = mean + row_r + column_c, where row_r is the mean of row r less the mean of all, and column_c likewise. The
 * sum without some of its terms, of the same shape. */
typedef enum { CODE_WHOLE, CODE_ROW_COLUMN, CODE_CONSTANT } CodePart;
Tensor *code_part(Tensor *codes, int side, CodePart part);

/* codes.c: P (T, C) of nn_sinusoids, added to T tokens of zeros as nn_position adds it. */
Tensor *code_sinusoids(Tape *tape, int positions, int channels, double base);

/* codes.c: the Euclidean distance of each row of a (n, C) and each of b (m, C): (n, m). */
Tensor *code_distances(Tensor *a, Tensor *b);

#endif
