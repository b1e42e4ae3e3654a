/* settings.h: what the command line asks for, and the parts of the program. */
#ifndef CLASSIFY_SETTINGS_H
#define CLASSIFY_SETTINGS_H

#include "examples/classify/train.h"

typedef struct {
    Common common;
    const char *data, *pool, *position;
    int channels, heads, layers, longest;
    TextList text;
    bool ablate;
} Settings;

/* The model that the command line asks for. Ends the program where a name is not known. */
ClassifierConfig config_of(const Settings *s, const Texts *t);

/* ---- show.c ------------------------------------------------------------------------------------------ */

/* Right labels of the held-out texts, by kind where there are kinds. */
void print_scores(const Classifier *m, const Texts *t);

/* How much the probabilities of held-out texts change when they are padded, with the mask and without it.
 * Prints both; *most becomes the first. */
bool show_padding(const Classifier *m, const Texts *t, double *most);

/* Labels of the --text's (or of a few sentences of the grammar), as bars and with attention maps. */
bool show_texts(const Settings *s, const Classifier *m, const Texts *t);

/* ---- ablate.c ---------------------------------------------------------------------------------------- */

/* A table over three seeds: the model as it is, without positions, and as a bag of words. */
bool run_ablation(const Settings *s, const Texts *t);

/* ---- files.c ----------------------------------------------------------------------------------------- */

bool save_classifier(const Classifier *m, const Params *p, const Texts *t, const char *path);

/* Fills the configuration and the vocabularies of `known`, then the weights of a model built so. */
bool load_classifier(Classifier *m, Params *p, Texts *known, const char *path);

#endif
