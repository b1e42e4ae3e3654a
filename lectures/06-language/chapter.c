/* chapter.c: chapter 6, language: the tables of its files. */
#include "lectures/06-language/language.h"

extern const Question language_questions[];
extern const Claim chain_claims[], cheat_claims[], algorithms_b_claims[], algorithms_loops_claims[],
    algorithms_z_claims[], cache_claims[], cache_work_claims[], parallel_claims[],
    exposure_claims[], search_claims[], language_sampling_claims[], nucleus_claims[], cost_claims[],
    modes_claims[], scaling_claims[], assistant_claims[], bert_claims[], gibbs_claims[],
    finetune_claims[], lora_claims[], variants_claims[], language_exercises[];
extern const Figure cheat_figures[], algorithms_b_figures[], cache_work_figures[],
    parallel_figures[], exposure_figures[], search_figures[], language_sampling_figures[],
    modes_figures[], scaling_figures[], assistant_figures[], gibbs_figures[], finetune_figures[],
    lora_figures[], variants_figures[];

const Chapter chapter_language = {
    .number = 6,
    .folder = "06-language",
    .title = "language",
    .first_row = 38,
    .last_row = 47,
    .claims =
        (const Claim *const[]){
            chain_claims,        cheat_claims,  algorithms_b_claims,      algorithms_loops_claims,
            algorithms_z_claims, cache_claims,  cache_work_claims,        parallel_claims,
            exposure_claims,     search_claims, language_sampling_claims, nucleus_claims,
            cost_claims,         modes_claims,  scaling_claims,           assistant_claims,
            bert_claims,         gibbs_claims,  finetune_claims,          lora_claims,
            variants_claims,     NULL},
    .figures = (const Figure *const[]){cheat_figures, algorithms_b_figures, cache_work_figures,
                                       parallel_figures, exposure_figures, search_figures,
                                       language_sampling_figures, modes_figures, scaling_figures,
                                       assistant_figures, gibbs_figures, finetune_figures,
                                       lora_figures, variants_figures, NULL},
    .exercises = (const Claim *const[]){language_exercises, NULL},
    .questions = language_questions,
};
