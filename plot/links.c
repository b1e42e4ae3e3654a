/* links.c: queries in a column at the left, keys in one at the right, and a line for each weight,
 * the heavier the more opaque. The data file holds the queries and the keys, lines "y word", and
 * the lines "y dy weight" from light to heavy. */
#include "plot/internal.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST_FONT = 24 };
static const double least_weight = 0.01;

typedef struct {
    double weight;
    int row, column;
} Link;

typedef struct {
    AnyPicture d;
    int from, count; /* the query, or -1: all; links        */
    Link *links;     /* (count), in ascending order of weight */
    double top, pitch, font, left, right, numbers;
    int every; /* every so many-th word is written */
} Picture;

static int ascending(const void *a, const void *b)
{
    double x = ((const Link *)a)->weight, y = ((const Link *)b)->weight;
    return x < y ? -1 : x > y;
}

static bool find_links(Picture *p)
{
    const Block *b = &p->d.sheet->blocks[0];
    int first = p->from < 0 ? 0 : p->from, last = p->from < 0 ? b->rows - 1 : p->from, faint = 0;
    p->links = mem_alloc((size_t)(last - first + 1) * (size_t)b->columns * sizeof *p->links);
    for (int i = first; p->links && i <= last; i++)
        for (int j = 0; j < b->columns; j++) {
            double w = (double)b->cells[(int64_t)i * b->columns + j];
            if (isfinite(w) && w >= least_weight)
                p->links[p->count++] = (Link){w, i, j};
            else
                faint += w != 0;
        }
    if (p->links)
        qsort(p->links, (size_t)p->count, sizeof *p->links, ascending);
    if (faint)
        plot_note("below %g, or not finite: %d weights, which have no line", least_weight, faint);
    return p->links != NULL;
}

static void choose_places(Picture *p)
{
    const Block *b = &p->d.sheet->blocks[0];
    const double least = plot_look().least;
    int most = b->rows > b->columns ? b->rows : b->columns;
    p->top = *p->d.sheet->title ? 2.3 * TITLE_FONT : 16;
    p->pitch = (PAGE_HEIGHT - 16 - p->top) / most;
    p->font = p->pitch / 1.15 < LARGEST_FONT ? p->pitch / 1.15 : LARGEST_FONT;
    p->font = p->font < least ? least : p->font;
    p->every = (int)ceil(1.1 * p->font / p->pitch);
    p->left = 0.36 * PAGE_WIDTH;
    p->right = 0.64 * PAGE_WIDTH;
    p->numbers = p->right + (plot_labels_ems(&b->column_labels) + 3) * p->font;
    p->numbers = p->numbers < PAGE_WIDTH - 16 ? p->numbers : PAGE_WIDTH - 16;
    plot_note_every("words", p->every);
}

static double y_of(const Picture *p, int i)
{
    return p->top + (i + 0.5) * p->pitch;
}

static void write_words(FILE *out, const Picture *p, const Labels *labels)
{
    LabelBuffer buffer;
    const double ems = (p->left - 80) / p->font;
    for (int i = 0; i < labels->count; i++) {
        const char *word = plot_label_at(labels, i, &buffer);
        fprintf(out, "%.5g\t", y_of(p, i));
        plot_text_fields(out, word, ems);
        fputc('\n', out);
    }
    fputs("\n\n", out);
}

static void write_data(FILE *out, const void *what)
{
    const Picture *p = what;
    write_words(out, p, &p->d.sheet->blocks[0].row_labels);
    write_words(out, p, &p->d.sheet->blocks[0].column_labels);
    for (int i = 0; i < p->count; i++)
        fprintf(out, "%.5g\t%.5g\t%.6g\n", y_of(p, p->links[i].row),
                y_of(p, p->links[i].column) - y_of(p, p->links[i].row), p->links[i].weight);
}

static void write_column(FILE *out, const Picture *p, int index, int field)
{
    const Look look = plot_look();
    const int first = index == 0 && p->from > 0 ? p->from % p->every : 0;
    fprintf(out,
            ", \\\n     data index %d every %d::%d using (%.5g):1:%d:(%d == 0 && $0 * %d == %d ? "
            "0x%s : 0x%s) with labels %s font ',%.4g' tc rgb variable noenhanced",
            index, p->every, first, index ? p->right + 10 : p->left - 10, field, index, p->every,
            p->from < 0 ? -1 : p->from - first, look.mark + 1, look.ink + 1,
            index ? "left" : "right", p->font);
}

/* Without links gnuplot would have no third part of the data to read. */
static void write_body(FILE *out, const void *what)
{
    const Picture *p = what;
    const Look look = plot_look();
    plot_script_title(out, p->d.sheet->title);
    fprintf(out, "plot '+' using (NaN):(NaN) with points");
    if (p->count)
        fprintf(out,
                ", \\\n     data index 2 using (%.5g):1:(%.5g):2:(floor(%d * (1 - ($3 > 1 ? 1 : "
                "$3))) * 0x1000000 + 0x%s) with vectors nohead lw %.4g lc rgb variable",
                p->left, p->right - p->left, p->from < 0 ? 255 : 170, look.accent + 1,
                0.14 * p->font + 0.6);
    write_column(out, p, 0, plot_fonts_field(2));
    write_column(out, p, 1, plot_fonts_field(2));
    if (p->from >= 0 && p->every == 1 && p->count)
        fprintf(out,
                ", \\\n     data index 2 using (%.5g):($1 + $2):(sprintf('%%.2f', $3)) with labels "
                "right font ',%.4g' tc rgb '%s' noenhanced",
                p->numbers, p->font, look.accent);
    fputc('\n', out);
}

bool plot_links(const char *stem, const PlotHeatmap *map, int from, unsigned formats)
{
    Sheet sheet;
    if (!plot_formats_check(&formats, "plot_links") ||
        !plot_sheet_of_maps(&sheet, map, 1, NULL, "plot_links"))
        return false;
    bool ok = (from >= -1 && from < sheet.blocks[0].rows) ||
              tensor_fail("plot_links: from is %d; expected a row of the map, 0 to %d, or -1", from,
                          sheet.blocks[0].rows - 1);
    if (ok) {
        Picture p = {.d = {.who = "plot_links",
                           .formats = formats,
                           .body = write_body,
                           .data = write_data,
                           .sheet = &sheet},
                     .from = from};
        choose_places(&p);
        ok = find_links(&p) && plot_draw(&p.d, stem);
        mem_free(p.links);
    }
    plot_sheet_free(&sheet);
    return ok;
}
