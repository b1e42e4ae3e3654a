/* print.c: a tensor as NumPy prints it: numpy.array2string(a, precision=4).
 *
 * All numbers have one format, which depends on all numbers that are shown:
 *   scientific  if the largest magnitude is 1e8 or more, the least (except 0) below 1e-4, or their ratio above 1000
 *   else plain  each number in the fewest digits that read back as the same number, at most 4 decimals, with the
 *               decimal points in one column
 * Of a tensor with more than 1000 elements, an axis longer than 6 shows its first and last 3. Lines
 * break at 75 characters. Ids are whole numbers in columns. Nothing here allocates. */
#include "tensor/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 4, EDGE = 3, WHOLE_MAX = 1000, LINE_WIDTH = 75, WORD_MAX = 64 };

/* A tensor that is printed, the one format of all its numbers, and the text so far. */
typedef struct {
    const Tensor *t;
    const real *numbers;          /* t's data; NULL for ids                             */
    bool shortened;               /* long axes show only their first and last elements  */
    real least, most;             /* magnitude of what is neither 0 nor infinite        */
    bool special, minus_infinity; /* NaN or an infinity occurs; -infinity does          */
    bool scientific;
    int left, right; /* characters before the decimal point, decimals after it          */
    int power;       /* columns of the exponent, as in e+00                             */
    FILE *file;      /* NULL while the format is found: nothing is written              */
    int column;      /* in the present line, the pending spaces included                */
    int spaces;      /* pending: a line break drops them                                */
} Picture;

/* ---- the text -------------------------------------------------------------------------------- */

/* Text within a line; its spaces stay pending until other text follows. */
static void say(Picture *p, const char *text)
{
    for (; p->file && *text; text++, p->column++) {
        if (*text == ' ') {
            p->spaces++;
            continue;
        }
        for (; p->spaces > 0; p->spaces--)
            putc(' ', p->file);
        putc(*text, p->file);
    }
}

static void new_line(Picture *p, int indent)
{
    if (!p->file)
        return;
    putc('\n', p->file);
    p->column = p->spaces = indent;
}

/* A word of a row, on the next line where it does not fit. */
static void row_word(Picture *p, const char *word)
{
    int rank = p->t->shape.rank;
    if (p->column + (int)strlen(word) > LINE_WIDTH - rank)
        new_line(p, rank);
    say(p, word);
}

/* Between entries along an axis: a space in a row, else a line feed for each axis inside. */
static void separate(Picture *p, int axis)
{
    if (axis == p->t->shape.rank - 1)
        say(p, " ");
    for (int k = axis; k < p->t->shape.rank - 1; k++)
        new_line(p, axis + 1);
}

/* ---- one number ------------------------------------------------------------------------------ */

/* What is shown of x: before the decimal point, after it without zeros at the end, and the exponent
 * of ten in scientific notation. */
typedef struct {
    char front[WORD_MAX], decimals[DECIMALS + 1];
    int exponent;
} Number;

/* Few decimals are tried first: 0.1f is shown as 0.1, which reads back as the same number, and
 * 100000.7f is not shown as 100000.7031. The text is cut at its decimal point, since the program's
 * locale may have another one. */
static Number number_of(const Picture *p, real x)
{
    char text[WORD_MAX];
    bool same = false;
    for (int n = p->scientific ? DECIMALS : 0; n <= DECIMALS && !same; n++) {
        snprintf(text, sizeof text, p->scientific ? "%.*e" : "%.*f", n, (double)x);
        same = (sizeof x == sizeof(double) ? (real)strtod(text, NULL) : strtof(text, NULL)) == x;
    }
    Number number = {.front = ""};
    const char *power = strchr(text, 'e');
    size_t front = strspn(text, "-0123456789");
    const char *decimals = text + front + strcspn(text + front, "0123456789");
    size_t count = strspn(decimals, "0123456789");
    while (count > 0 && decimals[count - 1] == '0')
        count--;
    memcpy(number.front, text, front);
    memcpy(number.decimals, decimals, count);
    number.exponent = power ? atoi(power + 1) : 0;
    return number;
}

static void widest(int *width, int n)
{
    if (n > *width)
        *width = n;
}

/* In scientific notation zeros fill the decimals, else spaces. */
static void number_word(const Picture *p, real x, char *word)
{
    if (!isfinite(x)) {
        int width = p->left + 1 + p->right + p->power;
        snprintf(word, WORD_MAX, "%*s", width, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    Number n = number_of(p, x);
    int at = snprintf(word, WORD_MAX, "%*s.%s%.*s", p->left, n.front, n.decimals,
                      p->right - (int)strlen(n.decimals), p->scientific ? "0000" : "    ");
    if (p->scientific)
        snprintf(word + at, (size_t)(WORD_MAX - at), "e%c%0*d", n.exponent < 0 ? '-' : '+',
                 p->power - 2, abs(n.exponent));
}

/* ---- all numbers ----------------------------------------------------------------------------- */

/* Calls f for each element that is shown, by its offset, and writes what stands around them. A
 * shortened axis shows 0 1 2 n-3 n-2 n-1. */
static void walk(Picture *p, int axis, int64_t at, void (*f)(Picture *p, int64_t at))
{
    if (axis == p->t->shape.rank) {
        f(p, at);
        return;
    }
    int64_t n = p->t->shape.dim[axis], next;
    bool gap = p->shortened && n > 2 * EDGE;
    say(p, "[");
    for (int64_t i = 0; i < n; i = next) {
        next = gap && i == EDGE - 1 ? n - EDGE : i + 1;
        walk(p, axis + 1, at + i * p->t->stride[axis], f);
        if (next < n)
            separate(p, axis);
        if (next > i + 1) {
            row_word(p, "...");
            separate(p, axis);
        }
    }
    say(p, "]");
}

static void find_range(Picture *p, int64_t at)
{
    real x = p->numbers[at], magnitude = x < 0 ? -x : x;
    if (!isfinite(x)) {
        p->special = true;
        p->minus_infinity |= x < 0;
    } else if (x != 0) {
        p->least = p->most == 0 || magnitude < p->least ? magnitude : p->least;
        p->most = magnitude > p->most ? magnitude : p->most;
    }
}

static void find_widths(Picture *p, int64_t at)
{
    if (!p->numbers) {
        widest(&p->left, snprintf(NULL, 0, "%d", (int)p->t->ids[at]));
        return;
    }
    if (!isfinite(p->numbers[at]))
        return;
    Number n = number_of(p, p->numbers[at]);
    widest(&p->left, (int)strlen(n.front));
    widest(&p->right, (int)strlen(n.decimals));
    if (p->scientific)
        widest(&p->power, abs(n.exponent) > 99 ? 5 : 4);
}

static void write_word(Picture *p, int64_t at)
{
    char word[WORD_MAX];
    if (p->numbers)
        number_word(p, p->numbers[at], word);
    else
        snprintf(word, sizeof word, "%*d", p->left, (int)p->t->ids[at]);
    row_word(p, word);
}

/* First the notation, from the range of the numbers, then the widths in that notation. */
static void choose_format(Picture *p)
{
    if (p->numbers)
        walk(p, 0, 0, find_range);
    if (p->most > 0) {
        real ratio = p->most / p->least;
        p->scientific = (double)p->most >= 1e8 || (double)p->least < 1e-4 || ratio > 1000;
    }
    walk(p, 0, 0, find_widths);
    if (p->special) /* nan and inf use all columns of a number, the point's and the decimals' too */
        widest(&p->left, (p->minus_infinity ? 4 : 3) - 1 - p->right - p->power);
}

/* The poison tensor prints as the number that it holds, nan. */
void tensor_print(FILE *out, const Tensor *t)
{
    t = t ? t : tensor_poison();
    Picture p = {.t = t, .numbers = t->data, .shortened = tensor_size(t) > WHOLE_MAX};
    bool empty = tensor_size(t) == 0, has_numbers = !empty && (t->data || t->ids);
    if (!out || !tensor_is_current(t, "tensor_print"))
        return;
    if (has_numbers)
        choose_format(&p);
    p.file = out;
    if (has_numbers)
        walk(&p, 0, 0, write_word);
    else
        say(&p, empty ? "[]" : "(no numbers)");
    new_line(&p, 0);
}
