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

/* ---- the text -------------------------------------------------------------------------------- */

typedef struct {
    FILE *file;
    int column; /* in the present line, the pending spaces included            */
    int spaces; /* pending: a line break drops them                            */
} Writer;

/* Text within a line; its spaces stay pending until other text follows. */
static void say(Writer *w, const char *text)
{
    for (; *text; text++, w->column++) {
        if (*text == ' ') {
            w->spaces++;
            continue;
        }
        for (; w->spaces > 0; w->spaces--)
            putc(' ', w->file);
        putc(*text, w->file);
    }
}

static void new_line(Writer *w, int indent)
{
    putc('\n', w->file);
    w->column = w->spaces = indent;
}

/* ---- one number ------------------------------------------------------------------------------ */

/* A tensor that is printed, and the one format of all its numbers. */
typedef struct {
    const Tensor *t;
    const real *numbers;          /* t's data; NULL for ids                             */
    bool shortened;               /* long axes show only their first and last elements  */
    real least, most;             /* magnitude of what is neither 0 nor infinite        */
    bool special, minus_infinity; /* NaN or an infinity occurs; -infinity does */
    bool scientific;
    int left, right; /* characters before the decimal point, decimals after it  */
    int power;       /* columns of the exponent, as in e+00                    */
} Picture;

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

/* The index after i on an axis of length n: a shortened axis shows 0 1 2 n-3 n-2 n-1. */
static int64_t after(const Picture *p, int64_t i, int64_t n)
{
    return p->shortened && n > 2 * EDGE && i == EDGE - 1 ? n - EDGE : i + 1;
}

typedef void Visitor(Picture *p, int64_t at);

static void visit(Picture *p, int axis, int64_t at, Visitor *f)
{
    const Tensor *t = p->t;
    if (axis == t->shape.rank) {
        f(p, at);
        return;
    }
    int64_t n = t->shape.dim[axis];
    for (int64_t i = 0; i < n; i = after(p, i, n))
        visit(p, axis + 1, at + i * t->stride[axis], f);
}

static void range_visitor(Picture *p, int64_t at)
{
    real x = p->numbers[at];
    if (!isfinite(x)) {
        p->special = true;
        p->minus_infinity |= x < 0;
    } else if (x != 0) {
        real magnitude = x < 0 ? -x : x;
        if (p->most == 0 || magnitude < p->least)
            p->least = magnitude;
        if (magnitude > p->most)
            p->most = magnitude;
    }
}

static void width_visitor(Picture *p, int64_t at)
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

/* First the notation, from the range of the numbers, then the widths in that notation. */
static void choose_format(Picture *p)
{
    if (p->numbers)
        visit(p, 0, 0, range_visitor);
    if (p->most > 0) {
        real ratio = p->most / p->least;
        p->scientific = (double)p->most >= 1e8 || (double)p->least < 1e-4 || ratio > 1000;
    }
    visit(p, 0, 0, width_visitor);
    if (p->special) /* nan and inf use all columns of a number, the point's and the decimals' too */
        widest(&p->left, (p->minus_infinity ? 4 : 3) - 1 - p->right - p->power);
}

static void row_word(Writer *w, int rank, const char *word)
{
    if (w->column + (int)strlen(word) > LINE_WIDTH - rank)
        new_line(w, rank);
    say(w, word);
}

/* Between entries along an axis: a space in a row, else a line feed for each axis inside. */
static void separate(Writer *w, int axis, int rank)
{
    if (axis == rank - 1)
        say(w, " ");
    for (int k = axis; k < rank - 1; k++)
        new_line(w, axis + 1);
}

static void draw(Writer *w, const Picture *p, int axis, int64_t at)
{
    int rank = p->t->shape.rank;
    if (axis == rank) {
        char word[WORD_MAX];
        if (p->numbers)
            number_word(p, p->numbers[at], word);
        else
            snprintf(word, sizeof word, "%*d", p->left, (int)p->t->ids[at]);
        row_word(w, rank, word);
        return;
    }
    int64_t n = p->t->shape.dim[axis], next;
    say(w, "[");
    for (int64_t i = 0; i < n; i = next) {
        next = after(p, i, n);
        draw(w, p, axis + 1, at + i * p->t->stride[axis]);
        if (next < n)
            separate(w, axis, rank);
        if (next > i + 1) {
            row_word(w, rank, "...");
            separate(w, axis, rank);
        }
    }
    say(w, "]");
}

/* The poison tensor prints as the number that it holds, nan. */
void tensor_print(FILE *out, const Tensor *t)
{
    Writer w = {.file = out};
    t = t ? t : tensor_poison();
    Picture p = {.t = t, .numbers = t->data, .shortened = tensor_size(t) > WHOLE_MAX};
    if (!out || !tensor_is_current(t, "tensor_print"))
        return;
    if (tensor_size(t) == 0 || (!t->data && !t->ids)) {
        say(&w, tensor_size(t) == 0 ? "[]" : "(no numbers)");
    } else {
        choose_format(&p);
        draw(&w, &p, 0, 0);
    }
    new_line(&w, 0);
}
