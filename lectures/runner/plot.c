/* plot.c: a picture of one's own numbers:  ./gradus plot heatmap FILE --labels FILE
 *
 * FILE is a .npy array of (T, S), (H, T, S) or (B, H, T, S), or a .csv table of numbers
 * (table.c). */
#include "lectures/runner/commands.h"

#include "examples/common/example.h"
#include "gradus.h"
#include "lectures/runner/table.h"
#include "tensor/system/system.h"

#include <string.h>

/* ---- the picture ----------------------------------------------------------------------------- */

typedef struct {
    const char *file, *labels, *columns, *title, *out, *format;
    int item, head;
    bool diverging;
} Wish;

static bool draw(const Wish *w, const Tensor *map, const Csv *csv, LabelFile rows,
                 LabelFile columns)
{
    int rank = map->shape.rank;
    if (rank < 2)
        return example_fail("%s: found an array of shape %s; expected a map (T, S), (H, T, S) or "
                            "(B, H, T, S)",
                            w->file, shape_str(map->shape));
    int64_t T = map->shape.dim[rank - 2], S = map->shape.dim[rank - 1];
    if ((w->labels && !labels_fit(&rows, w->labels, T, "row")) ||
        (w->columns && !labels_fit(&columns, w->columns, S, "column")))
        return false;
    PlotHeatmap h = {.map = map,
                     .item = w->item - 1,
                     .head = w->head == 0 ? PLOT_MEAN : w->head - 1,
                     .rows = w->labels ? rows.label : csv->row,
                     .columns = w->columns            ? columns.label
                                : w->labels && S == T ? rows.label
                                                      : csv->column,
                     .title = w->title,
                     .scale = {.diverging = w->diverging},
                     .values = true};
    return plot_heatmap(w->out, &h, picture_formats(w->format, false)) &&
           plot_terminal_heatmap(stdout, &h, PLOT_AUTO);
}

static bool draw_file(const Wish *w)
{
    Csv csv = {0};
    LabelFile rows = {0}, columns = {0};
    Tensor *map = NULL;
    bool ok = (!w->labels || labels_read(&rows, w->labels)) &&
              (!w->columns || labels_read(&columns, w->columns));
    ok = ok && (map = table_read(w->file, &csv)) != NULL;
    ok = ok && draw(w, map, &csv, rows, columns);
    tensor_free(map);
    csv_free(&csv);
    labels_free(&rows);
    labels_free(&columns);
    return ok;
}

/* "out/plot/NAME" of a file's name without its end. */
static const char *default_stem(const char *file, char stem[512])
{
    const char *slash = system_last_slash(file), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    snprintf(stem, 512, "out/plot/%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    return stem;
}

int lectures_plot(int argc, char **argv)
{
    char stem[512];
    Wish w = {.format = "png,svg,pdf", .item = 1, .head = 1};
    const Option table[] = {
        {"labels", OPTION_TEXT, &w.labels, "FILE", "a label for each row, a line each", 0, 0},
        {"columns", OPTION_TEXT, &w.columns, "FILE", "for each column; a square map has its rows'",
         0, 0},
        {"title", OPTION_TEXT, &w.title, "TEXT", "above it", 0, 0},
        {"head", OPTION_INT, &w.head, "H", "of several heads; 0: their mean", 0, 1e6},
        {"item", OPTION_INT, &w.item, "B", "of several sequences", 1, 1e6},
        {"diverging", OPTION_FLAG, &w.diverging, NULL, "blue below 0, red above", 0, 0},
        {"out", OPTION_TEXT, &w.out, "STEM", "out/plot/NAME where none is given", 0, 0},
        {"format", OPTION_TEXT, &w.format, "LIST", "png, svg, pdf, with commas", 0, 0},
        {0},
    };
    if (argc > 1 && strcmp(argv[1], "page") == 0)
        return lectures_plot_page(argc - 1, argv + 1);
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (!help && (argc < 3 || strcmp(argv[1], "heatmap") != 0 || argv[2][0] == '-'))
        options_refuse(
            "expected: plot heatmap FILE.npy|FILE.csv [options], or plot page FILE... [options]");
    if (!help) {
        w.file = argv[2];
        w.out = default_stem(w.file, stem);
        argc -= 2;
        argv += 2;
    }
    argv[0] = "plot heatmap";
    options_parse(argc, argv, "Draws the numbers of a file: plot heatmap FILE.npy|FILE.csv.",
                  table);
    if (!help) {
        char inside[600];
        snprintf(inside, sizeof inside, "%s.csv", w.out);
        options_need_file("out", inside);
    }
    example_exit_on_error();
    if (!draw_file(&w))
        return 1;
    printf("%s.png and its like, with script and data\n", w.out);
    return 0;
}
