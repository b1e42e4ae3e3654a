/* commands.h: the commands of the program `lectures` that have a file of their own, and what they share. */
#ifndef LECTURES_COMMANDS_H
#define LECTURES_COMMANDS_H

#include <stdbool.h>

/* index.c: prints the tables of lectures/README.md from the list of slides, the claims and the figures. */
int lectures_index(int argc, char **argv);

/* plot.c: a picture of a file's numbers. */
int lectures_plot(int argc, char **argv);

/* "png,pdf" as PLOT_PNG | PLOT_PDF, and with `tex` also "tex" as FIGURE_TEX; ends the program at another word. */
unsigned picture_formats(const char *list, bool tex);

#endif
