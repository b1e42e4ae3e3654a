/* settings.h: what the command line asks for, and the parts of the program that answer. */
#ifndef TRANSLATE_SETTINGS_H
#define TRANSLATE_SETTINGS_H

#include "examples/common/example.h"
#include "examples/translate/translator.h"

/* The corpus, and sentences with combinations of words that no sentence to learn from has. */
enum { TESTS = 1000 };
typedef struct {
    Translations *all;
    SentencePair test[TESTS];
} Corpus;

typedef struct {
    Common common;
    const char *model, *cell, *position;
    TransformerConfig transformer;
    AlignerConfig aligner;
    int batch, warmup;
    double smoothing; /* of the labels, in training */
    bool pre_norm, blind;

    TextList text; /* to translate; none: the example's own */
    int beam;
    double alpha;
    bool ablate, compare;
} Settings;

ModelKind kind_of(const Settings *s);

/* A new model of this kind, of the settings' sizes. */
bool translator_init(Translator *t, Params *p, const Settings *s, ModelKind kind, const Corpus *d);

/* ---- train.c -------------------------------------------------------------------------------------- */

/* Trains a model that was just initialised. one_of_many: what it is called as one of several, which leaves no files;
 * else NULL. */
bool train(const Settings *s, const Translator *t, Params *p, const Corpus *d,
           const char *one_of_many);

/* The loss of training, with softened labels; out (B, T). */
Tensor *training_loss(const Settings *s, const Translator *t, Tape *tape, const PairBatch *b);

/* ---- score.c -------------------------------------------------------------------------------------- */

/* The share of sentences that are translated word for word, of all and by their length in Spanish words. */
typedef struct {
    int count;
    double exact;
} Share;
enum { LENGTHS = 4 };
extern const char *const length_names[LENGTHS];
typedef struct {
    Share all, by_length[LENGTHS];
    double loss; /* nats a word, of the right one, without softening */
} Score;
bool score(const Translator *t, const Corpus *d, int tests, Score *s);

/* Prints it, and what padding changes. */
bool print_score(const Translator *t, const Corpus *d);

/* ---- show.c, grids.c ------------------------------------------------------------------------------ */

/* Refuses a text with an unknown word, or none, before anything is trained. */
bool know_texts(const Settings *s, const Corpus *d);

/* Translates the texts, greedily and by beam search, and draws where each word looked. */
bool show_texts(const Settings *s, const Translator *t, const Corpus *d);

/* The lecture's two grids: which word should come at each step, and which the model says. */
bool draw_grids(const Settings *s, const Translator *t, const Corpus *d);

/* ---- compare.c, ablate.c, files.c ----------------------------------------------------------------- */

/* Trains a Transformer and RNNs on the same pairs, and prints what each takes and can. */
bool compare(const Settings *s, const Corpus *d);

/* Trains without positions, and without cross-attention. */
bool ablate(const Settings *s, const Corpus *d);

bool save_translator(const Translator *t, const Params *p, const char *path);
bool load_translator(Translator *t, Params *p, const Corpus *d, const char *path);

#endif
