/* sound.h: sound as tokens, and speech from text (row 51).
 *
 *   text --- voice.c: formants ---> wave --- spectrum.c: Fourier transforms ---> spectrogram: a token every 20 ms
 *   spectrogram --- sound.c: an encoder names each frame's word ---> words
 *   spectrogram --- codec.c: the nearest of 64 centres, then of 64 centres of the rest ---> codec tokens ---> wave
 *   letters, codec tokens of a prompt --- speech.c: a GPT ---> codec tokens ---> wave --- wav.c ---> a file to hear
 *
 * A sentence has WORDS words out of DIGITS, spoken by a synthetic speaker. */
#ifndef LECTURES_VISION_SOUND_H
#define LECTURES_VISION_SOUND_H

#include "lectures/07-vision/vision.h"

enum {
    RATE = 16000, /* samples a second                                        */
    HOP = 320,    /* samples from one frame to the next: 20 ms                */
    WINDOW = 640, /* samples of a frame: each sample is in two frames         */
    BINS = WINDOW / 2 + 1,
    BANDS = 24,  /* of the mel scale: a token has so many numbers            */
    FRAMES = 96, /* of the longest sentence                                */
    SAMPLES = FRAMES * HOP,
    DIGITS = 10,
    SILENCE = DIGITS, /* the label of a frame between two words */
    WORDS = 4,        /* of a sentence                          */
    LETTERS_MAX = 24, /* "three seven three seven" has 23      */
};

/* ---- voice.c ---------------------------------------------------------------------------------------------------- */

/* Who speaks: the mean pitch in Hz, and the length of the vocal tract (1: an adult man's), which divides the formants. */
typedef struct {
    double pitch, tract, rate;
} Speaker;

/* 90 to 200 Hz and 0.82 to 1.06, independent of each other; the rate of speech within 10 % of 1. */
Speaker speaker_draw(Rng *rng);

typedef struct {
    int frames;         /* HOP samples each */
    real wave[SAMPLES]; /* mean square 1 over the sentence */
    int label[FRAMES];  /* the word at each frame's centre, 0 .. 9, or SILENCE */
    int words[WORDS];
    Speaker speaker;
} Sentence;

extern const char *const digit_names[DIGITS];

/* Four words at random; those of one sentence in five, by a rule on the words, are held out: training never sees them. */
void sentence_words(Rng *rng, int words[WORDS], bool held_out);
void sentence_speak(Sentence *s, const Speaker *speaker, const int words[WORDS], Rng *rng);

/* The number of frames up to the end of the first word, and two of the pause after it. */
int sentence_prompt(const Sentence *s);

/* The letters of the words with spaces between them, and spaces up to LETTERS_MAX: 0 is a space, 1 .. 26 are letters. */
void sentence_letters(const int words[WORDS], int letters[LETTERS_MAX]);

/* ---- spectrum.c -------------------------------------------------------------------------------------------------- */

/* Frame f of a wave: the WINDOW samples around the middle of its HOP samples, times a Hann window: (frames, WINDOW). */
Tensor *wave_frames(Tape *tape, const real *wave, int frames);

/* Fourier transform of each frame: the real part into *re, minus the imaginary one into *im, both (frames, BINS). */
void frames_transform(Tensor *frames, Tensor **re, Tensor **im);

/* |X_k|^2, (frames, BINS); and of a wave. */
Tensor *frames_power(Tensor *frames);

/* The energy in each of BANDS triangular bands: (frames, BINS) -> (frames, BANDS). */
Tensor *mel_bands(Tensor *power);

/* The logarithm, shifted and scaled so that most numbers lie between -1 and 1: the tokens of a wave, (frames, BANDS). */
Tensor *mel_tokens(Tape *tape, const real *wave, int frames);
enum { FLOOR_DECIBEL = -50 }; /* of the quietest sound that a token tells from silence */

/* Weight of bin k in band m; the band's centre in Hz. */
double mel_weight(int m, int k);
double mel_centre(int m);

/* The inverse of frames_transform, and the sum of overlapping frames: waves of frames * HOP samples. */
bool frames_to_wave(Tensor *re, Tensor *im, real *wave);

/* ---- sound.c: the recogniser -------------------------------------------------------------------------------------- */

enum { EAR_CHANNELS = 20, EAR_LAYERS = 2, EAR_HEADS = 4, EAR_WINDOW = 10 };
typedef struct {
    Params *params;
    Linear in;
    PositionalEncoding position;
    TransformerBlock blocks[EAR_LAYERS];
    Norm norm;
    Linear out;
} Ear;

/* Registers its weights under p. */
bool ear_init(Ear *e, Params *p);
/* The trained one (lectures/07-vision/sound.safetensors), or one with random initial weights. */
bool ear_begin(Ear *e, bool trained, uint64_t seed);
void ear_end(Ear *e);

/* tokens (B, T, BANDS) -> logits of the label of each frame (B, T, DIGITS + 1). */
Tensor *ear_logits(const Ear *e, Tensor *tokens);

/* The words that it reads in a wave: runs of frames with one label, silence apart. Returns how many, at most `most`; -1 where
 * a logit is no number. */
int ear_reads(const Ear *e, Tape *tape, const real *wave, int frames, int *words, int most);

/* How many of these words are wrong: the least number of words to be put in, left out or exchanged. */
int words_wrong(const int *read, int count, const int *truth, int words);

/* ---- codec.c ------------------------------------------------------------------------------------------------------- */

/* What the codec keeps of a frame: its token, whether there is a voice, and log2 of its pitch. */
enum { VOICED = BANDS, PITCH, NUMBERS };
/* It writes two codes a frame: the nearest of CENTRES vectors, and the nearest of CENTRES others to what is left. */
enum { STAGES = 2, CENTRES = 64 };

typedef struct {
    Tensor *centres[STAGES]; /* (CENTRES, NUMBERS) */
} Codec;

/* Registers the centres under p. */
bool codec_init(Codec *c, Params *p);

/* The vectors of a wave's frames, (frames, NUMBERS); false where a number is not finite. */
bool codec_vectors(Tape *tape, const real *wave, int frames, real (*vectors)[NUMBERS]);

/* The index of the nearest centre of each vector. */
bool codec_nearest(Tape *tape, const Tensor *centres, real (*vectors)[NUMBERS], int count,
                   int *index);

/* Moves each centre to the mean of its vectors (step 1; another number: so many times as far) and returns the mean square
 * distance before that. A centre without vectors stays. */
double codec_move(Tensor *centres, real (*vectors)[NUMBERS], int count, const int *index,
                  double step);

/* k-means: `rounds` times, each vector to its nearest centre, each centre to the mean of its vectors. distortion[r], or NULL:
 * the mean square distance in round r. The first centres are vectors at random. */
bool codec_means(Tensor *centres, real (*vectors)[NUMBERS], int count, int rounds, Rng *rng,
                 double *distortion);

/* codes[f][stage]; and back, with the first `stages` of them. */
bool codec_encode(const Codec *c, Tape *tape, real (*vectors)[NUMBERS], int frames,
                  int (*codes)[STAGES]);
void codec_decode(const Codec *c, int (*codes)[STAGES], int frames, int stages,
                  real (*vectors)[NUMBERS]);

/* A wave of these bands: a train of pulses at the pitch, or noise, through the bands as a filter. */
bool vectors_to_wave(Tape *tape, real (*vectors)[NUMBERS], int frames, Rng *rng, real *wave);

/* The pitch in Hz that a vector says; 0: no voice. */
double vector_pitch(const real *vector);

/* ---- speech.c: letters to codes -------------------------------------------------------------------------------------- */

enum { SPEECH_CHANNELS = 32, SPEECH_LAYERS = 2, SPEECH_HEADS = 4 };
enum {
    EDGE = CENTRES
}; /* the first code of what stands before the first frame, and of what ends a sentence */
enum { SPEECH_LONGEST = LETTERS_MAX + 1 + FRAMES };

typedef struct {
    Params *params;
    Codec codec;
    Embedding letters, code[STAGES]; /* the codes' are the output layers too */
    PositionalEncoding position;
    TransformerBlock blocks[SPEECH_LAYERS];
    Norm norm;
    Linear
        second; /* what is known before the second code: the state and the first code's embedding */
} Speech;

bool speech_init(Speech *s, Params *p);
/* The trained one (lectures/07-vision/speech.safetensors); or random initial weights, with the trained codec. */
bool speech_begin(Speech *s, bool trained, uint64_t seed);
void speech_end(Speech *s);

/* Sentences as ids: letters (B, LETTERS_MAX) and codes (B, T, STAGES), flat; after its end a sentence has codes -1. Returns
 * the loss: mean -log p of the first codes, the end among them, plus that of the second codes. */
Tensor *speech_loss(const Speech *s, Tape *tape, const int *letters, const int *codes, int B,
                    int T);

/* Draws codes after those of a prompt, one frame at a time, until the end or `most` frames; returns how many frames there are with
 * the prompt's, or -1 where a logit is no number. temperature 0: the most probable code. */
typedef struct {
    double temperature;
    Rng *rng;
} Drawing;
int speech_write(const Speech *s, Tape *tape, const int letters[LETTERS_MAX], int (*codes)[STAGES],
                 int prompt, int most, Drawing drawing);

/* ---- wav.c ----------------------------------------------------------------------------------------------------------------- */

/* Writes a file of one channel, 16 bits a sample, as loud as they allow. */
bool wav_write(const char *path, const real *wave, int samples);

/* ---- sound_figures.c -------------------------------------------------------------------------------------------------------- */

/* Writes the sound of a figure beside its pictures: STEM.wav or, with a name, STEM-NAME.wav. */
bool sketch_wave(const Sketch *s, const char *name, const real *wave, int frames);

/* Labels of a map's columns: the name of each word in the middle of its frames, "" elsewhere. */
void name_frames(const int *label, int frames, const char *names[FRAMES]);

/* Tokens as a map with the highest band above, each `rows` rows high, (BANDS rows, frames); token f begins at
 * tokens[f * numbers]. And labels of its rows. */
Tensor *bands_upright(Tape *tape, const real *tokens, int frames, int numbers, int rows);
void name_bands(const char **names, int rows, char text[BANDS][16]);

#endif
