/* equations.c: see equations.h. */
#include "tests/lectures/equations.h"

#include "lectures/exams/exam.h"
#include "tests/harness/runner.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static char last_of(const char *text, size_t n)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return n > 0 ? text[n - 1] : 0;
}

/* A side of an equation as an expression: \cdot as *, \frac{a}{b} as ((a)/(b)), 2 \ln 3 as 2*ln 3.
 * False where it has letters, or what is no arithmetic. */
static bool arithmetic_of(const char *side, size_t bytes, char *y, size_t size)
{
    static const char *const words[][2] = {
        {"\\cdot", "*"}, {"\\frac", ""}, {"\\sqrt", "sqrt"}, {"\\ln ", "ln "}, {"}{", ")/("}};
    size_t n = 0, i = 0;
    int depth = 0;
    while (i < bytes && n + 16 < size) {
        size_t w = 0, words_count = sizeof words / sizeof *words;
        while (w < words_count && strncmp(side + i, words[w][0], strlen(words[w][0])) != 0)
            w++;
        char last = last_of(y, n), c = side[i];
        bool value = isdigit((unsigned char)last) || last == ')';
        bool opens = c == '(' || (w < words_count && w >= 1 && w <= 3);
        if (opens && value)
            y[n++] = '*';
        if (w < words_count) {
            n += (size_t)snprintf(y + n, size - n, "%s", words[w][1]);
            i += strlen(words[w][0]);
            if (w == 3) { /* the logarithm of what stands before the next sign */
                size_t k = strspn(side + i, "0123456789.");
                if (k == 0 && strncmp(side + i, "\\frac", 5) != 0)
                    return false;
                n -= 1;
                if (k)
                    n += (size_t)snprintf(y + n, size - n, "(%.*s)", (int)k, side + i);
                i += k;
            }
            if (w == 1) { /* its two groups as one operand */
                n += (size_t)snprintf(y + n, size - n, "(");
                depth++;
            }
            continue;
        }
        if (isalpha((unsigned char)c) || c == '\\' || c == '|' || c == '&')
            return false;
        y[n++] = c == '{' ? '(' : c == '}' ? ')' : c;
        if (c == '}' && depth > 0) {
            y[n++] = ')';
            depth--;
        }
        i++;
    }
    y[n] = 0;
    return n > 0 && last_of(y, n) != 0 && i == bytes;
}

int check_equations(const char *kind, const char *text)
{
    int count = 0;
    for (const char *at = strstr(text, "$`"); at; at = strstr(at, "$`")) {
        const char *end = strstr(at += 2, "`$"), *from = at;
        double last = (double)NAN;
        while (from && from < end) {
            char y[512];
            size_t n = 0;
            Value v;
            while (from + n < end && from[n] != '=' && strncmp(from + n, "\\approx", 7) != 0)
                n++;
            bool known = arithmetic_of(from, n, y, sizeof y) &&
                         expression(y, &(Names){0}, NULL, &v) && value_size(&v) == 1;
            tensor_clear_error();
            double x = known ? v.x[0] : (double)NAN;
            /* printed to four digits, of which several may be in one sum */
            if (!isnan(x) && !isnan(last)) {
                CHECK(fabs(x - last) <= 2e-3 * fmax(1, fabs(x)), "%s: %.7g and %.7g in %.*s", kind,
                      last, x, (int)(end - at), at);
                count++;
            }
            last = x;
            from += n + (from + n < end && from[n] == '\\' ? 7 : 1);
        }
        at = end ? end + 2 : NULL;
        if (!at)
            break;
    }
    return count;
}
