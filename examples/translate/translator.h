/* translator.h: either model behind one name: a Transformer, or the RNNs that it took the place of.
 *
 * Batches, and one way to train, to write and to draw for both. */
#ifndef TRANSLATE_TRANSLATOR_H
#define TRANSLATE_TRANSLATOR_H

#include "examples/translate/aligner.h"
#include "examples/translate/transformer.h"
#include "data/corpora/corpora.h"

enum { BATCH_MAX = 1024, LONGEST = DATA_WORDS_MAX + 1 }; /* of a sentence with <bos> or <eos> */

typedef enum { TRANSFORMER, ALIGNER } ModelKind;

typedef struct {
    ModelKind kind;
    Transformer transformer;
    Aligner aligner;
} Translator;

/* Pairs of sentences, padded to the longest of either side. What the decoder reads is what it has to say, shifted
 * right: <bos> I am a student -> I am a student <eos>. */
typedef struct {
    int B, S, T;
    int32_t *from;     /* (B, S)                         */
    int32_t *in, *out; /* (B, T); out: DATA_IGNORE where padding is */
    int32_t from_length[BATCH_MAX], to_length[BATCH_MAX]; /* to: with <bos> or <eos> */
} PairBatch;

bool pairs_init(PairBatch *b, int most); /* room for so many pairs */
void pairs_free(PairBatch *b);
void pairs_fill(PairBatch *b, const SentencePair *pairs, int B);

/* What is made of the sources, and logits (B, T, V) of a batch, by teacher forcing. */
Tensor *translator_encode(const Translator *t, Tape *tape, const PairBatch *b);
Tensor *translator_logits(const Translator *t, Tape *tape, const PairBatch *b);

/* A translator with its caches: as many sequences as are to be written side by side. */
typedef struct {
    const Translator *t;
    KVCache written, source;
    PairBatch batch;
} Writer;
bool writer_init(Writer *w, const Translator *t, int sequences);
void writer_free(Writer *w);
Decoder writer_decoder(Writer *w);

/* Translates `count` sources of pairs side by side, greedily: fills each pair's English. */
bool translate_greedily(Writer *w, Tape *tape, SentencePair *pairs, int count);

/* One source by a beam search of as many hypotheses as the writer has sequences. tree: to be freed. */
bool translate_by_beam(Writer *w, Tape *tape, SentencePair *pair, double alpha, BeamTree *tree);

#endif
