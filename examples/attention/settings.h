/* settings.h: what the command line asks for, and what the three ways through this example share. */
#ifndef ATTENTION_SETTINGS_H
#define ATTENTION_SETTINGS_H

#include "examples/attention/train.h"
#include "examples/common/run.h"

enum { CHANNELS = 64, HEADS = 4, LAYERS = 2 };
enum { WORD_STEPS = 800, CHARACTER_STEPS = 600, QUIZ_SENTENCES = 2000 };

typedef struct {
    Common common;    /* its steps 0: as many as the task takes  */
    int window;       /* of the first block; see ModelConfig     */
    int channels;     /* of a token                              */
    const char *data; /* a text file, for a model of characters  */
    TextList text;
    bool ablate, gradients;
} Settings;

/* The three ways: sentences (sentences.c), what breaks it (ablate.c), any text (text.c). */
bool run_sentences(const Settings *s, Params *p);
bool run_ablation(const Settings *s);
bool run_text(const Settings *s, Params *p);

/* ---- settings.c ---------------------------------------------------------------------------------- */

/* A model for the grammar's sentences. */
ModelConfig sentence_config(const Settings *s, const Grammar *g, PositionKind position);

/* A new model, ready to be trained. */
bool begin_model(Model *m, Params *p, ModelConfig config);

/* The weights as a file, and back from the file of --load, which must be of a model like `wanted`. characters: the
 * text's, as list_characters writes them; NULL for a model of words. */
bool save_model(const Model *m, const Params *p, const char *characters, const char *path);
bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted, const char *characters);

/* --steps, or else `steps`. */
int64_t steps_of(const Settings *s, int steps);

#endif
