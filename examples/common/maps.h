/* maps.h: pictures of what a model's blocks attend to. */
#ifndef EXAMPLES_MAPS_H
#define EXAMPLES_MAPS_H

#include "gradus.h"

/* All heads of all layers, from a forward run that kept its maps (tape->keep_maps) and whose blocks are called
 * blocks.0, blocks.1, ...: STEM.png, .svg, .pdf. words: a label for each token. */
bool maps_draw(Tape *tape, int layers, const char *const *words, const char *title,
               const char *stem);

#ifndef GRADUS_INSIDE
#define maps_draw(...) TENSOR_PLACED_OK(maps_draw(__VA_ARGS__))
#endif

#endif
