/* chapter.c: chapter 3, position: its claims and figures in the order of their rows. */
#include "lectures/03-position/position.h"

static const Claim *const claims[] = {
    &claim_same_bag,
    &claim_half_right,
    &claim_twins_apart,
    &claim_recurrence,
    &claim_binary_flips,
    &claim_normalised_gap,
    &claim_index_grows,
    &claim_desiderata,
    &claim_waste_of_space,
    &claim_notations,
    &claim_robot_table,
    &claim_omega_comma,
    &claim_pairs,
    &claim_slowest_wave,
    &claim_no_repeat,
    &claim_shift_distance,
    &claim_shift_rotation,
    &claim_look_back,
    &claim_shift_product,
    &claim_rotary_shift,
    &claim_order_unknown,
    &claim_trained_lengths,
    &claim_new_positions,
    &claim_random_offsets,
    &claim_beyond,
    &claim_by_distance,
    &claim_wave_bits,
    &claim_half_as_fast,
    &claim_constant_columns,
    &claim_add_concat,
    &claim_sum_read,
    &claim_learned_add,
    &claim_learned_gradient,
    &claim_patch_neighbours,
    &claim_row_column,
    &claim_patch_dimensions,
    NULL,
};

static const Figure *const figures[] = {
    &figure_twins,    &figure_neighbours, &figure_repeat,    &figure_shift_product, &figure_lengths,
    &figure_code_map, &figure_waves,      &figure_wave_bits, &figure_patches,       NULL,
};

const Chapter chapter_position = {
    .number = 3,
    .folder = "03-position",
    .title = "position",
    .first_row = 10,
    .last_row = 15,
    .claims = claims,
    .figures = figures,
    .exercises = position_exercises,
    .questions = position_questions,
};
