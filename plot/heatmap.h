/* heatmap.h: what the files of heatmaps and grids share (internal). */
#ifndef GRADUS_PLOT_HEATMAP_H
#define GRADUS_PLOT_HEATMAP_H

#include "plot/internal.h"

/* ---- layout.c -------------------------------------------------------------------------------- */

/* All blocks have cells of one size; block b stands in column b % blocks_across. */
typedef struct {
    int blocks_across;
    double cell_width, cell_height;
    double panel_x, panel_y;      /* from one panel to the next         */
    double block_x, block_y;      /* from one block to the next         */
    double left, top;             /* of the first block's first panel   */
    double row_font, column_font; /* of the labels                      */
    double name_font, panel_font, block_font;
    int angle;                    /* of the column labels: 0, 60 or 90  */
    double label_ems;             /* the longest label                */
    int row_every, column_every;  /* every so many-th label; 0: none    */
    double row_room, column_room; /* left of and below the maps, for labels          */
    double row_name_room;         /* from there to the middle of the rows' name      */
    bool outer_titles;            /* layer and head at the edge, not above each panel   */
    bool numbered;                /* there "1" in place of "head 1"                      */
    double bar_x, bar_y, bar_height;
    double value_font; /* of the numbers in the cells; 0: none */
} Layout;

void plot_layout(Layout *l, const Sheet *s);

enum { LEGEND_SIDE = 26 }; /* the squares of a legend; their distance is twice that */

/* ---- colour_bar.c ---------------------------------------------------------------------------- */

double plot_largest_end(const Sheet *s); /* the larger |end| of the scale */
void plot_colour_scale(FILE *out, const Sheet *s, const Layout *l); /* palette, range, bar */
/* The texts beside it: the bar's name, the classes' names, what lies outside. */
void plot_colour_bar(FILE *out, const Sheet *s, const Layout *l);

/* ---- heatmap_script.c ------------------------------------------------------------------------ */

typedef struct {
    AnyPicture d;
    Layout layout;
} HeatmapPicture;

void plot_heatmap_settings(FILE *out, const void *picture);
void plot_heatmap_body(FILE *out, const void *picture);

#endif
