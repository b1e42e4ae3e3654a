/* scene_figures.c: pictures with the captions that the model writes, and the pictures that it draws for them (row 51). */
#include "lectures/07-vision/scenes.h"

enum { SHOWN = 3, TEXT = 64 };

/* Half of a caption: `before` and the words of one object. */
static const char *object_text(const int *words, const char *before, char text[TEXT])
{
    int at = snprintf(text, TEXT, "%s", before);
    for (int a = 0; a < ATTRIBUTES; a++)
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s", a ? " " : "", word_text(words[a]));
    return text;
}

PlotHeatmap scene_map(Tape *tape, const real *pixels, const char *title)
{
    return (PlotHeatmap){.map = tape_input(tape, pixels, shape2(SCENE_SIDE, SCENE_SIDE)),
                         .title = title,
                         .row_name = "",
                         .column_name = "",
                         .pixels = true,
                         .scale = {.low = 0, .high = 1, .grey = true}};
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
    album->count = SHOWN;
    for (int i = 0; i < SHOWN; i++) {
        do
            scene_draw(&scene[i], &m->rng, i > 0);
        while (i > 1 && held_out_form(&scene[i]) == held_out_form(&scene[1]));
        codebook_encode(&m->book, scene[i].pixels, album->codes[i]);
    }
}

static bool draw_both_ways(const Sketch *s)
{
    static Album album;
    static int words[SHOWN][CAPTION_WORDS], codes[SHOWN][PICTURE_CODES];
    static real pixels[SHOWN][SCENE_PIXELS];
    char first[SHOWN][TEXT], second[SHOWN][TEXT];
    PlotHeatmap map[2 * SHOWN];
    PictureGpt m;
    bool ok = picture_gpt_begin(&m, s->seed);
    if (ok) {
        draw_scenes(&m, &album);
        ok = picture_gpt_captions(&m, (const int(*)[PICTURE_CODES])album.codes, SHOWN, words) &&
             picture_gpt_pictures(&m, (const int(*)[CAPTION_WORDS])words, SHOWN, GREEDY, codes);
    }
    for (int i = 0; ok && i < SHOWN; i++) {
        if (codes_in_turn(codes[i]))
            codebook_decode(&m.book, codes[i], pixels[i]);
        map[i] = scene_map(m.tape, album.scene[i].pixels, object_text(words[i], "", first[i]));
        map[i].column_name = object_text(words[i] + ATTRIBUTES + 1, "and ", second[i]);
        map[SHOWN + i] = scene_map(m.tape, pixels[i], NULL);
    }
    ok = ok && plot_heatmaps(s->stem, map, 2 * SHOWN,
                             sketch_title(s, "Pictures, captions written for them, and pictures "
                                             "drawn for the captions"),
                             s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_both_ways = {
    .row = 51,
    .name = "both-ways",
    .what = "new pictures, captions by the model in two lines, and the pictures drawn for these",
    .draw = draw_both_ways,
};
