/* attention.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_ATTENTION_H
#define LECTURES_ATTENTION_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question attention_questions[];
extern const Claim *const attention_exercises[];

/* order.c */
extern const Claim claim_equivariance, claim_not_invariant, claim_earlier_tokens, claim_two_layers,
    claim_set_function;
extern const Figure figure_order;

/* trained_model.c */
extern const Claim claim_it, claim_bank;
extern const Figure figure_it, figure_bank;

/* senses.c */
extern const Claim claim_two_vectors;
extern const Figure figure_senses;

/* jobs.c */
extern const Claim claim_head_job, claim_redundant_heads;
extern const Figure figure_heads, figure_jobs;

/* law.c */
extern const Claim claim_comma;
extern const Figure figure_law;

/* weights.c */
extern const Claim claim_partition, claim_identity, claim_symmetric_scores, claim_softmax_asymmetry,
    claim_cat_pet, claim_compensated, claim_focus;

/* retrieval.c */
extern const Claim claim_two_notations, claim_soft_match, claim_hard_match;
extern const Figure figure_retrieval;

/* recall.c */
extern const Claim claim_learned_keys, claim_one_dimension;
extern const Figure figure_recall;

/* scale.c */
extern const Claim claim_variance, claim_variance_steps, claim_scaled_variance, claim_model_width,
    claim_saturation, claim_typical_gradient;
extern const Figure figure_variance, figure_saturation;

/* shapes.c */
extern const Claim claim_columns, claim_shapes, claim_two_tokens, claim_independent_queries,
    claim_all_at_once;

/* heads.c */
extern const Claim claim_head_loop, claim_heads_cost, claim_projection_shapes;

/* patterns.c */
extern const Claim claim_one_head_floor, claim_one_head, claim_two_heads;
extern const Figure figure_patterns;

/* masks.c */
extern const Claim claim_masked_zero, claim_zeros_leak, claim_hidden_exponentials, claim_jacobian,
    claim_encoder_unmasked, claim_padding, claim_nothing_to_see;
extern const Figure figure_attention_masks, figure_masked;

/* leaks.c */
extern const Claim claim_cheat, claim_masked_after, claim_appended;

/* max over channels of |dy_t / dx_j| of causal attention over 8 random tokens x, in size[8 t + j], which holds zeros
 * before. after: the weights are masked after the softmax, which is a mistake, and not the scores before it. */
void attention_jacobian(real *size, bool after, uint64_t seed);

/* cross.c */
extern const Claim claim_cross_by_hand, claim_query_layer, claim_gradient_to_memory,
    claim_alignment;
extern const Figure figure_alignment;

/* windows.c */
extern const Claim claim_window_pairs, claim_window_time, claim_window_reach;
extern const Figure figure_windows;

/* complexity.c */
extern const Claim claim_exponents, claim_sequential, claim_crossover;
extern const Figure figure_complexity;

/* tiles.c */
extern const Claim claim_tiles, claim_large_scores, claim_fused, claim_same_work, claim_memory;
extern const Figure figure_memory;

#endif
