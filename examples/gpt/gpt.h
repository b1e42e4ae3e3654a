/* gpt.h: what the command line asks for, and the parts of the program that answer. */
#ifndef GPT_GPT_H
#define GPT_GPT_H

#include "examples/common/example.h"
#include "examples/gpt/model.h"
#include "examples/gpt/tokens.h"

typedef struct {
    Common common;
    GptConfig model;
    const char *data; /* NULL: fables                     */
    int bpe;          /* merges; 0: characters            */
    int batch;        /* B windows in a step              */
    const char *position;
    bool unmasked;

    const char *decode; /* "all", "greedy", "sample", "beam" */
    const char *prompt; /* NULL: the example's own           */
    int length;         /* tokens to write                   */
    double temperature, top_p, alpha;
    int top_k, beam;
    int bits; /* of a weight while it writes */
    int tree; /* tokens in the picture of the beam search's tree */
} Settings;

/* ---- train.c -------------------------------------------------------------------------------------- */

/* Trains m on the part of the text that is for training. */
bool train(const Settings *s, const Gpt *m, Params *p, const Tokens *t);

/* The mean loss, nats a token, over all of the part for validation but its first token. */
double validation_loss(const Gpt *m, Tape *tape, const Tokens *t);

/* ---- write.c -------------------------------------------------------------------------------------- */

/* The prompt as ids, at most the model's context. Refuses one that is empty, too long or of unknown
 * characters. Returns how many there are. */
int read_prompt(const Settings *s, const Gpt *m, const Tokens *t, int32_t *ids);

/* Continues the prompt in the ways that --decode names, and prints what was written. */
bool write_text(const Settings *s, const Gpt *m, const Params *p, const Tokens *t);

/* ---- draw.c --------------------------------------------------------------------------------------- */

/* Prints and draws what a beam search of --tree tokens keeps. */
bool draw_beam(const Settings *s, const Gpt *m, const Tokens *t);

/* Writes with and without the cache: the same tokens? How much faster? Prints and draws it. */
bool draw_cache(const Settings *s, const Gpt *m, const Tokens *t);

#endif
