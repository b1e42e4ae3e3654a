/* reader.h: the model of examples/attention, trained beforehand, and sentences that it reads (rows
 * 17 and 25).
 *
 * It was trained to name, at "it", the noun that is meant, and at "bank" the sense; nothing else
 * was asked of it. Two layers of 4 heads, 32 channels, no causal mask; the first layer sees 4 words
 * to each side, the second all words. */
#ifndef LECTURES_READER_H
#define LECTURES_READER_H

#include "lectures/04-attention/attention.h"

#include "examples/attention/settings.h"

typedef struct {
    Grammar *grammar;
    Params *params;
    Model model;
} Reader;

/* Loads the trained model, or begins one with random weights. */
void reader_begin(Reader *r, bool trained, uint64_t seed);
void reader_end(Reader *r);

/* A sentence read, with all maps on the tape, and the probability of its right answer. */
typedef struct {
    Sentence sentence;
    const char *words[DATA_WORDS_MAX];
    Tensor *maps[LAYERS]; /* (1, H, T, T), as long as the tape is not reset */
    double right;
} Reading;

/* Reads reading->sentence as it stands. Resets the tape. */
void read_again(const Reader *r, Tape *tape, Reading *reading);

/* Reads a text; mask_cue: with <mask> for the words that decide. */
void read_sentence(const Reader *r, Tape *tape, const char *text, bool mask_cue, Reading *reading);

extern const char *const it_sentences[2], *const bank_sentences[2];

#endif
