/* characters.h: the same encoder on any text, character by character.
 *
 * With a causal mask each position sees the characters up to itself, and the model learns to
 * predict the next one (lecture B, "Transformer-Based LM"). */
#ifndef ATTENTION_CHARACTERS_H
#define ATTENTION_CHARACTERS_H

#include "examples/attention/train.h"

enum { CHARACTERS_T = 64 }; /* the length of a training window */

/* Trains a newly initialised model. Returns false after an error. */
bool characters_train(const Model *m, Params *p, const Text *text, TrainConfig config);

/* The loss, in nats a character, over windows of the last tenth of the text, which is not used in
 * training. */
double characters_loss(const Model *m, const Text *text);

#endif
