/* chapter.c: chapter 6, language: its claims and figures in the order of their rows. */
#include "lectures/06-language/language.h"

static const Claim *const claims[] = {
    &claim_chain_sums,
    &claim_log_p,
    &claim_end_token,
    &claim_batch_mean,
    &claim_entropy_floor,
    &claim_cheat_loss,
    &claim_cheat_writes,
    &claim_cache_equal,
    &claim_cache_tokens,
    &claim_cache_work,
    &claim_cache_no_mask,
    &claim_cache_needs_mask,
    &claim_cache_memory,
    &claim_last_only,
    &claim_one_pass,
    &claim_serial_steps,
    &claim_serial_work,
    &claim_exposure,
    &claim_mistakes_persist,
    &claim_exhaustive_best,
    &claim_beam_one,
    &claim_beam_all,
    &claim_greedy_loses,
    &claim_regret,
    &claim_length,
    &claim_draws,
    &claim_temperature_limits,
    &claim_temperature_entropy,
    &claim_nucleus_smallest,
    &claim_nucleus_exceeds,
    &claim_nucleus_adapts,
    &claim_search_cost,
    &claim_select_cost,
    &claim_sort_cost,
    NULL,
};

static const Figure *const figures[] = {
    &figure_floor,     &figure_written,     &figure_cache, &figure_queries,
    &figure_serial,    &figure_exposure,    &figure_tree,  &figure_regret,
    &figure_truncated, &figure_temperature, &figure_cost,  NULL,
};

const Chapter chapter_language = {
    .number = 6,
    .folder = "06-language",
    .title = "language",
    .first_row = 38,
    .last_row = 42,
    .claims = claims,
    .figures = figures,
    .exercises = language_exercises,
    .questions = language_questions,
};
