/* wav.c: a file that a player can play: 16-bit PCM, one channel (row 51).
 *
 *   "RIFF" size "WAVE" | "fmt " 16, 1 = PCM, channels, rate, bytes a second, bytes a sample, bits | "data" size samples */
#include "lectures/07-vision/sound.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 44 };

/* A whole number, its lowest byte first. */
static void put(unsigned char *at, unsigned long number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> (8 * i) & 255);
}

static unsigned long get(const unsigned char *at, int bytes)
{
    unsigned long number = 0;
    for (int i = 0; i < bytes; i++)
        number |= (unsigned long)at[i] << (8 * i);
    return number;
}

static void wav_header(unsigned char header[HEADER], int samples)
{
    memcpy(header, "RIFF", 4);
    memcpy(header + 8, "WAVEfmt ", 8);
    memcpy(header + 36, "data", 4);
    put(header + 4, HEADER - 8 + 2 * (unsigned long)samples, 4);
    put(header + 16, 16, 4);
    put(header + 20, 1, 2);
    put(header + 22, 1, 2);
    put(header + 24, RATE, 4);
    put(header + 28, 2 * RATE, 4);
    put(header + 32, 2, 2);
    put(header + 34, 16, 2);
    put(header + 40, 2 * (unsigned long)samples, 4);
}

/* The file's bytes; a sample of size `full` becomes the largest number, 32,767. */
static void write_to(FILE *out, const real *wave, int samples, double full)
{
    unsigned char header[HEADER], sample[2];
    wav_header(header, samples);
    fwrite(header, 1, HEADER, out);
    for (int n = 0; n < samples; n++) {
        double x = (double)wave[n] / full;
        x = x > 1 ? 1 : x < -1 ? -1 : x;
        put(sample, (unsigned long)lround(x * 32767) & 65535, 2);
        fwrite(sample, 1, 2, out);
    }
}

bool wav_write(const char *path, const real *wave, int samples)
{
    double full = 0;
    for (int n = 0; n < samples; n++)
        full = values_worst(full, fabs((double)wave[n]));
    AtomicFile *file = atomic_open(path);
    if (!file)
        return false;
    write_to(atomic_stream(file), wave, samples, full > 0 ? full : 1);
    return atomic_commit(file);
}

/* ---- what 16 bits leave ------------------------------------------------------------------------------------------------ */

/* Does the header say: 16-bit PCM, one channel, RATE samples a second, and as many bytes as `samples` need? */
static bool is_wav(const unsigned char header[HEADER], unsigned long samples)
{
    return memcmp(header, "RIFF", 4) == 0 && get(header + 4, 4) == 36 + 2 * samples &&
           memcmp(header + 8, "WAVEfmt \20\0\0\0\1\0\1\0", 16) == 0 &&
           get(header + 24, 4) == RATE && get(header + 28, 4) == 2 * RATE &&
           memcmp(header + 32, "\2\0\20\0data", 8) == 0 && get(header + 40, 4) == 2 * samples;
}

/* Reads the samples back as numbers from -1 to 1; how many, or -1 where that many are not there. */
static int read_from(FILE *in, double *wave, int samples, bool low_first)
{
    unsigned char header[HEADER], sample[2];
    if (fread(header, 1, HEADER, in) != HEADER || !is_wav(header, (unsigned long)samples))
        return -1;
    for (int n = 0; n < samples; n++) {
        if (fread(sample, 1, 2, in) != 2)
            return -1;
        int number = (int)(low_first ? get(sample, 2) : get(sample, 2) >> 8 | sample[0] << 8u);
        wave[n] = (number < 32768 ? number : number - 65536) / 32767.0;
    }
    return samples;
}

static double sixteen_bits(Trial *t)
{
    static real wave[RATE];
    static double back[RATE];
    Rng rng = {.seed = t->seed, .stream = 5120};
    double hertz = 300 + 600 * rng_uniform(&rng), signal = 0, noise = 0;
    for (int n = 0; n < RATE; n++) {
        wave[n] = (real)sin(2 * 3.14159265358979 * hertz * n / RATE);
        if (broken(t, "eight-bits"))
            wave[n] = (real)(round((double)wave[n] * 127) / 127);
    }
    FILE *file = tmpfile();
    if (!file)
        return (double)NAN;
    write_to(file, wave, RATE, 1);
    rewind(file);
    int samples = read_from(file, back, RATE, !broken(t, "swapped"));
    fclose(file);
    for (int n = 0; n < samples; n++) {
        double x = sin(2 * 3.14159265358979 * hertz * n / RATE);
        signal += x * x;
        noise += (back[n] - x) * (back[n] - x);
    }
    double decibel = 10 * log10(signal / noise), theory = 10 * log10(6.0 * 32767 * 32767);
    explain(t, "%d samples of %.1f Hz: signal to noise %.2f dB; 6.02 dB a bit and 1.76 are %.2f dB",
            samples, hertz, decibel, theory);
    return samples == RATE ? fabs(decibel - theory) : (double)NAN;
}

const Claim claim_sixteen_bits = {
    .row = 51,
    .statement = "in a .wav of 16 bits a full-scale tone lies 98 dB above the rounding noise",
    .slides = {"Z: Audio data"},
    .quantity = "|dB measured - dB of step^2 / 12|, a second of a tone at 16 kHz",
    AT_MOST(0.15),
    .why = "uniform errors of variance step^2 / 12; over 16,000 samples 0.03 dB of standard error",
    .faults = {{"eight-bits", "the samples are rounded to 8 bits before"},
               {"swapped", "the reader takes a sample's high byte first"}},
    .measure = sixteen_bits,
    .holds_on_nan = "bytes of a file: no kernel is run",
    .holds_on_zeros = "bytes of a file: no kernel is run",
};
