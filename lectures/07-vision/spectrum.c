/* spectrum.c: a wave as a picture of frequency against time, and as tokens (row 51). See sound.h.
 *
 *   X_f,k = sum_n w_n x_(f H + n) exp(-2 pi i k n / N)         short-time Fourier transform: frame f, frequency k R / N
 *   E_f,m = sum_k mel_m,k |X_f,k|^2                            a band as wide as the ear needs      Z "Audio data"
 *
 * The transform of all frames is two matrix products, (F, N) by (N, N/2 + 1), one with cosines and one with sines. */
#include "lectures/07-vision/sound.h"

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979;

/* Hann's window: two that overlap by half sum to 1. */
static double hann(int n)
{
    return 0.5 - 0.5 * cos(2 * pi * n / WINDOW);
}

/* ---- the transform and its inverse ---------------------------------------------------------------------------------- */

typedef struct {
    real cosine[WINDOW][BINS], sine[WINDOW][BINS]; /* of 2 pi k n / N */
} Waves;

static const Waves *waves(void)
{
    static Waves all;
    static bool made;
    for (int n = 0; !made && n < WINDOW; n++)
        for (int k = 0; k < BINS; k++) {
            double angle = 2 * pi * (k * n % WINDOW) / WINDOW;
            all.cosine[n][k] = (real)cos(angle);
            all.sine[n][k] = (real)sin(angle);
        }
    made = true;
    return &all;
}

Tensor *wave_frames(Tape *tape, const real *wave, int frames)
{
    static real cut[FRAMES][WINDOW];
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < WINDOW; i++) {
            int n = f * HOP + (HOP - WINDOW) / 2 + i;
            bool inside = n >= 0 && n < frames * HOP;
            cut[f][i] = inside ? (real)hann(i) * wave[n] : 0;
        }
    return tape_input(tape, cut[0], shape2(frames, WINDOW));
}

void frames_transform(Tensor *frames, Tensor **re, Tensor **im)
{
    const Shape shape = shape2(WINDOW, BINS);
    *re = ag_matmul(frames, tape_input(frames->tape, waves()->cosine[0], shape));
    *im = ag_matmul(frames, tape_input(frames->tape, waves()->sine[0], shape));
}

Tensor *frames_power(Tensor *frames)
{
    Tensor *re, *im;
    frames_transform(frames, &re, &im);
    return ag_add(ag_mul(re, re), ag_mul(im, im));
}

/* x_n = 1/N sum_k c_k (re_k cos + im_k sin), c_k = 2, and 1 for k = 0 and k = N/2: the other half of the bins mirrors this. */
static Tensor *inverse(Tensor *re, Tensor *im)
{
    real twice[BINS];
    for (int k = 0; k < BINS; k++)
        twice[k] = (real)((k == 0 || k == BINS - 1 ? 1.0 : 2.0) / WINDOW);
    const Shape shape = shape2(WINDOW, BINS);
    Tensor *c = tape_input(re->tape, twice, shape1(BINS));
    Tensor *cosine = tape_input(re->tape, waves()->cosine[0], shape);
    Tensor *sine = tape_input(re->tape, waves()->sine[0], shape);
    return ag_add(ag_linear(ag_mul(re, c), cosine, NULL), ag_linear(ag_mul(im, c), sine, NULL));
}

bool frames_to_wave(Tensor *re, Tensor *im, real *wave)
{
    const Tensor *x = inverse(re, im);
    if (tensor_is_poison(x))
        return false;
    int frames = (int)x->shape.dim[0];
    memset(wave, 0, (size_t)frames * HOP * sizeof *wave);
    for (int f = 0; f < frames; f++)
        for (int i = 0; i < WINDOW; i++) {
            int n = f * HOP + (HOP - WINDOW) / 2 + i;
            if (n >= 0 && n < frames * HOP)
                wave[n] += x->data[f * WINDOW + i];
        }
    return true;
}

/* ---- bands ------------------------------------------------------------------------------------------------------------ */

static double mel(double hertz)
{
    return 2595 * log10(1 + hertz / 700);
}

/* Centres m = -1 .. BANDS lie at equal distances of mel from 60 Hz to 7,800 Hz. */
static double mel_step(void)
{
    return (mel(7800) - mel(60)) / (BANDS + 1);
}

double mel_centre(int m)
{
    return 700 * (pow(10, (mel(60) + (m + 1) * mel_step()) / 2595) - 1);
}

double mel_weight(int m, int k)
{
    double f = k * (double)RATE / WINDOW, middle = mel_centre(m);
    double end = f < middle ? mel_centre(m - 1) : mel_centre(m + 1);
    double weight = (f - end) / (middle - end);
    return weight > 0 ? weight : 0;
}

Tensor *mel_bands(Tensor *power)
{
    static real weights[BANDS][BINS];
    static bool made;
    for (int m = 0; !made && m < BANDS; m++)
        for (int k = 0; k < BINS; k++)
            weights[m][k] = (real)mel_weight(m, k);
    made = true;
    return ag_linear(power, tape_input(power->tape, weights[0], shape2(BANDS, BINS)), NULL);
}

Tensor *mel_tokens(Tape *tape, const real *wave, int frames)
{
    /* A wave of mean square 1 has N sum w^2 / 2 = 3/16 N^2 in a frame's bins 0 .. N/2. */
    const double whole = 3.0 / 16 * WINDOW * WINDOW, floor = pow(10, FLOOR_DECIBEL / 10.0);
    Tensor *e =
        ag_scale(mel_bands(frames_power(wave_frames(tape, wave, frames))), (real)(1 / whole));
    Tensor *decibel =
        ag_scale(ag_log(ag_add(e, tape_full(tape, (real)floor, shape1(1)))), (real)(10 / log(10)));
    return ag_scale(ag_add(decibel, tape_full(tape, 30, shape1(1))), (real)0.05);
}

/* ---- no energy is lost ------------------------------------------------------------------------------------------------ */

/* A sentence of a speaker at random. */
static void any_sentence(Sentence *s, uint64_t seed, uint64_t stream)
{
    int words[WORDS];
    Rng rng = {.seed = seed, .stream = stream};
    Speaker speaker = speaker_draw(&rng);
    sentence_words(&rng, words, true);
    sentence_speak(s, &speaker, words, &rng);
}

/* sum_n x_n^2 of a frame, and (1/N) sum_k |X_k|^2 over all N bins, of which bins N/2 + 1 .. N - 1 mirror those below. */
static double in_time(const Tensor *frames, int f)
{
    double sum = 0;
    for (int n = 0; n < WINDOW; n++)
        sum += (double)frames->data[f * WINDOW + n] * (double)frames->data[f * WINDOW + n];
    return sum;
}

static double in_frequency(const Tensor *power, int f, bool mirrored)
{
    double sum = 0;
    for (int k = 0; k < BINS; k++)
        sum += (mirrored && k > 0 && k < BINS - 1 ? 2 : 1) * (double)power->data[f * BINS + k];
    return sum / WINDOW;
}

static double parseval(Trial *t)
{
    static Sentence s;
    Tape *tape = tape_new(t->seed);
    double worst = 0;
    any_sentence(&s, t->seed, 5110);
    Tensor *frames = wave_frames(tape, s.wave, s.frames);
    const Tensor *power = frames_power(frames);
    for (int f = 0; f < s.frames; f++) {
        double x = in_time(frames, f), X = in_frequency(power, f, !broken(t, "half"));
        if (x < 1) /* silence: nothing to be compared; a frame of mean square 1 has 240 */
            continue;
        worst = values_worst(worst, fabs(X - x) / x);
        if (f % 8 == 0)
            explain(t, "frame %2d: sum x^2 = %9.3f, (1/N) sum |X|^2 = %9.3f", f, x, X);
    }
    explain(t, "largest relative difference of %d frames: %.2g", s.frames, worst);
    tape_free(tape);
    return worst;
}

const Claim claim_parseval = {
    .row = 51,
    .statement = "a frame's energy is that of its spectrum: sum x^2 = (1/N) sum |X|^2 (Parseval)",
    .slides = {"Z: Audio data"},
    .quantity = "largest relative difference over the frames of a sentence",
    AT_MOST(8e-5),
    .why =
        "each |X_k| is a sum of 640 products: at most 640 roundings of 6e-8, twice in its square",
    .faults = {{"half", "the bins above N/2, which mirror those below, are forgotten"}},
    .measure = parseval,
};

/* ---- a tone ----------------------------------------------------------------------------------------------------------- */

/* A cosine of amplitude 1 at the frequency of a bin, in WINDOW samples, with or without Hann's window. */
static Tensor *tone(Tape *tape, double hertz, double phase, bool windowed)
{
    real x[WINDOW];
    for (int n = 0; n < WINDOW; n++)
        x[n] = (real)((windowed ? hann(n) : 1) * cos(2 * pi * hertz * n / RATE + phase));
    return tape_input(tape, x, shape2(1, WINDOW));
}

static double tone_bins(Trial *t)
{
    enum { BIN = 40 };
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 5111};
    double phase = 2 * pi * rng_uniform(&rng), worst = 0;
    Tensor *x = tone(tape, BIN * (double)RATE / WINDOW, phase, !broken(t, "no-window"));
    const Tensor *power = frames_power(x);
    for (int k = 0; k < BINS; k++) {
        int away = abs(k - BIN);
        double expected = away == 0 ? WINDOW / 4.0 : away == 1 ? WINDOW / 8.0 : 0;
        double found = sqrt((double)power->data[k]);
        worst = values_worst(worst, fabs(found - expected));
        if (away < 4)
            explain(t, "bin %d, %4d Hz: |X| = %8.4f, in theory %5.1f", k, k * RATE / WINDOW, found,
                    expected);
    }
    tape_free(tape);
    return worst;
}

const Claim claim_tone = {
    .row = 51,
    .statement = "a tone on a bin shows in three bins: N/4 in its own, N/8 in both neighbours",
    .slides = {"Z: Audio data"},
    .quantity = "max | |X_k| - theory | over all bins, N = 640",
    AT_MOST(0.03),
    .why = "Hann's window 1/2 - cos/2 has N/2 at frequency 0 and N/4 beside it; the tone halves "
           "them. 640 roundings of 6e-8, of a sum up to 640",
    .faults = {{"no-window", "a frame is cut out without a window: N/2 in one bin"}},
    .measure = tone_bins,
};

/* ---- the bands ---------------------------------------------------------------------------------------------------------- */

/* The band of a tone whose energy is largest. */
static int loudest(Tape *tape, double hertz)
{
    const Tensor *bands = mel_bands(frames_power(tone(tape, hertz, 0, true)));
    return values_largest(bands) > 0 ? nn_greedy(bands->data, BANDS) : -1;
}

static double band_of_tone(Trial *t)
{
    Tape *tape = tape_new(t->seed);
    Rng rng = {.seed = t->seed, .stream = 5112};
    bool linear = broken(t, "linear");
    double worst = 0;
    tape->no_grad = true;
    for (int i = 0; i < 40; i++) {
        double hertz = 150 * pow(50, (i + rng_uniform(&rng)) / 40); /* 150 .. 7,500 */
        double band = linear ? (hertz - 60) / (7800 - 60) * (BANDS + 1) - 1
                             : (mel(hertz) - mel(60)) / mel_step() - 1;
        tape_reset(tape);
        int found = loudest(tape, hertz);
        worst = values_worst(worst, found < 0 ? (double)NAN : fabs(found - band));
        if (i % 5 == 0)
            explain(t, "%6.0f Hz = %5.0f mel: band %5.2f in theory, loudest is %2d", hertz,
                    mel(hertz), band, found);
    }
    tape_free(tape);
    return worst;
}

const Claim claim_mel = {
    .row = 51,
    .statement = "a token's bands are equal steps of pitch on the mel scale, 2595 log10(1 + "
                 "f/700), not of frequency",
    .slides = {"Z: Audio data"},
    .quantity = "largest distance between a tone's loudest band and its position on the mel scale",
    AT_MOST(1),
    .why = "half a band to the nearest centre; bins of 25 Hz move the tone by less than the "
           "other half of the narrowest band, whose neighbours are 77 Hz away",
    .faults = {{"linear", "bands of equal width in Hz are expected"}},
    .measure = band_of_tone,
};

/* ---- and back -------------------------------------------------------------------------------------------------------- */

static double and_back(Trial *t)
{
    static Sentence s;
    static real back[SAMPLES];
    Tape *tape = tape_new(t->seed);
    Tensor *re, *im;
    double worst = 0, largest = 0;
    any_sentence(&s, t->seed, 5113);
    frames_transform(wave_frames(tape, s.wave, s.frames), &re, &im);
    if (broken(t, "no-phase")) {
        re = ag_sqrt(ag_add(ag_mul(re, re), ag_mul(im, im)));
        im = tape_full(tape, 0, re->shape);
    }
    bool ok = frames_to_wave(re, im, back);
    for (int n = HOP; n < (s.frames - 1) * HOP; n++) { /* the ends are in one frame only */
        worst = values_worst(worst, fabs((double)back[n] - (double)s.wave[n]));
        largest = values_worst(largest, fabs((double)s.wave[n]));
    }
    explain(t, "%d samples up to %.2f in size come back; largest difference %.2g", s.frames * HOP,
            largest, worst);
    tape_free(tape);
    return ok ? worst / largest : (double)NAN;
}

const Claim claim_overlap_add = {
    .row = 51,
    .statement = "the short-time Fourier transform with its phases is inverted by adding frames "
                 "that overlap by half",
    .slides = {"Z: Audio data"},
    .quantity = "max |wave - wave from its transform| / max |wave|",
    AT_MOST(8e-5),
    .why = "Hann's windows half a window apart sum to 1; two sums of 640 products each, as in "
           "Parseval's theorem",
    .faults = {{"no-phase", "a spectrogram alone, |X| instead of X"}},
    .measure = and_back,
};
