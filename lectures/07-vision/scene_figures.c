/* scene_figures.c: pictures with the captions that the model writes, and the pictures that it draws for them (row 51). */
#include "lectures/07-vision/scenes.h"

enum { SHOWN = 3, TEXT = 64 };

/* Half of a caption: the words of one thing, and those of `after`. */
static const char *thing_text(const int *words, const char *after, char text[TEXT])
{
    int at = 0;
    for (int a = 0; a < ATTRIBUTES; a++)
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s", a ? " " : "", word_text(words[a]));
    snprintf(text + at, TEXT - (size_t)at, "%s", after);
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

/* A picture of pairs that training showed, then two with a pair held out. */
static void draw_scenes(PictureGpt *m, Album *album)
{
    album->count = SHOWN;
    for (int i = 0; i < SHOWN; i++) {
        scene_draw(&album->scene[i], &m->rng, i > 0);
        codebook_encode(&m->book, album->scene[i].pixels, album->codes[i]);
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
        map[i] = scene_map(m.tape, album.scene[i].pixels, thing_text(words[i], " and", first[i]));
        map[SHOWN + i] =
            scene_map(m.tape, pixels[i], thing_text(words[i] + ATTRIBUTES + 1, "", second[i]));
    }
    ok = ok && plot_heatmaps(s->stem, map, 2 * SHOWN,
                             sketch_title(s, "Pictures, the captions written for them, and the "
                                             "pictures drawn for those"),
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
