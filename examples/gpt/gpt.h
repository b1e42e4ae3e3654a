/* gpt.h: the settings of the command line, and the parts of the program. */
#ifndef GPT_GPT_H
#define GPT_GPT_H

#include "examples/common/cause.h"
#include "examples/common/example.h"
#include "examples/gpt/processes.h"
#include "examples/gpt/recorder.h"

enum { LAYERS_MAX = 24, VALIDATIONS = 5 };

typedef struct {
    Common common;
    GptConfig model;
    int context, channels; /* of the model */
    const char *data;      /* NULL: fables                     */
    int bpe;               /* merges; 0: characters            */
    int batch;             /* B windows in a step              */
    int slices;            /* of a batch, for several processes; 0: it is not cut */
    const char *position;
    bool unmasked;
    int patience; /* validations without a better loss after which training ends; 0: none do */

    const char *decode; /* "all", "greedy", "sample", "beam" */
    const char *prompt; /* NULL: the default prompt          */
    int length;         /* tokens to generate                */
    double temperature, top_p, alpha;
    int top_k, beam;
    CauseOptions cause;
    bool live; /* generation.html computes */
} Settings;

/* ---- train.c --------------------------------------------------------------------------------- */

/* Trains m on the training part of the text. */
bool train(const Settings *s, const Gpt *m, Params *p, const TokenisedText *t);

/* The mean loss in nats a token over the validation part, except its first token. */
double validation_loss(const Gpt *m, Tape *tape, const TokenisedText *t);

/* ---- write.c --------------------------------------------------------------------------------- */

/* Encodes the prompt and returns the number of ids. Ends the program if the prompt is empty, longer
 * than the context, or has unknown characters. */
int read_prompt(const Settings *s, const Gpt *m, const TokenisedText *t, int32_t *ids);

/* Continues the prompt with the strategies of --decode, and prints the texts. */
bool write_text(const Settings *s, const Gpt *m, const TokenisedText *t);

/* ---- draw.c ---------------------------------------------------------------------------------- */

/* Writes the page of --html: the attention to the prompt and its greedy continuation, with the
 * gradient of the loss of the next token. */
bool draw_page(const Settings *s, const Gpt *m, const TokenisedText *t);

/* Generates with and without the cache; prints and draws whether the tokens are equal, and the
 * speed-up. */
bool draw_cache(const Settings *s, const Gpt *m, const TokenisedText *t);

/* ---- cause.c --------------------------------------------------------------------------------- */

/* --cut, --patch, --lens and --sweep of the token after the prompt. */
bool show_cause(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t);

/* ---- page.c ---------------------------------------------------------------------------------- */

/* Writes generation.html: a text drawn with the settings of the command line, and the beam
 * search; with --live, the model and the library as well. */
bool write_generation(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t);

#endif
