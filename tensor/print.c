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

enum { DECIMALS = 4, EDGE = 3, WHOLE_MAX = 1000, LINE_WIDTH = 75, WORD_MAX = 64, DIGITS_MAX = 17 };

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

/* d.ddd x 10^exponent; every digit that is not stored is 0. */
typedef struct {
    bool minus;
    int exponent, count;
    char digit[DIGITS_MAX];
} Decimal;

/* x in `count` digits, correctly rounded; *same tells whether they read back as x. The decimal
 * point is skipped, since the program's locale may have another one. */
static Decimal decimal(real x, int count, bool *same)
{
    char text[WORD_MAX];
    snprintf(text, sizeof text, "%.*e", count - 1, (double)x);
    *same = (sizeof x == sizeof(double) ? (real)strtod(text, NULL) : strtof(text, NULL)) == x;
    Decimal d = {.minus = signbit(x) != 0};
    const char *c = text;
    for (; *c && *c != 'e'; c++)
        if (*c >= '0' && *c <= '9' && d.count < DIGITS_MAX)
            d.digit[d.count++] = *c;
    d.exponent = *c ? atoi(c + 1) : 0;
    return d;
}

/* The digits of x that are shown, without zeros at the end.
 * Few digits are tried first: 0.1f is shown as 0.1, not as 0.100000001. */
static Decimal shown_digits(const Picture *p, real x)
{
    bool same = false;
    Decimal d = {0};
    if (p->scientific) {
        d = decimal(x, 1 + DECIMALS, &same);
    } else {
        for (int n = 1; n <= DIGITS_MAX && !same; n++)
            d = decimal(x, n, &same);
        /* The digits before the decimal point are always those of x itself. */
        int units = d.exponent + 1, most = units + DECIMALS;
        if (d.count < units)
            d = decimal(x, units, &same);
        else if (d.count > most)
            d = decimal(x, most > 1 ? most : 1, &same);
    }
    while (d.count > 1 && d.digit[d.count - 1] == '0')
        d.count--;
    return d;
}

static char digit_of(const Decimal *d, int power)
{
    int i = d->exponent - power;
    return i >= 0 && i < d->count ? d->digit[i] : '0';
}

static int point_of(const Picture *p, const Decimal *d)
{
    return p->scientific ? d->exponent : 0;
}

static int digits_in_front(const Picture *p, const Decimal *d)
{
    int digits = d->exponent - point_of(p, d) + 1;
    return digits > 1 ? digits : 1;
}

static void widest(int *width, int n)
{
    if (n > *width)
        *width = n;
}

static void number_word(const Picture *p, real x, char *word)
{
    if (!isfinite(x)) {
        int width = p->left + 1 + p->right + p->power;
        snprintf(word, WORD_MAX, "%*s", width, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
        return;
    }
    Decimal d = shown_digits(p, x);
    int front = digits_in_front(p, &d), point = point_of(p, &d);
    int at = snprintf(word, WORD_MAX, "%*s", p->left - front, d.minus ? "-" : "");
    for (int i = front - 1; i >= 0; i--)
        word[at++] = digit_of(&d, point + i);
    word[at++] = '.';
    for (int i = 1; i <= p->right; i++) {
        bool after_last = point - i <= d.exponent - d.count;
        word[at++] = after_last && !p->scientific ? ' ' : digit_of(&d, point - i);
    }
    word[at] = 0;
    if (p->scientific)
        snprintf(word + at, (size_t)(WORD_MAX - at), "e%c%0*d", d.exponent < 0 ? '-' : '+',
                 p->power - 2, abs(d.exponent));
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
    Decimal d = shown_digits(p, p->numbers[at]);
    widest(&p->left, d.minus + digits_in_front(p, &d));
    widest(&p->right, d.count - 1 - d.exponent + point_of(p, &d));
    if (p->scientific)
        widest(&p->power, abs(d.exponent) > 99 ? 5 : 4);
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
