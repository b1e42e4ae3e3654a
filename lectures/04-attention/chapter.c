/* chapter.c: chapter 4, attention: the tables of its files. */
#include "lectures/04-attention/attention.h"

/* clang-format off */
#define CLAIMS(X) X(order_claims) X(trained_model_claims) X(causes_claims) \
    X(weights_claims) X(retrieval_claims) X(scale_claims) X(attention_shapes_claims) \
    X(heads_claims) X(patterns_claims) X(jobs_claims) X(masks_claims) X(leaks_claims) \
    X(cross_claims) X(attention_windows_claims) X(complexity_claims) X(tiles_claims)
#define FIGURES(X) X(attention_drawings) X(order_figures) X(trained_model_figures) \
    X(retrieval_figures) X(scale_figures) X(patterns_figures) X(jobs_figures) X(masks_figures) \
    X(attention_windows_figures) X(complexity_figures) X(tiles_figures)
#define EXERCISES(X) X(attention_exercises)
/* clang-format on */

CHAPTER(chapter_attention, attention_questions, .number = 4, .folder = "04-attention",
        .title = "attention", .first_row = 16, .last_row = 30);
