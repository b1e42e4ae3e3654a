/* exercises_media.c: the exercises of row 51 (see exercises.c); their solutions are in
 * solutions_media.c. */
#include "lectures/07-vision/exercises_media.h"

#include "examples/common/kmeans.h"

#include <string.h>

/* ---- row 51: from frames to a wave ----------------------------------------------------------- */

/* frames (F, WINDOW) of a wave of F HOP samples: frame f begins (WINDOW - HOP) / 2 samples before
 * sample f HOP, so that each sample is in two frames, and Hann's windows over it sum to 1. Now: of
 * each frame the middle alone is taken. Change it: the sum of all frames; what lies before the
 * first sample or after the last is left out. */
static void overlap(const real *frames, int F, real *wave)
{
    for (int f = 0; f < F; f++)
        for (int i = 0; i < HOP; i++)
            wave[f * HOP + i] = frames[f * WINDOW + (WINDOW - HOP) / 2 + i];
}

/* Against the definition: sample n of the sum of all frames. */
static double sum_of_frames(const real *frames, int F, int n)
{
    double sum = 0;
    for (int f = 0; f < F; f++) {
        int i = n - f * HOP + (WINDOW - HOP) / 2;
        sum += i >= 0 && i < WINDOW ? (double)frames[f * WINDOW + i] : 0;
    }
    return sum;
}

static double overlap_is_right(Trial *t)
{
    enum { F = 20, N = F * HOP };
    static real noise[(F + 2) * WINDOW], all[N + 2 * WINDOW];
    const real *frames = noise + WINDOW; /* with others before and after, which do not count */
    real *wave = all + WINDOW;
    double worst = 0, largest = 0;
    for (int i = 0; i < (F + 2) * WINDOW; i++)
        noise[i] = (real)rng_normal(trial_rng(t, 5200));
    for (int n = -WINDOW; n < N + WINDOW; n++)
        wave[n] = 1; /* overlap has to set every sample, and nothing else */
    TRIED(t, overlap, overlap_solved, overlap_wrong_kept, overlap_wrong_set)(frames, F, wave);
    for (int n = -WINDOW; n < N + WINDOW; n++) {
        double expected = n < 0 || n >= N ? 1 : sum_of_frames(frames, F, n);
        worst = values_worst(worst, fabs((double)wave[n] - expected));
        largest = values_worst(largest, fabs(expected));
    }
    explain(t, "%d frames of noise, put together to a wave up to %.2f in size: off by up to %.2g",
            F, largest, worst);
    return worst / largest;
}

/* ---- row 51: residual codes ------------------------------------------------------------------ */

/* The codes of a vector. Now: each stage writes the centre that is nearest to the vector. Change
 * it: each stage after the first writes the centre that is nearest to what the stages before it
 * leave of the vector. */
static void codes_of(const Codec *c, const real v[NUMBERS], int codes[STAGES])
{
    for (int s = 0; s < STAGES; s++)
        codes[s] = kmeans_nearest(c->centres[s]->data, CENTRES, v, NUMBERS);
}

static double codes_are_right(Trial *t)
{
    static Sentence said;
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES], own[STAGES], wrong = 0;
    void (*codes_by)(const Codec *, const real *, int *) =
        TRIED(t, codes_of, codes_of_solved, codes_of_wrong_one_book, codes_of_wrong_sum);
    Media m;
    Speech s;
    bool ok = media_begin(&m, t->seed, 5201) && speech_init(&s, m.params) &&
              media_load(&m, "speech.safetensors");
    sentence_draw(&said, &m.rng, true);
    ok = ok && wave_vectors(m.tape, said.wave, said.frames, v);
    if (ok)
        codec_encode(&s.codec, v, said.frames, codes);
    for (int f = 0; ok && f < said.frames; f++) {
        codes_by(&s.codec, v[f], own);
        wrong += own[0] != codes[f][0] || own[1] != codes[f][1];
        if (f % 5 == 0)
            explain(t, "frame %2d: codes %d, %d; the codec's %d, %d", f, own[0], own[1],
                    codes[f][0], codes[f][1]);
    }
    explain(t, "%d of %d frames have other codes than the codec's", wrong, said.frames);
    media_end(&m);
    return ok ? (double)wrong / said.frames : (double)NAN;
}

const Claim vision_exercises_media[] = {
    EXERCISE(51, "overlap: frames that overlap by half add up to the wave", "Z: Audio data",
             "max |wave - sum of its frames| / max |wave|", 1e-6,
             "a sum of two floats is rounded by 6e-8", overlap_is_right,
             {"kept", "wave is not set to 0 first"}, {"set", "a frame replaces the one before it"}),
    EXERCISE(51, "codes_of: residual codes of a frame", "Z: Text-to-speech",
             "share of the frames of a sentence whose codes differ from the codec's", 0.05,
             "sums in another order may move a tie: one or two of 50 frames", codes_are_right,
             {"one_book", "the centres of the first stage in each"},
             {"sum", "the centre is added to the vector, not subtracted"}),
    {0},
};
