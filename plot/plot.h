/* plot.h: pictures of attention weights, training curves, search trees and diagrams.
 *
 *   heatmap    one attention map, or several side by side         plot/heatmap.c
 *   grid       layers x heads, one scale and one colour bar        plot/heatmap.c
 *   arcs       from one word to the words it attends to            plot/arcs.c
 *   links      from words at the left to words at the right        plot/links.c
 *   bars       named numbers as bars                                plot/bars.c
 *   curves     one or more series over x                           plot/curves.c
 *   terminal   the same maps in characters                          plot/terminal.c
 *   tables     CSV and .npy                                        plot/table.c
 *
 * A picture is named by its stem, such as "out/attention/head"; missing directories are created.
 * The pictures are head.png, head.svg and head.pdf, all 16:9. Beside them remain the gnuplot script
 * head.gp and its data head.tsv: `gnuplot head.gp`, run in that directory, draws the pictures
 * again, so that a colour or a title can be changed by hand. Maps and arcs are also written as
 * head.csv and head.npy (head-1.csv, head-2.csv, ... if a picture has several maps).
 *
 *     const char *words[] = {"The", "animal", "was", "tired"};
 *     PlotHeatmap h = {.map = attention, .head = 2, .rows = words, .title = "layer 1, head 3"};
 *     plot_heatmap("out/attention/head", &h, PLOT_PNG | PLOT_SVG | PLOT_PDF);
 *
 * gnuplot (5.2 or later) is found in PATH at run time and started without a shell. If there is no
 * gnuplot, every file but the pictures is written, and the function succeeds; plot_has_gnuplot
 * tells the two cases apart. A picture is replaced as a whole or not at all: if gnuplot fails, its
 * message becomes the error and an older picture remains.
 *
 * Labels and titles are UTF-8 and may contain any bytes; they are shown literally and never
 * interpreted. Tabs and newlines are shown as spaces, other control characters and invalid bytes as
 * U+FFFD; a text that is too long for the space it has ends in U+2026 (an ellipsis), if it can be
 * at a word's end. In pictures, a
 * label of spaces alone is shown as U+2423 (an open box); in PNG and PDF, a character that no
 * installed font has is shown as U+FFFD, which plot_notes says. The CSV contains every label byte
 * for byte.
 *
 * Every function returns false with an error (tensor_error) on bad arguments, when a file cannot be
 * written, and when memory runs out. */
#ifndef GRADUS_PLOT_H
#define GRADUS_PLOT_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* The formats of the pictures; combine them with |. */
enum { PLOT_PNG = 1, PLOT_SVG = 2, PLOT_PDF = 4 };

enum {
    PLOT_MEAN = -1,     /* for a head: the mean over all heads */
    PLOT_LONGEST = 4096 /* the longest axis that is drawn      */
};

/* Is there a program named gnuplot in PATH? */
GRADUS_API bool plot_has_gnuplot(void);

/* ---- the look ---------------------------------------------------------------------- look.c -- */

/* Of the page: a 16:9 slide, a column of a paper (3.35 inches wide), the width of a page's text
 * (6.5 inches). Letters have at least 14 of a slide's 720 pixels, and 6.4 points in print. */
typedef enum { PLOT_SLIDE, PLOT_COLUMN, PLOT_PAGE } PlotSize;
/* On white paper, on dark paper, and in black and greys. Maps are in viridis or, in print, grey. */
typedef enum { PLOT_LIGHT, PLOT_DARK, PLOT_PRINT } PlotTheme;

typedef struct {
    PlotSize size;
    PlotTheme theme;
    unsigned formats; /* PLOT_PNG | ..., in place of those that each call names; 0: those */
    bool untitled;    /* pictures have no title, as a slide has its own; their parts keep theirs */
} PlotLook;

/* Sets the look of all pictures from now on; NULL: a slide on white paper. Not while another thread
 * draws. Pages for a browser and the terminal's characters do not change. */
GRADUS_API bool plot_set_look(const PlotLook *look);

/* What the last picture that this thread drew does not show as it was given, a line each: numbers
 * outside of the scale, labels left out, texts that end in an ellipsis. "" for nothing. Valid until
 * the next picture. */
GRADUS_API const char *plot_notes(void);

/* ---- maps ----------------------------------------------------------------------- heatmap.c -- */

/* The range of numbers that the colours represent. {0}: 0 to 1, for attention weights (a gradient
 * gets a diverging scale). low < high: that range, from dark to bright. numbers, with {0}: the
 * range of the numbers themselves, and no name. diverging: -high to high, blue below 0, white at 0,
 * red above (in greys black at both ends, and hatched below 0); high 0 means the largest |x|.
 * Colour-blind readers can tell the colours apart. A number outside of
 * the range has a colour that the scale has not, and is counted in plot_notes; a cell whose number
 * is not finite is grey.
 *
 * legend, if it is not NULL: the cells are no quantities but classes, such as those of a mask.
 * Every number is 0, 1, ... or not finite, and legend has the name of each, 2 to 4 names, closed by
 * NULL: {"masked", "kept", NULL}. Each class has a colour, pale grey for 0, and a legend with the
 * names takes the place of the colour bar; low, high, diverging and name mean nothing then. Error:
 * fewer or more names, or another number.
 *
 * grey: the map is a picture, whose numbers are brightnesses: low is black, high is white, with
 * greys between them and no colour bar; diverging, name and legend mean nothing then. Every grey
 * map of a picture has a scale of its own, so that an image can be drawn beside maps of weights;
 * all other maps share one scale. */
typedef struct {
    double low, high;
    bool numbers, diverging, grey;
    const char
        *name; /* of the colour bar; NULL: "attention weight" (0 to 1), "dL/dA" (gradients) */
    const char *const *legend;
} PlotScale;

/* One map: T query rows, from top to bottom, and S key columns. */
typedef struct {
    const Tensor *map;          /* (T, S), (H, T, S) or (B, H, T, S); views are fine         */
    int item, head;             /* which of B, and which of H (PLOT_MEAN: their mean)        */
    bool gradient;              /* draw the map's gradient, dL/dA                            */
    const char *const *rows;    /* labels of the rows; NULL: 1, 2, 3, ...                    */
    const char *const *columns; /* of the columns; NULL: those of the rows if T = S, or 1, ... */
    int row_count;              /* draw only the first row_count rows (padding); 0: all      */
    int column_count;           /* draw only the first column_count columns; 0: all          */
    const char *title;          /* NULL: none                                                */
    const char *row_name;       /* the axis' name. NULL: "query"; "": none                  */
    const char *column_name;    /* the axis' name. NULL: "key"; "": none                    */
    PlotScale scale;            /* of several maps, that of the first that is not grey is used */
    bool values;                /* write numbers into the cells of maps up to 12 x 12        */
    bool pixels; /* the map is an image: square cells; only labels and names that are given */
} PlotHeatmap;

/* All heads of all layers, titled "layer 1, head 1" and so on, with one scale; the heads of a
 * single layer are titled "head 1" and so on. The labels are drawn once, at the outer edge, if they
 * fit. */
typedef struct {
    const Tensor *const *layers; /* one map a layer, (H, T, S) or (B, H, T, S), of one shape   */
    int layer_count;
    int item;
    bool gradient;
    const char *const *rows, *const *columns;
    int row_count, column_count;
    const char *title, *row_name, *column_name;
    PlotScale scale;
} PlotGrid;

/* Draw one map, or all maps of a model, as STEM.png and so on, with script and data beside them.
 * Error: a map that is not (T, S), (H, T, S) or (B, H, T, S), an item or head outside of it, a
 * gradient that was not kept, or a file that cannot be written. */
GRADUS_API bool plot_heatmap(const char *stem, const PlotHeatmap *map, unsigned formats);
GRADUS_API bool plot_grid(const char *stem, const PlotGrid *grid, unsigned formats);

/* Draws several in one picture, each with its own title, all but grey maps with one scale and one
 * colour bar. title: above them all, or NULL. Errors as above. */
GRADUS_API bool plot_heatmaps(const char *stem, const PlotHeatmap *maps, int count,
                              const char *title, unsigned formats);

/* ---- arcs -------------------------------------------------------------------------- arcs.c -- */

/* The words of one sentence in a line, with an arc from words[from] to each word. The width of an
 * arc is the weight in row `from` of the map, between 0 and 1; arcs of weights below 0.01 are not
 * drawn. The weights are written below the words. */
typedef struct {
    const char *const *words; /* the words: labels of the map's columns   */
    int word_count;           /* draw only the first word_count; 0: all   */
    const Tensor *map;        /* as in PlotHeatmap                        */
    int item, head;
    int from; /* the query: a row of the map, and the word where the arcs begin */
    const char *title;
} PlotArcs;

/* Draws up to 6 sentences, one below the other. title: above them all, or NULL. Error: `from` is no
 * row of the map, or words is NULL. */
GRADUS_API bool plot_arcs(const char *stem, const PlotArcs *sentences, int count, const char *title,
                          unsigned formats);

/* Queries in a column at the left, keys in one at the right, with a line for each weight of 0.01 or
 * more, the more opaque the larger it is: those of row `from`, whose weights are written, or with
 * -1 of all rows. Error: as plot_heatmap, or no such row. */
GRADUS_API bool plot_links(const char *stem, const PlotHeatmap *map, int from, unsigned formats);

/* ---- bars -------------------------------------------------------------------------- bars.c -- */

/* Named numbers, from top to bottom, such as the most probable words at a position. Bars of numbers
 * below 0 end where those above begin. */
typedef struct {
    const char *const *names;
    const double *values; /* (count), or (count, series) */
    int count;            /* 1 to 64      */
    const char *title;    /* NULL: none */
    /* several bars for each name, with one colour a series; 0: one bar. Of all groups the first
     * one's count. legend: (series) their names, or NULL */
    int series; /* up to 7 */
    const char *const *legend;
    double high; /* the end of the scale, of the first group; 0: the largest number of all */
} PlotBars;

/* Draws up to 6 groups in one picture, with one scale from 0, or the least number below it, to the
 * largest of all. title: above them all, or NULL. A bar that is longer than the scale has a gap.
 * Error: a number that is not finite, or no bars in a group. */
GRADUS_API bool plot_bars(const char *stem, const PlotBars *groups, int count, const char *title,
                          unsigned formats);

/* ---- curves ---------------------------------------------------------------------- curves.c -- */

typedef struct {
    const char *name; /* in the legend; NULL: not in the legend              */
    const double *x;  /* NULL: 0, 1, 2, ...                                  */
    const double *y;  /* a number that is not finite leaves a gap            */
    int count;
} PlotSeries;

/* A text beside the point x, y: to its right or, where `left` is set, to its left. */
typedef struct {
    double x, y;
    const char *text;
    bool left;
} PlotLabel;

typedef struct {
    const PlotSeries *series;
    int count;
    const char *title, *x_name, *y_name;
    bool log_x, log_y; /* numbers <= 0 then leave a gap                        */
    /* the range of y; both 0: chosen from the numbers. Numbers outside are triangles at the edge,
     * as are those that a logarithmic axis does not have */
    double y_low, y_high;
    bool points; /* single points, without lines between them            */
    /* (count): of each series the standard error of each y, or NULL: bars from y - error to y +
     * error. An error that is not finite, or below 0, leaves its bar out. NULL: no bars. */
    const double *const *errors;
    const PlotLabel *labels; /* (label_count): texts beside points */
    int label_count;
} PlotCurves;

/* Draws all series in one picture with common axes. Error: no finite number at all, y_low >=
 * y_high, or a label without a text or a finite position. */
GRADUS_API bool plot_curves(const char *stem, const PlotCurves *curves, unsigned formats);

/* ---- in the terminal ----------------------------------------------------------- terminal.c -- */

/* PLOT_AUTO chooses PLOT_COLOUR (256 colours) if `out` is a terminal, TERM is set and not "dumb",
 * and NO_COLOR is not set; otherwise it chooses PLOT_PLAIN (characters from ' ', low, to '@',
 * high). */
typedef enum { PLOT_AUTO, PLOT_PLAIN, PLOT_COLOUR } PlotTerminal;

/* Print maps, as many side by side as fit into the width of the terminal (else COLUMNS, else 80).
 * Column labels are printed vertically below them. Errors as those of the pictures, and a failed
 * write to `out`. */
GRADUS_API bool plot_terminal_heatmaps(FILE *out, const PlotHeatmap *maps, int count,
                                       PlotTerminal mode);

/* ---- rollout -------------------------------------------------------------------- rollout.c -- */

/* Attention rollout, R_L ... R_1 with R_l = (A_l + I) / 2 and A_l the mean over the heads of layer
 * l's map, in a new tensor (T, T), which tensor_free releases: row i says how much of each input
 * token is in token i after the last layer, if the residual connection and the attention of a block
 * have equal weight. maps: `count` of them, one a layer, (T, T), (H, T, T) or (B, H, T, T), all of
 * one shape; item: which of B. NULL, with an error, on bad arguments and when memory is out. Abnar
 * and Zuidema, "Quantifying attention flow in transformers", 2020. */
GRADUS_API Tensor *plot_rollout(const Tensor *const *maps, int count, int item);

/* ---- tables ----------------------------------------------------------------------- table.c -- */

GRADUS_END

#include "placed/plot.h" /* macros: an error names the program's line */
#endif
