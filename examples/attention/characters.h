/* characters.h: the same encoder on any text, character by character.
 *
 * With a causal mask each place sees the characters up to itself, and the model learns which one comes next
 * (lecture B, "Transformer-Based LM"). */
#ifndef ATTENTION_CHARACTERS_H
#define ATTENTION_CHARACTERS_H

#include "examples/attention/train.h"

enum { CHARACTERS_T = 64 }; /* the length of a training window */

/* Trains a model that was just initialised. False after an error. */
bool characters_train(const Model *m, Params *p, const Text *text, TrainConfig config);

/* The loss, in nats a character, over windows of the last tenth of the text, which training never sees. */
double characters_loss(const Model *m, const Text *text);

#endif
