/* figures.h: the pictures of a chapter.
 *
 *     static bool draw_masks(const Sketch *s)
 *     {
 *         ...
 *         PlotHeatmap map = {.map = keep, .title = sketch_title(s, "causal")};
 *         return plot_heatmap(s->stem, &map, s->formats);
 *     }
 *     const Figure masks_figures[] = {
 *         {26, "masks", draw_masks, .what = "which keys each query may see"},
 *         {0},
 *     };
 *
 * Drawn with plot.h, so that the script and its data lie beside each picture; the same seed and
 * kernels give the same data, byte for byte. */
#ifndef LECTURES_FIGURES_H
#define LECTURES_FIGURES_H

#include "gradus.h"
#include "lectures/runner/computed.h"
#include "plot/own.h"

/* What a figure is drawn for. */
typedef struct {
    const char *stem; /* "out/04-attention/masks", for plot_heatmap and its like */
    unsigned formats; /* PLOT_PNG | ...                                           */
    bool titles;      /* false with --no-title                                    */
    uint64_t seed;
} Sketch;

typedef struct {
    int row;          /* of the index, lectures/README.md            */
    const char *name; /* of its files, unique in the chapter         */
    bool (*draw)(const Sketch *s);
    const char *what;               /* one line: what is seen                      */
    const ComputedFigure *computed; /* follows it on a page with the library; NULL: none */
    /* Gives that (computed_give) what the program alone finds, such as trained weights; NULL:
     * nothing. */
    bool (*give)(uint64_t seed);
} Figure;

/* The title, or NULL where none is wanted (a slide has its own). Names of parts are no titles: keep
 * those. */
const char *sketch_title(const Sketch *s, const char *title);

/* A diagram of two arrays of parts and arrows. */
#define SKETCH_DIAGRAM(s, name, boxes, lines)                                   \
    plot_diagram((s)->stem,                                                     \
                 &(PlotDiagram){.parts = (boxes),                               \
                                .count = sizeof(boxes) / sizeof *(boxes),       \
                                .arrows = (lines),                              \
                                .arrow_count = sizeof(lines) / sizeof *(lines), \
                                .title = sketch_title(s, name)},                \
                 (s)->formats)

/* The lines of an array of series; members of PlotCurves follow: SKETCH_CURVES(s, "Loss by step",
 * series, .x_name = "steps", .log_y = true). */
#define SKETCH_CURVES(s, name, lines, ...)                              \
    plot_curves((s)->stem,                                              \
                &(PlotCurves){.series = (lines),                        \
                              .count = sizeof(lines) / sizeof *(lines), \
                              .title = sketch_title(s, name),           \
                              __VA_ARGS__},                             \
                (s)->formats)

/* A picture in greys, one cell a pixel, without names at its axes. */
PlotHeatmap sketch_picture(const Tensor *pixels, const char *title);

/* A frame of a series, for slides that follow each other: the same sketch with the stem STEM-1,
 * STEM-2, ..., which is written to `stem`. A figure draws its series beside its own picture; each
 * frame has axes of the same range. */
enum { SKETCH_STEM = 512 };
Sketch sketch_frame(const Sketch *s, int frame, char stem[SKETCH_STEM]);

/* Draws every figure of the list (closed by NULL) into the folder, and says which. name: only that
 * one, or NULL. False, with an error, where one fails. */
bool figures_draw(const Figure *const *figures, const char *folder, unsigned formats, bool titles,
                  const char *name, uint64_t seed);

/* All PNG files of the figures on one sheet: FOLDER/contact.png, with its script. Nothing without
 * gnuplot. */
bool figures_contact_sheet(const Figure *const *figures, const char *folder);

#endif
