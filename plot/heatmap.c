/* heatmap.c: heatmaps and grids of heatmaps with gnuplot.
 *
 * The data file holds, for each block, one matrix of numbers for each panel, then the row labels,
 * then the column labels, two empty lines between them: gnuplot's `index` 0, 1, 2, ... */
#include "plot/heatmap.h"

#include <math.h>

/* ---- the data file --------------------------------------------------------------------------- */

static void write_matrix(FILE *out, const real *cells, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double x = (double)*cells++;
            fprintf(out, "%.6g%c", isfinite(x) ? x : (double)NAN, j + 1 < columns ? '\t' : '\n');
        }
    fputs("\n\n", out);
}

/* An optional third field is the label without the characters that no font has. */
static void write_labels(FILE *out, const Labels *labels, double ems)
{
    LabelBuffer buffer;
    for (int i = 0; i < labels->count; i++) {
        const char *label = plot_label_at(labels, i, &buffer);
        fprintf(out, "%d\t", i);
        plot_text_fields(out, label, ems);
        fputc('\n', out);
    }
    fputs("\n\n", out);
}

static void write_data(FILE *out, const void *what)
{
    const HeatmapPicture *picture = what;
    const Sheet *s = picture->d.sheet;
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        for (int p = 0; p < b->panels; p++)
            write_matrix(out, block_panel(b, p), b->rows, b->columns);
        write_labels(out, &b->row_labels, picture->layout.label_ems);
        write_labels(out, &b->column_labels, picture->layout.label_ems);
    }
}

/* ---- the pictures ---------------------------------------------------------------------------- */

/* gnuplot 5.4 crashes over a matrix of one cell that is no number. */
static bool can_be_drawn(const Sheet *s, const char *who)
{
    for (int k = 0; k < s->count; k++)
        for (int p = 0; p < s->blocks[k].panels; p++) {
            const Block *b = &s->blocks[k];
            if (b->rows == 1 && b->columns == 1 && !isfinite(*block_panel(b, p)))
                return tensor_fail(
                    "%s: map %d has one cell, which is no finite number; expected one", who, k + 1);
        }
    return true;
}

/* Releases the sheet. */
static bool draw(const char *path, Sheet *s, unsigned formats, const char *who)
{
    HeatmapPicture p = {.d = {.who = who,
                              .formats = formats,
                              .body = plot_heatmap_body,
                              .data = write_data,
                              .settings = plot_heatmap_settings,
                              .sheet = s}};
    bool ok = can_be_drawn(s, who);
    if (ok) {
        plot_layout(&p.layout, s);
        plot_sheet_notes(s);
        ok = plot_draw(&p.d, path);
    }
    plot_sheet_free(s);
    return ok;
}

static bool draw_maps(const char *stem, const PlotHeatmap *maps, int count, const char *title,
                      unsigned formats, const char *who)
{
    Sheet s;
    return plot_formats_check(&formats, who) && plot_sheet_of_maps(&s, maps, count, title, who) &&
           draw(stem, &s, formats, who);
}

bool plot_heatmap(const char *stem, const PlotHeatmap *map, unsigned formats)
{
    return draw_maps(stem, map, 1, NULL, formats, "plot_heatmap");
}

bool plot_heatmaps(const char *stem, const PlotHeatmap *maps, int count, const char *title,
                   unsigned formats)
{
    return draw_maps(stem, maps, count, title, formats, "plot_heatmaps");
}

bool plot_grid(const char *stem, const PlotGrid *grid, unsigned formats)
{
    Sheet s;
    return plot_formats_check(&formats, "plot_grid") && plot_sheet_of_grid(&s, grid, "plot_grid") &&
           draw(stem, &s, formats, "plot_grid");
}
