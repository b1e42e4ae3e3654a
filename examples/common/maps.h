/* maps.h: pictures of the attention maps of a model's blocks; bars as a text. */
#ifndef EXAMPLES_MAPS_H
#define EXAMPLES_MAPS_H

#include "examples/common/html.h"

/* Draws all heads of all layers into STEM.png, .svg and .pdf, after a forward pass that kept its
 * maps (tape->keep_maps) with blocks named blocks.0, blocks.1, ... words: a label for each token.
 * Adds them to the page of --html. */
bool maps_draw(Tape *tape, int layers, const char *const *words, const char *title,
               const char *stem, Html *html);

/* Prints the numbers of bars beside their names, the groups one below the other. */
void print_bars(const PlotBars *groups, int count);

#ifndef GRADUS_INSIDE
#define maps_draw(...) EXAMPLE_PLACED(maps_draw, __VA_ARGS__)
#endif

#endif
