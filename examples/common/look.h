/* look.h: the options of pictures that every program shares: formats, size, theme, title. */
#ifndef EXAMPLES_LOOK_H
#define EXAMPLES_LOOK_H

#include "examples/common/options.h"

/* As the options give it; {0} to begin with. */
typedef struct {
    const char *format, *size, *theme;
    bool no_title;
} LookOptions;

/* LOOK_COUNT rows of a program's table of options. */
enum { LOOK_COUNT = 4 };
/* clang-format off */
#define LOOK_OPTIONS(look)                                                                         \
    {"no-title", OPTION_FLAG, &(look).no_title, NULL,                                              \
     "pictures for slides, which have titles of their own", 0, 0},                                 \
    {"format", OPTION_TEXT, &(look).format, "LIST", "png, svg, pdf, with commas: all", 0, 0},      \
    {"size", OPTION_TEXT, &(look).size, "SIZE", "slide, or in print column or page", 0, 0},        \
    {"theme", OPTION_TEXT, &(look).theme, "THEME", "light, dark or print (black and greys)", 0, 0}
/* clang-format on */

/* Sets the look of all pictures and returns their formats: PLOT_PNG | ... Ends the program at a
 * word that it does not know. */
unsigned look_set(const LookOptions *look);

#endif
