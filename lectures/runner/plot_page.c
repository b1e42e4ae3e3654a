/* plot_page.c: a page for a browser of one's own attention maps: ./gradus plot page FILE...
 * --labels FILE
 *
 * A FILE is a .npy array of one head (T, S), of the heads of a layer (H, T, S), or of the heads of
 * all layers (L, H, T, S), as plot_grid writes beside its pictures; or a .csv table of one head.
 * Several files are several inputs of the page, which can be seen side by side. */
#include "lectures/runner/commands.h"

#include "examples/common/example.h"
#include "gradus.h"
#include "lectures/runner/table.h"

#include <string.h>

enum { FILES_MAX = 8, LAYERS_MAX = 128 };

typedef struct {
    const char *file[FILES_MAX], *labels, *columns, *title, *out;
    int files;
} Wish;

/* One file, and what of it the page shows. */
typedef struct {
    Tensor *map, layer[LAYERS_MAX];
    Csv csv;
    PlotPageLayer layers[LAYERS_MAX];
    PlotPageAttention attention;
} Map;

/* An array (L, H, T, S) is shown as L layers; any other is one. */
static bool take_layers(Map *m, const char *file)
{
    Shape s = m->map->shape, one = s;
    int layers = s.rank == 4 ? (int)s.dim[0] : 1;
    if (s.rank < 2 || s.rank > 4 || m->map->ids)
        return example_fail("%s: found %s; expected numbers (T, S), (H, T, S) or (L, H, T, S)",
                            file, shape_str(s));
    if (layers < 1 || layers > LAYERS_MAX)
        return example_fail("%s: found %d layers; expected 1 to %d", file, layers, LAYERS_MAX);
    if (s.rank == 4)
        one = shape3(s.dim[1], s.dim[2], s.dim[3]);
    for (int l = 0; l < layers; l++) {
        m->layer[l] = (Tensor){.data = m->map->data + l * shape_size(one)};
        tensor_set_contiguous(&m->layer[l], one);
        m->layers[l].map = &m->layer[l];
    }
    m->attention.layers = m->layers;
    m->attention.layer_count = layers;
    return true;
}

static bool open_map(Map *m, const char *file, const Wish *w, LabelFile rows, LabelFile columns)
{
    if (!(m->map = table_read(file, &m->csv)) || !take_layers(m, file))
        return false;
    Shape s = m->map->shape;
    int64_t T = s.dim[s.rank - 2], S = shape_last(s);
    if ((w->labels && !labels_fit(&rows, w->labels, T, "row")) ||
        (w->columns && !labels_fit(&columns, w->columns, S, "column")))
        return false;
    m->attention.rows = w->labels ? rows.label : m->csv.row;
    m->attention.columns = w->columns            ? columns.label
                           : w->labels && S == T ? rows.label
                                                 : m->csv.column;
    return true;
}

static bool write_page(const Wish *w)
{
    static Map maps[FILES_MAX];
    PlotPageInput inputs[FILES_MAX];
    LabelFile rows = {0}, columns = {0};
    bool ok = (!w->labels || labels_read(&rows, w->labels)) &&
              (!w->columns || labels_read(&columns, w->columns));
    for (int i = 0; ok && i < w->files; i++) {
        ok = open_map(&maps[i], w->file[i], w, rows, columns);
        inputs[i] = (PlotPageInput){.title = w->file[i],
                                    .attentions = &maps[i].attention,
                                    .attention_count = 1};
    }
    ok = ok && plot_page_attention(w->out, &(PlotPage){.title = w->title,
                                                       .inputs = inputs,
                                                       .input_count = w->files});
    for (int i = 0; i < w->files; i++) {
        tensor_free(maps[i].map);
        csv_free(&maps[i].csv);
    }
    labels_free(&rows);
    labels_free(&columns);
    return ok;
}

int lectures_plot_page(int argc, char **argv)
{
    Wish w = {.out = "out/plot/attention.html"};
    const Option table[] = {
        {"labels", OPTION_TEXT, &w.labels, "FILE", "a label for each row, a line each", 0, 0},
        {"columns", OPTION_TEXT, &w.columns, "FILE", "for each column; a square map has its rows'",
         0, 0},
        {"title", OPTION_TEXT, &w.title, "TEXT", "of the page", 0, 0},
        {"out", OPTION_TEXT, &w.out, "FILE",
         "the page; out/plot/attention.html where none is given", 0, 0},
        {0},
    };
    while (argc > 1 && argv[1][0] != '-') {
        if (w.files == FILES_MAX)
            options_refuse("plot page: found more than %d files; expected at most so many",
                           FILES_MAX);
        w.file[w.files++] = argv[1];
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (!help && w.files == 0)
        options_refuse("expected: plot page FILE.npy|FILE.csv... [options]");
    argv[0] = "plot page";
    options_parse(argc, argv, "Writes attention maps as a page for a browser: plot page FILE...",
                  table);
    options_need_file("out", w.out);
    example_exit_on_error();
    if (!write_page(&w))
        return 1;
    printf("%s\n", w.out);
    return 0;
}
