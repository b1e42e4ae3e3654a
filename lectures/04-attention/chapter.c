/* chapter.c: chapter 4, attention: its claims and figures in the order of their rows. */
#include "lectures/04-attention/attention.h"

static const Claim *const claims[] = {
    &claim_partition,
    &claim_identity,
    &claim_symmetric_scores,
    &claim_softmax_asymmetry,
    &claim_two_notations,
    &claim_soft_match,
    &claim_hard_match,
    &claim_variance,
    &claim_scaled_variance,
    &claim_saturation,
    NULL,
};

static const Figure *const figures[] = {&figure_retrieval, &figure_variance, &figure_saturation,
                                        NULL};

const Chapter chapter_attention = {
    .number = 4,
    .folder = "04-attention",
    .title = "attention",
    .first_row = 18,
    .last_row = 21,
    .claims = claims,
    .figures = figures,
};
