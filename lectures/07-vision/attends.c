/* attends.c: which patches the words of a caption attend to (row 51; the model: picture_gpt.c).
 *
 *   A (B, H, T, T): row t says from which tokens the token after t is predicted; two codes of the picture are a patch */
#include "lectures/07-vision/scenes.h"

enum { PICTURES = 100, LOOKING = 6 };

/* The words whose attention is measured: size, shade and form of both objects, by their index in the caption. */
static const int looking[LOOKING] = {
    SIZE, SHADE, FORM, ATTRIBUTES + 1 + SIZE, ATTRIBUTES + 1 + SHADE, ATTRIBUTES + 1 + FORM};

typedef struct {
    const Tensor *layer[PICTURE_GPT_LAYERS]; /* (B, H, T, T) */
} Maps;

/* The maps of all layers for n sequences of captions. False where the library failed. */
static bool all_maps(PictureGpt *m, const int *ids, int n, Maps *maps)
{
    tape_reset(m->tape);
    m->tape->keep_maps = true;
    bool ok = !tensor_is_poison(gpt_logits(&m->gpt, tape_ids(m->tape, ids, shape2(n, SEQUENCE))));
    for (int l = 0; ok && l < PICTURE_GPT_LAYERS; l++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, "blocks.%d.attn.A", l);
        maps->layer[l] = tape_find(m->tape, name);
        ok = maps->layer[l] != NULL;
    }
    return ok;
}

typedef struct {
    int layer, head;
} Head;

/* The weight from where a word of the caption is predicted to both codes of a patch. */
static double to_patch(const Maps *maps, Head h, int item, int word, int patch)
{
    int64_t query = 1 + PICTURE_CODES + word, key = 1 + 2 * patch;
    const Tensor *A = maps->layer[h.layer];
    return (double)tensor_get(A, (int64_t[]){item, h.head, query, key}) +
           (double)tensor_get(A, (int64_t[]){item, h.head, query, key + 1});
}

/* The mean weight from one of the words to the quadrant where its object lies, over pictures from `from` to `to`. */
static double to_object(const Maps *maps, Head h, const Album *a, int word, bool other, int from,
                        int to)
{
    int k = (word > ATTRIBUTES) != other;
    double sum = 0;
    for (int i = from; i < to; i++)
        for (int n = 0; n < PATCH_COUNT; n++)
            if (patch_quadrant(n) == object_quadrant(&a->scene[i].object[k]))
                sum += to_patch(maps, h, i, word, n);
    return sum / (to - from);
}

/* The head in which the word gives its object's quadrant the largest weight, on the first half of the pictures. */
static Head best_head(const Maps *maps, const Album *a, int word)
{
    Head best = {0, 0};
    for (int i = 1; i < PICTURE_GPT_LAYERS * PICTURE_GPT_HEADS; i++) {
        Head h = {i / PICTURE_GPT_HEADS, i % PICTURE_GPT_HEADS};
        if (to_object(maps, h, a, word, false, 0, PICTURES / 2) >
            to_object(maps, best, a, word, false, 0, PICTURES / 2))
            best = h;
    }
    return best;
}

/* A hundred new pictures with their captions, and all maps. */
static bool begin_maps(PictureGpt *m, uint64_t seed, bool trained, Album *album, Maps *maps)
{
    static int ids[PICTURES][SEQUENCE];
    if (!(trained ? picture_gpt_begin(m, seed) : picture_gpt_untrained(m, seed)))
        return false;
    album_draw(album, m, PICTURES, false);
    for (int i = 0; i < PICTURES; i++)
        sequence_caption(ids[i], album->codes[i], &album->scene[i]);
    return all_maps(m, ids[0], PICTURES, maps);
}

static double words_attend(Trial *t)
{
    static Album album;
    PictureGpt m;
    Maps maps;
    double least = (double)NAN;
    if (begin_maps(&m, t->seed, !broken(t, "untrained"), &album, &maps)) {
        least = 1;
        for (int w = 0; w < LOOKING; w++) {
            Head h = best_head(&maps, &album, looking[w]);
            double own = to_object(&maps, h, &album, looking[w], false, PICTURES / 2, PICTURES);
            double other = to_object(&maps, h, &album, looking[w], true, PICTURES / 2, PICTURES);
            explain(
                t,
                "%-5s of object %d: %.3f to its patches, %.3f to the other's (layer %d, head %d)",
                word_text(WORD_ATTRIBUTE + looking[w] % (ATTRIBUTES + 1)), 1 + w / (LOOKING / 2),
                own, other, h.layer + 1, h.head + 1);
            least = values_least(least, broken(t, "other-object") ? other : own);
        }
        explain(t,
                "each head is chosen on 50 other pictures; equal weights: 8 of 34 codes and words");
    }
    picture_gpt_end(&m);
    return least;
}

const Claim claim_words_attend = {
    .row = 51,
    .statement =
        "from each word for size, shade and form one head looks at the object's own patches",
    .slides = {"Z: Vision and language transformers"},
    .quantity = "least weight that the 4 patches of the object get, of 6 words, 50 new pictures",
    AT_LEAST(0.5),
    .why = "more than all other tokens together; equal weights give 8 of 34 codes, 0.24",
    .faults = {{"other-object", "the patches of the other object"},
               {"untrained", "the weights it began with"}},
    .measure = words_attend,
};

/* ---- figure ----------------------------------------------------------------------------------------------------------- */

/* The weights of one word, each patch with as many pixels as it has in the picture. */
static Tensor *weights_of_word(Tape *tape, const Maps *maps, Head h, int item, int word)
{
    Tensor *map = tape_full(tape, 0, shape2(SCENE_SIDE, SCENE_SIDE));
    for (int i = 0; i < SCENE_PIXELS; i++) {
        int patch = i / SCENE_SIDE / PATCH_SIDE * GRID + i % SCENE_SIDE / PATCH_SIDE;
        map->data[i] = (real)to_patch(maps, h, item, word, patch);
    }
    return map;
}

/* The picture and, below it, what its codes are drawn as; beside them the words of its first and its second object. */
static bool draw_words_attend(const Sketch *s)
{
    static Album album;
    static real decoded[SCENE_PIXELS];
    char title[4][40];
    PictureGpt m;
    Maps maps;
    PlotHeatmap map[6];
    int words[CAPTION_WORDS];
    const int shown = PICTURES - 1;
    bool ok = begin_maps(&m, s->seed, true, &album, &maps);
    const int drawn[4] = {SHADE, FORM, ATTRIBUTES + 1 + SHADE, ATTRIBUTES + 1 + FORM};
    if (ok) {
        scene_caption(album.scene[shown].object, words);
        codebook_decode(&m.book, album.codes[shown], decoded);
        map[0] = scene_map(m.tape, album.scene[shown].pixels, "the picture");
        map[3] = scene_map(m.tape, decoded, "from its 32 codes");
    }
    for (int w = 0; ok && w < 4; w++) {
        Head h = best_head(&maps, &album, drawn[w]);
        snprintf(title[w], sizeof title[w], "%s (layer %d, head %d)", word_text(words[drawn[w]]),
                 h.layer + 1, h.head + 1);
        map[1 + w + w / 2] =
            (PlotHeatmap){.map = weights_of_word(m.tape, &maps, h, shown, drawn[w]),
                          .title = title[w],
                          .row_name = "",
                          .column_name = "",
                          .pixels = true,
                          .scale = {.low = 0, .high = 0.8, .name = "attention weight of a patch"}};
    }
    ok = ok &&
         plot_heatmaps(s->stem, map, 6,
                       sketch_title(s, "From a word of the caption to the patches"), s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_words_attend = {
    .row = 51,
    .name = "words-attend",
    .what = "which patches the words of a caption attend to, each in its head",
    .draw = draw_words_attend,
};
