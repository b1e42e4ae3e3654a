/* settings.h: the settings of the command line, and what the three tasks of this example share. */
#ifndef ATTENTION_SETTINGS_H
#define ATTENTION_SETTINGS_H

#include "examples/attention/train.h"
#include "examples/common/cause.h"
#include "examples/common/run.h"

enum { CHANNELS = 64, HEADS = 4, LAYERS = 2, SENTENCE_WINDOW = 4 };
#define SENTENCE_RATE 3e-3 /* the peak learning rate */
enum { WORD_STEPS = 800, CHARACTER_STEPS = 600, QUIZ_SENTENCES = 2000 };

typedef struct {
    Common common;    /* steps 0: the default of the task        */
    int window;       /* of the first block; see ModelConfig     */
    int channels;     /* C, the model width                      */
    const char *data; /* a text file, for a character model      */
    TextList text;
    bool ablate, gradients;
    bool live; /* pages in which the library runs */
    CauseOptions cause;
} Settings;

/* The three tasks: sentences (sentences.c), ablations (ablate.c), any text (text.c). */
bool run_sentences(const Settings *s, Params *p);
bool run_ablation(const Settings *s);
bool run_text(const Settings *s, Params *p);

/* cause.c: --cut, --patch, --lens and --sweep of a sentence. */
bool show_cause(const Settings *s, const Model *m, const Grammar *g, const Params *p,
                const Sentence *sentence);

/* ---- settings.c ------------------------------------------------------------------------------ */

/* A model for the grammar's sentences. */
ModelConfig sentence_config(const Settings *s, const Grammar *g, PositionKind position);

/* A newly initialised model. */
bool begin_model(Model *m, Params *p, ModelConfig config);

/* Save the weights to a file, and load them from that of --load, whose model has to be like
 * `wanted`. characters: those of the text, as list_characters writes them; NULL for a model of
 * words. */
bool save_model(const Model *m, const Params *p, const char *characters, const char *path);
bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted, const char *characters);

/* --steps, or else `steps`. */
int64_t steps_of(const Settings *s, int steps);

#endif
