/* plot.h: pictures of what a model attends to, and of how it learns.
 *
 *   heatmap    one attention map, or several beside each other     plot/heatmap.c
 *   grid       layers x heads, one scale and one colour bar        plot/heatmap.c
 *   arcs       from one word to the words it attends to            plot/arcs.c
 *   bars       named numbers, also in characters                   plot/bars.c
 *   curves     one or more series over x                           plot/curves.c
 *   tree       what a search kept, step by step                    plot/tree.c
 *   terminal   the same maps, arcs and trees in characters         plot/terminal.c
 *   tables     CSV and .npy                                        plot/table.c
 *
 * A picture has a stem, "out/attention/head" (its directory is made if it is missing). Beside the
 * pictures head.png, head.svg and head.pdf, all 16:9, stay the gnuplot script head.gp and its
 * numbers head.tsv: `gnuplot head.gp`, run in that directory, makes the pictures again, so that a
 * colour or a title can be changed by hand. Maps and arcs are also written as head.csv and head.npy
 * (head-1.csv, ... where a picture holds several).
 *
 *     const char *words[] = {"The", "animal", "was", "tired"};
 *     PlotHeatmap h = {.map = attention, .head = 2, .rows = words, .title = "layer 1, head 3"};
 *     plot_heatmap("out/attention/head", &h, PLOT_PNG | PLOT_SVG | PLOT_PDF);
 *
 * gnuplot (5.2 or later) is looked for on PATH at run time and started without a shell. Where there
 * is none, all but the pictures is written, and that is no failure: plot_has_gnuplot tells. A
 * picture appears whole or not at all; when gnuplot fails, its message is the error and an older
 * picture stays.
 *
 * Labels and titles are UTF-8 and may hold anything; they are shown as they are and never
 * interpreted. Tabs and newlines are shown as spaces, other control characters and invalid bytes as
 * U+FFFD; a text that is too long for its place ends in U+2026. In pictures, a label of spaces
 * alone is shown as U+2423 (an open box), the double quote of a label as U+201D, and, in PNG and
 * PDF, what no installed font has as U+FFFD. The CSV holds every label byte for byte.
 *
 * Every function returns false with an error (tensor_error) on bad arguments, when a file cannot be
 * written, and when memory runs out. */
#ifndef GRADUS_PLOT_H
#define GRADUS_PLOT_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* The pictures to make; combine them with |. */
enum { PLOT_PNG = 1, PLOT_SVG = 2, PLOT_PDF = 4 };

enum {
    PLOT_MEAN = -1,     /* for a head: the mean over all heads */
    PLOT_LONGEST = 4096 /* the longest axis that is drawn      */
};

/* Is there a gnuplot on PATH? */
GRADUS_API bool plot_has_gnuplot(void);

/* ---- maps ----------------------------------------------------------------------- heatmap.c -- */

/* Which numbers the colours stand for. {0}: 0 to 1, an attention weight (for a gradient:
 * diverging). low < high: that range, from dark to bright. diverging: -high to high, blue below 0,
 * white at 0, red above; with high 0, as far as the largest |x|. The colours are told apart by
 * colour-blind eyes too. A number that is not finite has no colour: its cell is grey. */
typedef struct {
    double low, high;
    bool diverging;
    const char *name; /* along the bar; NULL: "attention weight" (0 to 1), "dL/dA" (gradients) */
} PlotScale;

/* One map: T query rows, from top to bottom, and S key columns. */
typedef struct {
    const Tensor *map;          /* (T, S), (H, T, S) or (B, H, T, S); views are fine         */
    int item, head;             /* which of B, and which of H (PLOT_MEAN: their mean)        */
    bool gradient;              /* draw the map's gradient, dL/dA                            */
    const char *const *rows;    /* T labels; NULL: 0, 1, 2, ...                              */
    const char *const *columns; /* S labels; NULL: the rows' if the map is square, or 0, ... */
    int row_count;              /* draw only the first so many (padded batches); 0: all      */
    int column_count;           /* the same for columns                                      */
    const char *title;          /* NULL: none                                                */
    const char *row_name;       /* what a row is. NULL: "query"; "": nothing                 */
    const char *column_name;    /* what a column is. NULL: "key"; "": nothing                */
    PlotScale scale;            /* of several maps in one picture, the first one's holds     */
    bool values;                /* write the numbers into up to 12 x 12 cells, if they fit   */
    bool pixels; /* the map is a picture: square cells, and labels and names only where given */
} PlotHeatmap;

/* All heads of all layers, titled "layer 1, head 1" and so on, under one scale. The labels stand
 * once, at the outer edge, if they fit. */
typedef struct {
    const Tensor *const *layers; /* a map for each layer, (H, T, S) or (B, H, T, S), all alike */
    int layer_count;
    int item;
    bool gradient;
    const char *const *rows, *const *columns;
    int row_count, column_count;
    const char *title, *row_name, *column_name;
    PlotScale scale;
} PlotGrid;

/* One map; all maps of a model. The picture is STEM.png and so on, with its script and its data beside it. */
GRADUS_API bool plot_heatmap(const char *stem, const PlotHeatmap *map, unsigned formats);
GRADUS_API bool plot_grid(const char *stem, const PlotGrid *grid, unsigned formats);

/* Several in one picture, each under its own title, with one scale and one bar. title: above them
 * all, or NULL. */
GRADUS_API bool plot_heatmaps(const char *stem, const PlotHeatmap *maps, int count,
                              const char *title, unsigned formats);
GRADUS_API bool plot_grids(const char *stem, const PlotGrid *grids, int count, const char *title,
                           unsigned formats);

/* ---- arcs -------------------------------------------------------------------------- arcs.c -- */

/* The words of one sentence in a line, and from words[from] an arc to each word whose width is the
 * weight that row `from` of the map gives it (the weights are taken as lying between 0 and 1; an
 * arc of less than 0.01 is not drawn). The weights are written below the words. */
typedef struct {
    const char *const *words; /* S labels, for the columns of the map     */
    int word_count;           /* draw only the first so many; 0: all      */
    const Tensor *map;        /* as in PlotHeatmap                        */
    int item, head;
    int from; /* the query: a row of the map, and the word where the arcs begin */
    const char *title;
} PlotArcs;

/* Up to 6 sentences under one another. title: above them all, or NULL. */
GRADUS_API bool plot_arcs(const char *stem, const PlotArcs *sentences, int count, const char *title,
                          unsigned formats);

/* ---- bars -------------------------------------------------------------------------- bars.c -- */

/* Named numbers of 0 or more, from top to bottom, such as the likeliest words at a place. */
typedef struct {
    const char *const *names;
    const double *values;
    int count;         /* 1 to 64      */
    const char *title; /* NULL: none */
} PlotBars;

/* Up to 6 groups in one picture, all on one scale from 0 to their largest number. title: above them all, or
 * NULL. */
GRADUS_API bool plot_bars(const char *stem, const PlotBars *groups, int count, const char *title,
                          unsigned formats);

/* ---- curves ---------------------------------------------------------------------- curves.c -- */

typedef struct {
    const char *name; /* in the legend; NULL: not there                      */
    const double *x;  /* NULL: 0, 1, 2, ...                                  */
    const double *y;  /* numbers that are not finite leave a gap             */
    int count;
} PlotSeries;

typedef struct {
    const PlotSeries *series;
    int count;
    const char *title, *x_name, *y_name;
    bool log_x, log_y;    /* numbers <= 0 then leave a gap                        */
    double y_low, y_high; /* both 0: as the numbers ask                           */
    bool points;          /* single points, without lines between them            */
} PlotCurves;

/* All in one picture, under the same axes. */
GRADUS_API bool plot_curves(const char *stem, const PlotCurves *curves, unsigned formats);

/* ---- a tree -------------------------------------------------------------------------- tree.c -- */

/* From the root at the left, each step a column: what a beam search kept. Parents come before their
 * children. */
typedef struct {
    int count;                 /* nodes without the root                                  */
    const int *parent;         /* of each: an earlier node, or -1: the root               */
    const char *const *labels; /* of each                                                 */
    const double *numbers;     /* beside each label, such as its log p; NULL: nothing     */
    int marked;                /* the way from the root to this node stands out; -1: none */
    const char *root;          /* the root's label; NULL: nothing                         */
    const char *title;
} PlotTree;

/* Up to PLOT_LONGEST nodes; a label that is too long for its column is cut. */
GRADUS_API bool plot_tree(const char *stem, const PlotTree *tree, unsigned formats);

/* ---- in the terminal ----------------------------------------------------------- terminal.c -- */

/* PLOT_AUTO: 256 colours where `out` is a terminal, TERM is set and not "dumb", and NO_COLOR is not
 * set; else PLOT_PLAIN: characters, from ' ' (low) to '@' (high). */
typedef enum { PLOT_AUTO, PLOT_PLAIN, PLOT_COLOUR } PlotTerminal;

/* Maps side by side as far as the width allows (that of the terminal, else COLUMNS, else 80),
 * column labels downwards below them. */
GRADUS_API bool plot_terminal_heatmap(FILE *out, const PlotHeatmap *map, PlotTerminal mode);
GRADUS_API bool plot_terminal_heatmaps(FILE *out, const PlotHeatmap *maps, int count,
                                       PlotTerminal mode);
GRADUS_API bool plot_terminal_grid(FILE *out, const PlotGrid *grid, PlotTerminal mode);

/* The `most` words with the largest weights (0: all), heaviest first, each with a bar. */
GRADUS_API bool plot_terminal_arcs(FILE *out, const PlotArcs *sentence, int most,
                                   PlotTerminal mode);

/* A node a line, its parent above it; the marked way ends in "<" where there are no colours. */
GRADUS_API bool plot_terminal_tree(FILE *out, const PlotTree *tree, PlotTerminal mode);

/* The groups under one another. */
GRADUS_API bool plot_terminal_bars(FILE *out, const PlotBars *groups, int count, PlotTerminal mode);

/* ---- tables ----------------------------------------------------------------------- table.c -- */

/* RFC 4180: column labels in the first line, row labels in the first field. */
GRADUS_API bool plot_csv(const char *path, const PlotHeatmap *map);

/* NumPy's format, version 1.0: '<f4' ('<f8' from libgradus-f64), or '<i4' for ids; C order. */
GRADUS_API bool plot_npy(const char *path, const Tensor *t);

#ifndef GRADUS_INSIDE
#define plot_heatmap(...)           TENSOR_PLACED_OK(plot_heatmap(__VA_ARGS__))
#define plot_grid(...)              TENSOR_PLACED_OK(plot_grid(__VA_ARGS__))
#define plot_heatmaps(...)          TENSOR_PLACED_OK(plot_heatmaps(__VA_ARGS__))
#define plot_grids(...)             TENSOR_PLACED_OK(plot_grids(__VA_ARGS__))
#define plot_arcs(...)              TENSOR_PLACED_OK(plot_arcs(__VA_ARGS__))
#define plot_bars(...)              TENSOR_PLACED_OK(plot_bars(__VA_ARGS__))
#define plot_curves(...)            TENSOR_PLACED_OK(plot_curves(__VA_ARGS__))
#define plot_terminal_heatmap(...)  TENSOR_PLACED_OK(plot_terminal_heatmap(__VA_ARGS__))
#define plot_terminal_heatmaps(...) TENSOR_PLACED_OK(plot_terminal_heatmaps(__VA_ARGS__))
#define plot_terminal_grid(...)     TENSOR_PLACED_OK(plot_terminal_grid(__VA_ARGS__))
#define plot_terminal_arcs(...)     TENSOR_PLACED_OK(plot_terminal_arcs(__VA_ARGS__))
#define plot_tree(...)              TENSOR_PLACED_OK(plot_tree(__VA_ARGS__))
#define plot_terminal_tree(...)     TENSOR_PLACED_OK(plot_terminal_tree(__VA_ARGS__))
#define plot_terminal_bars(...)     TENSOR_PLACED_OK(plot_terminal_bars(__VA_ARGS__))
#define plot_csv(...)               TENSOR_PLACED_OK(plot_csv(__VA_ARGS__))
#define plot_npy(...)               TENSOR_PLACED_OK(plot_npy(__VA_ARGS__))
#endif

GRADUS_END
#endif
