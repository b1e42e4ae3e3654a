/* expressions.c: arithmetic on small matrices. See exam.h.
 *
 *   comparison = sum {(== | != | <= | <) sum}        sum = product {(+ | -) product}
 *   product = power {(* | /) power}                   power = [-] postfix [^ power]
 *   postfix = primary {' | [sum] | [sum, sum]}
 *   primary = number | "text" | name | name(sum, ...) | (comparison) | [sum, ...; ...] */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at;
    const Names *names;
    bool library, failed;
    int calls; /* of the library */
} Reader;

enum { COMPARISON, SUM, POWER = 3 }; /* levels of operators; SUM + 1: products */

static Value binary(Reader *r, int level);

static Value wrong(Reader *r, const char *expected)
{
    if (!r->failed)
        tensor_fail("found '%.40s'; expected %s", *r->at ? r->at : "the end", expected);
    r->failed = true;
    r->at = "";
    return (Value){1, 1, {0}};
}

static bool take(Reader *r, const char *sign)
{
    r->at += strspn(r->at, " \t");
    size_t n = strlen(sign);
    bool yes = strncmp(r->at, sign, n) == 0;
    r->at += yes ? n : 0;
    return yes;
}

static void need(Reader *r, const char *sign)
{
    if (!take(r, sign))
        wrong(r, sign);
}

const Named *names_find(const Names *names, const char *at, size_t *bytes)
{
    for (*bytes = 0; isalnum((unsigned char)at[*bytes]) || at[*bytes] == '_';)
        ++*bytes;
    for (int i = 0; i < names->count; i++)
        if (strlen(names->list[i].name) == *bytes && !strncmp(names->list[i].name, at, *bytes))
            return &names->list[i];
    return NULL;
}

/* ---- two operands ---------------------------------------------------------------------------- */

static double apply(const char *sign, double a, double b)
{
    switch (sign[0]) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    case '^':
        return pow(a, b);
    case '=':
        return fabs(a - b) < 1e-9;
    case '!':
        return fabs(a - b) >= 1e-9;
    case 'm':
        return sign[1] == 'i' ? fmin(a, b) : fmax(a, b);
    default:
        return sign[1] ? a <= b : a < b;
    }
}

/* Of each pair of elements; a number goes with each element of the other. */
static Value pairs(Reader *r, const char *sign, const Value *a, const Value *b)
{
    int n = a->rows * a->columns, m = b->rows * b->columns;
    Value y = n == 1 ? *b : *a;
    if (n != 1 && m != 1 && (a->rows != b->rows || a->columns != b->columns))
        return wrong(r, "two matrices of one shape before it");
    for (int i = 0; i < n || i < m; i++)
        y.x[i] = apply(sign, a->x[n == 1 ? 0 : i], b->x[m == 1 ? 0 : i]);
    return y;
}

/* ---- primaries ------------------------------------------------------------------------------- */

static Value matrix(Reader *r)
{
    Value y = {0};
    int n = 0, columns;
    do {
        y.rows++;
        columns = 0;
        do {
            Value one = binary(r, SUM);
            if (one.rows * one.columns != 1 || n == VALUE_MOST)
                return wrong(r, "a number, at most 64 in a matrix");
            y.x[n++] = one.x[0];
            columns++;
        } while (take(r, ","));
        if (y.rows > 1 && columns != y.columns)
            return wrong(r, "as many numbers in each row");
        y.columns = columns;
    } while (take(r, ";"));
    need(r, "]");
    return y;
}

static Value text(Reader *r)
{
    Value y = {1, 0, {0}};
    for (; *r->at && *r->at != '"' && y.columns < VALUE_MOST; r->at++)
        y.x[y.columns++] = (unsigned char)*r->at;
    need(r, "\"");
    return y;
}

static bool arithmetic(Reader *r, const char *name, const Value *a, int n, Value *y)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } functions[] = {{"sqrt", sqrt}, {"ln", log},  {"exp", exp},  {"floor", floor},
                     {"sin", sin},   {"cos", cos}, {"abs", fabs}, {"asin", asin}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (n == 1 && strcmp(name, functions[i].name) == 0) {
            *y = a[0];
            for (int k = 0; k < y->rows * y->columns; k++)
                y->x[k] = functions[i].of(a[0].x[k]);
            return true;
        }
    if (n != 2 || (strcmp(name, "min") != 0 && strcmp(name, "max") != 0))
        return false;
    *y = pairs(r, name, &a[0], &a[1]);
    return true;
}

static Value call(Reader *r, const char *name)
{
    Value arguments[ARGUMENTS_MOST], y = {1, 1, {0}};
    int n = 0;
    do {
        if (n == ARGUMENTS_MOST)
            return wrong(r, "at most 8 arguments");
        arguments[n++] = binary(r, SUM);
    } while (take(r, ","));
    need(r, ")");
    if (r->failed || arithmetic(r, name, arguments, n, &y))
        return y;
    int done = r->library ? library_call(r->names->tape, name, arguments, n, &y) : 0;
    if (done == 0)
        tensor_fail("found %s(...) of %d arguments; expected a function of %s", name, n,
                    r->library ? "library.c" : "arithmetic: the library's are for check");
    if (done != 1) { /* nothing else is computed, so that the error stays */
        r->failed = true;
        r->at = "";
    }
    r->calls++;
    return y;
}

static Value primary(Reader *r)
{
    r->at += strspn(r->at, " \t");
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double x = strtod(r->at, &end);
        r->at = end;
        return (Value){1, 1, {x}};
    }
    if (take(r, "\""))
        return text(r);
    if (take(r, "["))
        return matrix(r);
    if (take(r, "(")) {
        Value y = binary(r, COMPARISON);
        need(r, ")");
        return y;
    }
    char name[NAME_BYTES];
    size_t n;
    const Named *found = names_find(r->names, r->at, &n);
    if (n == 0 || n >= sizeof name)
        return wrong(r, "a number, a name, ( or [");
    snprintf(name, sizeof name, "%.*s", (int)n, r->at);
    if (!found && r->at[n] != '(')
        return wrong(r, "a name that was drawn or computed before");
    r->at += n;
    return take(r, "(") ? call(r, name) : found->value;
}

/* ---- the levels above ------------------------------------------------------------------------ */

/* x[i] of a row or a column, x[i, j] of any. */
static Value element(Reader *r, const Value *x)
{
    double i = binary(r, SUM).x[0], j = 1;
    if (take(r, ",")) {
        j = binary(r, SUM).x[0];
    } else if (x->rows == 1) {
        j = i;
        i = 1;
    }
    need(r, "]");
    if (!(i >= 1 && i <= x->rows && j >= 1 && j <= x->columns))
        return wrong(r, "an index within the matrix before it");
    return (Value){1, 1, {x->x[((int)i - 1) * x->columns + (int)j - 1]}};
}

static Value postfix(Reader *r)
{
    Value x = primary(r);
    for (;;) {
        if (take(r, "'")) {
            Value y = {x.columns, x.rows, {0}};
            for (int i = 0; i < x.rows * x.columns; i++)
                y.x[i % x.columns * x.rows + i / x.columns] = x.x[i];
            x = y;
        } else if (take(r, "[")) {
            x = element(r, &x);
        } else {
            return x;
        }
    }
}

static Value power(Reader *r)
{
    if (take(r, "-")) {
        Value minus = {1, 1, {-1}}, x = power(r);
        return pairs(r, "*", &minus, &x);
    }
    Value x = postfix(r);
    if (!take(r, "^"))
        return x;
    Value y = power(r);
    return pairs(r, "^", &x, &y);
}

static Value binary(Reader *r, int level)
{
    static const char *const signs[POWER][5] = {{"==", "!=", "<=", "<"}, {"+", "-"}, {"*", "/"}};
    if (level == POWER)
        return power(r);
    Value x = binary(r, level + 1);
    for (const char *const *sign = signs[level]; *sign;) {
        if (!take(r, *sign)) {
            sign++;
            continue;
        }
        Value y = binary(r, level + 1);
        x = pairs(r, *sign, &x, &y);
        sign = signs[level];
    }
    return x;
}

bool expression(const char *text, const Names *names, bool library, Value *result)
{
    Reader r = {.at = text, .names = names, .library = library};
    *result = binary(&r, COMPARISON);
    r.at += strspn(r.at, " \t\r");
    if (!r.failed && *r.at)
        wrong(&r, "the end");
    if (!r.failed && library && r.calls == 0)
        return tensor_fail("found '%.60s'; expected a call of the library", text);
    for (int i = 0; i < result->rows * result->columns && !r.failed; i++)
        if (!isfinite(result->x[i]))
            return tensor_fail("'%.60s' is not finite", text);
    return !r.failed;
}
