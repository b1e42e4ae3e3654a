/* chapter.c: chapter 5, the block: its claims and figures in the order of their rows. */
#include "lectures/05-block/block.h"

static const Claim *const claims[] = {
    &claim_plain_gain,        &claim_path_gain,          &claim_residual_depth,
    &claim_residual_identity, &claim_rank_collapse,      &claim_token_statistics,
    &claim_independent,       &claim_gain_gradient,      &claim_epsilon,
    &claim_scale_free,        &claim_layernorm_backward, &claim_four_masks,
    &claim_inverted,          &claim_test_time,          &claim_sub_networks,
    &claim_new_masks,         &claim_ensemble,           &claim_two_linear,
    &claim_non_linear,        &claim_lower_part,         &claim_cubic,
    &claim_each_alone,        &claim_exclusive_or,       &claim_ff_share,
    &claim_post_equations,    &claim_pre_equations,      &claim_post_gradient,
    &claim_pre_gradient,      &claim_final_norm,         &claim_knowing_symbols,
    &claim_post_without,      &claim_post_with,          &claim_pre_without,
    &claim_same_shape,        &claim_one_layout,         &claim_own_weights,
    &claim_stacked,           &claim_decoder_past,       &claim_cross_query,
    &claim_target_grid,       &claim_trained_grid,       &claim_translation,
    &claim_shifted,           &claim_parameters,         NULL,
};

static const Figure *const figures[] = {
    &figure_residual,
    &figure_collapse,
    &figure_layernorm,
    &figure_masks,
    &figure_ensemble,
    &figure_additivity,
    &figure_gradients,
    &figure_warmup,
    &figure_reach,
    &figure_grids,
    NULL,
};

const Chapter chapter_block = {
    .number = 5,
    .folder = "05-block",
    .title = "block",
    .first_row = 31,
    .last_row = 37,
    .claims = claims,
    .figures = figures,
    .exercises = block_exercises,
    .questions = block_questions,
};
