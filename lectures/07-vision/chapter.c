/* chapter.c: chapter 7, vision and audio: its claims and figures in the order of their rows. */
#include "lectures/07-vision/vision.h"

static const Claim *const claims[] = {
    /* row 48 */
    &claim_patch_convolution,
    &claim_vit_base,
    &claim_mean_is_attention,
    &claim_only_attention,
    &claim_both_pool,
    &claim_relabelled,
    &claim_one_matrix,
    &claim_same_training,
    &claim_convnet_falls,
    &claim_scattered,
    &claim_one_patch,
    &claim_moved,
    &claim_grid_found,
    /* row 49 */
    &claim_picture_sum,
    &claim_pixel_sampling,
    &claim_gap_closed,
    &claim_blind,
    &claim_order_cancels,
    &claim_digit_nats,
    &claim_lower_half,
    &claim_looks,
    &claim_finds_rows,
    /* row 50 */
    &claim_windows_as_masks,
    &claim_swin_pairs,
    &claim_swin_reach,
    &claim_fixed_windows,
    &claim_whole_picture,
    &claim_merging,
    &claim_window_work,
    &claim_reduced_work,
    &claim_reduced_reach,
    &claim_stage_work,
    &claim_flat_costs,
    &claim_pyramid_better,
    /* row 51 */
    &claim_tone,
    &claim_overlap_add,
    &claim_magnitudes,
    &claim_reads_words,
    &claim_residual,
    &claim_says_text,
    &claim_prompt_voice,
    &claim_captions,
    &claim_other_picture,
    &claim_answers_held_out,
    &claim_drawings,
    &claim_drawing_nats,
    NULL,
};

static const Figure *const figures[] = {
    /* row 48 */
    &figure_cut,
    &figure_arranged,
    &figure_orders,
    &figure_moved,
    &figure_found_grid,
    /* row 49 */
    &figure_drawing,
    &figure_completions,
    &figure_pixel_nats,
    &figure_rows,
    /* row 50 */
    &figure_swin_windows,
    &figure_swin_masks,
    &figure_swin_reach,
    &figure_vision_work,
    &figure_pyramid,
    &figure_stages,
    /* row 51 */
    &figure_spectrogram,
    NULL,
};

const Chapter chapter_vision = {
    .number = 7,
    .folder = "07-vision",
    .title = "vision and audio",
    .first_row = 48,
    .last_row = 51,
    .claims = claims,
    .figures = figures,
    .exercises = vision_exercises,
    .questions = vision_questions,
};
