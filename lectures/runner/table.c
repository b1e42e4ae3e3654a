/* table.c: see table.h. Fields in double quotes may hold separators and line ends (RFC 4180). */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1 << 20, COLUMNS_MOST = PLOT_LONGEST };

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

/* A number; an empty field, NA and the like are NaN. c->comma: its decimals come after a comma. */
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
    if (comma && strchr(text, '.'))
        return false;
    if (comma && (point = strchr(text, ',')))
        *point = '.';
    *x = strtod(text, &end);
    return !*end;
}

/* What a line is if it is read with this separator. */
typedef struct {
    int fields;
    bool first, other; /* is the first field a text, is any other? */
} LineKind;

static bool look_at_line(const char *line, char separator, bool comma, LineKind *k)
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
        bool text = !to_number(field, comma, &x) || (k->fields == 0 && !*field);
        k->first |= k->fields == 0 && text;
        k->other |= k->fields > 0 && text;
    }
    free(copy);
    return copy != NULL;
}

/* Can the first two lines be a table with this separator: as many fields, and numbers in the second
 * but for a label? */
static bool is_table(const char *line, char separator, bool comma)
{
    LineKind first, second;
    const char *next = next_line(line);
    if (!look_at_line(line, separator, comma, &first) ||
        !look_at_line(*next ? next : line, separator, comma, &second))
        return false;
    return first.fields == second.fields && second.fields > 1 && !second.other;
}

/* Columns are separated by tabs, semicolons or commas. Where both of the latter stand in the first
 * lines, one of the two readings must be no table. */
static bool choose_separator(Csv *c, const char *line, const char *path)
{
    int tabs, semicolons, commas, more;
    line_bytes(line, '\t', &tabs);
    line_bytes(line, ';', &semicolons);
    line_bytes(line, ',', &commas);
    line_bytes(next_line(line), ',', &more);
    commas += more;
    bool points = is_table(line, ';', false), decimals = is_table(line, ';', true);
    c->separator = ends_in(path, ".tsv") || (tabs && !semicolons && !commas) ? '\t'
                   : semicolons                                              ? ';'
                                                                             : ',';
    if (c->separator != ';' || commas == 0)
        return true;
    bool by_commas = is_table(line, ',', false);
    if (by_commas && (points || decimals))
        return tensor_fail(
            "%s: its first lines can be read in two ways: columns between semicolons "
            "with decimal commas, or columns between commas; expected one (quotes "
            "around texts, or points in numbers)",
            path);
    c->separator = by_commas ? ',' : ';';
    return true;
}

/* Do numbers have decimal commas? Not where commas separate, nor where a number has a point. */
static bool choose_decimals(Csv *c, const char *line, const char *path)
{
    bool point = false, comma = false;
    for (; c->separator != ',' && *line; line = next_line(line)) {
        int none;
        size_t n = line_bytes(line, 0, &none);
        char *copy = malloc(n + 1), *at = copy;
        bool more = copy != NULL;
        if (!copy)
            return tensor_fail("%s: no memory for a line", path);
        memcpy(copy, line, n), copy[n] = 0;
        while (more) {
            double x;
            char *field = table_field(&at, c->separator, &more);
            point |= strchr(field, '.') && to_number(field, false, &x);
            comma |= strchr(field, ',') && to_number(field, true, &x);
        }
        free(copy);
    }
    if (point && comma)
        return tensor_fail(
            "%s: found numbers with a decimal point and numbers with a decimal comma; "
            "expected one of them",
            path);
    c->comma = comma;
    return true;
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
    const bool found = to_number(field, c->comma, &x);
    if (!found && c->row && c->column)
        return tensor_fail("%s: row %s, column %s: found \"%.40s\"; expected a number", path,
                           c->row[c->rows], c->column[j], field);
    if (!found)
        return tensor_fail("%s: row %d, column %d: found \"%.40s\"; expected a number", path,
                           c->rows + 1, j + 1, field);
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
    if (!look_at_line(*at, c->separator, c->comma, &one) ||
        !look_at_line(second, c->separator, c->comma, &two))
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
    if (!at || !choose_separator(c, at, path) || !choose_decimals(c, at, path) ||
        !take_labels(c, &at, path))
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
