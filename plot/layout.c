/* layout.c: the positions of maps, labels and colour bar on the page.
 *
 * All cells of a picture have one size, so that maps can be compared. Blocks (single maps or grids)
 * are placed in equal slots; the number of slots in a row is the one that makes the cells largest.
 * Within a slot the font is the largest for which each label has a line of its own beside its row
 * or below its column:
 *
 *     left margin = names + row labels           depends on the font
 *     cell size   = what the margins leave       depends on the margins
 *     accepted    if a label is no higher than its row, and no thicker than its column
 *
 * If even the smallest font is too large, a single map shows every n-th label. A grid shows shorter
 * ones: of one layer at least every fifth, of a model every second, or none. */
#include "plot/heatmap.h"

#include <math.h>

enum {
    EDGE = 16,         /* margin on all sides of the page      */
    GUTTER = 28,       /* between blocks                       */
    LABEL_GAP = 7,     /* between a map and its labels         */
    BAR_GAP = 28,      /* between the maps and the colour bar  */
    BAR_WIDTH = 118,   /* the bar with its gap, name, numbers as 0.2 */
    LONG_NUMBERS = 48, /* more where they are as -0.0005       */
    SMALLEST_BAR = 180,
    OUTSIDE = 28, /* above or below the bar: a square for numbers outside of it */
    THREAD = 120,
    LARGEST_FONT = 22,
    LARGEST_GRID_FONT = 18,
    GRID_LABEL_EMS = 6, /* where not all labels of a grid fit */
};
static const double line = 1.12; /* a line of text, in fonts */

/* The space that the layout has to provide: that of the largest block. */
typedef struct {
    int down, across, rows, columns;
    bool row_name, column_name, grid, one_layer, titles, square, labelled;
    double row_ems, column_ems;
    double page_top, bar_room;
    double slot_width, slot_height; /* of one block */
    int blocks_down;
} Needs;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* A square of each class's colour, and its name. */
static double legend_room(const Sheet *s)
{
    double ems = 0;
    for (int i = 0; i < s->classes; i++)
        ems = fmax(ems, fmin(plot_text_ems(s->legend[i]), LABEL_EMS));
    return BAR_GAP + LEGEND_SIDE + LABEL_GAP + ems * LEGEND_FONT;
}

static Needs needs_of(const Sheet *s)
{
    bool unit_scale = s->low == 0 && s->high == 1;
    Needs n = {.page_top = *s->title ? 2.3 * TITLE_FONT : EDGE,
               .bar_room = s->grey      ? 0
                           : s->legend  ? legend_room(s)
                           : unit_scale ? BAR_WIDTH
                                        : BAR_WIDTH + LONG_NUMBERS,
               .square = s->pixels};
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        n.down = larger(n.down, b->down);
        n.across = larger(n.across, b->across);
        n.rows = larger(n.rows, b->rows);
        n.columns = larger(n.columns, b->columns);
        n.row_ems = fmax(n.row_ems, fmin(plot_labels_ems(&b->row_labels), LABEL_EMS));
        n.column_ems = fmax(n.column_ems, fmin(plot_labels_ems(&b->column_labels), LABEL_EMS));
        n.row_name |= *b->row_name != 0;
        n.column_name |= *b->column_name != 0;
        n.titles |= *b->title != 0;
        n.grid |= b->grid;
        n.labelled |= b->row_labels.text || b->column_labels.text;
        n.one_layer |= b->grid && b->panels == b->heads;
    }
    return n;
}

/* ---- margins --------------------------------------------------------------------------------- */

/* Above the first panel of a block: its title, and that of the panel. */
static double header(const Layout *l, const Needs *n)
{
    return (n->titles ? 1.7 * l->block_font : 0) + (n->grid ? 1.5 * l->panel_font : 0);
}

static double row_room(const Layout *l, const Needs *n)
{
    return l->row_every ? fmin(n->row_ems, l->label_ems) * l->row_font + LABEL_GAP : 0;
}

static double column_ems(const Layout *l, const Needs *n)
{
    return fmin(n->column_ems, l->label_ems);
}

static double column_room(const Layout *l, const Needs *n)
{
    double length = column_ems(l, n) * l->column_font;
    double labels = l->angle == 90   ? length
                    : l->angle == 60 ? length * 0.866 + 0.5 * l->column_font
                                     : line * l->column_font;
    return l->column_every ? labels + LABEL_GAP : 0;
}

/* The distance from the row labels (and a layer's name) to the middle of the rows' axis name, with
 * half a line of the larger font between them. */
static double row_name_room(const Layout *l)
{
    double beside = l->outer_titles ? l->panel_font : l->row_every ? l->row_font : 0;
    return fmax(0.35 * l->name_font, 0.5 * beside) + 0.5 * l->name_font;
}

/* Left of the first panel: the rows' name, a layer's name in dense grids, the labels. Slanted
 * column labels reach to the left of their column as well. */
static double left_margin(const Layout *l, const Needs *n)
{
    double slanted =
        l->column_every && l->angle == 60 ? column_ems(l, n) * l->column_font * 0.5 : 0;
    double names = (n->row_name ? row_name_room(l) + 0.85 * l->name_font : 0) +
                   (l->outer_titles ? 1.6 * l->panel_font : 0);
    return fmax(row_room(l, n) + names, slanted);
}

/* Below the last panel. */
static double bottom_margin(const Layout *l, const Needs *n)
{
    return column_room(l, n) + (n->column_name ? 1.6 * l->name_font : 0);
}

/* Between the panels of a grid. */
static double gap_x(const Layout *l)
{
    return l->outer_titles ? 5 : 12;
}

static double gap_y(const Layout *l)
{
    return l->outer_titles ? 5 : 1.5 * l->panel_font + 6;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* The cells as large as the margins leave, neither side much longer than the other (of pixels: none
 * is); but a map of few rows (or columns) may become as high (or wide) as THREAD, and a row as high
 * as a line of text. */
static void size_cells(Layout *l, const Needs *n)
{
    double width = n->slot_width - left_margin(l, n) - (n->across - 1) * gap_x(l);
    double height = n->slot_height - header(l, n) - bottom_margin(l, n) - (n->down - 1) * gap_y(l);
    double w = fmax(width / (n->across * n->columns), 0.01),
           h = fmax(height / (n->down * n->rows), 0.01);
    l->cell_height = fmin(h, fmax(w, fmax(20, (double)THREAD / n->rows)));
    l->cell_width = fmin(w, fmax(1.6 * h, fmax(20, (double)THREAD / n->columns)));
    if (n->square)
        l->cell_width = l->cell_height = fmin(w, h);
}

/* The width that a column label needs in its row of cells, in font heights. */
static double thickness(const Layout *l, const Needs *n)
{
    return l->angle == 0 ? column_ems(l, n) + 0.4 : l->angle == 60 ? line / 0.866 : line;
}

static void set_fonts(Layout *l, double row_font, double column_font, int angle)
{
    l->row_font = row_font;
    l->column_font = column_font;
    l->angle = angle;
    l->name_font = fmax(plot_look().least, fmin(row_font, 18));
    l->row_every = l->column_every = 1;
    l->label_ems = LABEL_EMS;
}

static bool labels_fit(const Layout *l, const Needs *n)
{
    return l->cell_height >= line * l->row_font &&
           l->cell_width >= thickness(l, n) * l->column_font &&
           left_margin(l, n) <= 0.4 * n->slot_width && bottom_margin(l, n) <= 0.4 * n->slot_height;
}

/* The largest fonts that fit with the column labels at this angle; the columns' may be smaller than
 * the rows'. Returns the columns' font, 0 if there is none. */
static double fit_fonts(Layout *l, const Needs *n, int angle)
{
    for (double font = n->grid ? LARGEST_GRID_FONT : LARGEST_FONT; font >= plot_look().least;
         font -= 0.5) {
        set_fonts(l, font, font, angle);
        size_cells(l, n);
        double column_font = fmin(font, floor(2 * l->cell_width / thickness(l, n)) / 2);
        if (column_font < fmax(plot_look().least, (angle == 0 ? 0.8 : 0.55) * font))
            continue;
        set_fonts(l, font, column_font, angle);
        size_cells(l, n);
        if (labels_fit(l, n))
            return column_font;
    }
    return 0;
}

/* Horizontal labels are the most readable, so a somewhat smaller font is accepted for them; slanted
 * labels are preferred to vertical ones. */
static bool fit_all_labels(Layout *l, const Needs *n)
{
    double level = fit_fonts(l, n, 0), slanted = fit_fonts(l, n, 60), upright = fit_fonts(l, n, 90);
    double largest = fmax(level, fmax(slanted, upright));
    if (largest == 0)
        return false;
    fit_fonts(l, n, level >= 0.7 * largest ? 0 : slanted >= 0.8 * largest ? 60 : 90);
    return true;
}

/* 1, 2, 3, 5, 10, 20, 50, ...: the first that is enough. */
static int every(double pitch, double need)
{
    static const int steps[] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, PLOT_LONGEST};
    int i = 0;
    while (steps[i] * pitch < need && steps[i] < PLOT_LONGEST)
        i++;
    return steps[i];
}

/* Of a grid, labels of which fewer than every second fits are left out. */
static void thin_labels(Layout *l, const Needs *n)
{
    const double font = plot_look().least;
    const int most_every = !n->grid ? PLOT_LONGEST : !n->labelled ? 1 : n->one_layer ? 5 : 2;
    set_fonts(l, font, font, n->column_ems > 2.5 ? 90 : 0);
    if (n->grid)
        l->label_ems = GRID_LABEL_EMS;
    size_cells(l, n);
    l->column_every = every(l->cell_width, thickness(l, n) * font);
    if (l->column_every > most_every)
        l->column_every = 0;
    size_cells(l, n);
    l->row_every = every(l->cell_height, (n->grid ? 1.04 : line) * font);
    if (l->row_every > most_every || (n->grid && left_margin(l, n) > 0.4 * n->slot_width))
        l->row_every = 0;
    size_cells(l, n);
}

/* ---- one arrangement ------------------------------------------------------------------------- */

static void set_outer_titles(Layout *l, const Needs *n)
{
    l->outer_titles = true;
    l->panel_font = plot_look().least;
    l->numbered = plot_text_ems("head 12") * l->panel_font > (n->slot_width - 60) / n->across - 2;
}

/* "layer 12, head 12" has to fit above a panel, or it stands at the edge in two parts. */
static void choose_titles(Layout *l, const Needs *n)
{
    double pitch = (n->slot_width - 60) / n->across;
    l->block_font = 20;
    l->panel_font = 15;
    l->outer_titles = false;
    if (!n->grid)
        return;
    l->panel_font = plot_text_fit(n->one_layer ? "head 12" : "layer 12, head 12", pitch - 8, 15, 1);
    if (n->one_layer)
        l->panel_font = fmax(l->panel_font, plot_look().least);
    if (!n->one_layer && (l->panel_font < plot_look().least || n->down > 8))
        set_outer_titles(l, n);
}

static void arrange(Layout *l, Needs *n, int count, int across)
{
    *l = (Layout){.blocks_across = across};
    n->blocks_down = (count + across - 1) / across;
    double width = PAGE_WIDTH - 2 * EDGE - n->bar_room;
    n->slot_width = (width - (across - 1) * GUTTER) / across;
    n->slot_height =
        (PAGE_HEIGHT - EDGE - n->page_top - (n->blocks_down - 1) * GUTTER) / n->blocks_down;
    choose_titles(l, n);
    bool fit = fit_all_labels(l, n);
    if (!fit && n->grid && n->labelled && !n->one_layer) { /* titles at the edge leave more space */
        set_outer_titles(l, n);
        fit = fit_all_labels(l, n);
    }
    if (!fit)
        thin_labels(l, n);
    size_cells(l, n);
}

/* Maps and colour bar are centred on the page together. */
static void place(Layout *l, const Needs *n, const Sheet *s)
{
    double left = left_margin(l, n), above = header(l, n);
    l->panel_x = n->columns * l->cell_width + gap_x(l);
    l->panel_y = n->rows * l->cell_height + gap_y(l);
    double maps_width = n->across * l->panel_x - gap_x(l),
           maps_height = n->down * l->panel_y - gap_y(l);
    l->block_x = left + maps_width + GUTTER;
    l->block_y = above + maps_height + bottom_margin(l, n) + GUTTER;
    double width = l->blocks_across * l->block_x - GUTTER + n->bar_room;
    double height = n->blocks_down * l->block_y - GUTTER;
    l->left = (PAGE_WIDTH - width) / 2 + left;
    l->top = n->page_top + (PAGE_HEIGHT - EDGE - n->page_top - height) / 2 + above;
    l->bar_x = l->left + (l->blocks_across - 1) * l->block_x + maps_width + BAR_GAP;
    double all = (n->blocks_down - 1) * l->block_y + maps_height;
    l->bar_height = fmax(all, SMALLEST_BAR) - (s->above ? OUTSIDE : 0) - (s->below ? OUTSIDE : 0);
    l->bar_y =
        l->top + (all - l->bar_height + (s->above ? OUTSIDE : 0) - (s->below ? OUTSIDE : 0)) / 2;
}

/* The font of the numbers in the cells; 0 if they would not be readable. */
static double value_font(const Layout *l, const Needs *n, const Sheet *s)
{
    char widest[32];
    int exponent;
    double largest = fmax(fabs(s->low), fabs(s->high));
    if (!s->values || n->grid || n->rows > 12 || n->columns > 12)
        return 0;
    const char *format = plot_value_format(largest, &exponent);
    snprintf(widest, sizeof widest, format, (s->low < 0 ? -1 : 1) * largest * pow(10, -exponent));
    double font = fmin(plot_text_fit(widest, l->cell_width - 4, 18, 1), 0.55 * l->cell_height);
    return font < plot_look().least ? 0 : font;
}

static void note_labels(const Layout *l, const Needs *n)
{
    const double font = plot_look().least;
    if (n->labelled && (!l->column_every || !l->row_every))
        plot_note("there is no space for the labels of the %s: of %g points, they need cells of "
                  "%.0f x %.0f, and these have %.0f x %.0f",
                  l->row_every      ? "columns"
                  : l->column_every ? "rows"
                                    : "columns and the rows",
                  font, ceil(thickness(l, n) * font), ceil(line * font), floor(l->cell_width),
                  floor(l->cell_height));
    plot_note_every("rows' labels", l->row_every);
    plot_note_every("columns' labels", l->column_every);
}

void plot_layout(Layout *l, const Sheet *s)
{
    Needs n = needs_of(s);
    double best = -1;
    int choice = 1;
    for (int across = 1; across <= s->count; across++) {
        arrange(l, &n, s->count, across);
        double score =
            fmin(l->cell_width, l->cell_height) + 0.1 * fmax(l->cell_width, l->cell_height);
        if (score > best) {
            best = score;
            choice = across;
        }
    }
    arrange(l, &n, s->count, choice);
    place(l, &n, s);
    l->row_room = row_room(l, &n);
    l->row_name_room = row_name_room(l);
    l->column_room = column_room(l, &n);
    l->value_font = value_font(l, &n, s);
    note_labels(l, &n);
}
