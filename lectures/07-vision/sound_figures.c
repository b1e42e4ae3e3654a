/* sound_figures.c: a wave, its spectrogram and its tokens (row 51). See sound.h. */
#include "lectures/07-vision/sound.h"

#include <stdlib.h>
#include <string.h>

bool sketch_wave(const Sketch *s, const char *name, const real *wave, int frames)
{
    char path[SKETCH_STEM];
    snprintf(path, sizeof path, "%s%s%s.wav", s->stem, *name ? "-" : "", name);
    return wav_write(path, wave, frames * HOP);
}

void name_frames(const int *label, int frames, const char *names[FRAMES])
{
    for (int f = 0, end; f < frames; f = end) {
        for (end = f; end < frames && label[end] == label[f]; end++)
            names[end] = "";
        if (label[f] != SILENCE)
            names[(f + end) / 2] = digit_names[label[f]];
    }
}

Tensor *bands_upright(Tape *tape, const real *tokens, int frames, int numbers, int rows)
{
    Tensor *map = tape_full(tape, 0, shape2(BANDS * rows, frames));
    for (int i = 0; i < BANDS * rows * frames; i++)
        map->data[i] = tokens[i % frames * numbers + BANDS - 1 - i / (frames * rows)];
    return map;
}

/* A map of many rows shows the name of one row in SPREAD: each of so many rows has the same name. */
enum { SPREAD = 5 };

void name_bands(const char **names, int rows, char text[BANDS][16])
{
    for (int i = 0; i < BANDS * rows; i++)
        names[i] = "";
    for (int m = 3; m < BANDS; m += 4) {
        snprintf(text[m], sizeof text[m], "%.1f kHz", mel_centre(m) / 1000);
        for (int i = 0; i < (rows < SPREAD ? 1 : SPREAD); i++)
            names[(BANDS - 1 - m) * rows + i] = text[m];
    }
}

/* So many rows for a band, so that both maps are as high. */
enum { TALL = 7, SHOWN = BANDS * TALL };

/* Minus the decibels of the lowest bins, the highest first, so that loud is dark: (SHOWN, frames). */
static Tensor *decibels(Tape *tape, const Tensor *power, int frames)
{
    Tensor *map = tape_full(tape, 0, shape2(SHOWN, frames));
    for (int i = 0; i < SHOWN * frames; i++) {
        double p = (double)power->data[i % frames * BINS + SHOWN - 1 - i / frames];
        map->data[i] = (real)(-10 * log10(p + 1));
    }
    return map;
}

static bool draw_spectrogram(const Sketch *s)
{
    static const char *hertz[SHOWN], *bands[SHOWN];
    static Sentence said;
    char text[BANDS][16];
    const int digits[WORDS] = {4, 1, 6, 7};
    const Speaker speaker = {.pitch = 125, .tract = 1, .rate = 1.1};
    Rng rng = {.seed = s->seed, .stream = 5180};
    Tape *tape = tape_new(s->seed);
    sentence_speak(&said, &speaker, digits, &rng);
    name_bands(bands, TALL, text);
    for (int k = 0; k < SHOWN; k++)
        hertz[SHOWN - 1 - k] =
            k % 40 < SPREAD ? (const char *[]){"0", "1 kHz", "2 kHz", "3 kHz", "4 kHz"}[k / 40]
                            : "";
    const Tensor *power = frames_power(wave_frames(tape, said.wave, said.frames));
    const Tensor *tokens = mel_tokens(tape, said.wave, said.frames);
    const PlotHeatmap maps[] = {
        {.map = decibels(tape, power, said.frames),
         .title = "\"four one six seven\": bins of 25 Hz",
         .rows = hertz,
         .row_name = "",
         .column_name = "frames of 20 ms",
         .scale = {.low = -42, .high = 0, .grey = true}},
        {.map = bands_upright(tape, tokens->data, said.frames, BANDS, TALL),
         .title = "24 bands: each column is a token",
         .rows = bands,
         .row_name = "",
         .column_name = "frames of 20 ms",
         .scale = {.low = -1, .high = 1.5, .name = "token"}},
    };
    bool ok =
        plot_heatmaps(s->stem, maps, 2, sketch_title(s, "A spectrogram, and tokens"), s->formats) &&
        sketch_wave(s, "", said.wave, said.frames);
    tape_free(tape);
    return ok;
}

const Figure figure_spectrogram = {
    .row = 51,
    .name = "spectrogram",
    .what = "four words as frequency against time, and as 24 numbers every 20 ms; the .wav beside "
            "it sounds so",
    .draw = draw_spectrogram,
};
