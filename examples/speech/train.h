/* train.h: training the codec, the GPT that speaks, and the recogniser that reads it. */
#ifndef SPEECH_TRAIN_H
#define SPEECH_TRAIN_H

#include "examples/common/example.h"
#include "examples/speech/model.h"

/* Finds the codec's centres, trains the GPT for --steps and the recogniser for a quarter as many.
 * False after an error. */
bool speech_train(Speech *s, Params *p, const Common *c);

#endif
