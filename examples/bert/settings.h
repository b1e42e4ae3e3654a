/* settings.h: the settings of the command line, and the parts of the program in the order in which
 * they run. */
#ifndef BERT_SETTINGS_H
#define BERT_SETTINGS_H

#include "examples/bert/corpus.h"
#include "examples/bert/model.h"
#include "examples/common/run.h"

typedef struct {
    Common common;
    int channels, heads, layers, sentences;
    int labelled, tune_steps;
    TextList text;
    bool dynamic;
} Settings;

BertConfig config_of(const Settings *s, const Corpus *c);

/* ---- pretrain.c: masked language modelling --------------------------------------------------- */

bool pretrain(const Settings *s, const Bert *m, Params *p, const Corpus *c);

/* The mean loss and the accuracy on masked words of held-out sentences. */
typedef struct {
    int asked;
    double loss, right;
} Guesses;
Guesses guess_held_out(const Bert *m, const Corpus *c);

/* ---- fill_masks.c: predicting words at <mask> ------------------------------------------------ */

/* Draws the most probable words at each <mask> of the --texts (or of the lecture's sentence) as
 * bars, and the attention maps of all heads. */
bool show_words(const Settings *s, const Bert *m, const Corpus *c);

/* ---- probe.c: tests of what was learned ------------------------------------------------------ */

/* Masks a determined word in held-out sentences and prints, for each kind of sentence, how often
 * the prediction fits. */
bool print_probes(const Bert *m, const Corpus *c);

/* ---- finetune.c: classification -------------------------------------------------------------- */

/* Trains the classification of reviews for --tune-steps, from the weights of `from` or, if it is
 * NULL, from scratch. Returns the accuracy on held-out reviews, or NaN after an error. */
double finetune(const Settings *s, const Params *from, const Corpus *c);

/* ---- files.c --------------------------------------------------------------------------------- */

bool save_bert(const Bert *m, const Params *p, const Corpus *c, const char *path);
/* Save and load a model with the corpus's vocabulary. */
bool load_bert(Bert *m, Params *p, const Corpus *c, const char *path);

#endif
