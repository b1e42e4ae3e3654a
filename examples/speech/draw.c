/* draw.c: what is recorded and what is said, as pictures. See draw.h. */
#include "examples/speech/draw.h"

#include <math.h>
#include <string.h>

enum { ALL_FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF };

/* ---- tokens --------------------------------------------------------------------------------- */

/* Every fourth band has a label, which several rows share, so that one of the rows that are
 * labelled has it. */
static const char *const *band_names(void)
{
    enum { SHARED = 5 };
    static const char *names[BANDS * BAND_ROWS];
    static char text[BANDS][16];
    for (int i = 0; i < BANDS * BAND_ROWS; i++) {
        int m = BANDS - 1 - i / BAND_ROWS;
        bool named = m % 4 == 3 && i % BAND_ROWS < SHARED;
        if (named)
            snprintf(text[m], sizeof text[m], "%.1f kHz", mel_centre(m) / 1000);
        names[i] = named ? text[m] : "";
    }
    return names;
}

PlotHeatmap bands_map(Tape *tape, const real *tokens, int frames, int numbers, const char *title)
{
    Tensor *map = tape_full(tape, 0, shape2(BANDS * BAND_ROWS, frames));
    for (int i = 0; !tensor_is_poison(map) && i < BANDS * BAND_ROWS * frames; i++)
        map->data[i] = tokens[i % frames * numbers + BANDS - 1 - i / (frames * BAND_ROWS)];
    return (PlotHeatmap){.map = map,
                         .title = title,
                         .rows = band_names(),
                         .row_name = "",
                         .column_name = "frames of 20 ms",
                         .scale = {.low = -1, .high = 1.5, .name = "token"}};
}

bool draw_spoken(const Speech *s, const Task *recorded, const Task *said, const Common *c)
{
    static real v[FRAMES][NUMBERS];
    char first[96] = "recorded:", second[64], stem[EXAMPLE_PATH];
    Tape *tape = tape_new(1);
    if (!tape)
        return false;
    for (int i = 0; i < WORDS; i++)
        snprintf(first + strlen(first), sizeof first - strlen(first), " %s",
                 digit_names[recorded->said.words[i]]);
    snprintf(second, sizeof second, "the GPT goes on after frame %d", said->prompt - 1);
    codec_decode(&s->codec, (int(*)[STAGES])said->codes, said->written, v);
    const PlotHeatmap maps[] = {bands_map(tape, recorded->vectors[0], recorded->said.frames,
                                          NUMBERS, first),
                                bands_map(tape, v[0], said->written, NUMBERS, second)};
    bool ok = plot_heatmaps(example_path(c, "spoken", stem), maps, 2,
                            "A recording, and what a GPT makes of its first word", ALL_FORMATS);
    tape_free(tape);
    return ok;
}

/* ---- letters -------------------------------------------------------------------------------- */

/* Labels of rows: each letter; returns the number of rows, up to the last letter. */
static int name_letters(const int letters[LETTERS_MAX], const char *names[LETTERS_MAX])
{
    static char text[LETTERS_MAX][2];
    int rows = 0;
    for (int j = 0; j < LETTERS_MAX; j++) {
        text[j][0] = letters[j] ? (char)('a' + letters[j] - 1) : ' ';
        names[j] = text[j];
        rows = letters[j] ? j + 1 : rows;
    }
    return rows;
}

/* Labels of columns: the name of each word in the middle of its frames. */
static void name_frames(const Sentence *said, const char *names[FRAMES])
{
    for (int f = 0, end; f < said->frames; f = end) {
        for (end = f; end < said->frames && said->label[end] == said->label[f]; end++)
            names[end] = "";
        if (said->label[f] != SILENCE)
            names[(f + end) / 2] = digit_names[said->label[f]];
    }
}

bool draw_letters(const Speech *s, const Task *recorded, int head, const Common *c)
{
    static real weight[LETTERS_MAX][FRAMES];
    char title[64], stem[EXAMPLE_PATH];
    const char *words[FRAMES], *names[LETTERS_MAX];
    int letters[LETTERS_MAX], letter[FRAMES];
    Tape *tape = tape_new(1);
    bool ok = tape && task_letters(recorded, s, tape, head, letter, weight);
    if (ok) {
        sentence_letters(recorded->said.words, letters);
        name_frames(&recorded->said, words);
        snprintf(title, sizeof title, "Which letters layer %d, head %d attends to",
                 head / SPEECH_HEADS + 1, head % SPEECH_HEADS + 1);
        const PlotHeatmap map = {.map = tape_input(tape, weight[0], shape2(LETTERS_MAX, FRAMES)),
                                 .rows = names,
                                 .columns = words,
                                 .row_count = name_letters(letters, names),
                                 .column_count = recorded->said.frames,
                                 .title = title,
                                 .row_name = "letters of the text",
                                 .column_name = "the word that is spoken, frame by frame"};
        ok = plot_heatmap(example_path(c, "letters", stem), &map, ALL_FORMATS);
    }
    tape_free(tape);
    return ok;
}

/* ---- voices --------------------------------------------------------------------------------- */

bool draw_voices(const Speech *s, const Common *c)
{
    enum { SPEAKERS = 40 };
    static Task k;
    double pitch[SPEAKERS], spoken[SPEAKERS], own[SPEAKERS], other[SPEAKERS];
    double recorded[NUMBERS], said[NUMBERS];
    char stem[EXAMPLE_PATH];
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 12};
    Tape *tape = tape_new(1);
    bool ok = tape != NULL;
    for (int i = 0; ok && i < SPEAKERS; i++) {
        ok = task_draw(&k, s, tape, &rng) && task_say(&k, s, tape, k.said.words, &rng) &&
             task_voice(&k, s, tape, &rng, said);
        mean_voice(k.vectors, k.prompt, k.said.frames, recorded);
        pitch[i] = exp2(recorded[PITCH]);
        spoken[i] = said[PITCH] > 0 ? said[PITCH] : (double)NAN; /* it may end at once */
    }
    for (int i = 0; i < SPEAKERS; i++) {
        own[i] = 12 * (spoken[i] - log2(pitch[i]));
        other[i] = 12 * (spoken[(i + 1) % SPEAKERS] - log2(pitch[i])); /* the next one's prompt */
    }
    tape_free(tape);
    const PlotSeries series[] = {{"prompt of this speaker", pitch, own, SPEAKERS},
                                 {"prompt of another speaker", pitch, other, SPEAKERS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = "One word of a speaker sets the pitch",
                               .x_name = "pitch of the speaker, Hz",
                               .y_name = "what the GPT says, semitones above the speaker",
                               .points = true};
    return ok && plot_curves(example_path(c, "voices", stem), &curves, ALL_FORMATS);
}
