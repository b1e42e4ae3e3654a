/* attention.h: what the files of this chapter share, and the claims and figures that chapter.c lists. */
#ifndef LECTURES_ATTENTION_H
#define LECTURES_ATTENTION_H

#include "lectures/frame/chapters.h"
#include "lectures/frame/values.h"

/* weights.c */
extern const Claim claim_partition, claim_identity, claim_symmetric_scores, claim_softmax_asymmetry;

/* retrieval.c */
extern const Claim claim_two_notations, claim_soft_match, claim_hard_match;
extern const Figure figure_retrieval;

/* scale.c */
extern const Claim claim_variance, claim_scaled_variance, claim_saturation;
extern const Figure figure_variance, figure_saturation;

#endif
