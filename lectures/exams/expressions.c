/* expressions.c: arithmetic on small matrices. See exam.h.
 *
 *   expression = operand {sign operand}, with the signs == != < of the lowest precedence, then + -,
 *                then * /, then ^
 *   operand    = [-] (number | name | name(expression, ...) | (expression)
 *                     | [expression, ...; ...]) {[expression] | [expression, expression]} */
#define GRADUS_INSIDE /* an error names the file of the questions, not this one */
#include "lectures/exams/exam.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct {
    const char *at;
    const Names *names;
    int *calls; /* of the library; NULL: arithmetic alone */
} Reader;

static Value read_level(Reader *r, int level);

/* Ends the reading with this error, unless there is one before it. */
static Value wrong(Reader *r, const char *expected)
{
    tensor_fail("found '%.40s'; expected %s", *r->at ? r->at : "the end", expected);
    r->at = "";
    return (Value){1, 1, {0}};
}

static char next(Reader *r)
{
    r->at += strspn(r->at, " ");
    return *r->at;
}

static bool take(Reader *r, char sign)
{
    bool yes = next(r) == sign;
    r->at += yes;
    return yes;
}

const Named *names_find(const Names *names, const char *name)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->list[i].name, name) == 0)
            return &names->list[i];
    return NULL;
}

static Value matrix(Reader *r)
{
    Value y = {.rows = 1};
    int n = 0;
    for (;;) {
        Value one = read_level(r, 0);
        if (value_size(&one) != 1 || n == VALUE_MOST)
            return wrong(r, "a number, at most 256 in a matrix");
        y.x[n++] = one.x[0];
        if (take(r, ','))
            continue;
        if (y.rows == 1)
            y.columns = n;
        if (n != value_size(&y))
            return wrong(r, "as many numbers in each row");
        if (!take(r, ';'))
            break;
        y.rows++;
    }
    return take(r, ']') ? y : wrong(r, "]");
}

static Value call(Reader *r, const char *name)
{
    static const struct {
        const char *name;
        double (*of)(double x);
    } arithmetic[] = {{"sqrt", sqrt}, {"ln", log},  {"floor", floor},
                      {"abs", fabs},  {"cos", cos}, {"asin", asin}};
    Value x[ARGUMENTS_MOST], y;
    int n = 0;
    do {
        if (n == ARGUMENTS_MOST)
            return wrong(r, "at most 4 arguments");
        x[n++] = read_level(r, 0);
    } while (take(r, ','));
    if (!take(r, ')'))
        return wrong(r, ")");
    for (size_t f = 0; f < sizeof arithmetic / sizeof *arithmetic; f++)
        if (n == 1 && strcmp(name, arithmetic[f].name) == 0) {
            for (int i = 0; i < value_size(x); i++)
                x->x[i] = arithmetic[f].of(x->x[i]);
            return *x;
        }
    if (!r->calls)
        tensor_fail("found %s(...); expected a function of arithmetic", name);
    if (tensor_failed() || !library_call(name, x, n, &y))
        return wrong(r, "");
    ++*r->calls;
    return y;
}

static Value primary(Reader *r)
{
    if (take(r, '['))
        return matrix(r);
    if (take(r, '(')) {
        Value y = read_level(r, 0);
        return take(r, ')') ? y : wrong(r, ")");
    }
    char name[NAME_BYTES] = "";
    int read = 0;
    if (isdigit((unsigned char)*r->at)) {
        Value y = {1, 1, {0}};
        sscanf(r->at, "%lf%n", y.x, &read);
        r->at += read;
        return y;
    }
    sscanf(r->at, NAME_FORMAT "%n", name, &read);
    const Named *found = names_find(r->names, name);
    if (read == 0 || (!found && r->at[read] != '('))
        return wrong(r, "a number, (, [, or a name that was drawn or computed before");
    r->at += read;
    return take(r, '(') ? call(r, name) : found->value;
}

/* x[i, j], or x[i]: the elements in their order, row by row. */
static Value element(Reader *r, const Value *x)
{
    double i = read_level(r, 0).x[0];
    if (take(r, ','))
        i = (i - 1) * x->columns + read_level(r, 0).x[0];
    if (!take(r, ']') || !(i >= 1 && i <= value_size(x)))
        return wrong(r, "an index within the matrix before it, and ]");
    return (Value){1, 1, {x->x[(int)i - 1]}};
}

static double apply(char sign, double a, double b)
{
    return sign == '+'   ? a + b
           : sign == '-' ? a - b
           : sign == '*' ? a * b
           : sign == '/' ? a / b
           : sign == '^' ? pow(a, b)
           : sign == '<' ? a < b
                         : (fabs(a - b) < 1e-9) == (sign == '='); /* == and != */
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

enum { POWER = 3, OPERAND }; /* levels; those before them have the signs that bind less */

static Value operand(Reader *r)
{
    if (take(r, '-')) {
        Value x = read_level(r, POWER);
        return pairs(r, '-', &(Value){1, 1, {0}}, &x);
    }
    Value x = primary(r);
    while (take(r, '['))
        x = element(r, &x);
    return x;
}

static Value read_level(Reader *r, int level)
{
    static const char *const signs[] = {"=!<", "+-", "*/", [POWER] = "^"};
    if (level == OPERAND)
        return operand(r);
    Value x = read_level(r, level + 1);
    while (next(r) && strchr(signs[level], *r->at)) {
        char sign = *r->at++;
        if (strchr("=!", sign) && !take(r, '='))
            return wrong(r, "=");
        Value y = read_level(r, level + (level < POWER));
        x = pairs(r, sign, &x, &y);
    }
    return x;
}

bool expression(const char *text, const Names *names, int *calls, Value *result)
{
    Reader r = {text, names, calls};
    *result = read_level(&r, 0);
    if (next(&r))
        wrong(&r, "the end");
    for (int i = 0; i < value_size(result); i++)
        if (!isfinite(result->x[i]))
            tensor_fail("'%.60s' is not finite", text);
    return !tensor_failed();
}
