/* block.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_BLOCK_H
#define LECTURES_BLOCK_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* questions.c, exercises.c */
extern const Question block_questions[];
extern const Claim *const block_exercises[];

/* residual.c */
extern const Claim claim_residual_identity, claim_residual_depth, claim_plain_gain, claim_path_gain,
    claim_rank_collapse;
extern const Figure figure_residual, figure_collapse;

/* layernorm.c */
extern const Claim claim_token_statistics, claim_independent, claim_gain_gradient, claim_epsilon,
    claim_scale_free, claim_layernorm_backward;
extern const Figure figure_layernorm;

/* dropout.c */
extern const Claim claim_four_masks, claim_inverted, claim_test_time, claim_sub_networks,
    claim_new_masks, claim_ensemble;
extern const Figure figure_masks, figure_ensemble;

/* redundancy.c */
extern const Claim claim_redundancy;
extern const Figure figure_redundancy;

/* feedforward.c */
extern const Claim claim_two_linear, claim_non_linear, claim_lower_part, claim_cubic,
    claim_each_alone, claim_exclusive_or, claim_ff_share;
extern const Figure figure_additivity;

/* norm.c */
extern const Claim claim_pre_equations, claim_post_equations, claim_post_gradient,
    claim_pre_gradient, claim_final_norm;
extern const Figure figure_gradients;

/* warmup.c */
extern const Claim claim_knowing_symbols, claim_post_without, claim_post_with, claim_low_rate,
    claim_pre_without;
extern const Figure figure_warmup;

/* shapes.c */
extern const Claim claim_same_shape, claim_own_weights, claim_stacked, claim_decoder_past,
    claim_cross_query;
extern const Figure figure_reach;

/* translation.c, composing.c */
extern const Claim claim_target_grid, claim_trained_grid, claim_translation, claim_shifted,
    claim_parameters, claim_composes;
extern const Figure figure_grids;

/* norm.c: blocks one on another, with the initial weights of "On Layer Normalization in the Transformer Architecture"
 * (Xiong et al. 2020): Xavier's normal ones in every matrix, biases 0. */
enum { STACK_MAX = 24 };
typedef struct {
    int depth;
    bool post_norm, final_norm;
    TransformerBlock block[STACK_MAX];
    Norm final; /* of pre-norm */
} Stack;
bool stack_init(Stack *s, Params *p, int depth, int channels, int heads, bool post_norm);
Tensor *stack_forward(const Stack *s, Tensor *x, Mask mask);

#endif
