/* codec.c: a wave as two small whole numbers every 20 ms, and back. See codec.h.
 *
 *   code 1 = argmin_j |v - c_j|^2,  code 2 = argmin_j |v - c_code1 - d_j|^2,  v^ = c_code1 + d_code2
 *
 * Residual vector quantisation, as in the neural codec that VALL-E's tokens come from; there an
 * encoder and a decoder are learned too, here they are a spectrogram and a filter. */
#include "examples/speech/codec.h"

#include "examples/common/kmeans.h"

#include <math.h>
#include <string.h>

/* ---- pitch ----------------------------------------------------------------------------------- */

/* Weights of the last two numbers: a vector's voice counts as much as its bands. */
static const double voiced_weight = 1, pitch_weight = 1.5, pitch_middle = 134;
enum { LAG_LEAST = RATE / 250, LAG_MOST = RATE / 75 };

double vector_pitch(const real *v)
{
    bool voiced = (double)v[VOICED] > voiced_weight / 2;
    return voiced ? pitch_middle * exp2((double)v[PITCH] / pitch_weight) : 0;
}

/* The autocorrelation of each frame at lags 0 .. LAG_MOST, from its power: r_l = sum_k c_k |X_k|^2
 * cos(2 pi k l / N), (F, lags). */
static Tensor *autocorrelation(Tensor *power)
{
    static real cosine[LAG_MOST + 1][BINS];
    static bool made;
    for (int l = 0; !made && l <= LAG_MOST; l++)
        for (int k = 0; k < BINS; k++)
            cosine[l][k] = (real)((k == 0 || k == BINS - 1 ? 1 : 2) *
                                  cos(2 * 3.14159265358979 * (k * l % WINDOW) / WINDOW));
    made = true;
    return ag_linear(power, tape_input(power->tape, cosine[0], shape2(LAG_MOST + 1, BINS)), NULL);
}

/* sum_n w_n w_(n+l), over l = 0: what the window alone makes of a lag. */
static double of_window(int lag)
{
    double sum = 0;
    for (int n = 0; n + lag < WINDOW; n++)
        sum += hann(n) * hann(n + lag);
    return sum / (3.0 / 8 * WINDOW);
}

/* The lag of the first peak that is nearly the highest; 0: nothing repeats. */
static double period(const real *r)
{
    static double share[LAG_MOST + 1];
    for (int l = LAG_LEAST - 1; share[LAG_MOST] == 0 && l <= LAG_MOST; l++)
        share[l] = of_window(l);
    double highest = 0;
    for (int l = LAG_LEAST; l < LAG_MOST; l++)
        highest = fmax(highest, (double)r[l] / share[l]);
    for (int l = LAG_LEAST; highest > 0.5 * (double)r[0] && l < LAG_MOST; l++) {
        double y[3];
        for (int i = 0; i < 3; i++)
            y[i] = (double)r[l - 1 + i] / share[l - 1 + i];
        if (y[1] > 0.85 * highest && y[1] >= y[0] && y[1] >= y[2])
            return l + 0.5 * (y[0] - y[2]) / (y[0] - 2 * y[1] + y[2]); /* the parabola's top */
    }
    return 0;
}

bool wave_vectors(Tape *tape, const real *wave, int frames, real (*vectors)[NUMBERS])
{
    const Tensor *r = autocorrelation(frames_power(wave_frames(tape, wave, frames)));
    const Tensor *tokens = mel_tokens(tape, wave, frames);
    if (tensor_is_poison(r) || tensor_is_poison(tokens))
        return false;
    for (int f = 0; f < frames; f++) {
        const real *rf = r->data + f * (LAG_MOST + 1);
        double lag = (double)rf[0] > 1e-3 * WINDOW * WINDOW ? period(rf) : 0;
        memcpy(vectors[f], tokens->data + f * BANDS, BANDS * sizeof(real));
        vectors[f][VOICED] = lag > 0 ? (real)voiced_weight : 0;
        vectors[f][PITCH] = lag > 0 ? (real)(pitch_weight * log2(RATE / lag / pitch_middle)) : 0;
    }
    return true;
}

/* ---- centres --------------------------------------------------------------------------------- */

bool codec_init(Codec *c, Params *p)
{
    for (int s = 0; s < STAGES; s++) {
        c->centres[s] = params_add(p, params_path(p, "codec.%d", s), shape2(CENTRES, NUMBERS),
                                   (Init){INIT_CONSTANT, 0});
        if (!c->centres[s])
            return false;
    }
    return true;
}

/* v - c_j */
static void subtract(real v[NUMBERS], const real *centres, int j)
{
    for (int d = 0; d < NUMBERS; d++)
        v[d] -= centres[j * NUMBERS + d];
}

double codec_fit(Codec *c, real (*vectors)[NUMBERS], int count, Rng *rng)
{
    enum { ROUNDS = 20 };
    double distance = (double)NAN;
    for (int s = 0; s < STAGES; s++) {
        const real *centres = c->centres[s]->data;
        distance = kmeans(c->centres[s]->data, CENTRES, vectors[0], count, NUMBERS, ROUNDS, rng);
        for (int i = 0; i < count; i++)
            subtract(vectors[i], centres, kmeans_nearest(centres, CENTRES, vectors[i], NUMBERS));
    }
    return distance;
}

/* ---- codes ----------------------------------------------------------------------------------- */

void codec_encode(const Codec *c, real (*vectors)[NUMBERS], int frames, int (*codes)[STAGES])
{
    for (int f = 0; f < frames; f++) {
        real rest[NUMBERS];
        memcpy(rest, vectors[f], sizeof rest);
        for (int s = 0; s < STAGES; s++) {
            const real *centres = c->centres[s]->data;
            codes[f][s] = kmeans_nearest(centres, CENTRES, rest, NUMBERS);
            subtract(rest, centres, codes[f][s]);
        }
    }
}

void codec_decode(const Codec *c, int (*codes)[STAGES], int frames, real (*vectors)[NUMBERS])
{
    memset(vectors, 0, (size_t)frames * sizeof *vectors);
    for (int f = 0; f < frames; f++)
        for (int s = 0; s < STAGES; s++)
            for (int d = 0; d < NUMBERS; d++)
                vectors[f][d] += c->centres[s]->data[codes[f][s] * NUMBERS + d];
}

/* ---- bands to a wave ------------------------------------------------------------------------- */

/* Pulses at the pitch or white noise, both of mean square 1 and with a flat spectrum. */
static void excite(real (*vectors)[NUMBERS], int frames, Rng *rng, real *wave)
{
    double phase = 0;
    for (int n = 0; n < frames * HOP; n++) {
        double pitch = vector_pitch(vectors[n / HOP]);
        phase += pitch / RATE;
        bool pulse = phase >= 1;
        phase -= pulse;
        wave[n] = (real)(pitch > 0 ? (pulse ? sqrt(RATE / pitch) : 0) : rng_normal(rng));
    }
}

/* How many bins a band is wide: the sum of its weights. */
static double band_width(int m)
{
    static double width[BANDS];
    static bool known[BANDS];
    for (int k = 0; !known[m] && k < BINS; k++)
        width[m] += mel_weight(m, k);
    known[m] = true;
    return width[m];
}

/* The square root of the energy a bin, from that of the bands: each divided by its width, and
 * between two centres interpolated. */
static void filter_of(const real *vector, real gain[BINS])
{
    double decibel[BANDS];
    for (int m = 0; m < BANDS; m++) {
        /* mel_tokens backwards: e N^2 3/16 in `width` bins, of noise that has N 3/8 in each */
        decibel[m] = 20 * (double)vector[m] - 30 + 10 * log10(WINDOW / 2.0 / band_width(m));
    }
    for (int k = 0, m = 0; k < BINS; k++) {
        double f = k * (double)RATE / WINDOW;
        while (m < BANDS - 2 && mel_centre(m + 1) < f)
            m++;
        double share = (f - mel_centre(m)) / (mel_centre(m + 1) - mel_centre(m));
        share = share < 0 ? 0 : share > 1 ? 1 : share;
        gain[k] = (real)pow(10, ((1 - share) * decibel[m] + share * decibel[m + 1]) / 20);
    }
}

bool vectors_to_wave(Tape *tape, real (*vectors)[NUMBERS], int frames, Rng *rng, real *wave)
{
    static real gains[FRAMES][BINS];
    Tensor *re, *im;
    tape_reset(tape);
    excite(vectors, frames, rng, wave);
    for (int f = 0; f < frames; f++)
        filter_of(vectors[f], gains[f]);
    Tensor *gain = tape_input(tape, gains[0], shape2(frames, BINS));
    frames_transform(wave_frames(tape, wave, frames), &re, &im);
    return frames_to_wave(ag_mul(re, gain), ag_mul(im, gain), wave);
}
