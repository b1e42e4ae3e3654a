/* chapter.c: chapter 2, tokens: the tables of its files. */
#include "lectures/02-tokens/tokens.h"

/* clang-format off */
#define CLAIMS(X) X(embedding_claims) X(word2vec_claims) X(analogies_claims) X(pretrained_claims) \
    X(merges_claims) X(unknown_claims) X(compare_claims) X(modalities_claims)
#define FIGURES(X) X(word2vec_figures) X(merges_figures) X(compare_figures)
#define EXERCISES(X) X(tokens_exercises)
/* clang-format on */

CHAPTER(chapter_tokens, tokens_questions, .number = 2, .folder = "02-tokens", .title = "tokens",
        .first_row = 6, .last_row = 9);
