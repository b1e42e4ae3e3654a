/* settings.h: the settings of the command line, and the parts of the program. */
#ifndef CLASSIFY_SETTINGS_H
#define CLASSIFY_SETTINGS_H

#include "examples/classify/train.h"

typedef struct {
    Common common;
    const char *data, *pool, *position;
    int channels, heads, layers, longest;
    TextList text;
} Settings;

/* ---- show.c ---------------------------------------------------------------------------------- */

/* Prints the accuracy on held-out texts, for each kind if there are kinds. */
void print_scores(const Classifier *m, const Texts *t);

/* Prints by how much padding changes the probabilities of held-out texts, with the mask and without
 * it. *most becomes the first number. */
bool show_padding(const Classifier *m, const Texts *t);

/* Draws the labels of the --texts (or of a few sentences of the grammar) as bars, with attention
 * maps. */
bool show_texts(const Settings *s, const Classifier *m, const Texts *t);

/* ---- files.c --------------------------------------------------------------------------------- */

bool save_classifier(const Classifier *m, const Params *p, const Texts *t, const char *path);

/* Reads the configuration and the vocabularies into `known`, then the weights into a model built
 * from them. */
bool load_classifier(Classifier *m, Params *p, Texts *known, const char *path);

#endif
