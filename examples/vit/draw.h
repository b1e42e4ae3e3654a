/* draw.h: pictures of what a trained Vision Transformer does. */
#ifndef VIT_DRAW_H
#define VIT_DRAW_H

#include "examples/vit/train.h"

/* Into --out, in all formats: confusion, the class that is said for each class that is there; attention-1, ...,
 * where the class token looks in a few test pictures, by head and by rollout; positions, how alike the positions'
 * codes are. Without a class token, the mean over the patches takes its place. */
bool draw_all(const Model *m, const Pictures *pictures, const Test *test, const Common *c);

#endif
