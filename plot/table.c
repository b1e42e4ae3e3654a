/* table.c: the numbers of a picture as files for other programs.
 *
 *   CSV   RFC 4180: a field with a comma, a quote, a line break or a space at its edge is put in double quotes,
 *         with quotes inside doubled; lines end in CR LF. Labels are kept byte for byte.
 *   .npy  tensor/io/npy_write.c */
#include "plot/internal.h"
#include "tensor/io/numbers.h"

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

/* Enough digits to read the same number back. */
static void csv_number(FILE *out, real x)
{
    if (isnan(x))
        fputs("nan", out);
    else
        fprintf(out, sizeof(real) == 8 ? "%.17g" : "%.9g", (double)x);
}

/* A map in table form: a line of column labels, then each row after its label. */
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
    for (int p = 0; p < b->panels; p++)
        for (int i = 0; i < b->rows; i++)
            for (int j = 0; j < b->columns; j++) {
                fprintf(out, "%d,%d,%d,%d,", p / b->heads + 1, p % b->heads + 1, i + 1, j + 1);
                csv_text(out, plot_label_at(&b->row_labels, i, &buffer));
                fputc(',', out);
                csv_text(out, plot_label_at(&b->column_labels, j, &buffer));
                fputc(',', out);
                csv_number(out, *x++);
                fputs("\r\n", out);
            }
}

/* ---- .npy ------------------------------------------------------------------------------------ */

static void write_npy(FILE *out, const void *tensor)
{
    npy_put(out, tensor);
}

/* ---- beside a picture ------------------------------------------------------------------------ */

/* A block's numbers as a tensor: (rows, columns), or (layers, heads, rows, columns). */
static Tensor block_tensor(const Block *b)
{
    Tensor t = {.data = b->cells};
    tensor_set_contiguous(&t, b->grid ? shape4(b->panels / b->heads, b->heads, b->rows, b->columns)
                                      : shape2(b->rows, b->columns));
    return t;
}

bool plot_tables_write(const Stem *stem, const Sheet *s)
{
    for (int k = 0; k < s->count; k++) {
        const Block *b = &s->blocks[k];
        Tensor numbers = block_tensor(b);
        char csv[32] = ".csv", npy[32] = ".npy";
        if (s->count > 1) {
            snprintf(csv, sizeof csv, "-%d.csv", k + 1);
            snprintf(npy, sizeof npy, "-%d.npy", k + 1);
        }
        if (!plot_file_write(stem->path, csv, b->grid ? write_grid : write_map, b) ||
            !plot_file_write(stem->path, npy, write_npy, &numbers))
            return false;
    }
    return true;
}
