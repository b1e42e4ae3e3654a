/* draw.h: pictures of a trained Vision Transformer. */
#ifndef VIT_DRAW_H
#define VIT_DRAW_H

#include "examples/vit/train.h"

/* Draws into --out, in all formats: confusion, the confusion matrix; attention-1, ..., the class
 * token's attention in a few test images, by head and by rollout; positions, the cosine
 * similarities of the positional encodings. Without a class token, the mean over the patches takes
 * its place. */
bool draw_all(const Model *m, const Pictures *pictures, const Test *test, const Common *c);

#endif
