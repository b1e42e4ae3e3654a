/* sound.h: waves, synthetic speech, and its tokens.
 *
 *   digits --- voice.c: formants ---> wave --- spectrum.c: Fourier transforms ---> spectrogram: a token every 20 ms
 *   wave --- wav.c ---> a file that a player plays
 *
 * A sentence has WORDS of the DIGITS, spoken by a synthetic speaker. */
#ifndef SPEECH_SOUND_H
#define SPEECH_SOUND_H

#include "gradus.h"

enum {
    RATE = 16000, /* samples a second                               */
    HOP = 320,    /* samples from one frame to the next: 20 ms      */
    WINDOW = 640, /* samples of a frame: each sample is in two      */
    BINS = WINDOW / 2 + 1,
    BANDS = 24,  /* of the mel scale: a token has so many numbers  */
    FRAMES = 96, /* of the longest sentence                        */
    SAMPLES = FRAMES * HOP,
    DIGITS = 10,
    SILENCE = DIGITS, /* the label of a frame between two words    */
    WORDS = 4,        /* of a sentence                             */
    LETTERS_MAX = 24, /* "three seven three seven" has 23          */
};

/* ---- voice.c -------------------------------------------------------------------------------- */

/* The mean pitch in Hz; the length of the vocal tract, which divides the formants (1: an adult
 * man's); the rate of speech. */
typedef struct {
    double pitch, tract, rate;
} Speaker;

/* 90 to 200 Hz and 0.82 to 1.06, independent of each other; the rate within 10 % of 1.25. */
Speaker speaker_draw(Rng *rng);

typedef struct {
    int frames;         /* of HOP samples each */
    real wave[SAMPLES]; /* mean square 1 over the sentence */
    int label[FRAMES];  /* the word at each frame's centre, 0 .. 9, or SILENCE */
    int words[WORDS];
} Sentence;

extern const char *const digit_names[DIGITS];

/* Four words at random. Of all sentences one in five, by a rule on the words, is held out: training
 * never has it. */
void sentence_words(Rng *rng, int words[WORDS], bool held_out);
void sentence_speak(Sentence *s, const Speaker *speaker, const int words[WORDS], Rng *rng);
/* A speaker and words at random. Returns the speaker. */
Speaker sentence_draw(Sentence *s, Rng *rng, bool held_out);

/* The number of frames up to the end of the first word, and two of the pause after it. */
int sentence_prompt(const Sentence *s);

/* The letters of the words with spaces between them, and spaces up to LETTERS_MAX: 0 is a space, 1
 * .. 26 are letters. */
void sentence_letters(const int words[WORDS], int letters[LETTERS_MAX]);

/* ---- spectrum.c ----------------------------------------------------------------------------- */

/* Hann's window of WINDOW samples: two that overlap by half sum to 1. */
double hann(int n);

/* Frame f of a wave: the WINDOW samples around the middle of its HOP samples, times Hann's window:
 * (frames, WINDOW). */
Tensor *wave_frames(Tape *tape, const real *wave, int frames);

/* Fourier transform of each frame: the real part into *re, minus the imaginary one into *im, both
 * (frames, BINS). */
void frames_transform(Tensor *frames, Tensor **re, Tensor **im);

/* The inverse of wave_frames and frames_transform, by adding overlapping frames: a wave of frames *
 * HOP samples. False after an error. */
bool frames_to_wave(Tensor *re, Tensor *im, real *wave);

/* |X_k|^2 of each frame, (frames, BINS); and its energy in each of BANDS triangular bands, (frames,
 * BANDS). */
Tensor *frames_power(Tensor *frames);
Tensor *mel_bands(Tensor *power);

/* Weight of bin k in band m; the band's centre in Hz. */
double mel_weight(int m, int k);
double mel_centre(int m);

/* The logarithm of the bands, shifted and scaled so that most numbers lie between -1 and 1:
 * (frames, BANDS). */
Tensor *mel_tokens(Tape *tape, const real *wave, int frames);

/* ---- wav.c ---------------------------------------------------------------------------------- */

/* Writes a file of one channel, 16 bits a sample, as loud as they allow. */
bool wav_write(const char *path, const real *wave, int samples);

#endif
