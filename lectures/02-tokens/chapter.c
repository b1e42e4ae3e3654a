/* chapter.c: chapter 2, tokens: the tables of its files. */
#include "lectures/02-tokens/tokens.h"

extern const Question tokens_questions[];
extern const Claim embedding_claims[], rare_claims[], word2vec_claims[], analogies_claims[],
    pretrained_claims[], merges_claims[], unknown_claims[], compare_claims[], modalities_claims[],
    tokens_exercises[];
extern const Figure rare_figures[], word2vec_figures[], analogies_figures[], merges_figures[],
    compare_figures[], modalities_figures[];

const Chapter chapter_tokens = {
    .number = 2,
    .folder = "02-tokens",
    .title = "tokens",
    .first_row = 6,
    .last_row = 9,
    .claims = (const Claim *const[]){embedding_claims, rare_claims, word2vec_claims,
                                     analogies_claims, pretrained_claims, merges_claims,
                                     unknown_claims, compare_claims, modalities_claims, NULL},
    .figures = (const Figure *const[]){rare_figures, word2vec_figures, analogies_figures,
                                       merges_figures, compare_figures, modalities_figures, NULL},
    .exercises = (const Claim *const[]){tokens_exercises, NULL},
    .questions = tokens_questions,
};
