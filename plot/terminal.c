/* terminal.c: maps in characters, for terminals and for machines without gnuplot.
 *
 *     layer 1, head 2
 *        The |@@      |        a cell is two characters wide, or one where the map is wide
 *     animal |..%%::  |
 *        was |  ++  ==|
 *             Taw              column labels are vertical
 *             hna
 *             eis
 *
 * The output consists of rows of tiles. A tile is a whole map, or a part of a map that is wider
 * than the terminal; a row has as many tiles as fit. Tiles are printed line by line, each line
 * padded to its tile's width. */
#include "plot/internal.h"

#include <math.h>
#include <stdlib.h>

enum {
    GAP = 3,            /* columns between tiles                   */
    LONGEST_LABEL = 20, /* of a row, in columns                    */
    DEEPEST_LABEL = 14, /* of a column, in lines                   */
    GREY = 244,         /* the colour of a cell whose number is not finite */
};
static const char ramp[] = " .:-=+*#%@";

/* Columns first .. first + columns - 1 of one map. */
typedef struct {
    const Block *block;
    int first, columns;
    int cell;  /* width of a cell       */
    int label; /* width of a row label  */
    int depth; /* lines of column labels */
    bool titled;
} Tile;

/* ---- texts of exact width -------------------------------------------------------------------- */

typedef struct {
    FILE *out;
    bool colour;
    int width;
} Screen;

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool has_colour(FILE *out, PlotTerminal mode)
{
    if (mode != PLOT_AUTO)
        return mode == PLOT_COLOUR;
    return system_has_escapes(out) && !is_set("NO_COLOR");
}

static int screen_width(FILE *out)
{
    int width = system_terminal_width(out);
    if (width == 0)
        width = is_set("COLUMNS") ? atoi(getenv("COLUMNS")) : 80;
    return width < 20 ? 20 : width > 1000 ? 1000 : width;
}

static bool screen_open(Screen *s, FILE *out, PlotTerminal mode)
{
    if (!out)
        return tensor_fail("plot_terminal_heatmaps: out is NULL; expected an open stream");
    *s = (Screen){out, has_colour(out, mode), screen_width(out)};
    return true;
}

static bool screen_close(const Screen *s)
{
    return (fflush(s->out) == 0 && !ferror(s->out)) ||
           tensor_fail("plot_terminal_heatmaps: cannot write to the file");
}

static void put_spaces(FILE *out, int n)
{
    for (; n > 0; n--)
        fputc(' ', out);
}

/* Prints exactly `width` columns of text; a longer text ends in an ellipsis. */
static void put_text(FILE *out, const char *text, int width, bool right)
{
    int length = plot_text_length(text);
    bool cut = length > width;
    if (right && !cut)
        put_spaces(out, width - length);
    int left = cut ? width - 1 : width;
    for (uint32_t c; (c = plot_text_next(&text)) && plot_text_columns(c) <= left;
         left -= plot_text_columns(c))
        plot_text_put(out, c);
    if (cut)
        plot_text_put(out, 0x2026);
    if (!right || cut)
        put_spaces(out, cut ? left : width - length);
}

static void put_heading(FILE *out, const char *text)
{
    if (!*text)
        return;
    put_text(out, text, plot_text_length(text), false);
    fputc('\n', out);
}

static void put_colour(const Screen *s, int colour, int width)
{
    fprintf(s->out, "\033[48;5;%dm", colour);
    put_spaces(s->out, width);
    fputs("\033[0m", s->out);
}

/* Columns of the longest label, cut to `most`. *wide (may be NULL) becomes true where one has a
 * character of two columns. */
static int longest_label(const Labels *labels, int most, bool *wide)
{
    LabelBuffer buffer;
    int longest = 0;
    for (int i = 0; i < labels->count; i++) {
        const char *text = plot_label_at(labels, i, &buffer);
        int length = plot_text_length(text);
        longest = length > longest ? length : longest;
        for (uint32_t c; wide && (c = plot_text_next(&text));)
            *wide |= plot_text_columns(c) == 2;
    }
    return longest > most ? most : longest;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Maps 0 to 1 to one of ten characters. */
static char shade(double place)
{
    int i = (int)(place * 10 + 1e-6); /* 0.3 is a little less than three tenths */
    return ramp[i > 9 ? 9 : i];
}

static void put_cell(const Screen *s, const Sheet *sheet, const Block *b, double x, int width)
{
    double place = plot_sheet_place(sheet, b, x), size = fabs(2 * place - 1);
    bool outside =
        isfinite(x) && !b->grey && !sheet->legend && (x > sheet->over || x < sheet->under);
    if (outside) {
        for (int i = 0; i < width; i++)
            fputc(x > sheet->over ? '^' : 'v', s->out);
        return;
    }
    if (s->colour) {
        int colour = !isfinite(x)    ? GREY
                     : b->grey       ? plot_colours_grey_terminal(place)
                     : sheet->legend ? plot_colours_class_terminal((int)x)
                                     : plot_colours_terminal(sheet->diverging, place);
        put_colour(s, colour, width);
        return;
    }
    for (int i = 0; i < width; i++)
        if (!isfinite(x))
            fputc('?', s->out);
        else if (b->grey || !sheet->diverging)
            fputc(shade(place), s->out);
        else
            fputc(shade(size) == ' ' ? ' ' : i > 0 ? shade(size) : place < 0.5 ? '-' : '+', s->out);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The first tile of a map; tile_next gives the others. */
static Tile tile_first(const Sheet *sheet, const Block *b, int width)
{
    bool wide = sheet->diverging; /* sign and size take two characters, as a wide character does */
    Tile t = {.block = b};
    t.label = longest_label(&b->row_labels, LONGEST_LABEL, NULL);
    t.depth = longest_label(&b->column_labels, DEEPEST_LABEL, &wide);
    t.titled = *b->title != 0;
    int left = width - t.label - 3; /* a space and two edges */
    t.cell = wide || 2 * b->columns <= left ? 2 : 1;
    t.columns = left < t.cell ? 1 : left / t.cell;
    t.columns = t.columns > b->columns ? b->columns : t.columns;
    return t;
}

static bool tile_next(Tile *t)
{
    t->first += t->columns;
    int left = t->block->columns - t->first;
    t->columns = t->columns < left ? t->columns : left;
    return left > 0;
}

static int tile_width(const Tile *t)
{
    return t->label + 3 + t->columns * t->cell;
}

static int tile_height(const Tile *t)
{
    return t->titled + t->block->rows + t->depth;
}

static void put_row(const Screen *s, const Sheet *sheet, const Tile *t, int i)
{
    LabelBuffer buffer;
    const real *x = t->block->cells + (int64_t)i * t->block->columns + t->first;
    put_text(s->out, plot_label_at(&t->block->row_labels, i, &buffer), t->label, true);
    fputs(" |", s->out);
    for (int j = 0; j < t->columns; j++)
        put_cell(s, sheet, t->block, (double)x[j], t->cell);
    fputc('|', s->out);
}

/* Line `line` of the column labels: of each label its character `line`, in the cell's first
 * column. */
static void put_depth(const Screen *s, const Tile *t, int line)
{
    LabelBuffer buffer;
    put_spaces(s->out, t->label + 2);
    for (int j = t->first; j < t->first + t->columns; j++) {
        const char *text = plot_label_at(&t->block->column_labels, j, &buffer);
        uint32_t c = 0;
        for (int i = 0; i <= line && (c = plot_text_next(&text)); i++)
            ;
        if (c && line == t->depth - 1 && plot_text_next(&text))
            c = 0x2026;
        if (c)
            plot_text_put(s->out, c);
        put_spaces(s->out, t->cell - (c ? plot_text_columns(c) : 0));
    }
    put_spaces(s->out, 1);
}

static void put_line(const Screen *s, const Sheet *sheet, const Tile *t, int line)
{
    if (t->titled && line-- == 0)
        put_text(s->out, t->block->title, tile_width(t), false);
    else if (line < t->block->rows)
        put_row(s, sheet, t, line);
    else if (line < t->block->rows + t->depth)
        put_depth(s, t, line - t->block->rows);
    else
        put_spaces(s->out, tile_width(t));
}

/* ---- rows of tiles --------------------------------------------------------------------------- */

enum { MOST_TILES = 64 };

typedef struct {
    Tile tile[MOST_TILES];
    int count, width;
} Band;

static void put_band(const Screen *s, const Sheet *sheet, Band *b)
{
    int height = 0;
    for (int k = 0; k < b->count; k++)
        height = tile_height(&b->tile[k]) > height ? tile_height(&b->tile[k]) : height;
    for (int line = 0; line < height; line++)
        for (int k = 0; k < b->count; k++) {
            put_line(s, sheet, &b->tile[k], line);
            put_spaces(s->out, k + 1 < b->count ? GAP : 0);
            if (k + 1 == b->count)
                fputc('\n', s->out);
        }
    fputc('\n', s->out);
    *b = (Band){.count = 0};
}

static void band_add(const Screen *s, const Sheet *sheet, Band *b, const Tile *t)
{
    if (b->count == MOST_TILES || (b->count > 0 && b->width + GAP + tile_width(t) > s->width))
        put_band(s, sheet, b);
    b->width += (b->count ? GAP : 0) + tile_width(t);
    b->tile[b->count++] = *t;
}

/* Prints the scale: which characters or colours represent which numbers. */
static void put_legend(const Screen *s, const Sheet *sheet)
{
    enum { STEPS = 21 };
    const Block coloured = {.grey = false};
    for (int i = 0; i < sheet->classes; i++) {
        fputs(i ? "   |" : "|", s->out);
        put_cell(s, sheet, &coloured, i, 2);
        fputs("| ", s->out);
        put_text(s->out, sheet->legend[i], plot_text_length(sheet->legend[i]), false);
        fputs(i + 1 == sheet->classes ? "\n" : "", s->out);
    }
    if (sheet->legend || sheet->grey)
        return;
    fprintf(s->out, "%s%g |", sheet->below ? "v below " : "", sheet->low);
    for (int i = 0; i < STEPS; i++) {
        double part = i / (STEPS - 1.0);
        put_cell(s, sheet, &coloured, sheet->low + (sheet->high - sheet->low) * part,
                 sheet->diverging && !s->colour ? 2 : 1);
    }
    fprintf(s->out, "| %g%s%s%s\n", sheet->high, sheet->above ? " ^ above" : "",
            *sheet->scale_name ? "  " : "", sheet->scale_name);
}

static void put_sheet(const Screen *s, const Sheet *sheet)
{
    Band band = {.count = 0};
    put_heading(s->out, sheet->title);
    for (int k = 0; k < sheet->count; k++) {
        Tile t = tile_first(sheet, &sheet->blocks[k], s->width);
        do
            band_add(s, sheet, &band, &t);
        while (tile_next(&t));
    }
    put_band(s, sheet, &band);
    put_legend(s, sheet);
}

bool plot_terminal_heatmaps(FILE *out, const PlotHeatmap *maps, int count, PlotTerminal mode)
{
    Sheet sheet;
    Screen s = {.out = out};
    if (!plot_sheet_of_maps(&sheet, maps, count, NULL, "plot_terminal_heatmaps"))
        return false;
    bool ok = screen_open(&s, out, mode);
    if (ok) {
        put_sheet(&s, &sheet);
        ok = screen_close(&s);
    }
    plot_sheet_free(&sheet);
    return ok;
}
