/* chapter.c: chapter 2, tokens: its claims and figures in the order of their rows. */
#include "lectures/02-tokens/tokens.h"

static const Claim *const claims[] = {
    &claim_look_up,
    &claim_word_columns,
    &claim_unused_rows,
    &claim_summed_gradient,
    &claim_seen_once,
    &claim_never_seen,
    &claim_decay_in_gradient,
    &claim_pmi,
    &claim_softmax,
    &claim_analogies,
    &claim_additive,
    &claim_cbow,
    &claim_frozen,
    &claim_end_to_end,
    &claim_tuned,
    &claim_tuned_slowly,
    &claim_shortened,
    &claim_merge_order,
    &claim_lossless,
    &claim_unknown,
    &claim_misspelled,
    &claim_meaning,
    &claim_characters,
    &claim_words,
    &claim_above_entropy,
    &claim_more_complex,
    &claim_parts_alone,
    &claim_any_order,
    &claim_across,
    &claim_without_types,
    &claim_where_it_looks,
    NULL,
};

static const Figure *const figures[] = {
    &figure_onehot, &figure_rare,    &figure_pmi,     &figure_analogy, &figure_few_labels,
    &figure_merges, &figure_meaning, &figure_compare, &figure_asked,   &figure_types,
    NULL,
};

const Chapter chapter_tokens = {
    .number = 2,
    .folder = "02-tokens",
    .title = "tokens",
    .first_row = 6,
    .last_row = 9,
    .claims = claims,
    .figures = figures,
    .exercises = tokens_exercises,
    .questions = tokens_questions,
};
