/* expressions.c: arithmetic on small matrices. See exam.h.
 *
 *   expression = [-] operand {(== | != | < | + | - | * | / | ^) expression}
 *   operand    = primary {' | [expression] | [expression, expression]}
 *   primary    = number | name | name(expression, ...) | (expression)
 *              | [expression, ...; ...] */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at;
    const Names *names;
    Library *library; /* NULL: arithmetic alone */
    bool failed;
} Reader;

static Value read_expression(Reader *r, int weakest);

static Value wrong(Reader *r, const char *expected)
{
    if (!r->failed)
        tensor_fail("found '%.40s'; expected %s", *r->at ? r->at : "the end", expected);
    r->failed = true;
    r->at = ""; /* nothing else is computed, so that the error stays */
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

static double apply(char sign, double a, double b)
{
    switch (sign) {
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
    case 'm':
        return fmax(a, b);
    case '<':
        return a < b;
    default: /* == and != */
        return (fabs(a - b) < 1e-9) == (sign == '=');
    }
}

/* Of each pair of elements; a number goes with each element of the other. */
static Value pairs(Reader *r, char sign, const Value *a, const Value *b)
{
    int n = value_size(a), m = value_size(b);
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
    int n = 0;
    do {
        int first = n;
        do {
            Value one = read_expression(r, 0);
            if (value_size(&one) != 1 || n == VALUE_MOST)
                return wrong(r, "a number, at most 64 in a matrix");
            y.x[n++] = one.x[0];
        } while (take(r, ","));
        if (y.rows++ > 0 && n - first != y.columns)
            return wrong(r, "as many numbers in each row");
        y.columns = n - first;
    } while (take(r, ";"));
    need(r, "]");
    return y;
}

static Value call(Reader *r, const char *name)
{
    Value argument[ARGUMENTS_MOST], y = {1, 1, {0}};
    int n = 0;
    do {
        if (n == ARGUMENTS_MOST)
            return wrong(r, "at most 8 arguments");
        argument[n++] = read_expression(r, 0);
    } while (take(r, ","));
    need(r, ")");
    if (!r->failed && n == 2 && strcmp(name, "max") == 0)
        return pairs(r, 'm', argument, argument + 1);
    r->failed = r->failed || !library_call(r->library, name, argument, n, &y);
    return r->failed ? wrong(r, "") : y;
}

static Value primary(Reader *r)
{
    r->at += strspn(r->at, " \t");
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end;
        double x = strtod(r->at, &end);
        r->at = end;
        return (Value){1, 1, {x}};
    }
    if (take(r, "["))
        return matrix(r);
    if (take(r, "(")) {
        Value y = read_expression(r, 0);
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

/* ---- operands and operators ------------------------------------------------------------------ */

/* x[i] of a row or a column, x[i, j] of any. */
static Value element(Reader *r, const Value *x)
{
    double i = read_expression(r, 0).x[0], j = 1;
    if (take(r, ",")) {
        j = read_expression(r, 0).x[0];
    } else if (x->rows == 1) {
        j = i;
        i = 1;
    }
    need(r, "]");
    if (!(i >= 1 && i <= x->rows && j >= 1 && j <= x->columns))
        return wrong(r, "an index within the matrix before it");
    return (Value){1, 1, {x->x[((int)i - 1) * x->columns + (int)j - 1]}};
}

static Value operand(Reader *r)
{
    Value x = primary(r);
    for (;;) {
        if (take(r, "'")) {
            Value y = {x.columns, x.rows, {0}};
            for (int i = 0; i < value_size(&x); i++)
                y.x[i % x.columns * x.rows + i / x.columns] = x.x[i];
            x = y;
        } else if (take(r, "[")) {
            x = element(r, &x);
        } else {
            return x;
        }
    }
}

/* What follows, up to an operator that binds less than `weakest`; a power takes what is right of
 * it first. */
static Value read_expression(Reader *r, int weakest)
{
    enum { POWER = 3 };
    static const struct {
        const char *sign;
        int binds;
    } operators[] = {{"==", 0}, {"!=", 0}, {"<", 0}, {"+", 1},
                     {"-", 1},  {"*", 2},  {"/", 2}, {"^", POWER}};
    const Value minus = {1, 1, {-1}};
    bool negative = take(r, "-");
    Value x = negative ? read_expression(r, POWER) : operand(r);
    if (negative)
        x = pairs(r, '*', &minus, &x);
    for (size_t i = 0; i < sizeof operators / sizeof *operators;) {
        int binds = operators[i].binds;
        if (binds < weakest || !take(r, operators[i].sign)) {
            i++;
            continue;
        }
        Value y = read_expression(r, binds + (binds < POWER));
        x = pairs(r, *operators[i].sign, &x, &y);
        i = 0;
    }
    return x;
}

bool expression(const char *text, const Names *names, Library *library, Value *result)
{
    Reader r = {.at = text, .names = names, .library = library};
    *result = read_expression(&r, 0);
    r.at += strspn(r.at, " \t\r");
    if (!r.failed && *r.at)
        wrong(&r, "the end");
    for (int i = 0; i < value_size(result) && !r.failed; i++)
        if (!isfinite(result->x[i]))
            return tensor_fail("'%.60s' is not finite", text);
    return !r.failed;
}
