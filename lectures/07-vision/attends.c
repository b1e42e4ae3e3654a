/* attends.c: which patches the words of a caption attend to (row 51; the model: picture_gpt.c).
 *
 *   A (B, H, T, T): in row t, what the token after t is foretold from; the 32 codes of a picture are two a patch */
#include "lectures/07-vision/scenes.h"

enum { PICTURES = 100 };

/* The maps (B, H, T, T) of the last layer for sequences of captions; NULL where the library failed. */
static const Tensor *last_maps(PictureGpt *m, const int *ids, int n)
{
    tape_reset(m->tape);
    m->tape->keep_maps = true;
    Tensor *y = gpt_logits(&m->gpt, tape_ids(m->tape, ids, shape2(n, SEQUENCE)));
    char name[TENSOR_NAME_MAX];
    snprintf(name, sizeof name, "blocks.%d.attn.A", PICTURE_GPT_LAYERS - 1);
    return tensor_is_poison(y) ? NULL : tape_find(m->tape, name);
}

/* The weight from where word w of the caption is foretold to both codes of a patch: mean over the heads. */
static double to_patch(const Tensor *A, int item, int word, int patch)
{
    double sum = 0;
    for (int h = 0; h < PICTURE_GPT_HEADS; h++)
        for (int code = 0; code < 2; code++)
            sum += (double)tensor_get(A, (int64_t[]){item, h, 1 + PICTURE_CODES + word,
                                                     1 + 2 * patch + code});
    return sum / PICTURE_GPT_HEADS;
}

/* Of what goes to the picture, the share that goes to one quadrant. */
static double share_of_quadrant(const Tensor *A, int item, int word, int quadrant)
{
    double there = 0, all = 0;
    for (int n = 0; n < PATCH_COUNT; n++) {
        double weight = to_patch(A, item, word, n);
        all += weight;
        there += patch_quadrant(n) == quadrant ? weight : 0;
    }
    return there / all;
}

static double words_attend(Trial *t)
{
    static Album album;
    static int ids[PICTURES][SEQUENCE];
    PictureGpt m;
    double least = 1;
    bool ok = broken(t, "untrained") ? picture_gpt_untrained(&m, t->seed)
                                     : picture_gpt_begin(&m, t->seed);
    if (ok)
        album_draw(&album, &m, PICTURES, false);
    for (int i = 0; ok && i < PICTURES; i++)
        sequence_caption(ids[i], album.codes[i], &album.scene[i]);
    const Tensor *A = ok ? last_maps(&m, ids[0], PICTURES) : NULL;
    for (int word = 0; word < CAPTION_WORDS; word++) {
        int k = word > ATTRIBUTES, a = word - k * (ATTRIBUTES + 1);
        double own = 0, other = 0;
        if (a == ATTRIBUTES)
            continue;
        for (int i = 0; A && i < PICTURES; i++) {
            const Thing *thing = album.scene[i].thing;
            bool swap = broken(t, "other-thing");
            own += share_of_quadrant(A, i, word, thing_quadrant(&thing[swap ? 1 - k : k]));
            other += share_of_quadrant(A, i, word, thing_quadrant(&thing[swap ? k : 1 - k]));
        }
        explain(t, "%s of thing %d: %.3f to its quadrant, %.3f to the other's",
                word_text(WORD_ATTRIBUTE + a), k + 1, own / PICTURES, other / PICTURES);
        if (a == SHADE || a == FORM)
            least = values_least(least, own / PICTURES);
    }
    picture_gpt_end(&m);
    return A ? least : (double)NAN;
}

const Claim claim_words_attend = {
    .row = 51,
    .statement = "the words of a thing's shade and form attend to the patches where it lies",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "least share of the weight on the picture that its quadrant gets, last layer",
    AT_LEAST(0.5),
    .why = "a half is more than on the three other quadrants together; equal weights give 1/4",
    .faults = {{"other-thing", "the quadrant of the other thing"},
               {"untrained", "the weights it began with"}},
    .measure = words_attend,
};

/* ---- figure ----------------------------------------------------------------------------------------------------------- */

static bool draw_words_attend(const Sketch *s)
{
    static int ids[SEQUENCE], codes[PICTURE_CODES];
    static char titles[4][24];
    PictureGpt m;
    Scene scene;
    PlotHeatmap map[5];
    const int words[4] = {SHADE, FORM, ATTRIBUTES + 1 + SHADE, ATTRIBUTES + 1 + FORM};
    bool ok = picture_gpt_begin(&m, s->seed);
    if (!ok)
        return false;
    scene_draw(&scene, &m.rng, false);
    codebook_encode(&m.book, scene.pixels, codes);
    sequence_caption(ids, codes, &scene);
    const Tensor *A = last_maps(&m, ids, 1);
    Tensor *picture = tape_input(m.tape, scene.pixels, shape2(SCENE_SIDE, SCENE_SIDE));
    map[0] = (PlotHeatmap){.map = picture,
                           .title = "the picture",
                           .row_name = "",
                           .column_name = "",
                           .pixels = true,
                           .scale = {.low = 0, .high = 1, .grey = true}};
    for (int k = 0; A && k < 4; k++) {
        Tensor *weights = tape_full(m.tape, 0, shape2(GRID, GRID));
        for (int n = 0; n < PATCH_COUNT; n++)
            weights->data[n] = (real)to_patch(A, 0, words[k], n);
        snprintf(titles[k], sizeof titles[k], "\"%s\"",
                 word_text(ids[PICTURE_CODES + 2 + words[k]]));
        map[1 + k] = (PlotHeatmap){.map = weights,
                                   .title = titles[k],
                                   .row_name = "",
                                   .column_name = "",
                                   .pixels = true,
                                   .scale = {.low = 0, .high = 0.3, .name = "attention weight"}};
    }
    ok = A &&
         plot_heatmaps(s->stem, map, 5,
                       sketch_title(s, "From a word of the caption to the patches"), s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_words_attend = {
    .row = 51,
    .name = "words-attend",
    .what = "which patches the words of a caption attend to",
    .draw = draw_words_attend,
};
