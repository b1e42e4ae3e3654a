/* exercises_sound.c: exercises of row 51 (see exercises.c). */
#include "lectures/07-vision/sound.h"

#include <string.h>

/* ---- row 51: from frames to a wave ------------------------------------------------------------------------------ */

/* frames (F, WINDOW) of a wave of F HOP samples: frame f begins (WINDOW - HOP) / 2 samples before sample f HOP, so that each
 * sample is in two frames, and Hann's windows over it sum to 1. Now: of each frame the middle alone is taken. Change it: the
 * sum of all frames; what lies before the first sample or after the last is left out. */
static void overlap(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        for (int i = 0; i < HOP; i++)
            wave[f * HOP + i] = frames[f * WINDOW + (WINDOW - HOP) / 2 + i];
}

static void overlap_solved(const real *frames, int F, real *wave)
{
    for (int n = 0; n < F * HOP; n++)
        wave[n] = 0;
    for (int f = 0; f < F; f++)
        for (int i = 0; i < WINDOW; i++) {
            int n = f * HOP - (WINDOW - HOP) / 2 + i;
            if (n >= 0 && n < F * HOP)
                wave[n] += frames[f * WINDOW + i];
        }
}

/* Adds frame f to the wave; if `set`, writes it over the wave. */
static void add_frame(const real *frames, int F, int f, bool set, real *wave)
{
    for (int i = 0; i < WINDOW; i++) {
        int n = f * HOP - (WINDOW - HOP) / 2 + i;
        if (n >= 0 && n < F * HOP)
            wave[n] = frames[f * WINDOW + i] + (set ? 0 : wave[n]);
    }
}

static void overlap_wrong_kept(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        add_frame(frames, F, f, false, wave);
}

static void overlap_wrong_set(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        add_frame(frames, F, f, true, wave);
}

static double overlap_is_right(Trial *t)
{
    enum { F = 20 };
    static real wave[SAMPLES], back[SAMPLES];
    Rng rng = {.seed = t->seed, .stream = 5200};
    Tape *tape = tape_new(t->seed);
    double worst = 0, largest = 0;
    for (int n = 0; n < F * HOP; n++) {
        wave[n] = (real)rng_normal(&rng);
        back[n] = 1; /* overlap has to set every sample */
    }
    const Tensor *frames = wave_frames(tape, wave, F);
    TRIED(t, overlap, overlap_solved, overlap_wrong_kept, overlap_wrong_set)(frames->data, F, back);
    for (int n = HOP; n < (F - 1) * HOP; n++) {
        worst = values_worst(worst, fabs((double)back[n] - (double)wave[n]));
        largest = values_worst(largest, fabs((double)wave[n]));
    }
    explain(t, "noise up to %.2f in size, cut into %d frames and put together: off by up to %.2g",
            largest, F, worst);
    tape_free(tape);
    return worst / largest;
}

const Claim exercise_overlap =
    EXERCISE(51, "overlap: frames that overlap by half add up to the wave", "Z: Audio data",
             "max |wave - sum of its frames| / max |wave|", 1e-6,
             "two products with a window and one sum, each rounded by 6e-8", overlap_is_right,
             {"kept", "wave is not set to 0 first"}, {"set", "a frame replaces the one before it"});

/* ---- row 51: residual codes ---------------------------------------------------------------------------------------- */

static int nearest(const Tensor *centres, const double *v)
{
    int best = 0;
    double least = (double)INFINITY;
    for (int j = 0; j < CENTRES; j++) {
        double sum = 0;
        for (int d = 0; d < NUMBERS; d++) {
            double away = v[d] - (double)centres->data[j * NUMBERS + d];
            sum += away * away;
        }
        best = sum < least ? j : best;
        least = sum < least ? sum : least;
    }
    return best;
}

/* The codes of a vector. Now: each stage writes the centre that is nearest to the vector. Change it: each stage after the
 * first writes the centre that is nearest to what the stages before it leave of the vector. */
static void codes_of(const Codec *c, const double v[NUMBERS], int codes[STAGES])
{
    for (int s = 0; s < STAGES; s++)
        codes[s] = nearest(c->centres[s], v);
}

static void codes_of_solved(const Codec *c, const double v[NUMBERS], int codes[STAGES])
{
    double rest[NUMBERS];
    memcpy(rest, v, sizeof rest);
    for (int s = 0; s < STAGES; s++) {
        codes[s] = nearest(c->centres[s], rest);
        for (int d = 0; d < NUMBERS; d++)
            rest[d] -= (double)c->centres[s]->data[codes[s] * NUMBERS + d];
    }
}

static void codes_of_wrong_one_book(const Codec *c, const double v[NUMBERS], int codes[STAGES])
{
    Codec same = *c;
    for (int s = 1; s < STAGES; s++)
        same.centres[s] = c->centres[0];
    codes_of_solved(&same, v, codes);
}

static void codes_of_wrong_sum(const Codec *c, const double v[NUMBERS], int codes[STAGES])
{
    double rest[NUMBERS];
    memcpy(rest, v, sizeof rest);
    for (int s = 0; s < STAGES; s++) {
        codes[s] = nearest(c->centres[s], rest);
        for (int d = 0; d < NUMBERS; d++)
            rest[d] += (double)c->centres[s]->data[codes[s] * NUMBERS + d];
    }
}

static double codes_are_right(Trial *t)
{
    static Sentence said;
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES], own[STAGES], words[WORDS], wrong = 0;
    void (*codes_by)(const Codec *, const double *, int *) =
        TRIED(t, codes_of, codes_of_solved, codes_of_wrong_one_book, codes_of_wrong_sum);
    Speech s;
    Rng rng = {.seed = t->seed, .stream = 5201};
    Tape *tape = tape_new(t->seed);
    Speaker speaker = speaker_draw(&rng);
    sentence_words(&rng, words, true);
    sentence_speak(&said, &speaker, words, &rng);
    bool ok = speech_begin(&s, true, t->seed) && codec_vectors(tape, said.wave, said.frames, v) &&
              codec_encode(&s.codec, tape, v, said.frames, codes);
    for (int f = 0; ok && f < said.frames; f++) {
        double x[NUMBERS];
        for (int d = 0; d < NUMBERS; d++)
            x[d] = (double)v[f][d];
        codes_by(&s.codec, x, own);
        wrong += own[0] != codes[f][0] || own[1] != codes[f][1];
    }
    explain(t, "%d of %d frames have other codes than the codec's", wrong, said.frames);
    speech_end(&s);
    tape_free(tape);
    return ok ? (double)wrong / said.frames : (double)NAN;
}

const Claim exercise_codes =
    EXERCISE(51, "codes_of: residual codes of a frame", "Z: Text-to-speech",
             "share of the frames of a sentence whose codes differ from the codec's", 0.05,
             "the codec compares distances in float: of 50 frames one or two may be ties",
             codes_are_right, {"one_book", "the centres of the first stage in each"},
             {"sum", "the centre is added to the vector, not subtracted"});
