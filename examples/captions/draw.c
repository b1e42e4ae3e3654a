/* draw.c: what the model writes, draws, looks at and answers, as pictures. See draw.h. */
#include "examples/captions/draw.h"

#include <math.h>

enum { SHOWN = 3, TEXT = 64, ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF };

static PlotHeatmap picture_map(Tape *tape, const real *pixels, const char *title)
{
    return (PlotHeatmap){.map = tape_input(tape, pixels, shape2(SIDE, SIDE)),
                         .title = title,
                         .row_name = "",
                         .column_name = "",
                         .pixels = true,
                         .scale = {.low = 0, .high = 1, .grey = true}};
}

/* ---- pictures, captions, pictures ----------------------------------------------------------- */

/* Half of a caption: `before` and the words of one object. */
static const char *object_text(const int *words, const char *before, char text[TEXT])
{
    int at = snprintf(text, TEXT, "%s", before);
    for (int a = 0; a < ATTRIBUTES; a++)
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s", a ? " " : "", word_text(words[a]));
    return text;
}

/* The form of the object of a held-out pair. */
static int held_out_form(const Scene *s)
{
    return s->object[object_held_out(&s->object[1])].value[FORM];
}

/* A picture of pairs that training showed, then one with each of the pairs held out. */
static void draw_scenes(PictureGpt *m, Album *album)
{
    Scene *scene = album->scene;
    for (int i = 0; i < SHOWN; i++) {
        do
            scene_draw(&scene[i], &m->rng, i > 0);
        while (i > 1 && held_out_form(&scene[i]) == held_out_form(&scene[1]));
        codebook_encode(&m->book, scene[i].pixels, album->codes[i]);
    }
}

bool draw_both_ways(PictureGpt *m, const Common *c)
{
    static Album album;
    static real pixels[SHOWN][PIXELS];
    int words[SHOWN][CAPTION_WORDS], codes[SHOWN][PICTURE_CODES];
    char first[SHOWN][TEXT], second[SHOWN][TEXT], stem[EXAMPLE_PATH];
    PlotHeatmap map[2 * SHOWN];
    draw_scenes(m, &album);
    if (!picture_gpt_captions(m, album.codes, SHOWN, words) ||
        !picture_gpt_pictures(m, words, SHOWN, codes))
        return false;
    tape_reset(m->tape);
    for (int i = 0; i < SHOWN; i++) {
        codebook_decode(&m->book, codes[i], pixels[i]);
        map[i] = picture_map(m->tape, album.scene[i].pixels, object_text(words[i], "", first[i]));
        map[i].column_name = object_text(words[i] + ATTRIBUTES + 1, "and ", second[i]);
        map[SHOWN + i] = picture_map(m->tape, pixels[i], NULL);
    }
    return plot_heatmaps(example_path(c, "both-ways", stem), map, 2 * SHOWN,
                         "Pictures, captions written for them, and pictures drawn for the captions",
                         ALL_FORMATS);
}

/* ---- from words to patches ------------------------------------------------------------------ */

/* The weight from where a word of the caption is predicted to both codes of a patch. */
static double to_patch(const Tensor *A, int head, int word, int patch)
{
    int64_t query = 1 + PICTURE_CODES + word, key = 1 + 2 * patch;
    return (double)tensor_get(A, (int64_t[]){0, head, query, key}) +
           (double)tensor_get(A, (int64_t[]){0, head, query, key + 1});
}

static double to_quadrant(const Tensor *A, int head, int word, int quadrant)
{
    double sum = 0;
    for (int n = 0; n < PATCHES; n++)
        sum += patch_quadrant(n) == quadrant ? to_patch(A, head, word, n) : 0;
    return sum;
}

/* The head that gives the quadrant of the word's object the largest weight. */
static int best_head(const Tensor *const maps[LAYERS], int word, const Scene *s)
{
    int best = 0, quadrant = object_quadrant(&s->object[word > ATTRIBUTES]);
    for (int h = 1; h < LAYERS * HEADS; h++)
        if (to_quadrant(maps[h / HEADS], h % HEADS, word, quadrant) >
            to_quadrant(maps[best / HEADS], best % HEADS, word, quadrant))
            best = h;
    return best;
}

/* The maps of all layers, (1, HEADS, SEQUENCE, SEQUENCE), for a picture and its caption. */
static bool all_maps(PictureGpt *m, const Album *album, const Tensor *maps[LAYERS])
{
    int ids[SEQUENCE];
    sequence_caption(ids, album->codes[0], &album->scene[0]);
    tape_reset(m->tape);
    m->tape->keep_maps = true;
    bool ok = !tensor_is_poison(nn_gpt(&m->gpt, tape_ids(m->tape, ids, shape2(1, SEQUENCE))));
    m->tape->keep_maps = false;
    return ok && example_maps(m->tape, "blocks.%d.attn", LAYERS, 0, maps);
}

/* The picture and, below it, what its codes are drawn as; beside them the words of its first and
 * its second object. */
bool draw_words_attend(PictureGpt *m, const Common *c)
{
    static Album album;
    static real decoded[PIXELS], weight[4][PIXELS];
    static const int drawn[4] = {SHADE, FORM, ATTRIBUTES + 1 + SHADE, ATTRIBUTES + 1 + FORM};
    char title[4][40], stem[EXAMPLE_PATH];
    const Tensor *maps[LAYERS];
    PlotHeatmap map[6];
    int words[CAPTION_WORDS];
    album_draw(&album, m, 1, false);
    scene_caption(album.scene[0].object, words);
    codebook_decode(&m->book, album.codes[0], decoded);
    if (!all_maps(m, &album, maps))
        return false;
    map[0] = picture_map(m->tape, album.scene[0].pixels, "the picture");
    map[3] = picture_map(m->tape, decoded, "from its 32 codes");
    for (int w = 0; w < 4; w++) {
        int h = best_head(maps, drawn[w], &album.scene[0]);
        for (int i = 0; i < PIXELS; i++)
            weight[w][i] = (real)to_patch(maps[h / HEADS], h % HEADS, drawn[w],
                                          i / SIDE / PATCH_SIDE * GRID + i % SIDE / PATCH_SIDE);
        snprintf(title[w], sizeof title[w], "%s (layer %d, head %d)", word_text(words[drawn[w]]),
                 h / HEADS + 1, h % HEADS + 1);
        PlotHeatmap *at = &map[1 + w + w / 2];
        *at = picture_map(m->tape, weight[w], title[w]);
        at->scale = (PlotScale){.low = 0, .high = 0.8, .name = "attention weight of a patch"};
    }
    return plot_heatmaps(example_path(c, "words-attend", stem), map, 6,
                         "From a word of the caption to the patches", ALL_FORMATS);
}

/* ---- answers -------------------------------------------------------------------------------- */

bool draw_answers(PictureGpt *m, const Common *c)
{
    enum { WAYS = 6, GUESS = 4, NEW_PAIR };
    static const char *const names[WAYS] = {"its picture",         "the other object black",
                                            "its object black",    "another picture",
                                            "a guess, no picture", "its picture, a new pair"};
    static const Shown shown[GUESS] = {WHOLE, HIDE_OTHER, HIDE_ASKED, SWAPPED};
    static Exam e;
    char stem[EXAMPLE_PATH];
    double right[WAYS] = {[NEW_PAIR] = 1}, p[MOST_VALUES];
    bool ok = true;
    exam_draw(m, &e);
    for (int i = 0; i < SCENES; i++) {
        prior_answers(&e.query[i], &e.album.scene[i].object[e.query[i].object], p);
        right[GUESS] += prior_likeliest(p) / SCENES;
    }
    for (int way = 0; ok && way < GUESS; way++) {
        ok = exam_ask(m, &e, shown[way]);
        right[way] = exam_right(&e);
    }
    for (int kind = 0; ok && kind < HELD_OUT_KINDS; kind++) {
        exam_draw_held_out(m, &e, kind);
        ok = exam_ask(m, &e, WHOLE);
        right[NEW_PAIR] = fmin(right[NEW_PAIR], exam_right(&e));
    }
    const PlotBars bars = {.names = names,
                           .values = right,
                           .count = WAYS,
                           .title = "share of right answers, by what the model is shown"};
    return ok && plot_bars(example_path(c, "answers", stem), &bars, 1, "Questions about an object",
                           ALL_FORMATS);
}
