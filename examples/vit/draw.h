/* draw.h: pictures of a trained Vision Transformer. */
#ifndef VIT_DRAW_H
#define VIT_DRAW_H

#include "examples/common/cause.h"
#include "examples/vit/train.h"

/* Draws into --out, in all formats: confusion, the confusion matrix; attention-1, ..., the class
 * token's attention in a few test images, by head and by rollout; positions, the cosine
 * similarities of the positional encodings. Without a class token, the mean over the patches takes
 * its place. */
bool draw_all(const Model *m, const Pictures *pictures, const Test *test, const Common *c);

/* Names of the tokens: "class", and row and column of each patch. name, label: one for each. */
void name_tokens(const Model *m, char (*name)[24], const char **label);

/* cause.c: --cut, --patch, --lens and --sweep of the class of the first test image. */
bool show_cause(const Model *m, const Params *p, const Pictures *pictures, const CauseOptions *o,
                const Common *common);

#endif
