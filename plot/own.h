/* own.h: diagrams of boxes, circles and cells with arrows, and scripts of gnuplot, which the
 * programs of this project draw, and no other program (internal). */
#ifndef GRADUS_PLOT_OWN_H
#define GRADUS_PLOT_OWN_H

#include "plot/plot.h"

typedef enum { PLOT_TEXT, PLOT_BOX, PLOT_CIRCLE, PLOT_CELLS } PlotShape;

/* A part of a diagram: x and y are its middle on a page of 1280 x 720 points, y down, which is
 * scaled to the page of the look. In texts, lines are separated by \n, and _ and ^ begin an index:
 * one character, or several in braces. */
typedef struct {
    const char *name; /* by which arrows find it; NULL: none */
    PlotShape shape;
    double x, y, width, height; /* of a circle: its diameter, twice     */
    const char *text;           /* of cells: a line a row; a digit is a square of that colour */
    const char *note;           /* in small type, below the text; NULL: none */
    int colour;                 /* 0: grey; 1, 2, ...: one of a series; -1: a box without a fill */
    double font;                /* 0: 22 points                       */
    const char *link;           /* of the part, in an SVG; NULL: none */
} PlotPart;

/* "x > 300,200 > q": from the part x over a point to the part q, at whose edges the arrow ends. */
typedef struct {
    const char *path, *text; /* text: beside the longest piece; NULL: none */
    int colour;              /* as that of a part */
    bool dashed, line;       /* line: without a head */
} PlotArrow;

typedef struct {
    const PlotPart *parts;
    int count;
    const PlotArrow *arrows;
    int arrow_count;
    const char *title;
} PlotDiagram;

/* Draws the parts, in this order, and the arrows above them. Error: a path with a name that no part
 * has, or with fewer than two stops. */
bool plot_diagram(const char *stem, const PlotDiagram *diagram, unsigned formats);

/* Runs stem.gp, which names its own pictures, in its folder. Without gnuplot: true, and nothing
 * done. */
bool plot_script_run(const char *stem, const char *who);

#ifndef GRADUS_INSIDE
#pragma GCC system_header /* gcc reports an error in these macros at the call */
#define plot_diagram(...) TENSOR_PLACED_OK(plot_diagram, __VA_ARGS__)
#endif

#endif
