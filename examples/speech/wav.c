/* wav.c: a file that a player can play: 16-bit PCM, one channel.
 *
 *   "RIFF" size "WAVE" | "fmt " 16, 1 = PCM, channels, rate, bytes a second, bytes a sample, bits
 *                      | "data" size samples */
#include "examples/speech/sound.h"

#include "tensor/files.h"
#include "tensor/io/disk.h"

#include <math.h>
#include <string.h>

enum { HEADER = 44 };

/* A whole number, its lowest byte first. */
static void put(unsigned char *at, unsigned long number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> (8 * i) & 255);
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
        full = fmax(full, fabs((double)wave[n]));
    AtomicFile *file = tensor_file_open(path);
    if (!file)
        return false;
    write_to(tensor_file_stream(file), wave, samples, full > 0 ? full : 1);
    return tensor_file_commit(file);
}
