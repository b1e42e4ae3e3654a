/* scene_figures.c: pictures with the captions that the model writes, and pictures that it draws (row 51). */
#include "lectures/07-vision/scenes.h"

enum { SHOWN = 4, TEXT = 64 };

/* Half of a caption: the words of one thing. */
static const char *thing_text(const int *words, char text[TEXT])
{
    int at = 0;
    for (int a = 0; a < ATTRIBUTES; a++)
        at += snprintf(text + at, TEXT - (size_t)at, "%s%s", a ? " " : "", word_text(words[a]));
    return text;
}

/* A grey picture with a caption, one thing above it and one below. */
static PlotHeatmap captioned(Tape *tape, const real *pixels, const int words[CAPTION_WORDS],
                             char above[TEXT], char below[TEXT])
{
    return (PlotHeatmap){.map = tape_input(tape, pixels, shape2(SCENE_SIDE, SCENE_SIDE)),
                         .title = thing_text(words, above),
                         .row_name = "",
                         .column_name = thing_text(words + ATTRIBUTES + 1, below),
                         .pixels = true,
                         .scale = {.low = 0, .high = 1, .grey = true}};
}

/* Two pictures of pairs that training showed, two with a pair held out. */
static void four_scenes(PictureGpt *m, Album *album)
{
    album->count = SHOWN;
    for (int i = 0; i < SHOWN; i++) {
        scene_draw(&album->scene[i], &m->rng, i >= SHOWN / 2);
        codebook_encode(&m->book, album->scene[i].pixels, album->codes[i]);
    }
}

static bool draw_captions(const Sketch *s)
{
    static Album album;
    static int words[SHOWN][CAPTION_WORDS];
    char above[SHOWN][TEXT], below[SHOWN][TEXT];
    PlotHeatmap map[SHOWN];
    PictureGpt m;
    bool ok = picture_gpt_begin(&m, s->seed);
    if (ok) {
        four_scenes(&m, &album);
        ok = picture_gpt_captions(&m, (const int(*)[PICTURE_CODES])album.codes, SHOWN, words);
    }
    for (int i = 0; ok && i < SHOWN; i++)
        map[i] = captioned(m.tape, album.scene[i].pixels, words[i], above[i], below[i]);
    ok = ok && plot_heatmaps(s->stem, map, SHOWN,
                             sketch_title(s, "Captions written by the model: \"... and ...\""),
                             s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_captions = {
    .row = 51,
    .name = "captions",
    .what = "new pictures and the captions that the model writes; on the right, held-out pairs",
    .draw = draw_captions,
};

static bool draw_drawings(const Sketch *s)
{
    static Album album;
    static int words[SHOWN][CAPTION_WORDS], codes[SHOWN][PICTURE_CODES];
    static real pixels[SHOWN][SCENE_PIXELS];
    char above[SHOWN][TEXT], below[SHOWN][TEXT];
    PlotHeatmap map[SHOWN];
    PictureGpt m;
    bool ok = picture_gpt_begin(&m, s->seed);
    if (ok) {
        four_scenes(&m, &album);
        for (int i = 0; i < SHOWN; i++)
            scene_caption(album.scene[i].thing, words[i]);
        ok = picture_gpt_pictures(&m, (const int(*)[CAPTION_WORDS])words, SHOWN, GREEDY, codes);
    }
    for (int i = 0; ok && i < SHOWN; i++) {
        if (codes_in_turn(codes[i]))
            codebook_decode(&m.book, codes[i], pixels[i]);
        map[i] = captioned(m.tape, pixels[i], words[i], above[i], below[i]);
    }
    ok = ok && plot_heatmaps(s->stem, map, SHOWN,
                             sketch_title(s, "Drawn by the model for the captions \"... and ...\""),
                             s->formats);
    picture_gpt_end(&m);
    return ok;
}

const Figure figure_drawings = {
    .row = 51,
    .name = "drawings",
    .what = "pictures that the model draws for captions; on the right, held-out pairs",
    .draw = draw_drawings,
};
