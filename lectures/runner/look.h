/* look.h: the options of pictures that `figures` and `plot` share: formats, size, theme, title. */
#ifndef LECTURES_LOOK_H
#define LECTURES_LOOK_H

#include "examples/common/options.h"

/* As the options give it; LOOK_DEFAULTS to begin with. */
typedef struct {
    const char *format, *size, *theme, *colours;
    bool no_title;
} LookOptions;

#define LOOK_DEFAULTS                                             \
    {                                                             \
        .format = "png,svg,pdf", .size = "16:9", .theme = "light" \
    }

/* Rows of a program's table of options. */
#define LOOK_OPTIONS(look)                                                                          \
    {"no-title",                                                                                    \
     OPTION_FLAG,                                                                                   \
     &(look).no_title,                                                                              \
     NULL,                                                                                          \
     "for slides, which have titles of their own",                                                  \
     0,                                                                                             \
     0},                                                                                            \
        {"format", OPTION_TEXT, &(look).format, "LIST", "png, svg, pdf, with commas", 0, 0},        \
        {"size", OPTION_TEXT, &(look).size, "SIZE", "16:9 (a slide), column or page, in print", 0,  \
         0},                                                                                        \
        {"theme", OPTION_TEXT, &(look).theme, "THEME", "light, dark or print (black and greys)", 0, \
         0},                                                                                        \
    {                                                                                               \
        "theme-colours", OPTION_TEXT, &(look).colours, "SCALE",                                     \
            "of maps: viridis, cividis, magma or grey", 0, 0                                        \
    }

/* Sets the look of all pictures and returns their formats: PLOT_PNG | ... Ends the
 * program at a word that it does not know. */
unsigned look_set(const LookOptions *look);

#endif
