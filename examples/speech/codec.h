/* codec.h: a wave as two small whole numbers every 20 ms, and back.
 *
 *   v = (24 bands, voiced or not, pitch) of a frame
 *   code 1 = argmin_j |v - c_j|^2,   code 2 = argmin_j |v - c_code1 - d_j|^2,  v^ = c_code1 + d_code2
 *
 * Residual vector quantisation, as in the neural codec whose codes VALL-E reads and writes
 * (Zeghidour et al. 2021, Defossez et al. 2022): an encoder and a decoder are learned there; here
 * they are a spectrogram and a filter. */
#ifndef SPEECH_CODEC_H
#define SPEECH_CODEC_H

#include "examples/speech/sound.h"

/* What the codec keeps of a frame: its token, whether there is a voice, and log2 of its pitch. */
enum { VOICED = BANDS, PITCH, NUMBERS };
enum { STAGES = 2, CENTRES = 64 };

typedef struct {
    Tensor *centres[STAGES]; /* (CENTRES, NUMBERS) */
} Codec;

bool codec_init(Codec *c, Params *p);

/* The vectors of a wave's frames. False after an error. */
bool wave_vectors(Tape *tape, const real *wave, int frames, real (*vectors)[NUMBERS]);

/* The pitch in Hz that a vector says; 0: no voice. */
double vector_pitch(const real *vector);

/* Finds the centres of each stage by k-means, and subtracts from each vector its centre of both.
 * Returns the mean squared distance that is left; NaN after an error. */
double codec_fit(Codec *c, real (*vectors)[NUMBERS], int count, Rng *rng);

/* codes[f][stage]; and back. */
void codec_encode(const Codec *c, real (*vectors)[NUMBERS], int frames, int (*codes)[STAGES]);
void codec_decode(const Codec *c, int (*codes)[STAGES], int frames, real (*vectors)[NUMBERS]);

/* A wave of these bands: pulses at the pitch, or noise, through the bands as a filter. False after
 * an error. */
bool vectors_to_wave(Tape *tape, real (*vectors)[NUMBERS], int frames, Rng *rng, real *wave);

#endif
