/* spectrum.c: a wave as a picture of frequency against time, and as tokens. See sound.h.
 *
 *   X_f,k = sum_n w_n x_(f H + n) exp(-2 pi i k n / N)  short-time Fourier transform: frame f, frequency k R / N
 *   E_f,m = sum_k mel_m,k |X_f,k|^2                     a band as wide as the ear needs      Z "Audio data"
 *
 * The transform of all frames is two matrix products, (F, N) by (N, N/2 + 1), one with cosines and
 * one with sines. */
#include "examples/speech/sound.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979;

double hann(int n)
{
    return 0.5 - 0.5 * cos(2 * pi * n / WINDOW);
}

/* ---- the transform and its inverse ----------------------------------------------------------- */

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

/* x_n = 1/N sum_k c_k (re_k cos + im_k sin), c_k = 2, and 1 for k = 0 and k = N/2: the other half
 * of the bins mirrors this. */
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

/* ---- bands ----------------------------------------------------------------------------------- */

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
    const double whole = 3.0 / 16 * WINDOW * WINDOW;
    const double floor = 1e-5; /* -50 dB: what is quieter is silence */
    Tensor *e =
        ag_scale(mel_bands(frames_power(wave_frames(tape, wave, frames))), (real)(1 / whole));
    Tensor *decibel = ag_scale(ag_log(ag_shift(e, floor)), (real)(10 / log(10)));
    return ag_scale(ag_shift(decibel, 30), (real)0.05);
}
