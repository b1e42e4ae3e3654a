/* translator.h: one interface to both models, the Transformer and the RNN: batches, training,
 * generation, drawing. */
#ifndef TRANSLATE_TRANSLATOR_H
#define TRANSLATE_TRANSLATOR_H

#include "examples/common/generated.h"
#include "examples/translate/aligner.h"
#include "data/corpora/corpora.h"

enum { BATCH_MAX = 1024, LONGEST = DATA_WORDS_MAX + 1 }; /* of a sentence with <bos> or <eos> */

typedef enum { TRANSFORMER, ALIGNER } ModelKind;

typedef struct {
    ModelKind kind;
    Transformer transformer;
    Aligner aligner;
} Translator;

/* A newly initialised model. */
bool translator_init(Translator *t, Params *p, ModelKind kind, TranslatorConfig config);

/* Pairs of sentences, padded to the longest of each side. The decoder's input is its target shifted
 * right: <bos> I am a student -> I am a student <eos>. */
typedef struct {
    int B, S, T;
    int32_t *from;     /* (B, S)                         */
    int32_t *in, *out; /* (B, T); out: DATA_IGNORE in padding       */
    int32_t from_length[BATCH_MAX], to_length[BATCH_MAX]; /* to: with <bos> or <eos> */
} PairBatch;

bool pairs_init(PairBatch *b, int most); /* allocates up to `most` pairs */
void pairs_free(PairBatch *b);
void pairs_fill(PairBatch *b, const SentencePair *pairs, int B);

/* Encode the sources, and compute logits (B, T, V) of a batch with teacher forcing. */
Tensor *translator_encode(const Translator *t, Tape *tape, const PairBatch *b);
Tensor *translator_logits(const Translator *t, Tape *tape, const PairBatch *b);

/* A translator with caches for several sequences that are generated together. */
typedef struct {
    const Translator *t;
    KVCache written, source;
    PairBatch batch;
} Writer;
bool writer_init(Writer *w, const Translator *t, int sequences);
void writer_free(Writer *w);

/* Translates the sources of `count` pairs together, greedily; fills each pair's English
 * sentence. */
bool translate_greedily(Writer *w, Tape *tape, SentencePair *pairs, int count);

/* Translates one source by a beam search with as many hypotheses as the writer has sequences. The
 * caller frees tree. */
bool translate_by_beam(Writer *w, Tape *tape, SentencePair *pair, double alpha, BeamTree *tree);

/* Translates one source by drawing its words, and records the logits in g, which has memory for
 * DATA_WORDS_MAX steps. */
bool translate_by_sampling(Writer *w, Tape *tape, const SentencePair *pair, Generated *g);

#endif
