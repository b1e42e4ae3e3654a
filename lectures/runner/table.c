/* table.c: see table.h. Fields in double quotes may hold separators (RFC 4180). */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 26, ROWS_MOST = 1 << 20, COLUMNS_MOST = PLOT_LONGEST };

bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

char *table_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0;
    if (!file) {
        tensor_fail("%s: cannot be opened: %s", path, strerror(errno));
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
        tensor_fail("%s: found no text of at most %d MiB; expected one", path, FILE_MOST >> 20);
        return NULL;
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark, as Excel writes one */
        memmove(text, text + 3, n - 2);
    return text;
}

/* ---- labels: a line each --------------------------------------------------------------------- */

bool labels_read(LabelFile *l, const char *path)
{
    *l = (LabelFile){.text = table_text(path)};
    if (!l->text)
        return false;
    int lines = 1;
    for (char *c = l->text; *c; c++)
        lines += *c == '\n';
    if (!(l->label = calloc((size_t)lines, sizeof *l->label)))
        return tensor_fail("%s: no memory for %d labels", path, lines);
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
           tensor_fail("%s: found %d labels; expected %lld, one for each %s", path, l->count,
                       (long long)expected, what);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A field never grows, so its text is written over it. */
char *table_field(char **at, char separator, bool *more)
{
    char *from = *at, *to = from, *field = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    }
    while (*from && *from != separator && *from != '\r' && *from != '\n')
        *to++ = *from++;
    char end = *from;
    *more = end == separator;
    from += end != 0;
    if (end == '\r' && *from == '\n')
        from++;
    *to = 0;
    *at = from;
    return field;
}

/* An empty field is NaN. */
static bool to_number(const char *field, double *x)
{
    char *end;
    *x = strtod(field, &end);
    if (field[strspn(field, " ")] == 0)
        *x = (double)NAN;
    else if (end == field || end[strspn(end, " ")])
        return false;
    return true;
}

/* The number of fields of the line, and whether its first, and any other, is no number. It takes
 * the line apart in a copy. */
static bool look_at_line(const char *line, char separator, int *fields, bool *first, bool *other)
{
    size_t n = strcspn(line, "\n");
    char *copy = malloc(n + 1), *at = copy;
    bool more = copy != NULL;
    if (copy)
        memcpy(copy, line, n), copy[n] = 0;
    *first = *other = false;
    for (*fields = 0; more; ++*fields) {
        double x;
        char *field = table_field(&at, separator, &more);
        bool text = !to_number(field, &x) || (*fields == 0 && !*field);
        *first |= *fields == 0 && text;
        *other |= *fields > 0 && text;
    }
    free(copy);
    return copy != NULL;
}

static bool take_number(Csv *c, int j, const char *field, const char *path)
{
    double x;
    if ((c->rows > 0 || c->column) && j >= c->columns)
        return tensor_fail(
            "%s: line of row %d: found more than %d numbers; expected one for each column", path,
            c->rows + 1, c->columns);
    if (j == COLUMNS_MOST)
        return tensor_fail("%s: found more than %d columns; expected no more", path, COLUMNS_MOST);
    if (!to_number(field, &x) && c->row && c->column)
        return tensor_fail("%s: row %s, column %s: found \"%.40s\"; expected a number", path,
                           c->row[c->rows], c->column[j], field);
    if (!to_number(field, &x))
        return tensor_fail("%s: row %d, column %d: found \"%.40s\"; expected a number", path,
                           c->rows + 1, j + 1, field);
    size_t at = (size_t)c->rows * (size_t)c->columns + (size_t)j;
    if ((at & (at - 1)) == 0) { /* at each power of two the memory doubles */
        real *grown = realloc(c->x, sizeof *c->x * (at ? 2 * at : 1));
        if (!grown)
            return tensor_fail("%s: no memory for its numbers", path);
        c->x = grown;
    }
    c->x[at] = (real)x;
    return true;
}

/* A line of numbers, after a label where the table has labels. */
static bool take_line(Csv *c, char **at, const char *path)
{
    bool more = true;
    int j = 0;
    if (c->rows == ROWS_MOST)
        return tensor_fail("%s: found more than %d lines; expected no more", path, ROWS_MOST);
    if (c->row)
        c->row[c->rows] = table_field(at, c->separator, &more);
    for (; more; j++)
        if (!take_number(c, j, table_field(at, c->separator, &more), path))
            return false;
    if ((c->rows > 0 || c->column) && j != c->columns)
        return tensor_fail("%s: row %d: found %d numbers; expected %d", path, c->rows + 1, j,
                           c->columns);
    c->columns = j;
    c->rows++;
    return true;
}

/* Finds out which labels the table has, and takes the first line where it holds those of the
 * columns. */
static bool take_labels(Csv *c, char **at, const char *path)
{
    int fields, more_fields, lines = 1;
    bool corner, header, label, other, more = true;
    const char *second = strchr(*at, '\n');
    for (char *s = *at; *s; s++)
        lines += *s == '\n';
    if (!look_at_line(*at, c->separator, &fields, &corner, &header) ||
        !look_at_line(second ? second + 1 : "", c->separator, &more_fields, &label, &other))
        return tensor_fail("%s: no memory for its first line", path);
    header |= corner && second && second[1] && !label; /* a single column with a name */
    label = corner && (label || !second || !second[1]);
    if (label && !(c->row = calloc((size_t)lines, sizeof *c->row)))
        return tensor_fail("%s: no memory for its labels", path);
    if (!header)
        return true;
    if (!(c->column = calloc((size_t)fields, sizeof *c->column)))
        return tensor_fail("%s: no memory for its labels", path);
    if (label)
        table_field(at, c->separator, &more);
    while (more && c->columns < fields)
        c->column[c->columns++] = table_field(at, c->separator, &more);
    return true;
}

bool csv_read(Csv *c, const char *path)
{
    *c = (Csv){.text = table_text(path), .separator = ends_in(path, ".tsv") ? '\t' : ','};
    char *at = c->text;
    if (!c->text || !take_labels(c, &at, path))
        return false;
    while (*at)
        if (!take_line(c, &at, path))
            return false;
    return (c->rows > 0 && c->columns > 0) ||
           tensor_fail("%s: found no numbers; expected lines of them", path);
}

void csv_free(Csv *c)
{
    free(c->text);
    free(c->x);
    free(c->row);
    free(c->column);
}
