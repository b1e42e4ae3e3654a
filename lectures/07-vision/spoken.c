/* spoken.c: what the GPT of speech.c says, read by the recogniser of sound.c, and in whose voice (row 51). */
#include "lectures/07-vision/sound.h"

#include <stdlib.h>
#include <string.h>

/* A recording by a new speaker: its first word is the prompt, its text is to be spoken. */
typedef struct {
    Sentence said;
    int prompt;                         /* frames of the first word and of the pause after it */
    int codes[FRAMES][STAGES], written; /* of the recording; then what the GPT wrote          */
    real vectors[FRAMES][NUMBERS];      /* of the recording                                   */
} Task;

static void task_of(Task *k, const Speaker *speaker, const int words[WORDS], Rng *rng)
{
    sentence_speak(&k->said, speaker, words, rng);
    k->prompt = sentence_prompt(&k->said);
}

static void task_draw(Task *k, Rng *rng)
{
    int words[WORDS];
    Speaker speaker = speaker_draw(rng);
    sentence_words(rng, words, true);
    task_of(k, &speaker, words, rng);
}

static bool task_encode(Task *k, const Speech *s, Tape *tape)
{
    tape_reset(tape);
    tape->no_grad = true;
    k->written = k->said.frames;
    return codec_vectors(tape, k->said.wave, k->said.frames, k->vectors) &&
           codec_encode(&s->codec, tape, k->vectors, k->said.frames, k->codes);
}

/* Writes codes for a text after the prompt. */
static bool task_write(Task *k, const Speech *s, Tape *tape, const int words[WORDS],
                       Drawing drawing)
{
    int letters[LETTERS_MAX];
    sentence_letters(words, letters);
    k->written = speech_write(s, tape, letters, k->codes, k->prompt, FRAMES, drawing);
    return k->written >= 0;
}

/* The words that the recogniser reads in what was written after the prompt; -1 where a number is not finite. */
static int task_read(Task *k, const Speech *s, const Ear *e, Tape *tape, Rng *rng, int *read,
                     int most)
{
    static real v[FRAMES][NUMBERS], wave[SAMPLES];
    if (k->written == k->prompt)
        return 0;
    codec_decode(&s->codec, k->codes, k->written, STAGES, v);
    if (!vectors_to_wave(tape, v, k->written, rng, wave))
        return -1;
    return ear_reads(e, tape, wave + k->prompt * HOP, k->written - k->prompt, read, most);
}

/* ---- it says the text ---------------------------------------------------------------------------------------------------- */

enum { TASKS = 40, SPOKEN = WORDS - 1 };

/* Codes after the prompt in a random order. */
static void shuffle_codes(Task *k, Rng *rng)
{
    for (int f = k->written - 1; f > k->prompt; f--) {
        int other = k->prompt + (int)rng_below(rng, f + 1 - k->prompt), kept[STAGES];
        memcpy(kept, k->codes[f], sizeof kept);
        memcpy(k->codes[f], k->codes[other], sizeof kept);
        memcpy(k->codes[other], kept, sizeof kept);
    }
}

static void spell(char *line, size_t size, const int *words, int count)
{
    line[0] = 0;
    for (int i = 0; i < count; i++)
        snprintf(line + strlen(line), size - strlen(line), "%s%s", i ? " " : "",
                 digit_names[words[i]]);
}

static bool say_one(Trial *t, const Speech *s, const Ear *e, Tape *tape, Rng *rng, int *wrong)
{
    static Task k;
    int read[2 * WORDS], words[WORDS];
    char text[64], heard[96];
    task_draw(&k, rng);
    memcpy(words, k.said.words, sizeof words);
    for (int i = 1; broken(t, "other-text") && i < WORDS; i++)
        words[i] = (words[i] + 1 + (int)rng_below(rng, DIGITS - 1)) % DIGITS;
    if (!task_encode(&k, s, tape) || !task_write(&k, s, tape, words, (Drawing){1, rng}))
        return false;
    if (broken(t, "shuffled"))
        shuffle_codes(&k, rng);
    int count = task_read(&k, s, e, tape, rng, read, 2 * WORDS);
    if (count < 0)
        return false;
    *wrong += words_wrong(read, count, k.said.words + 1, SPOKEN);
    spell(text, sizeof text, k.said.words + 1, SPOKEN);
    spell(heard, sizeof heard, read, count);
    explain(t, "prompt \"%s\", then to say: %-18s %2d frames; read: %s",
            digit_names[k.said.words[0]], text, k.written - k.prompt, heard);
    return true;
}

static double says_text(Trial *t)
{
    Speech s;
    Ear e;
    Rng rng = {.seed = t->seed, .stream = 5150};
    Tape *tape = tape_new(t->seed);
    int wrong = 0;
    bool ok = speech_begin(&s, !broken(t, "untrained"), t->seed) && ear_begin(&e, true, t->seed);
    for (int i = 0; ok && i < TASKS; i++)
        ok = say_one(t, &s, &e, tape, &rng, &wrong);
    explain(t, "%d of %d words wrong", wrong, TASKS * SPOKEN);
    speech_end(&s);
    ear_end(&e);
    tape_free(tape);
    return ok ? (double)wrong / (TASKS * SPOKEN) : (double)NAN;
}

const Claim claim_says_text = {
    .row = 51,
    .statement = "a GPT over letters and codec codes speaks: a recogniser reads the text back",
    .slides = {"Z: Text-to-speech"},
    .quantity = "word error rate of 40 texts that training never saw, 3 words after the prompt",
    AT_MOST(0.1),
    .why = "a guess of ten words errs in 0.9; 0.1 are 12 of 120 words",
    .faults = {{"untrained", "the weights it began with"},
               {"other-text", "the GPT is given other letters than those that are compared"},
               {"shuffled", "the codes that it wrote in a random order"}},
    .measure = says_text,
};

/* ---- in the voice of the prompt --------------------------------------------------------------------------------------------- */

/* Two speakers of the same words, who differ in pitch and formants, or in formants alone. */
static void two_speakers(Task k[2], Rng *rng, bool same_pitch)
{
    int words[WORDS];
    Speaker who[2] = {speaker_draw(rng), speaker_draw(rng)};
    sentence_words(rng, words, true);
    if (same_pitch) {
        bool longer = rng_uniform(rng) < 0.5;
        who[1].pitch = who[0].pitch;
        who[longer].tract = 1.05;
        who[!longer].tract = 0.85;
    }
    for (int i = 0; i < 2; i++)
        task_of(&k[i], &who[i], words, rng);
}

/* The means over the voiced frames from `first` on: of the bands and, at PITCH, of log2 of the pitch in Hz. */
static void mean_voice(real (*v)[NUMBERS], int first, int frames, double mean[NUMBERS])
{
    int voiced = 0;
    memset(mean, 0, NUMBERS * sizeof *mean);
    for (int f = first; f < frames; f++) {
        double pitch = vector_pitch(v[f]);
        voiced += pitch > 0;
        for (int i = 0; pitch > 0 && i < NUMBERS; i++)
            mean[i] += i == PITCH ? log2(pitch) : (double)v[f][i];
    }
    for (int i = 0; i < NUMBERS; i++)
        mean[i] = voiced ? mean[i] / voiced : 0;
}

/* The mean voice of what the GPT writes after the prompt of task `from`, heard as a wave. */
static bool written_voice(const Task *from, const Speech *s, Tape *tape, Rng *rng,
                          double mean[NUMBERS])
{
    static real v[FRAMES][NUMBERS], wave[SAMPLES];
    Task k = *from;
    if (!task_write(&k, s, tape, k.said.words, (Drawing){1, rng}))
        return false;
    codec_decode(&s->codec, k.codes, k.written, STAGES, v);
    if (!vectors_to_wave(tape, v, k.written, rng, wave))
        return false;
    tape_reset(tape);
    if (!codec_vectors(tape, wave, k.written, v))
        return false;
    mean_voice(v, k.prompt, k.written, mean);
    return true;
}

/* Voices of two recordings of the same words, and of what is written after the prompt of the first (or, if broken, of the
 * second). */
typedef struct {
    double recorded[2][NUMBERS], written[NUMBERS];
} Voices;

static bool voices_of(Trial *t, const Speech *s, Tape *tape, Rng *rng, bool same_pitch, Voices *v)
{
    static Task k[2];
    two_speakers(k, rng, same_pitch);
    for (int i = 0; i < 2; i++) {
        if (!task_encode(&k[i], s, tape))
            return false;
        mean_voice(k[i].vectors, k[i].prompt, k[i].said.frames, v->recorded[i]);
    }
    return written_voice(&k[broken(t, "other-prompt")], s, tape, rng, v->written);
}

static double prompt_pitch(Trial *t)
{
    Speech s;
    Rng rng = {.seed = t->seed, .stream = 5160};
    Tape *tape = tape_new(t->seed);
    double square = 0;
    bool ok = speech_begin(&s, true, t->seed);
    for (int i = 0; ok && i < TASKS; i++) {
        Voices v;
        ok = voices_of(t, &s, tape, &rng, false, &v);
        double semitones = 12 * (v.written[PITCH] - v.recorded[0][PITCH]);
        square += semitones * semitones / TASKS;
        if (ok && i < 8)
            explain(t, "prompt's speaker %3.0f Hz, spoken at %3.0f Hz: %+.1f semitones",
                    exp2(v.recorded[0][PITCH]), exp2(v.written[PITCH]), semitones);
    }
    explain(t, "root of the mean square over %d speakers: %.2f semitones", TASKS, sqrt(square));
    speech_end(&s);
    tape_free(tape);
    return ok ? sqrt(square) : (double)NAN;
}

const Claim claim_prompt_pitch = {
    .row = 51,
    .statement =
        "prompted with one word's codes, as VALL-E is, the GPT continues at that speaker's pitch",
    .slides = {"Z: Text-to-speech"},
    .quantity = "root mean square of spoken against recorded pitch in semitones, 40 speakers",
    AT_MOST(2.5),
    .why = "two speakers at random differ by 13.8 / sqrt 6 = 5.6 semitones; 2.5 is less than half",
    .faults = {{"other-prompt", "the prompt is of another speaker"}},
    .measure = prompt_pitch,
};

/* Euclidean distance of two mean voices' bands, their mean level apart: how loud somebody speaks does not count. */
static double bands_apart(const double *a, const double *b)
{
    double sum = 0;
    double level = 0;
    for (int m = 0; m < BANDS; m++)
        level += (a[m] - b[m]) / BANDS;
    for (int m = 0; m < BANDS; m++)
        sum += (a[m] - b[m] - level) * (a[m] - b[m] - level);
    return sqrt(sum);
}

static double prompt_tract(Trial *t)
{
    Speech s;
    Rng rng = {.seed = t->seed, .stream = 5161};
    Tape *tape = tape_new(t->seed);
    int nearer = 0;
    bool ok = speech_begin(&s, true, t->seed);
    for (int i = 0; ok && i < TASKS; i++) {
        Voices v;
        ok = voices_of(t, &s, tape, &rng, true, &v);
        double own = bands_apart(v.written, v.recorded[0]);
        double other = bands_apart(v.written, v.recorded[1]);
        nearer += ok && own < other;
        if (ok && i < 8)
            explain(t, "distance to the prompt's speaker %.2f, to the other %.2f", own, other);
    }
    explain(t, "%d of %d voices are nearer to the prompt's speaker", nearer, TASKS);
    speech_end(&s);
    tape_free(tape);
    return ok ? (double)nearer / TASKS : (double)NAN;
}

const Claim claim_prompt_tract = {
    .row = 51,
    .statement = "the GPT continues with the prompt's vocal tract: of two speakers of one pitch it "
                 "sounds like the prompt's",
    .slides = {"Z: Text-to-speech"},
    .quantity = "share of 40 pairs in which the spoken bands are nearer to the prompt's speaker",
    AT_LEAST(0.8),
    .why = "by chance 1/2, with a standard error of 0.08: 0.8 is 3.8 of them",
    .faults = {{"other-prompt", "the prompt is of the other speaker"}},
    .measure = prompt_tract,
};

/* ---- figures ------------------------------------------------------------------------------------------------------------------ */

static PlotHeatmap token_map(Tape *tape, real (*vectors)[NUMBERS], int frames, const char *title)
{
    static const char *bands[BANDS];
    static char text[BANDS][16];
    name_bands(bands, 1, text);
    return (PlotHeatmap){.map = bands_upright(tape, vectors[0], frames, NUMBERS, 1),
                         .title = title,
                         .rows = bands,
                         .row_name = "",
                         .column_name = "frames of 20 ms",
                         .scale = {.low = -1, .high = 1.5, .name = "token"}};
}

/* The wave of codes beside the figure; their vectors into v. */
static bool sketch_codes(const Sketch *s, const char *name, const Codec *c, Task *k, Rng *rng,
                         real (*v)[NUMBERS])
{
    static real wave[SAMPLES];
    Tape *tape = tape_new(s->seed);
    codec_decode(c, k->codes, k->written, STAGES, v);
    bool ok =
        vectors_to_wave(tape, v, k->written, rng, wave) && sketch_wave(s, name, wave, k->written);
    tape_free(tape);
    return ok;
}

/* The recording and what the GPT makes of its text after its first word, one beside the other, with their waves. */
static bool draw_spoken(const Sketch *s)
{
    static Task k;
    static real v[FRAMES][NUMBERS];
    const int digits[WORDS] = {3, 9, 0, 7};
    const Speaker speaker = {.pitch = 120, .tract = 1, .rate = 1.2};
    char goes_on[64];
    Speech speech;
    Rng rng = {.seed = s->seed, .stream = 5190};
    Tape *tape = tape_new(s->seed);
    bool ok = speech_begin(&speech, true, s->seed);
    task_of(&k, &speaker, digits, &rng);
    ok = ok && task_encode(&k, &speech, tape) &&
         sketch_wave(s, "recorded", k.said.wave, k.said.frames) &&
         sketch_codes(s, "codec", &speech.codec, &k, &rng, v) &&
         task_write(&k, &speech, tape, digits, (Drawing){1, &rng}) &&
         sketch_codes(s, "gpt", &speech.codec, &k, &rng, v);
    if (ok) {
        tape_reset(tape);
        snprintf(goes_on, sizeof goes_on, "a GPT goes on after frame %d", k.prompt - 1);
        const PlotHeatmap maps[] = {token_map(tape, k.vectors, k.said.frames,
                                              "recorded: three nine zero seven"),
                                    token_map(tape, v, k.written, goes_on)};
        ok = plot_heatmaps(s->stem, maps, 2,
                           sketch_title(s, "A recording, and what a GPT makes of its first word"),
                           s->formats);
    }
    speech_end(&speech);
    tape_free(tape);
    return ok;
}

const Figure figure_spoken = {
    .row = 51,
    .name = "spoken",
    .what = "a recording and what the GPT makes of its first word and its text; both as .wav",
    .draw = draw_spoken,
};

/* Pitch of the prompt's speaker against that of what is spoken: points near the diagonal. */
static bool draw_voices(const Sketch *s)
{
    static double x[TASKS], y[TASKS];
    enum { DOTS = 60 };
    static double same[DOTS];
    Speech speech;
    Trial trial = {.claim = &claim_prompt_pitch, .seed = s->seed};
    Rng rng = {.seed = s->seed, .stream = 5160};
    Tape *tape = tape_new(s->seed);
    bool ok = speech_begin(&speech, true, s->seed);
    for (int i = 0; ok && i < TASKS; i++) {
        Voices v;
        ok = voices_of(&trial, &speech, tape, &rng, false, &v);
        x[i] = exp2(v.recorded[0][PITCH]);
        y[i] = exp2(v.written[PITCH]);
    }
    speech_end(&speech);
    tape_free(tape);
    for (int i = 0; i < DOTS; i++)
        same[i] = 85 + 2 * i;
    const PlotSeries series[] = {{"40 speakers", x, y, TASKS},
                                 {"the same pitch", same, same, DOTS}};
    const PlotCurves curves = {.series = series,
                               .count = 2,
                               .title = sketch_title(s, "One word of a speaker sets the pitch"),
                               .x_name = "pitch of the prompt's speaker, Hz",
                               .y_name = "pitch of what the GPT says, Hz",
                               .points = true};
    return ok && plot_curves(s->stem, &curves, s->formats);
}

const Figure figure_voices = {
    .row = 51,
    .name = "voices",
    .what = "the pitch of the prompt and of what is spoken after it, for 40 speakers",
    .draw = draw_voices,
};
