/* table.c: the numbers behind a picture, for other programs.
 *
 *   CSV   RFC 4180: fields with a comma, a quote, a line break or a space at the edge stand in
 *         double quotes, quotes within are doubled, lines end in CR LF. Labels are kept byte for
 *         byte.
 *   .npy  numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0: "\x93NUMPY",
 *         1, 0, the header's length in two bytes, a Python dict padded with spaces so that the
 *         numbers begin at a multiple of 64, the numbers in C order, little-endian. */
#include "inside.h"

#include <math.h>
#include <string.h>

const char *plot_value_format(double largest, int *exponent)
{
    *exponent = largest >= 0.1 && largest < 1000 ? 0 : (int)floor(log10(largest));
    return *exponent ? "%.1f" : largest >= 100 ? "%.0f" : largest >= 10 ? "%.1f" : "%.2f";
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_text(FILE *out, const char *text)
{
    size_t n = strlen(text);
    bool edge = n > 0 && (text[0] == ' ' || text[n - 1] == ' ');
    if (!edge && !strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* As many digits as bring back the same number. */
static void csv_number(FILE *out, real x)
{
    if (isnan(x))
        fputs("nan", out);
    else
        fprintf(out, sizeof(real) == 8 ? "%.17g" : "%.9g", (double)x);
}

/* A map as it is seen: a line of column labels, then each row behind its label. */
static void write_map(FILE *out, const void *what)
{
    const Block *b = what;
    LabelBuffer buffer;
    for (int j = 0; j < b->columns; j++) {
        fputc(',', out);
        csv_text(out, plot_label_at(&b->column_labels, j, &buffer));
    }
    fputs("\r\n", out);
    for (int i = 0; i < b->rows; i++) {
        csv_text(out, plot_label_at(&b->row_labels, i, &buffer));
        for (int j = 0; j < b->columns; j++) {
            fputc(',', out);
            csv_number(out, b->cells[(int64_t)i * b->columns + j]);
        }
        fputs("\r\n", out);
    }
}

/* A grid in long form, a line for each number; layers, heads, rows and columns count from 1. */
static void write_grid(FILE *out, const void *what)
{
    const Block *b = what;
    const real *x = b->cells;
    LabelBuffer buffer;
    fputs("layer,head,row,column,row label,column label,value\r\n", out);
    for (int p = 0; p < b->down * b->across; p++)
        for (int i = 0; i < b->rows; i++)
            for (int j = 0; j < b->columns; j++) {
                fprintf(out, "%d,%d,%d,%d,", p / b->across + 1, p % b->across + 1, i + 1, j + 1);
                csv_text(out, plot_label_at(&b->row_labels, i, &buffer));
                fputc(',', out);
                csv_text(out, plot_label_at(&b->column_labels, j, &buffer));
                fputc(',', out);
                csv_number(out, *x++);
                fputs("\r\n", out);
            }
}

bool plot_csv(const char *path, const PlotHeatmap *map)
{
    Sheet s;
    if (!path || !*path)
        return tensor_fail("plot_csv: no path");
    if (!plot_sheet_of_maps(&s, map, 1, NULL, "plot_csv"))
        return false;
    bool ok = plot_file_write(path, "", write_map, s.blocks);
    plot_sheet_free(&s);
    return ok;
}

/* ---- .npy ------------------------------------------------------------------------------------ */

/* A contiguous array. */
typedef struct {
    Shape shape;
    const real *numbers;
    const int32_t *ids;
} Array;

/* "(2, 3)", "(3,)", "()", as Python writes a tuple. */
static int tuple(char *out, size_t size, Shape s)
{
    int n = snprintf(out, size, "(");
    for (int i = 0; i < s.rank; i++)
        n += snprintf(out + n, size - (size_t)n, i ? ", %lld" : "%lld", (long long)s.dim[i]);
    return n + snprintf(out + n, size - (size_t)n, s.rank == 1 ? ",)" : ")");
}

static void write_header(FILE *out, const Array *a)
{
    enum { PREFIX = 10, ALIGN = 64 };
    char dict[320];
    int n = snprintf(dict, sizeof dict, "{'descr': '<%s', 'fortran_order': False, 'shape': ",
                     a->ids              ? "i4"
                     : sizeof(real) == 8 ? "f8"
                                         : "f4");
    n += tuple(dict + n, sizeof dict - (size_t)n - 3, a->shape);
    n += snprintf(dict + n, sizeof dict - (size_t)n, ", }");
    int length = (PREFIX + n + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    fputc(length & 0xFF, out);
    fputc(length >> 8, out);
    fprintf(out, "%-*s\n", length - 1, dict);
}

/* The bytes of one number, lowest first on any machine. */
static void write_little(FILE *out, const void *number, size_t bytes)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (bytes == 8)
        memcpy(&wide, number, 8);
    else
        memcpy(&narrow, number, 4);
    for (size_t i = 0; i < bytes; i++)
        fputc((int)((wide | narrow) >> (8 * i) & 0xFF), out);
}

static void write_npy(FILE *out, const void *what)
{
    const Array *a = what;
    int64_t n = shape_size(a->shape);
    write_header(out, a);
    for (int64_t i = 0; i < n; i++)
        if (a->ids)
            write_little(out, &a->ids[i], sizeof a->ids[i]);
        else
            write_little(out, &a->numbers[i], sizeof a->numbers[i]);
}

bool plot_npy(const char *path, const Tensor *t)
{
    if (!path || !*path)
        return tensor_fail("plot_npy: no path");
    if (tensor_is_poison(t))
        return tensor_fail(
            "plot_npy: there is no tensor; an earlier call failed, or NULL was given");
    if (t->ids)
        return plot_file_write(path, "", write_npy, &(Array){t->shape, NULL, t->ids});
    int64_t bytes;
    if (!tensor_checked_mul(shape_size(t->shape), (int64_t)sizeof(real), &bytes))
        return tensor_fail("plot_npy: shape %s; expected one that fits into memory",
                           shape_str(t->shape));
    real *numbers = mem_alloc((size_t)bytes);
    if (!numbers)
        return false;
    tensor_read(t, numbers);
    bool ok = plot_file_write(path, "", write_npy, &(Array){t->shape, numbers, NULL});
    mem_free(numbers);
    return ok;
}

/* ---- beside a picture ------------------------------------------------------------------------ */

static Array block_array(const Block *b)
{
    Shape map = shape2(b->rows, b->columns);
    return (Array){b->grid ? shape4(b->down, b->across, b->rows, b->columns) : map, b->cells, NULL};
}

bool plot_tables_write(const Stem *stem, const Sheet *s)
{
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        Array array = block_array(b);
        char csv[32] = ".csv", npy[32] = ".npy";
        if (s->count > 1) {
            snprintf(csv, sizeof csv, "-%d.csv", k + 1);
            snprintf(npy, sizeof npy, "-%d.npy", k + 1);
        }
        if (!plot_file_write(stem->path, csv, b->grid ? write_grid : write_map, b) ||
            !plot_file_write(stem->path, npy, write_npy, &array))
            return false;
    }
    return true;
}
