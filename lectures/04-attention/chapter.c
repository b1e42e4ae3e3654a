/* chapter.c: chapter 4, attention: the tables of its files. */
#include "lectures/04-attention/attention.h"

extern const Question attention_questions[];
extern const Claim order_claims[], trained_model_claims[], causes_claims[], senses_claims[],
    weights_claims[], retrieval_claims[], scale_claims[], attention_shapes_claims[], heads_claims[],
    patterns_claims[], jobs_claims[], masks_claims[], leaks_claims[], cross_claims[],
    attention_windows_claims[], complexity_claims[], tiles_claims[], attention_exercises[],
    attention_exercises_masks[], attention_exercises_costs[];
extern const Figure attention_drawings[], order_figures[], trained_model_figures[],
    retrieval_figures[], scale_figures[], patterns_figures[], jobs_figures[], masks_figures[],
    cross_figures[], attention_windows_figures[], complexity_figures[], tiles_figures[];

const Chapter chapter_attention = {
    .number = 4,
    .folder = "04-attention",
    .title = "attention",
    .first_row = 16,
    .last_row = 30,
    .claims =
        (const Claim *const[]){order_claims, trained_model_claims, causes_claims, senses_claims,
                               weights_claims, retrieval_claims, scale_claims,
                               attention_shapes_claims, heads_claims, patterns_claims, jobs_claims,
                               masks_claims, leaks_claims, cross_claims, attention_windows_claims,
                               complexity_claims, tiles_claims, NULL},
    .figures =
        (const Figure *const[]){attention_drawings, order_figures, trained_model_figures,
                                retrieval_figures, scale_figures, patterns_figures, jobs_figures,
                                masks_figures, cross_figures, attention_windows_figures,
                                complexity_figures, tiles_figures, NULL},
    .exercises = (const Claim *const[]){attention_exercises, attention_exercises_masks,
                                        attention_exercises_costs, NULL},
    .questions = attention_questions,
};
