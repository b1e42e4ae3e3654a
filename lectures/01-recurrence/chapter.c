/* chapter.c: chapter 1, recurrence: its claims and figures in the order of their rows. */
#include "lectures/01-recurrence/recurrence.h"

static const Claim *const claims[] = {
    /* row 1 */
    &claim_map_integrals,
    &claim_map_likelihoods,
    &claim_map_beyond_normal,
    &claim_map_implicit,
    &claim_map_chain,
    &claim_map_forward,
    &claim_map_e_step,
    &claim_map_em,
    &claim_map_ppca,
    &claim_map_kalman,
    &claim_map_memory,
    &claim_map_sequences,
    &claim_map_determinant,
    &claim_map_inverse,
    &claim_map_energy,
    &claim_map_bound,
    &claim_map_decoder,
    &claim_map_critic,
    &claim_map_tweedie,
    &claim_map_score,
    &claim_map_ssm_equal,
    &claim_map_ssm_selective,
    &claim_map_ssm_depth,
    &claim_map_ssm_work,
    /* row 2 */
    &claim_step_backward,
    &claim_slope,
    &claim_explodes,
    &claim_mean_direction,
    &claim_attention_gradient,
    &claim_found_key,
    &claim_path_length,
    &claim_copy_steps,
    /* row 3 */
    &claim_rnn_forgets,
    &claim_first_weights,
    &claim_gates_remember,
    &claim_first_gates,
    &claim_gates_multiply,
    &claim_gradient_kept,
    /* row 4 */
    &claim_gamma_sums,
    &claim_context_formula,
    &claim_expectation,
    &claim_gold_alignment,
    &claim_gamma_probability,
    &claim_attention_gains,
    &claim_last_state,
    /* row 5 */
    &claim_layer_weights,
    &claim_training_chain,
    &claim_time,
    &claim_gru_needs_less,
    &claim_it_and_bank,
    &claim_deep_stacks,
    &claim_deep_path,
    NULL,
};

static const Figure *const figures[] = {
    &figure_map,  &figure_scan, &figure_through_time, &figure_explosion, &figure_gates,
    &figure_lags, &figure_gold, &figure_length,       &figure_sentences, &figure_depth,
    NULL,
};

const Chapter chapter_recurrence = {
    .number = 1,
    .folder = "01-recurrence",
    .title = "recurrence",
    .first_row = 1,
    .last_row = 5,
    .claims = claims,
    .figures = figures,
    .exercises = recurrence_exercises,
    .questions = recurrence_questions,
};
