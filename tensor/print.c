/* print.c: a tensor as NumPy prints it: numpy.array2string(a, precision=4).
 *
 * All numbers get one format, found by looking at all that will be shown:
 *   scientific   if the largest magnitude is >= 1e8, the least (0 apart) < 1e-4, or their ratio
 *                is above 1000
 *   else plain   each as short as still reads back the same, at most 4 decimals, the points in
 *                one column
 * Beyond 1000 elements an axis of more than 6 shows its first and last 3. Lines break at 75
 * characters. Token ids are whole numbers in columns. Nothing here allocates. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 4, EDGE = 3, WHOLE_MAX = 1000, LINE_WIDTH = 75, WORD_MAX = 64, DIGITS_MAX = 17 };

/* ---- where text goes: a file, a buffer, or nowhere (for its length alone) -------------------- */

typedef struct {
    FILE *file;
    char *buffer;
    size_t size, length;
    int column; /* in the present line, with the spaces held back              */
    int spaces; /* held back, because they are dropped where a line is broken  */
} Writer;

static void put(Writer *w, char c)
{
    if (w->file)
        putc(c, w->file);
    else if (w->length + 1 < w->size)
        w->buffer[w->length] = c;
    w->length++;
}

static void say(Writer *w, const char *text)
{
    for (; *text; text++, w->column++) {
        if (*text == ' ') {
            w->spaces++;
            continue;
        }
        for (; w->spaces > 0; w->spaces--)
            put(w, ' ');
        put(w, *text);
    }
}

static void new_line(Writer *w, int indent)
{
    put(w, '\n');
    w->column = w->spaces = indent;
}

/* ---- one number ------------------------------------------------------------------------------ */

/* What is shown, and the one format for all of it. */
typedef struct {
    const Tensor *t;
    const real *numbers;          /* t's data or its gradient; NULL for ids             */
    bool shortened;               /* long axes show only their ends                     */
    real least, most;             /* magnitude of what is neither 0 nor infinite        */
    bool special, minus_infinity; /* NaN or an infinity occurs; -infinity does */
    bool scientific;
    int left, right; /* characters in front of the point, decimals behind it   */
    int power;       /* columns of the exponent, as in e+00                    */
} Picture;

/* d.ddd x 10^exponent. Digits beyond both ends are 0. */
typedef struct {
    bool minus;
    int exponent, count;
    char digit[DIGITS_MAX];
} Decimal;

/* x in `count` digits, correctly rounded; *same: do they still mean x? The point is passed over,
 * since the host's locale may have another. */
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

/* As many digits as the picture shows of x, without zeros at the end. */
static Decimal shown_digits(const Picture *p, real x)
{
    bool same = false;
    Decimal d = {0};
    if (p->scientific) {
        d = decimal(x, 1 + DECIMALS, &same);
    } else {
        for (int n = 1; n <= DIGITS_MAX && !same; n++)
            d = decimal(x, n, &same);
        /* The digits in front of the point are always those of x itself. */
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

/* The digit that counts units of 10^power. */
static char digit_of(const Decimal *d, int power)
{
    int i = d->exponent - power;
    return i >= 0 && i < d->count ? d->digit[i] : '0';
}

/* Where the point stands: behind the first digit, or behind the units. */
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
        bool behind_the_last = point - i <= d.exponent - d.count;
        word[at++] = behind_the_last && !p->scientific ? ' ' : digit_of(&d, point - i);
    }
    word[at] = 0;
    if (p->scientific)
        snprintf(word + at, (size_t)(WORD_MAX - at), "e%c%0*d", d.exponent < 0 ? '-' : '+',
                 p->power - 2, abs(d.exponent));
}

/* ---- all numbers ----------------------------------------------------------------------------- */

/* The index after i on an axis of length n: in a shortened picture the middle is jumped over. */
static int64_t after(const Picture *p, int64_t i, int64_t n)
{
    return p->shortened && n > 2 * EDGE && i == EDGE - 1 ? n - EDGE : i + 1;
}

typedef void Visitor(Picture *p, int64_t at);

/* Calls f for each element that is shown. */
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

static void choose_format(Picture *p)
{
    if (p->numbers)
        visit(p, 0, 0, range_visitor);
    if (p->most > 0) {
        real ratio = p->most / p->least;
        p->scientific = (double)p->most >= 1e8 || (double)p->least < 1e-4 || ratio > 1000;
    }
    visit(p, 0, 0, width_visitor);
    if (p->special) /* they fill the columns of a number, the point's and the decimals' included */
        widest(&p->left, (p->minus_infinity ? 4 : 3) - 1 - p->right - p->power);
}

/* One word of a row, in a new line if it would not fit. */
static void row_word(Writer *w, int rank, const char *word)
{
    if (w->column + (int)strlen(word) > LINE_WIDTH - rank)
        new_line(w, rank);
    say(w, word);
}

/* Between two entries along an axis: a space within a row; else a new line, and one blank line less with each
 * axis further in. */
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

static void write_tensor(Writer *w, const Tensor *t, const real *numbers)
{
    Picture p = {.t = t, .numbers = numbers, .shortened = tensor_size(t) > WHOLE_MAX};
    if (tensor_size(t) == 0 || (!numbers && !t->ids)) {
        say(w, tensor_size(t) == 0 ? "[]" : "(no numbers)");
    } else {
        choose_format(&p);
        draw(w, &p, 0, 0);
    }
    new_line(w, 0);
}

void tensor_print(FILE *out, const Tensor *t)
{
    Writer w = {.file = out};
    t = t ? t : tensor_poison();
    write_tensor(&w, t, t->data);
}

void tensor_print_grad(FILE *out, const Tensor *t)
{
    Writer w = {.file = out};
    if (t && t->grad)
        write_tensor(&w, t, t->grad);
    else
        fputs("(no gradient)\n", out);
}

size_t tensor_sprint(char *buffer, size_t size, const Tensor *t)
{
    Writer w = {.buffer = buffer, .size = size};
    t = t ? t : tensor_poison();
    write_tensor(&w, t, t->data);
    if (size > 0)
        buffer[w.length < size ? w.length : size - 1] = 0;
    return w.length;
}
