/* settings.h: the settings of the command line, and what the parts of this example share. */
#ifndef ATTENTION_SETTINGS_H
#define ATTENTION_SETTINGS_H

#include "examples/attention/train.h"
#include "examples/common/cause.h"
#include "examples/common/run.h"

enum { CHANNELS = 64, HEADS = 4, LAYERS = 2, SENTENCE_WINDOW = 4 };
#define SENTENCE_RATE 3e-3 /* the peak learning rate */
enum { WORD_STEPS = 800, QUIZ_SENTENCES = 2000 };

typedef struct {
    Common common;
    int window;   /* of the first block; see ModelConfig   */
    int channels; /* C, the model width                    */
    TextList text;
    int position; /* a PositionKind */
    bool gradients;
    bool live; /* pages in which the library runs */
    CauseOptions cause;
} Settings;

/* sentences.c: trains, tests and draws. */
bool run_sentences(const Settings *s, Params *p);

/* cause.c: --cut, --patch, --lens and --sweep of a sentence. */
bool show_cause(const Settings *s, const Model *m, const Grammar *g, const Params *p,
                const Sentence *sentence);

/* ---- settings.c ------------------------------------------------------------------------------ */

/* A model for the grammar's sentences. */
ModelConfig sentence_config(const Settings *s, const Grammar *g);

/* A newly initialised model. */
bool begin_model(Model *m, Params *p, ModelConfig config);

/* Save the weights to a file, and load them from that of --load, whose model has to have the words
 * and answers of `wanted`. */
bool save_model(const Model *m, const Params *p, const char *path);
bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted);

#endif
