/* recogniser.h: an encoder that reads words in a spectrogram.
 *
 *   tokens (T, 24) -> linear, position -> two encoder blocks -> LayerNorm -> the word at each frame, (T, 11)
 *
 * It is a vision transformer whose patches are the columns of the spectrogram. */
#ifndef SPEECH_RECOGNISER_H
#define SPEECH_RECOGNISER_H

#include "examples/speech/sound.h"

enum { RECOGNISER_LAYERS = 2, HEARD_MAX = 2 * WORDS };
typedef struct {
    Linear in;
    Encoder encoder;
    Linear out;
} Recogniser;

bool recogniser_init(Recogniser *r, Params *p);

/* tokens (B, T, BANDS) -> logits of the label of each frame (B, T, DIGITS + 1). */
Tensor *recogniser_logits(const Recogniser *r, Tensor *tokens);

/* The words of a wave: runs of at least three frames with one label, silence apart. Returns how
 * many, at most HEARD_MAX;
 * -1 after an error, and where a logit is no number. */
int recogniser_words(const Recogniser *r, Tape *tape, const real *wave, int frames,
                     int words[HEARD_MAX]);

/* How many words are wrong: the least number of words to be put in, left out or exchanged. */
int words_wrong(const int *read, int count, const int *truth, int words);

#endif
