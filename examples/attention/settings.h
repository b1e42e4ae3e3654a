/* settings.h: what the command line asks for, and what the three ways through this example share. */
#ifndef ATTENTION_SETTINGS_H
#define ATTENTION_SETTINGS_H

#include "examples/attention/words.h"
#include "examples/common/options.h"

enum { CHANNELS = 64, HEADS = 4, LAYERS = 2 };
enum { WORD_STEPS = 800, CHARACTER_STEPS = 600, QUIZ_SENTENCES = 2000 };

typedef struct {
    int seed, threads, steps; /* steps 0: as many as the task takes           */
    int window;               /* of the first block; see ModelConfig          */
    double rate;              /* the highest learning rate */
    const char *out, *save, *load, *data;
    TextList text;
    bool ablate, gradients, quiet;
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

/* Weights from the file of --load, which must be of a model like `wanted`. characters: the text's, as
 * list_characters writes them; NULL for a model of words. */
bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted, const char *characters);

TrainConfig train_config(const Settings *s, int seed, const char *what, int steps, int batch);

#endif
