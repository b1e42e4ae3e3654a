/* sound.c: sound as a picture of frequency against time, and as tokens (row 51; the transforms:
 * examples/speech).
 *
 *   X_f,k = sum_n w_n x_(f H + n) exp(-2 pi i k n / N)        frame f, frequency k R / N  Z "Audio data"
 *   |X|^2 alone: find phases whose wave has these magnitudes  Griffin and Lim 1984 */
#include "examples/speech/draw.h"
#include "lectures/07-vision/vision.h"

#include <stdlib.h>
#include <string.h>

/* ---- a spectrogram as tokens ----------------------------------------------------------------- */

/* The frames of a wave in a random order, each HOP samples long. */
static void shuffle_frames(real *wave, int frames, Rng *rng)
{
    static real copy[SAMPLES];
    int order[FRAMES];
    memcpy(copy, wave, sizeof copy);
    for (int f = 0; f < frames; f++)
        order[f] = f;
    rng_shuffle(rng, order, frames);
    for (int f = 0; f < frames; f++)
        memcpy(wave + f * HOP, copy + order[f] * HOP, HOP * sizeof *wave);
}

static double reads_words(Trial *t)
{
    enum { HEARD = 50 };
    static Sentence s;
    Speech speech;
    Params *p = trial_params(t);
    Rng *rng = trial_rng(t, 5130);
    int wrong = 0, words[HEARD_MAX];
    bool ok = speech_init(&speech, p) && media_load(p, "speech.safetensors");
    trial_tape(t)->no_grad = true;
    if (broken(t, "untrained"))
        media_forget(p, "recogniser");
    for (int i = 0; ok && i < HEARD; i++) {
        Speaker speaker = sentence_draw(&s, rng, true);
        if (broken(t, "shuffled"))
            shuffle_frames(s.wave, s.frames, rng);
        int n = recogniser_words(&speech.recogniser, trial_tape(t), s.wave, s.frames, words);
        ok = n >= 0;
        int off = ok ? words_wrong(words, n, s.words, WORDS) : WORDS;
        wrong += off;
        if (i < 5)
            explain(t, "speaker of %3.0f Hz, formants times %.2f: %d of 4 words wrong",
                    speaker.pitch, 1 / speaker.tract, off);
    }
    explain(t, "%d of %d words wrong", wrong, HEARD * WORDS);
    return ok ? (double)wrong / (HEARD * WORDS) : (double)NAN;
}

const Claim sound_claims[] = {
    {51, reads_words,
     "an encoder reads 95 % of the words in spectrograms of new speakers and sentences",
     .slides = {"Z: Audio data"},
     .quantity = "word error rate, 50 sentences of new speakers and held-out texts; one training",
     AT_MOST(0.05, "a guess of ten words errs in 0.9; 0.05 are 10 of 200 words"),
     .faults = {{"untrained", "random weights"},
                {"shuffled", "the frames of 20 ms in a random order"}}},
    {0},
};

double sound_pairs(Trial *t)
{
    double samples = RATE, frames = samples / HOP;
    explain(t, "a second: %.0f samples or %.0f frames", samples, frames);
    return samples * samples / (frames * frames);
}

/* ---- figure ---------------------------------------------------------------------------------- */

/* As many rows as the map of the bands has, so that both are as high: the lowest bins, the highest
 * first. */
enum { SHOWN = BANDS * BAND_ROWS };

/* Minus the decibels, so that loud is dark: (SHOWN, frames). */
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
    static const char *hertz[SHOWN];
    static Sentence said;
    char path[SKETCH_STEM + 4];
    const int digits[WORDS] = {4, 1, 6, 7};
    const Speaker speaker = {.pitch = 125, .tract = 1, .rate = 1.1};
    Rng rng = {.seed = s->seed, .stream = 5180};
    Tape *tape = tape_new(s->seed);
    sentence_speak(&said, &speaker, digits, &rng);
    for (int k = 0; k < SHOWN; k++) /* of five rows with one label, one has it */
        hertz[SHOWN - 1 - k] =
            k % 40 < 5 ? (const char *[]){"0", "1 kHz", "2 kHz", "3 kHz", "4 kHz"}[k / 40] : "";
    const Tensor *power = frames_power(wave_frames(tape, said.wave, said.frames));
    const Tensor *tokens = mel_tokens(tape, said.wave, said.frames);
    PlotHeatmap maps[] = {
        {.map = decibels(tape, power, said.frames),
         .title = "\"four one six seven\": bins of 25 Hz",
         .rows = hertz,
         .row_name = "",
         .column_name = "frames of 20 ms",
         .scale = {.low = -42, .high = 0, .grey = true}},
        bands_map(tape, tokens->data, said.frames, BANDS, "24 bands: each column is a token"),
    };
    maps[1].scale.high = 2; /* of this sentence all are below it */
    snprintf(path, sizeof path, "%s.wav", s->stem);
    bool ok =
        plot_heatmaps(s->stem, maps, 2, sketch_title(s, "A spectrogram, and tokens"), s->formats) &&
        wav_write(path, said.wave, said.frames * HOP);
    tape_free(tape);
    return ok;
}

static bool compute_sound(const double *value, const char *text)
{
    static Sentence said;
    const int digits[WORDS] = {4, 1, 6, 7};
    const Speaker speaker = {.pitch = value[0], .tract = value[1], .rate = value[2]};
    Rng rng = {.seed = (uint64_t)value[3], .stream = 5180};
    Tape *tape = tape_new((uint64_t)value[3]);
    (void)text;
    if (!tape)
        return false;
    sentence_speak(&said, &speaker, digits, &rng);
    const Tensor *power = frames_power(wave_frames(tape, said.wave, said.frames));
    const bool ok = !tensor_is_poison(power);
    if (ok) {
        real *loud = decibels(tape, power, said.frames)->data;
        for (int i = 0; i < SHOWN * said.frames; i++)
            loud[i] = -loud[i];
        computed_map("spectrogram: time to the right, 0 to 4 kHz upwards", SHOWN, said.frames,
                     loud);
        computed_fact("%d frames of 20 ms: %.2f s.", said.frames, said.frames * HOP / (double)RATE);
    }
    tape_free(tape);
    return ok;
}

const ComputedFigure sound_computed = {
    .name = "spectrogram",
    .title = "A spectrogram of your speaker",
    .about =
        "\"four one six seven\": the pitch moves the fine lines, the length of the vocal tract the "
        "broad bands, and the speed their length.",
    .control = {{"pitch in Hz", 70, 350, 5, 125},
                {"vocal tract", 0.7, 1.4, 0.05, 1},
                {"speed", 0.7, 1.5, 0.05, 1.1},
                {"seed", 1, 20, 1, 1}},
    .compute = compute_sound};

const Figure sound_figures[] = {
    {51, "spectrogram", draw_spectrogram,
     .what = "four words as frequency against time, and as 24 numbers every 20 ms; the .wav beside "
             "it sounds so",
     .computed = &sound_computed},
    {0},
};
