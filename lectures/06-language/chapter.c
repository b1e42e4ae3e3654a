/* chapter.c: chapter 6, language: the tables of its files. */
#include "lectures/06-language/language.h"

/* clang-format off */
#define CLAIMS(X) X(chain_claims) X(cheat_claims) X(algorithms_b_claims) X(algorithms_z_claims) \
    X(cache_claims) X(cache_work_claims) X(parallel_claims) X(exposure_claims) X(search_claims) \
    X(language_sampling_claims) X(modes_claims) X(scaling_claims) X(assistant_claims) \
    X(bert_claims) X(gibbs_claims) X(finetune_claims) X(lora_claims) X(variants_claims)
#define FIGURES(X) X(cheat_figures) X(cache_work_figures) X(exposure_figures) X(search_figures) \
    X(language_sampling_figures) X(modes_figures) X(scaling_figures) X(gibbs_figures) \
    X(variants_figures)
#define EXERCISES(X) X(language_exercises)
/* clang-format on */

CHAPTER(chapter_language, language_questions, .number = 6, .folder = "06-language",
        .title = "language", .first_row = 38, .last_row = 47);
