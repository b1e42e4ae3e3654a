/* chapter.c: chapter 7, vision and audio: the tables of its files. */
#include "lectures/07-vision/vision.h"

extern const Question vision_questions[];
extern const Claim vision_patches_claims[], pooling_claims[], biases_claims[], moved_claims[],
    nine_claims[], completion_claims[], vision_windows_claims[], reach_claims[], hierarchy_claims[],
    sound_claims[], speaking_claims[], captions_claims[], vision_exercises[],
    vision_exercises_media[];
extern const Figure vision_patches_figures[], biases_figures[], moved_figures[], pixels_figures[],
    vision_windows_figures[], reach_figures[], hierarchy_figures[], sound_figures[];

const Chapter chapter_vision = {
    .number = 7,
    .folder = "07-vision",
    .title = "vision and audio",
    .first_row = 48,
    .last_row = 51,
    .claims = (const Claim *const[]){vision_patches_claims, pooling_claims, biases_claims,
                                     moved_claims, nine_claims, completion_claims,
                                     vision_windows_claims, reach_claims, hierarchy_claims,
                                     sound_claims, speaking_claims, captions_claims, NULL},
    .figures = (const Figure *const[]){vision_patches_figures, biases_figures, moved_figures,
                                       pixels_figures, vision_windows_figures, reach_figures,
                                       hierarchy_figures, sound_figures, NULL},
    .exercises = (const Claim *const[]){vision_exercises, vision_exercises_media, NULL},
    .questions = vision_questions,
};
