/* internal.h: what the files of plot share (internal).
 *
 *   map.c, sentence.c      the caller's tensors, checked and copied into a Sheet of plain arrays
 *   scale.c, colours.c     which number has which colour; colour_bar.c, what explains it
 *   layout.c, heatmap.c, heatmap_script.c, arcs.c, links.c, bars.c, curves.c, axes.c, diagram.c
 *                          the kinds of pictures: positions, data file, script
 *   text.c, fonts.c, look.c, notes.c  what all of them need; script.c and gnuplot.c run it
 *   system.h, process.c, system_posix.c, system_windows.c  other programs, the terminal
 *   terminal.c             maps in characters;  rollout.c, attention rollout
 *   files.c, table.c       files beside a picture; CSV and .npy
 *   html/                  pages for a browser;  tape/, the viewer of a training step
 *
 * The public headers are plot.h and pages.h; own.h is for the programs of this project alone.
 * A page is 1280 x 720 points or another size of look.c, x to the right and y down. */
#ifndef GRADUS_PLOT_INSIDE_H
#define GRADUS_PLOT_INSIDE_H

#include "plot/plot.h"
#include "plot/system.h"
#include "tensor/memory.h"

enum { TITLE_FONT = 26, LEGEND_FONT = 20, LABEL_EMS = 14 };
#define PAGE_WIDTH  (plot_look().width)
#define PAGE_HEIGHT (plot_look().height)

/* ---- look.c ---------------------------------------------------------------------------------- */

enum { SERIES_COLOURS = 7 };

/* The page's size and its colours, as "#rrggbb". */
typedef struct {
    int width, height;                      /* of the page, in points              */
    double inches;                          /* the width of the page in print      */
    int least;                              /* letters are at least so high        */
    const char *paper, *ink, *soft, *faint; /* behind all; texts; axes; a grid's lines */
    const char *line, *accent, *mark;       /* of empty boxes; arcs, bars; what is highlighted */
    const char *const *series;              /* (SERIES_COLOURS) */
    bool grey;                              /* maps, from pale to black */
} Look;
Look plot_look(void);
const char *plot_page_title(const char *title); /* never NULL; "" where none is wanted */
/* Checks the formats of a call, in whose place the look's may be; the notes begin anew. */
bool plot_formats_check(unsigned *formats, const char *who);

/* ---- notes.c --------------------------------------------------------------------------------- */

void plot_notes_begin(void); /* a picture begins: there are no notes */
void plot_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void plot_note_every(const char *which, int every); /* of labels, where every > 1 */
void plot_note_cut(const char *text);               /* a text ends in an ellipsis */

/* ---- text.c ---------------------------------------------------------------------------------- */

/* The next character of *text, made harmless (see plot.h), and 0 at the end. Never 0 before it. */
uint32_t plot_text_next(const char **text);
void plot_text_put(FILE *out, uint32_t code);

int plot_text_columns(uint32_t code);   /* in a terminal: 0, 1 or 2                   */
int plot_text_length(const char *text); /* columns of a whole label, as it is shown  */
double plot_text_ems(const char *text); /* its width in a picture, in font heights   */

/* A field of a data file, a string of a gnuplot script. Both end in an ellipsis what would be wider
 * than max_ems, and replace what no font has (fonts.c). */
void plot_text_field(FILE *out, const char *text, double max_ems);
void plot_text_quoted(FILE *out, const char *text, double max_ems);
/* Two fields: the text, and where fonts are lacking something the text without it. */
void plot_text_fields(FILE *out, const char *text, double max_ems);

/* The largest font from `largest` down to `smallest` in which text is no wider than `width`. */
double plot_text_fit(const char *text, double width, double largest, double smallest);

char *plot_text_join(const char *a, const char *b, const char *c); /* free with mem_free */

/* The labels of one axis. */
typedef struct {
    const char *const *text; /* NULL: the numbers 1, 2, 3, ... */
    int count;
    bool blank; /* all are "" */
} Labels;

typedef struct {
    char digits[16];
} LabelBuffer;

const char *plot_label_at(const Labels *labels, int i, LabelBuffer *buffer);
double plot_labels_ems(const Labels *labels); /* of the widest */

/* ---- files.c --------------------------------------------------------------------------------- */

/* A stem taken apart; both parts can be given to any program as they are. */
typedef struct {
    char *path;      /* "./out/head": never begins with '-', '<' or '|' */
    char *directory; /* "./out"                                         */
    char *base;      /* "head"                                          */
} Stem;

bool plot_stem_open(Stem *s, const char *stem, const char *who); /* makes the directory */
void plot_stem_close(Stem *s);

/* Writes one kept file, stem + suffix, whole or not at all; numbers in it have a decimal point
 * whatever the host's locale. */
typedef void (*FileWriter)(FILE *out, const void *what);
bool plot_file_write(const char *path, const char *suffix, FileWriter write, const void *what);

/* ---- script.c -------------------------------------------------------------------------------- */

/* Fonts are given in points of the page, and the terminal's fontscale brings them to its own unit
 * (pngcairo draws 96 pixels to the inch, pdfcairo counts 72 points, and draws lines at half their
 * width). 13.333 x 7.5 in is the size of a 16:9 slide; a PNG is 1920 pixels wide. */
typedef struct {
    unsigned bit;
    const char *suffix;
} PictureFormat;
enum { FORMATS = 3 };
extern const PictureFormat plot_picture_formats[FORMATS];

/* What all kinds of pictures have: the first member of a kind's own structure, which its functions
 * get as `drawing`. */
typedef struct AnyPicture {
    const char *who; /* the public function */
    unsigned formats;
    /* The texts and the plot command, once for all formats or, where fonts are lacking something,
     * for each of them; the settings before them, without texts (NULL: none); the data file (NULL:
     * none). */
    FileWriter body, settings, data;
    const struct Sheet *sheet;           /* whose tables are written; NULL: none        */
    bool axes;                           /* the picture has axes, not the page's plane  */
    bool formulas;                       /* in texts, _ and ^ begin an index            */
    bool (*finish)(const void *drawing); /* after gnuplot; NULL: nothing                */
    Stem stem;
} AnyPicture;

/* Writes data, script and tables at the stem, and lets gnuplot draw. */
bool plot_draw(AnyPicture *d, const char *stem);

void plot_script_title(FILE *out, const char *title);
/* A text of at most so many ems in ink, unless it is ""; align: "left", "center rotate by 90". */
void plot_script_label(FILE *out, const char *text, double x, double y, const char *align,
                       double ems, double font);

/* ---- fonts.c --------------------------------------------------------------------------------- */

/* Has no font this character, which is drawn? false before plot_fonts_ask, and where a text is
 * written literally. */
bool plot_fonts_lack(uint32_t code);
bool plot_fonts_ask(void); /* asks for all characters that were looked up so far */
bool plot_fonts_lacking(void);
int plot_fonts_field(int field); /* of plot_text_fields', from `field` on, that is shown */
void plot_fonts_literal(bool literal);
void plot_fonts_free(void); /* after each picture */

/* ---- axes.c ---------------------------------------------------------------------------------- */

/* The range of an axis, and whether it is logarithmic. low = high = 0: gnuplot's choice. */
typedef struct {
    double low, high;
    bool log;
    double step; /* from number to number; 0: gnuplot's choice */
} Axis;

/* The logarithmic axis of numbers from low to high, with a margin, not to the next decade. */
Axis plot_axis_log(double low, double high);
/* Do numbers of gnuplot's six digits not tell these apart, as the seconds of a clock? */
bool plot_is_narrow(double low, double high);
Axis plot_axis_linear(double low, double high);        /* of few numbers, for a narrow page */
void plot_axis_write(FILE *out, char name, Axis axis); /* range and numbers of axis 'x' or 'y' */

/* ---- gnuplot.c ------------------------------------------------------------------------------- */

/* Runs stem.gp and puts the pictures in place. Without gnuplot: true, and nothing done. */
bool plot_render(const Stem *stem, unsigned formats, const char *who);

/* ---- map.c ----------------------------------------------------------------------------------- */

/* One heatmap or one grid: panels that share their labels. */
typedef struct {
    int down, across;  /* panels: L x H, or 1 x 1; the heads of a single layer in several rows */
    int panels, heads; /* panel p: layer p / heads, head p % heads                             */
    int rows, columns; /* cells of each panel: T x S     */
    real *cells;       /* (down, across, rows, columns)  */
    Labels row_labels, column_labels;
    const char *title, *row_name, *column_name; /* never NULL; "" for none */
    bool grid;
    bool grey;        /* a picture with a scale of its own: low is black, high white */
    double low, high; /* of a grey block                                             */
} Block;

typedef struct Sheet {
    Block *blocks;
    int count;
    const char *title; /* above them all; "" for none */
    double low, high;  /* the ends of the colour bar  */
    bool diverging;
    const char *scale_name;
    double under, over; /* numbers beyond these lie outside of the scale, by more than rounding */
    int64_t cells, above, below,
        gaps;                  /* of those that the scale colours: all, outside, not finite */
    const char *const *legend; /* names of the numbers 0 .. classes - 1; NULL: none */
    int classes;
    bool values;
    bool pixels; /* square cells            */
    bool grey;   /* all blocks are: no colour bar */
} Sheet;

bool plot_sheet_of_maps(Sheet *s, const PlotHeatmap *maps, int count, const char *title,
                        const char *who);
bool plot_sheet_of_grid(Sheet *s, const PlotGrid *grid, const char *who);
void plot_sheet_free(Sheet *s);

/* One block for each sentence: one row of weights, the words as column labels. (sentence.c) */
enum { MOST_SENTENCES = 6 };
bool plot_sheet_of_arcs(Sheet *s, const PlotArcs *sentences, int count, const char *title,
                        const char *who);

static inline real *block_panel(const Block *b, int k)
{
    return b->cells + (int64_t)k * b->rows * b->columns;
}

/* ---- rollout.c ------------------------------------------------------------------------------- */

/* The product of the layers that were added so far. */
typedef struct {
    int64_t T;
    int layers;
    real *product, *before, *mixed, *memory; /* (T, T) each; the memory is of all three */
    unsigned char *scratch;
} Rollout;

bool plot_rollout_open(Rollout *r, int64_t T); /* false, with an error, when memory is out */
void plot_rollout_close(Rollout *r);
/* Adds a layer's maps (heads, T, T) and returns the rollout through all layers so far, valid until
 * the next call. */
const real *plot_rollout_add(Rollout *r, const real *maps, int heads);

/* ---- scale.c --------------------------------------------------------------------------------- */

/* Chooses the range of the sheet's colours (of a grey block: of its greys) and counts what lies
 * outside. */
bool plot_sheet_scale(Sheet *s, PlotScale scale, bool gradient, const char *who);
bool plot_block_scale(Block *b, PlotScale scale, const char *who);

/* Where between the ends of the colour bar (of a grey block: between black and white) a finite
 * number lies: 0 to 1. */
double plot_sheet_place(const Sheet *s, const Block *b, double x);

void plot_sheet_notes(const Sheet *s); /* what lies outside, as notes on the picture */

/* ---- colours.c ------------------------------------------------------------------------------- */

/* gnuplot's palette; and, for a place in 0 .. 1, the nearest of a terminal's 256 colours. */
void plot_colours_script(FILE *out, const Sheet *s);
/* gnuplot's condition under which the number $3 of a cell stands on a dark colour. */
void plot_colours_dark(FILE *out, const Sheet *s, const Block *b);
/* What gnuplot draws over cells of numbers below 0, and over their part of the bar, where both ends
 * of a diverging scale are black; NULL elsewhere. */
const char *plot_colours_negative(const Sheet *s);
/* How gnuplot fills cells of numbers below the scale (-1), above it (1), and of no number (0):
 * colours that the scale has not, and patterns where all is grey. */
const char *plot_colours_outside(const Sheet *s, int side);
int plot_colours_terminal(bool diverging, double place);
int plot_colours_grey_terminal(double place); /* 0: black, 1: white */

/* Colour i of a scale, from low to high, as "#rrggbb"; false beyond the last. For pages. */
bool plot_colours_at(bool diverging, int i, char text[8]);

/* The same for classes: one colour for each of the numbers 0, 1, ... */
enum { CLASSES_MAX = 4 };
void plot_colours_classes(FILE *out, int classes);
const char *plot_colours_class(int i); /* "#rrggbb" */
int plot_colours_class_terminal(int i);

/* ---- table.c --------------------------------------------------------------------------------- */

/* stem.csv and stem.npy, or stem-1.csv, ... for several blocks. */
bool plot_tables_write(const Stem *stem, const Sheet *s);

/* How numbers up to `largest` are written into cells: "%.2f" and the like, of x / 10^exponent. */
const char *plot_value_format(double largest, int *exponent);

#endif
