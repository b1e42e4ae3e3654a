/* table.c: see table.h. Fields in double quotes may hold separators and line ends (RFC 4180). */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1 << 20, COLUMNS_MOST = PLOT_LONGEST, FILE_MOST = 1 << 26 };

/* ---- texts ----------------------------------------------------------------------------------- */

bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* The text of a whole file, which free releases; NULL, with an error. */
static char *table_text(const char *path)
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
    bool read = text && !ferror(file) && feof(file);
    fclose(file);
    if (!read || memchr(text, 0, n)) {
        free(text);
        tensor_fail("%s: found no text in UTF-8 of at most %d MiB; expected one", path,
                    FILE_MOST >> 20);
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

/* Takes the field at *at apart, within the line: its text, and whether another field follows. A
 * field never grows, so its text is written over it. */
static char *table_field(char **at, char separator, bool *more)
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

/* The bytes of a line up to its end, which is not in quotes, and how often a character stands
 * outside of quotes in it. */
static size_t line_bytes(const char *line, char counted, int *count)
{
    bool quoted = false;
    size_t n = 0;
    for (*count = 0; line[n] && (quoted || (line[n] != '\n' && line[n] != '\r')); n++) {
        quoted ^= line[n] == '"';
        *count += !quoted && line[n] == counted;
    }
    return n;
}

static const char *next_line(const char *line)
{
    int none;
    line += line_bytes(line, 0, &none);
    line += *line == '\r';
    return line + (*line == '\n');
}

/* A number; an empty field, NA and the like are NaN. comma: decimals may come after one. */
static bool to_number(const char *field, bool comma, double *x)
{
    static const char *const missing[] = {"",    "NA",  "N/A",  "#N/A", "n/a",  "na",
                                          "NaN", "nan", "null", "NULL", "None", "-"};
    char text[64], *end, *point;
    field += strspn(field, " ");
    size_t n = strlen(field);
    while (n > 0 && field[n - 1] == ' ')
        n--;
    *x = (double)NAN;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (n == strlen(missing[i]) && strncmp(field, missing[i], n) == 0)
            return true;
    if (n >= sizeof text)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)n, field);
    if (comma && !strchr(text, '.') && (point = strchr(text, ',')))
        *point = '.';
    *x = strtod(text, &end);
    return !*end;
}

/* What a line is. */
typedef struct {
    int fields;
    bool first, other; /* is the first field a text, is any other? */
} LineKind;

static bool look_at_line(const char *line, char separator, LineKind *k)
{
    int none;
    size_t n = line_bytes(line, 0, &none);
    char *copy = malloc(n + 1), *at = copy;
    bool more = copy != NULL;
    *k = (LineKind){0};
    if (copy)
        memcpy(copy, line, n), copy[n] = 0;
    for (; more; k->fields++) {
        double x;
        char *field = table_field(&at, separator, &more);
        bool text = !to_number(field, separator != ',', &x) || (k->fields == 0 && !*field);
        k->first |= k->fields == 0 && text;
        k->other |= k->fields > 0 && text;
    }
    free(copy);
    return copy != NULL;
}

/* Columns lie between tabs, else semicolons, else commas. */
static char separator_of(const char *line, const char *path)
{
    int tabs, semicolons;
    line_bytes(line, '\t', &tabs);
    line_bytes(line, ';', &semicolons);
    return ends_in(path, ".tsv") || tabs ? '\t' : semicolons ? ';' : ',';
}

static bool take_number(Csv *c, int j, const char *field, const char *path)
{
    double x;
    if ((c->rows > 0 || c->column) && j >= c->columns)
        return tensor_fail(
            "%s: line of row %d: found more than %d numbers; expected one for each column%s", path,
            c->rows + 1, c->columns,
            c->separator == ',' ? " (decimals after a point, or columns between semicolons)" : "");
    if (j == COLUMNS_MOST)
        return tensor_fail("%s: found more than %d columns; expected no more", path, COLUMNS_MOST);
    const bool found = to_number(field, c->separator != ',', &x);
    if (!found && c->row && c->column)
        return tensor_fail("%s: row %s, column %s: found \"%.40s\"; expected a number", path,
                           c->row[c->rows], c->column[j], field);
    if (!found)
        return tensor_fail("%s: row %d, column %d: found \"%.40s\"; expected a number", path,
                           c->rows + 1, j + 1, field);
    c->point |= strchr(field, '.') != NULL;
    c->comma |= strchr(field, ',') != NULL;
    if (c->point && c->comma)
        return tensor_fail("%s: found numbers with a decimal point and numbers with a decimal "
                           "comma; expected one of them",
                           path);
    size_t at = (size_t)c->rows * (size_t)c->columns + (size_t)j;
    if ((at & (at - 1)) == 0) { /* at each power of two the memory doubles */
        double *grown = realloc(c->x, sizeof *c->x * (at ? 2 * at : 1));
        if (!grown)
            return tensor_fail("%s: no memory for its numbers", path);
        c->x = grown;
    }
    c->x[at] = x;
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
    int lines = 1;
    bool more = true;
    LineKind one, two;
    const char *second = next_line(*at);
    for (char *s = *at; *s; s++)
        lines += *s == '\n' || *s == '\r';
    if (!look_at_line(*at, c->separator, &one) || !look_at_line(second, c->separator, &two))
        return tensor_fail("%s: no memory for its first line", path);
    bool header = one.other || (one.first && *second && !two.first), /* a column with a name */
        label = one.first && (two.first || !*second);
    if (label && !(c->row = calloc((size_t)lines, sizeof *c->row)))
        return tensor_fail("%s: no memory for its labels", path);
    if (!header)
        return true;
    if (!(c->column = calloc((size_t)one.fields, sizeof *c->column)))
        return tensor_fail("%s: no memory for its labels", path);
    if (label)
        table_field(at, c->separator, &more);
    while (more && c->columns < one.fields)
        c->column[c->columns++] = table_field(at, c->separator, &more);
    if (c->columns > 0 && !label && strncmp(c->column[0], "# ", 2) == 0)
        c->column[0] += 2; /* of NumPy's savetxt */
    return true;
}

/* Is the line a remark: a # in front, and not as many fields as the table has? A token may begin
 * with #, and so may the names of columns that NumPy's savetxt writes. Before the table, c is NULL:
 * the next line has other fields. */
static bool is_remark(const char *line, const Csv *c)
{
    int here = 0, next = 0;
    if (*line != '#')
        return false;
    if (c) {
        line_bytes(line, c->separator, &here);
        return here + 1 != c->columns + (c->row != NULL) || (!c->row && *line == '#');
    }
    for (const char *s = "\t;,"; *s; s++) {
        line_bytes(line, *s, &here);
        line_bytes(next_line(line), *s, &next);
        if (here > 0 && here == next)
            return false;
    }
    return true;
}

bool csv_read(Csv *c, const char *path)
{
    *c = (Csv){.text = table_text(path)};
    char *at = c->text;
    while (at && is_remark(at, NULL))
        at = (char *)next_line(at);
    if (!at)
        return false;
    c->separator = separator_of(at, path);
    if (!take_labels(c, &at, path))
        return false;
    while (*at)
        if (is_remark(at, c))
            at = (char *)next_line(at);
        else if (!take_line(c, &at, path))
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
