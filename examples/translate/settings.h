/* settings.h: the settings of the command line, and the parts of the program. */
#ifndef TRANSLATE_SETTINGS_H
#define TRANSLATE_SETTINGS_H

#include "examples/common/example.h"
#include "examples/translate/translator.h"

/* The corpus, and held-out sentences with combinations of words that no training sentence has. */
enum { TESTS = 1000 };
typedef struct {
    Translations *all;
    SentencePair test[TESTS];
} Corpus;

typedef struct {
    Common common;
    const char *model, *position;
    TranslatorConfig config;
    int batch, warmup;
    double smoothing; /* of labels, in training     */
    bool pre_norm, blind;

    TextList text; /* to translate; none: the defaults      */
    int beam;
    double alpha;
} Settings;

/* ---- train.c --------------------------------------------------------------------------------- */

/* Trains a newly initialised model. */
bool train(const Settings *s, const Translator *t, Params *p, const Corpus *d);

/* ---- score.c --------------------------------------------------------------------------------- */

/* The share of exact translations, of all sentences and by length in Spanish words. */
typedef struct {
    int count;
    double exact;
} ExactShare;
enum { LENGTHS = 4 };
typedef struct {
    ExactShare all, by_length[LENGTHS];
    double loss; /* nats a word, without label smoothing             */
} Score;
bool score(const Translator *t, const Corpus *d, int tests, Score *s);

/* Prints the score, and the effect of padding. */
bool print_score(const Translator *t, const Corpus *d);

/* ---- show.c, grids.c ------------------------------------------------------------------------- */

/* Ends the program before training if a text is empty or has an unknown word. */
bool know_texts(const Settings *s, const Corpus *d);

/* Translates the texts greedily and by beam search, and draws the cross-attention of each word. */
bool show_texts(const Settings *s, const Translator *t, const Corpus *d);

/* Draws the lecture's two grids: the target at each step, and the model's distribution. */
bool draw_grids(const Settings *s, const Translator *t, const Corpus *d);

/* ---- files.c --------------------------------------------------------------------------------- */

bool save_translator(const Translator *t, const Params *p, const char *path);
bool load_translator(Translator *t, Params *p, const Corpus *d, const char *path);

#endif
