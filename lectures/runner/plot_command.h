/* plot_command.h: what the files of the command `plot` share.
 *
 *   plot.c         the options, and which kind of picture can use which
 *   plot_input.c   the files: arrays, tables, labels
 *   plot_maps.c    heatmap, heads, arcs, links
 *   plot_series.c  bars, curves
 *   plot_page.c    page */
#ifndef LECTURES_PLOT_COMMAND_H
#define LECTURES_PLOT_COMMAND_H

#include "examples/common/look.h"
#include "lectures/runner/table.h"

enum { FILES_MAX = 8, SOURCES_MAX = 32, WORDS_MAX = 16, LAYERS_MAX = 128 };

/* What the command line asks for. */
typedef struct {
    const char *kind;
    const char *file[FILES_MAX];
    int files;
    const char *name, *labels, *rows, *columns, *title, *x, *y, *legend, *range, *log, *at;
    const char *row, *out;
    int item, head;
    bool diverging, join;
    LookOptions look;
    unsigned formats; /* of look */
    bool ranged;      /* --range LOW:HIGH */
    double low, high;
} Wish;

/* "A,B,C" as separate words, which end in NULL. */
typedef struct {
    char text[512];
    const char *word[WORDS_MAX + 1];
    int count;
} WordList;
/* Ends the program where --option has too many. */
void words_split(WordList *w, const char *option, const char *list);

/* An array, with the labels that its file or the options give. */
typedef struct {
    Tensor *numbers; /* without leading axes of length 1 beyond the second */
    double *exact;   /* as they stand in the file, for curves; NULL: of a table */
    Csv csv;
    char name[160]; /* of the file or the array: what tells several apart */
    const char *const *rows, *const *columns; /* labels, or NULL */
    const char **counted;                     /* of source_counted */
} Source;

/* All that the options name: each array of each file. */
typedef struct {
    Source source[SOURCES_MAX];
    int count;
    LabelFile labels, rows, columns;
} Sources;
/* False, with an error. Call sources_close even then. */
bool sources_open(Sources *s, const Wish *w);
void sources_close(Sources *s);
/* Gives the source the labels of the options, or those of its table. */
bool source_labels(Sources *s, Source *from, const Wish *w, int64_t rows, int64_t columns);

/* The labels "1", "2", ..., as many as are asked for; NULL, with an error. */
const char *const *source_counted(Source *from, int64_t count);

/* A map's numbers (T, S), (H, T, S) or (B, H, T, S), and which head and item are drawn, from 0 and
 * PLOT_MEAN; says which, where there are several. */
bool source_part(const Source *from, const Wish *w, int *item, int *head);

/* The layers of an array (T, S), (H, T, S) or (L, H, T, S), whose numbers they share. Returns how
 * many; 0, with an error. */
int source_layers(const Source *from, Tensor layer[LAYERS_MAX]);

/* The colour scale that the options ask for; classes is used for the names of a legend. */
PlotScale wish_scale(const Wish *w, WordList *classes);

/* Each draws its kind of picture at w->out in w->formats, a map in the terminal as well. False,
 * with an error. */
typedef bool (*PlotKind)(const Wish *w);
bool draw_heatmap(const Wish *w);
bool draw_heads(const Wish *w);
bool draw_arcs(const Wish *w);
bool draw_links(const Wish *w);
bool draw_bars(const Wish *w);
bool draw_curves(const Wish *w);
bool draw_page(const Wish *w);

#endif
