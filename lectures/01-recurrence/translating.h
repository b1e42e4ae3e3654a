/* translating.h: two trained RNN translators of examples/translate (row 4): one with additive
 * attention, and one whose decoder has only the encoder's last state. They were made by
 *
 *   ./gradus example translate --model rnn --channels 32 --hidden 48 --threads 1 \
 *       --save lectures/01-recurrence/with_attention.safetensors
 *   ./gradus example translate --model rnn --channels 32 --hidden 96 --threads 1 --no-cross --steps 6000 \
 *       --save lectures/01-recurrence/last_state.safetensors
 *
 * (half a minute, and two minutes). --no-cross sets c_t = 0: what the decoder knows of the source
 * is s_0, a layer of the last state of the encoder's backward RNN, which has half of `hidden`
 * numbers: 48. With 24 of them and 3,000 steps it reads a quarter of the short sentences, and then
 * the length of the others says nothing. */
#ifndef LECTURES_TRANSLATING_H
#define LECTURES_TRANSLATING_H

#include "examples/translate/settings.h"
#include "lectures/01-recurrence/recurrence.h"

typedef enum { WITH_ATTENTION, LAST_STATE, UNTRAINED } Which;

/* A model with the corpus that it was trained on. */
typedef struct {
    Corpus corpus;
    Params *params;
    Translator model;
} Translating;

void translating_begin(Translating *m, Which which, uint64_t seed);
void translating_end(Translating *m);

/* A held-out pair, with combinations of words that no training sentence has, and its alignment by
 * the grammar. */
void translating_draw(const Translating *m, Rng *rng, SentencePair *pair, SentenceAlignment *gold);

/* The alignment weights gamma of one pair: gamma[t][i] for English word t (<eos> is the last) and
 * Spanish word i. The decoder is told the right words before each (teacher forcing). False where
 * the library failed. */
typedef double Gamma[DATA_WORDS_MAX + 1][DATA_WORDS_MAX];
bool translating_weights(const Translating *m, Tape *tape, const SentencePair *pair, Gamma gamma);

#endif
