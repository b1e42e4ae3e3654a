/* settings.h: what the command line asks for, and the parts of the program in the order in which they run. */
#ifndef BERT_SETTINGS_H
#define BERT_SETTINGS_H

#include "examples/bert/corpus.h"
#include "examples/bert/model.h"
#include "examples/common/run.h"

typedef struct {
    Common common;
    const char *data;
    int merges, longest; /* of --data */
    int channels, heads, layers, sentences;
    int labelled, tune_steps;
    TextList text;
    bool dynamic, compare;
} Settings;

BertConfig config_of(const Settings *s, const Corpus *c);

/* ---- pretrain.c: guessing hidden words ------------------------------------------------------------------- */

/* seed: of weights and masks. one_of_many: what it is called as one of a comparison, which leaves no files; else
 * NULL. */
bool pretrain(const Settings *s, const Bert *m, Params *p, const Corpus *c, int seed,
              const char *one_of_many);

/* How well the hidden words of held-out sentences are guessed: the mean loss, and the share of right guesses. */
typedef struct {
    int asked;
    double loss, right;
} Guesses;
Guesses guess_held_out(const Bert *m, const Corpus *c);

/* ---- fill_masks.c: what stands at <mask>? --------------------------------------------------------------------- */

/* The likeliest words at each <mask> of the --text's (or of the lecture's sentence), as bars, and what every head
 * attends to. */
bool show_words(const Settings *s, const Bert *m, const Corpus *c);

/* ---- probe.c: what was learned --------------------------------------------------------------------------- */

/* Held-out sentences whose last telling word is hidden: how often the guess is one that fits. Prints a line for each
 * sort of sentence. */
bool print_probes(const Bert *m, const Corpus *c);

/* ---- finetune.c: from words to a class ------------------------------------------------------------------- */

/* Trains the class token on the reviews for so many steps, from the weights of `from`, or from nothing where it is
 * NULL. The share of right answers on the reviews held out; NaN after an error. */
double finetune(const Settings *s, const Params *from, const Corpus *c, int seed, int64_t steps);

/* ---- compare.c ------------------------------------------------------------------------------------------- */

/* Five seeds, each pre-trained and fine-tuned, and trained from nothing; a table with the mean differences. */
enum { COMPARE_STEPS = 1500 }; /* of pre-training, unless --steps says otherwise */
bool run_comparison(const Settings *s, const Corpus *c);

/* ---- files.c --------------------------------------------------------------------------------------------- */

bool save_bert(const Bert *m, const Params *p, const Corpus *c, const char *path);
/* Weights of a model with the corpus's vocabulary. */
bool load_bert(Bert *m, Params *p, const Corpus *c, const char *path);

#endif
