/* train.h: training the GPT that reads and draws pictures. */
#ifndef CAPTIONS_TRAIN_H
#define CAPTIONS_TRAIN_H

#include "examples/captions/model.h"
#include "examples/common/example.h"

/* Finds the codebook, then trains the GPT for --steps. dropped: the probability with which a word
 * or code that is read is left blank. False after an error. */
bool picture_gpt_train(PictureGpt *m, Params *p, const Common *c, double dropped);

#endif
