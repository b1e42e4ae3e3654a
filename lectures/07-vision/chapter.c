/* chapter.c: chapter 7, vision and audio: the tables of its files. */
#include "lectures/07-vision/vision.h"

/* clang-format off */
#define CLAIMS(X) X(vision_patches_claims) X(biases_claims) X(amounts_claims) X(nine_claims) \
    X(digits_claims) X(vision_windows_claims) X(reach_claims) X(hierarchy_claims) X(sound_claims) \
    X(speaking_claims) X(captions_claims)
#define FIGURES(X) X(vision_patches_figures) X(biases_figures) X(amounts_figures) \
    X(pixels_figures) X(vision_windows_figures) X(reach_figures) \
    X(sound_figures)
#define EXERCISES(X) X(vision_exercises)
/* clang-format on */

CHAPTER(chapter_vision, vision_questions, .number = 7, .folder = "07-vision",
        .title = "vision and audio", .first_row = 48, .last_row = 51);
