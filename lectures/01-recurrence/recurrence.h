/* recurrence.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_RECURRENCE_H
#define LECTURES_RECURRENCE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question recurrence_questions[];
extern const Claim *const recurrence_exercises[];

/* exercises_map.c */
extern const Claim exercise_scan;

/* Row 1: map.h */
extern const Claim claim_map_integrals, claim_map_likelihoods, claim_map_beyond_normal,
    claim_map_implicit, claim_map_chain, claim_map_forward, claim_map_e_step, claim_map_em,
    claim_map_ppca, claim_map_kalman, claim_map_memory, claim_map_sequences, claim_map_determinant,
    claim_map_inverse, claim_map_energy, claim_map_bound, claim_map_decoder, claim_map_critic,
    claim_map_tweedie, claim_map_score, claim_map_ssm_equal, claim_map_ssm_selective,
    claim_map_ssm_depth, claim_map_ssm_work;
extern const Figure figure_map, figure_scan;

/* through_time.c */
extern const Claim claim_step_backward, claim_slope, claim_explodes, claim_mean_direction;
extern const Figure figure_through_time, figure_explosion;

/* direct.c */
extern const Claim claim_attention_gradient, claim_found_key, claim_path_length;
/* left[k], k = 0 .. T - 1: the mean of log |dL/dx_(T-k)| / |dL/dy_T| over sequences of T tokens, of one layer of attention
 * with its first weights; NaN where backward failed. */
void direct_log_gradients(uint64_t seed, int T, double *left);

/* lags.c */
extern const Claim claim_copy_steps, claim_rnn_forgets, claim_first_weights, claim_gates_remember,
    claim_first_gates;
extern const Figure figure_lags;

/* gates.c */
extern const Claim claim_gates_multiply, claim_gradient_kept;
extern const Figure figure_gates;
/* The mean of log |dL/dx_1| / |dL/dh_T| of a cell (an RNNKind) with these first weights (a RecallStart, recall.h). */
double gates_log_gradient(uint64_t seed, int kind, int start, int T);

/* align.c */
extern const Claim claim_gamma_sums, claim_context_formula, claim_expectation;

/* gold.c */
extern const Claim claim_gold_alignment, claim_gamma_probability;
extern const Figure figure_gold;

/* last_state.c */
extern const Claim claim_attention_gains, claim_last_state;
extern const Figure figure_length;

/* costs.c */
extern const Claim claim_layer_weights, claim_training_chain, claim_time;

/* pairs.c */
extern const Claim claim_gru_needs_less, claim_it_and_bank;
extern const Figure figure_sentences;

/* depth.c */
extern const Claim claim_deep_stacks, claim_deep_path;
extern const Figure figure_depth;

#endif
