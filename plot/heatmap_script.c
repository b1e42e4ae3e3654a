/* heatmap_script.c: the gnuplot script of a heatmap or a grid.
 *
 * The script contains the position of panel k of each block and the size of a cell; the data file
 * (heatmap.c) contains the numbers:
 *
 *     cell (i, j) of panel k  at  left(k) + cell_w (j + 1/2),  top(k) + cell_h (i + 1/2) */
#include "plot/heatmap.h"

#include <math.h>

/* Up to this many cells are drawn as rectangles, which are sharp at any size. More are drawn as a
 * bitmap, which keeps the files small. */
enum { MOST_RECTANGLES = 20000 };

/* The brightness of a cell whose number is not finite. */
enum { NO_NUMBER = 0xb0 };

/* ---- the script: positions ------------------------------------------------------------------- */

static double block_left(const Layout *l, int k)
{
    return l->left + (k % l->blocks_across) * l->block_x;
}

static double block_top(const Layout *l, int k)
{
    return l->top + k / l->blocks_across * l->block_y;
}

/* The end of block k's last panel. */
static double block_right(const Layout *l, const Block *b, int k)
{
    return block_left(l, k) + (b->across - 1) * l->panel_x + b->columns * l->cell_width;
}

static double block_bottom(const Layout *l, const Block *b, int k)
{
    return block_top(l, k) + (b->down - 1) * l->panel_y + b->rows * l->cell_height;
}

static void write_places(FILE *out, const Sheet *s, const Layout *l)
{
    double smaller = l->cell_width < l->cell_height ? l->cell_width : l->cell_height;
    /* Large cells have a white line between them; small ones overlap slightly, or background would
     * show through. */
    double gap = smaller >= 12 ? 1 : -0.5;
    fprintf(out,
            "\n# Cells, and where panel k of each block begins.\ncell_w = %.5g; cell_h = %.5g\n",
            l->cell_width, l->cell_height);
    fprintf(out, "half_w = %.5g; half_h = %.5g\n", (l->cell_width - gap) / 2,
            (l->cell_height - gap) / 2);
    for (int k = 0; k < s->count; k++) {
        int across = s->blocks[k].across;
        fprintf(out, "left%d(k) = %.5g + %.5g * (k %% %d)\n", k, block_left(l, k), l->panel_x,
                across);
        fprintf(out, "top%d(k) = %.5g + %.5g * (k / %d)\n", k, block_top(l, k), l->panel_y, across);
    }
}

/* ---- the script: titles and names ------------------------------------------------------------ */

static void write_text(FILE *out, const char *text, double x, double y, double width, double font,
                       int angle)
{
    if (!*text)
        return;
    const Look look = plot_look();
    font = plot_text_fit(text, width, font, font < look.least ? font : look.least);
    plot_script_label(out, text, x, y, angle ? "center rotate by 90" : "center rotate by 0",
                      width / font, font);
}

/* "layer 1, head 2"; of a single layer "head 2". */
static void panel_title(const Block *b, int panel, char title[64])
{
    int layer = panel / b->heads + 1, head = panel % b->heads + 1;
    if (b->panels == b->heads) /* which layer it is, the caller may say in a title */
        snprintf(title, 64, "head %d", head);
    else
        snprintf(title, 64, "layer %d, head %d", layer, head);
}

static void write_panel_titles(FILE *out, const Layout *l, const Block *b, int k)
{
    double middle = block_left(l, k) + b->columns * l->cell_width / 2;
    for (int p = 0; p < b->panels; p++) {
        char title[64];
        panel_title(b, p, title);
        write_text(out, title, middle + p % b->across * l->panel_x,
                   block_top(l, k) + p / b->across * l->panel_y - 0.75 * l->panel_font, l->panel_x,
                   l->panel_font, 0);
    }
}

/* "head 2" above each column of panels, "layer 1" left of each row. */
static void write_outer_titles(FILE *out, const Layout *l, const Block *b, int k)
{
    char title[32];
    double width = b->columns * l->cell_width, height = b->rows * l->cell_height;
    for (int h = 0; h < b->across; h++) {
        snprintf(title, sizeof title, l->numbered ? "H%d" : "head %d", h + 1);
        write_text(out, title, block_left(l, k) + h * l->panel_x + width / 2,
                   block_top(l, k) - 0.8 * l->panel_font, l->panel_x, l->panel_font, 0);
    }
    for (int i = 0; i < b->down; i++) {
        bool fits = plot_text_ems("layer 12") * l->panel_font <= l->panel_y;
        snprintf(title, sizeof title, fits ? "layer %d" : "L%d", i + 1);
        write_text(out, title, block_left(l, k) - l->row_room - 0.8 * l->panel_font,
                   block_top(l, k) + i * l->panel_y + height / 2, l->panel_y, l->panel_font, 90);
    }
}

static void write_names(FILE *out, const Layout *l, const Block *b, int k)
{
    double left = block_left(l, k), right = block_right(l, b, k);
    double top = block_top(l, k), bottom = block_bottom(l, b, k);
    double layers = l->outer_titles ? 1.6 * l->panel_font : 0,
           heads = b->grid ? 1.5 * l->panel_font : 0;
    write_text(out, b->row_name, left - l->row_room - layers - l->row_name_room, (top + bottom) / 2,
               bottom - top + 40, l->name_font, 90);
    write_text(out, b->column_name, (left + right) / 2,
               bottom + l->column_room + 0.8 * l->name_font, right - left + 80, l->name_font, 0);
    write_text(out, b->title, (left + right) / 2, top - heads - 0.85 * l->block_font,
               right - left + 60, l->block_font, 0);
}

static void write_titles(FILE *out, const Sheet *s, const Layout *l)
{
    plot_script_title(out, s->title);
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        write_names(out, l, b, k);
        if (b->grid && l->outer_titles)
            write_outer_titles(out, l, b, k);
        else if (b->grid)
            write_panel_titles(out, l, b, k);
    }
    plot_colour_bar(out, s, l);
}

/* ---- the script: colours --------------------------------------------------------------------- */

/* The brightness of a number, 0 to 255, in panel k of a grey block. */
static void write_greys(FILE *out, const Sheet *s)
{
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        if (b->grey)
            fprintf(out,
                    "grey%d(x) = x != x ? %d : x <= %.9g ? 0 : x >= %.9g ? 255 : "
                    "floor(255.0 * (x - %.9g) / %.9g + 0.5)\n",
                    k, NO_NUMBER, b->low, b->high, b->low, b->high - b->low);
    }
}

/* ---- the script: the plot command ------------------------------------------------------------ */

/* The data indices of block k: its panels, then its row labels, then its column labels. */
static int first_index(const Sheet *s, int k)
{
    int first = 0;
    for (int i = 0; i < k; i++)
        first += s->blocks[i].panels + 2;
    return first;
}

/* "for [k=0:7] data index (3 + k) matrix using (x):(y)", the centre of each cell; condition on its
 * number $3, or NULL. */
static void write_cells(FILE *out, const Sheet *s, int k, const char *condition)
{
    const Block *b = &s->blocks[k];
    fprintf(out,
            "for [k=0:%d] data index (%d + k) matrix "
            "using (left%d(k) + cell_w * ($1 + 0.5)):",
            b->panels - 1, first_index(s, k), k);
    if (condition)
        fprintf(out, "(%s ? top%d(k) + cell_h * ($2 + 0.5) : NaN)", condition, k);
    else
        fprintf(out, "(top%d(k) + cell_h * ($2 + 0.5))", k);
}

static bool is_bitmap(const Sheet *s, const Block *b)
{
    int64_t cells = 0;
    for (int k = 0; k < s->count; k++)
        cells += (int64_t)s->blocks[k].panels * s->blocks[k].rows * s->blocks[k].columns;
    /* gnuplot has no bitmaps of a single row or column. */
    return cells > MOST_RECTANGLES && b->rows > 1 && b->columns > 1;
}

static void write_grey_panels(FILE *out, const Sheet *s, int k)
{
    write_cells(out, s, k, NULL);
    if (is_bitmap(s, &s->blocks[k]))
        fprintf(out, ":(grey%d($3)):(grey%d($3)):(grey%d($3)) with rgbimage", k, k, k);
    else
        fprintf(out,
                ":(half_w):(half_h):(0x10101 * grey%d($3)) with boxxyerror fs solid noborder "
                "fc rgb variable",
                k);
}

/* The cells that fulfil a condition once more, as they are marked: those without a number, and
 * those outside of the scale. */
static void write_marked(FILE *out, const Sheet *s, int k, const char *condition, const char *fill)
{
    fputs(", \\\n     ", out);
    write_cells(out, s, k, condition);
    fprintf(out, ":(half_w):(half_h) with boxxyerror %s", fill);
}

static void write_outside(FILE *out, const Sheet *s, int k, bool above)
{
    char condition[64];
    snprintf(condition, sizeof condition, above ? "$3 > %.9g" : "$3 < %.9g",
             above ? s->over : s->under);
    write_marked(out, s, k, condition, plot_colours_outside(s, above ? 1 : -1));
}

static void write_panels(FILE *out, const Sheet *s, int k)
{
    if (s->blocks[k].grey) {
        write_grey_panels(out, s, k);
        return;
    }
    bool bitmap = is_bitmap(s, &s->blocks[k]);
    write_cells(out, s, k, s->gaps && !bitmap ? "$3 == $3" : NULL);
    fputs(bitmap ? ":3 with image"
                 : ":(half_w):(half_h):3 with boxxyerror fs solid noborder fc palette",
          out);
    if (plot_colours_negative(s)) {
        char condition[80];
        snprintf(condition, sizeof condition, "$3 < 0 && $3 >= %.9g", s->under);
        write_marked(out, s, k, condition, plot_colours_negative(s));
    }
    if (s->gaps)
        write_marked(out, s, k, "$3 != $3", plot_colours_outside(s, 0));
    if (s->above)
        write_outside(out, s, k, true);
    if (s->below)
        write_outside(out, s, k, false);
}

/* Black on bright cells, white on dark ones, and on hatched ones on white paper. */
static void write_values(FILE *out, const Sheet *s, const Layout *l, int k)
{
    int exponent;
    const char *format = plot_value_format(plot_largest_end(s), &exponent);
    const Block *b = &s->blocks[k];
    fputs(", \\\n     ", out);
    write_cells(out, s, k, "$3 == $3");
    fprintf(out, ":(sprintf('%s', $3 / 1e%d)):(", format, exponent);
    if (plot_colours_negative(s))
        fputs("0", out);
    else
        plot_colours_dark(out, s, b);
    fprintf(out, " ? 0xffffff : 0) with labels font ',%.4g' tc rgb variable noenhanced%s",
            l->value_font, plot_colours_negative(s) ? " boxed" : "");
}

static void write_row_labels(FILE *out, const Sheet *s, const Layout *l, int k, int field)
{
    const Block *b = &s->blocks[k];
    fprintf(out,
            ", \\\n     for [k=0:%d] data index %d every %d using (left%d(0) - 7):"
            "(top%d(k * %d) + cell_h * ($1 + 0.5)):%d with labels right font ',%.4g' tc rgb '%s' "
            "noenhanced",
            b->down - 1, first_index(s, k) + b->panels, l->row_every, k, k, b->across, field,
            l->row_font, plot_look().ink);
}

static void write_column_labels(FILE *out, const Sheet *s, const Layout *l, int k, int field)
{
    const Block *b = &s->blocks[k];
    double below = l->angle ? 7 : 3 + 0.56 * l->column_font;
    fprintf(
        out,
        ", \\\n     for [k=0:%d] data index %d every %d using (left%d(k) + cell_w * ($1 + 0.5)):"
        "(%.5g):%d with labels %s rotate by %d font ',%.4g' tc rgb '%s' noenhanced",
        b->across - 1, first_index(s, k) + b->panels + 1, l->column_every, k,
        block_bottom(l, b, k) + below, field, l->angle ? "right" : "center", l->angle,
        l->column_font, plot_look().ink);
}

void plot_heatmap_body(FILE *out, const void *what)
{
    const HeatmapPicture *p = what;
    const Layout *l = &p->layout;
    write_titles(out, p->d.sheet, l);
    for (int k = 0; k < p->d.sheet->count; k++) {
        fputs(k == 0 ? "plot " : ", \\\n     ", out);
        write_panels(out, p->d.sheet, k);
        if (l->value_font > 0)
            write_values(out, p->d.sheet, l, k);
        if (l->row_every)
            write_row_labels(out, p->d.sheet, l, k, plot_fonts_field(2));
        if (l->column_every)
            write_column_labels(out, p->d.sheet, l, k, plot_fonts_field(2));
    }
    fputc('\n', out);
}

void plot_heatmap_settings(FILE *out, const void *what)
{
    const HeatmapPicture *p = what;
    const Sheet *s = p->d.sheet;
    write_places(out, s, &p->layout);
    write_greys(out, s);
    plot_colour_scale(out, s, &p->layout);
}
