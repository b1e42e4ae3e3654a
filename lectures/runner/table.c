/* table.c: see table.h. A .csv table is either bare, or, as gradus writes its own, with column
 * labels in the first line after an empty field and a row label in front of each line. Fields in
 * double quotes may hold commas (RFC 4180). */
#include "lectures/runner/table.h"

#include "examples/common/example.h"

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

/* ---- labels: a line each --------------------------------------------------------------------- */

bool labels_read(LabelFile *l, const char *path)
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

void labels_free(LabelFile *l)
{
    free(l->text);
    free(l->label);
}

bool labels_fit(const LabelFile *l, const char *path, int64_t expected, const char *what)
{
    return l->count == expected ||
           example_fail("%s: found %d labels; expected %lld, one for each %s", path, l->count,
                        (long long)expected, what);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Takes the field at *at apart, within the line: its text, and whether another field follows. A
 * field never grows, so its text is written over it. */
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

void csv_free(Csv *c)
{
    free(c->text);
    free(c->x);
    free(c->row);
    free(c->column);
}

/* ---- either ---------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

Tensor *table_read(const char *path, Csv *csv)
{
    *csv = (Csv){0};
    if (ends_in(path, ".npy"))
        return tensor_npy_read(path);
    return csv_read(csv, path) ? tensor_from(csv->x, shape2(csv->rows, csv->columns)) : NULL;
}
