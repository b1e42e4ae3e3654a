/* plot.c: a picture of one's own numbers:  ./gradus plot heatmap FILE --labels FILE
 *
 * FILE is a .npy array of (T, S), (H, T, S) or (B, H, T, S), or a .csv table of numbers: either bare, or, as
 * gradus writes its own, with column labels in the first line after an empty field and a row label in front of
 * each line. Fields in double quotes may hold commas (RFC 4180). */
#include "lectures/runner/commands.h"

#include "examples/common/example.h"
#include "gradus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 26 }; /* bytes */

/* A whole file as text; NULL, with an error. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0;
    if (!file) {
        example_fail("%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    if ((text = malloc(FILE_MOST + 1))) {
        n = fread(text, 1, FILE_MOST, file);
        text[n] = 0;
    }
    bool whole = text && !ferror(file) && feof(file) && memchr(text, 0, n) == NULL;
    fclose(file);
    if (!whole) {
        free(text);
        example_fail("%s: found no text of at most %d MiB; expected one", path, FILE_MOST >> 20);
        return NULL;
    }
    return text;
}

/* ---- labels: a line each ---------------------------------------------------------------------------------- */

typedef struct {
    char *text; /* that the labels point into */
    const char **label;
    int count;
} LabelFile;

static bool labels_read(LabelFile *l, const char *path)
{
    *l = (LabelFile){.text = read_text(path)};
    if (!l->text)
        return false;
    int lines = 1;
    for (char *c = l->text; *c; c++)
        lines += *c == '\n';
    if (!(l->label = calloc((size_t)lines, sizeof *l->label)))
        return example_fail("%s: no memory for %d labels", path, lines);
    for (char *line = l->text; *line;) {
        size_t n = strcspn(line, "\n");
        bool last = !line[n];
        line[n] = 0;
        if (n > 0 && line[n - 1] == '\r')
            line[n - 1] = 0;
        l->label[l->count++] = line;
        line += n + !last;
    }
    return true;
}

static void labels_free(LabelFile *l)
{
    free(l->text);
    free(l->label);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------ */

/* A table as it is read: numbers in row-major order, and the labels where it has them. */
typedef struct {
    char *text;
    real *x;
    const char **row, **column; /* PLOT_LONGEST at most; NULL where there are none */
    int rows, columns;
} Csv;

/* Takes the field at *at apart, within the line: its text, and whether another field follows. A field never grows,
 * so its text is written over it. */
static char *take_field(char **at, bool *more)
{
    char *from = *at, *to = from, *field = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    }
    while (*from && !strchr(",\r\n", *from))
        *to++ = *from++;
    char end = *from;
    *more = end == ',';
    from += end != 0;
    if (end == '\r' && *from == '\n')
        from++;
    *to = 0;
    *at = from;
    return field;
}

/* A line of numbers, after a label where the table has labels. */
static bool csv_line(Csv *c, char **at, bool labelled, const char *path)
{
    bool more = true;
    int j = 0;
    if (c->rows == PLOT_LONGEST)
        return example_fail("%s: found more than %d lines; expected no more", path, PLOT_LONGEST);
    if (labelled)
        c->row[c->rows] = take_field(at, &more);
    for (; more; j++) {
        char *end, *field = take_field(at, &more);
        if (c->rows > 0 && j >= c->columns)
            return example_fail("%s: line of row %d: found more than %d numbers", path, c->rows + 1,
                                c->columns);
        if (j == PLOT_LONGEST)
            return example_fail("%s: found more than %d columns; expected no more", path,
                                PLOT_LONGEST);
        double x = strtod(field, &end);
        if (end == field || *end)
            return example_fail("%s: row %d, column %d: found \"%s\"; expected a number", path,
                                c->rows + 1, j + 1, field);
        real *grown =
            realloc(c->x, sizeof *c->x * ((size_t)c->rows * (size_t)c->columns + (size_t)j + 1));
        if (!grown)
            return example_fail("%s: no memory for its numbers", path);
        c->x = grown;
        c->x[(int64_t)c->rows * c->columns + j] = (real)x;
    }
    if (c->rows > 0 && j != c->columns)
        return example_fail("%s: row %d: found %d numbers; expected %d", path, c->rows + 1, j,
                            c->columns);
    c->columns = j;
    c->rows++;
    return true;
}

static bool csv_read(Csv *c, const char *path)
{
    *c = (Csv){.text = read_text(path)};
    if (!c->text)
        return false;
    c->row = calloc(PLOT_LONGEST, sizeof *c->row);
    c->column = calloc(PLOT_LONGEST, sizeof *c->column);
    if (!c->row || !c->column)
        return example_fail("%s: no memory for its labels", path);
    char *at = c->text;
    bool labelled =
        *at == ','; /* an empty first field: above the row labels, before the columns' */
    if (labelled) {
        bool more = true;
        take_field(&at, &more);
        for (int j = 0; more; j++) {
            char *label = take_field(&at, &more);
            if (j < PLOT_LONGEST)
                c->column[j] = label;
        }
    }
    while (*at)
        if (!csv_line(c, &at, labelled, path))
            return false;
    if (!labelled) {
        free(c->row);
        free(c->column);
        c->row = c->column = NULL;
    }
    return c->rows > 0 || example_fail("%s: found no numbers; expected lines of them", path);
}

static void csv_free(Csv *c)
{
    free(c->text);
    free(c->x);
    free(c->row);
    free(c->column);
}

/* ---- the picture ------------------------------------------------------------------------------------------- */

typedef struct {
    const char *file, *labels, *columns, *title, *out, *format;
    int item, head;
    bool diverging;
} Wish;

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static bool check_labels(const LabelFile *l, const char *path, int64_t expected, const char *what)
{
    return l->count == expected ||
           example_fail("%s: found %d labels; expected %lld, one for each %s", path, l->count,
                        (long long)expected, what);
}

static bool draw(const Wish *w, const Tensor *map, const Csv *csv, LabelFile rows,
                 LabelFile columns)
{
    int rank = map->shape.rank;
    if (rank < 2)
        return example_fail("%s: found an array of shape %s; expected a map (T, S), (H, T, S) or "
                            "(B, H, T, S)",
                            w->file, shape_str(map->shape));
    int64_t T = map->shape.dim[rank - 2], S = map->shape.dim[rank - 1];
    if ((w->labels && !check_labels(&rows, w->labels, T, "row")) ||
        (w->columns && !check_labels(&columns, w->columns, S, "column")))
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
    if (ok && ends_in(w->file, ".npy"))
        ok = (map = tensor_npy_read(w->file)) != NULL;
    else if (ok)
        ok = csv_read(&csv, w->file) &&
             (map = tensor_from(csv.x, shape2(csv.rows, csv.columns))) != NULL;
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
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
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
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (!help && (argc < 3 || strcmp(argv[1], "heatmap") != 0 || argv[2][0] == '-'))
        options_refuse("expected: plot heatmap FILE.npy|FILE.csv [options]");
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
