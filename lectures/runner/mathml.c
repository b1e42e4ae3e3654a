/* mathml.c: from LaTeX to MathML. See mathml.h and, for how it is read, mathml_reader.h. */
#include "lectures/runner/mathml.h"

#include "lectures/runner/mathml_reader.h"

#include "gradus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the text that grows --------------------------------------------------------------------- */

bool math_fail(MathReader *r, const char *found, size_t bytes, const char *expected)
{
    if (!r->failed)
        tensor_fail("mathml_write: found '%.*s'; expected %s", (int)(bytes < 40 ? bytes : 40),
                    found, expected);
    r->failed = true;
    r->at = r->end;
    return false;
}

void math_insert(MathReader *r, size_t at, const char *text, size_t bytes)
{
    MathText *t = &r->out;
    if (t->count + bytes > t->capacity) {
        size_t capacity = 2 * (t->count + bytes);
        char *larger = realloc(t->text, capacity);
        if (!larger) {
            math_fail(r, "no memory", 9, "some");
            return;
        }
        t->text = larger;
        t->capacity = capacity;
    }
    memmove(t->text + at + bytes, t->text + at, t->count - at);
    memcpy(t->text + at, text, bytes);
    t->count += bytes;
}

void math_put(MathReader *r, const char *text)
{
    math_insert(r, r->out.count, text, strlen(text));
}

void math_put_escaped(MathReader *r, char c)
{
    const char one[] = {c, 0};
    math_put(r, c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : one);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void atom(MathReader *r, bool single);

void math_skip_spaces(MathReader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

bool math_take(MathReader *r, const char *text)
{
    size_t n = strlen(text);
    bool yes = (size_t)(r->end - r->at) >= n && strncmp(r->at, text, n) == 0;
    /* \right is not the beginning of \rightarrow */
    if (yes && n > 1 && isalpha((unsigned char)text[n - 1]) && r->at + n < r->end &&
        isalpha((unsigned char)r->at[n]))
        yes = false;
    if (yes)
        r->at += n;
    return yes;
}

void math_expect(MathReader *r, const char *text)
{
    math_skip_spaces(r);
    if (!r->failed && !math_take(r, text))
        math_fail(r, r->at < r->end ? r->at : "the end",
                  r->at < r->end ? (size_t)(r->end - r->at) : 7, text);
}

/* The name of the command at a backslash: letters, or one other character. */
static size_t command_length(const MathReader *r)
{
    size_t n = 1;
    while (r->at + 1 + n - 1 < r->end && isalpha((unsigned char)r->at[n]))
        n++;
    return n > 1 ? n - 1 : r->at + 1 < r->end;
}

static bool row_ends(const MathReader *r)
{
    MathReader look = *r;
    return r->at == r->end || *r->at == '}' || *r->at == '&' || math_take(&look, "\\\\") ||
           math_take(&look, "\\right") || math_take(&look, "\\end");
}

void math_argument(MathReader *r)
{
    math_skip_spaces(r);
    if (row_ends(r))
        math_fail(r, "no argument", 11, "one");
    else
        atom(r, true);
}

/* ---- commands -------------------------------------------------------------------------------- */

static void element(MathReader *r, const char *tag, const char *attributes, const char *content)
{
    const char *parts[] = {"<", tag, attributes, ">", content, "</", tag, ">"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        math_put(r, parts[i]);
}

/* A function's argument follows after a thin space, unless it stands in parentheses or the function
 * has a script. */
static void function_space(MathReader *r)
{
    math_skip_spaces(r);
    if (r->at < r->end && !strchr("([^_,;.)}", *r->at) && !row_ends(r) && *r->at != '&')
        math_put(r, "<mspace width=\"0.167em\"></mspace>");
}

/* Writes a command of the table. Are its scripts limits? */
static bool symbol(MathReader *r, MathKind kind, const char *sign)
{
    char width[64];
    switch (kind) {
    case LETTER:
        element(r, "mi", "", sign);
        break;
    case UPRIGHT:
        element(r, "mi", " mathvariant=\"normal\"", sign);
        break;
    case SIGN:
        element(r, "mo", " stretchy=\"false\"", sign);
        break;
    case LARGE:
    case INTEGRAL:
        element(r, "mo", " largeop=\"true\"", sign);
        break;
    case FUNCTION:
    case LIMIT:
        element(r, "mi", "", sign);
        break;
    case SPACE:
        snprintf(width, sizeof width, "<mspace width=\"%s\"></mspace>", sign);
        math_put(r, width);
        break;
    case ACCENT:
        math_put(r, "<mover accent=\"true\">");
        math_argument(r);
        element(r, "mo", " stretchy=\"false\"", sign);
        math_put(r, "</mover>");
        break;
    case SIZE:
        snprintf(width, sizeof width, "stretchy=\"true\" minsize=\"%s\" maxsize=\"%s\"", sign,
                 sign);
        math_delimiter(r, width);
    }
    return kind == LARGE || kind == LIMIT;
}

/* The command at the backslash. Are its scripts limits? *function: it is one whose argument
 * follows. */
static bool command(MathReader *r, bool *function)
{
    const char *name = r->at + 1;
    size_t n = command_length(r);
    const MathCommand *found = mathml_command(name, n);
    if (found) {
        r->at = name + n;
        *function = found->kind == FUNCTION || found->kind == LIMIT;
        return symbol(r, found->kind, found->text);
    }
    r->at = name + n;
    if (!math_command_with_arguments(r, name, n))
        math_fail(r, name - 1, n + 1, "a command of mathml_arguments.c or mathml_commands.c");
    return false;
}

/* ---- atoms and rows -------------------------------------------------------------------------- */

/* Has a minus nothing before it that it could be subtracted from? A browser knows by itself only at
 * the beginning of a row; after another operator, as in a = -2 and (-2), it has to be told. */
static bool is_unary(const MathReader *r)
{
    static const char *const operands[] = {")", "]", "|", "!", "}", "‖", "⟩", "⌋", "⌉"};
    const char *end = r->out.text + r->out.count;
    size_t close = strlen("</mo>");
    if (r->out.count < close || memcmp(end - close, "</mo>", close) != 0)
        return false;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        size_t n = strlen(operands[i]);
        if (memcmp(end - close - n, operands[i], n) == 0) /* <mo> is longer */
            return false;
    }
    return true;
}

/* A sign that is no command. The bars of an absolute value open and close. */
static void sign(MathReader *r, char c)
{
    if (c == '|') {
        math_put(r, r->open_bar ? "<mo fence=\"true\" form=\"postfix\" stretchy=\"false\">"
                                : "<mo fence=\"true\" form=\"prefix\" stretchy=\"false\">");
        r->open_bar = !r->open_bar;
    } else {
        math_put(r, strchr("()[]", c)         ? "<mo stretchy=\"false\">"
                    : c == '-' && is_unary(r) ? "<mo form=\"prefix\">"
                                              : "<mo>");
    }
    if (c == '-')
        math_put(r, "&#x2212;");
    else
        math_put_escaped(r, c);
    math_put(r, "</mo>");
}

static void number(MathReader *r, bool single)
{
    math_put(r, "<mn>");
    do
        math_put_escaped(r, *r->at++);
    while (!single && r->at < r->end &&
           (isdigit((unsigned char)*r->at) ||
            (*r->at == '.' && r->at + 1 < r->end && isdigit((unsigned char)r->at[1]))));
    math_put(r, "</mn>");
}

/* What stands before any scripts. Are these limits? */
static bool nucleus(MathReader *r, bool single, bool *function)
{
    unsigned char c = (unsigned char)*r->at;
    if (c == '\\')
        return command(r, function);
    if (c == '{') {
        r->at++;
        math_put(r, "<mrow>");
        math_row(r);
        math_expect(r, "}");
        math_put(r, "</mrow>");
    } else if (isdigit(c)) {
        number(r, single);
    } else if (isalpha(c)) {
        const char letter[] = {*r->at++, 0};
        element(r, "mi", "", letter);
    } else if (c < 0x80) {
        sign(r, *r->at++);
    } else {
        math_fail(r, r->at, 1, "ASCII outside of \\text");
    }
    return false;
}

/* Reads the scripts of the atom that begins at `begin` of the output, in any order, and wraps
 * it. */
static void scripts(MathReader *r, size_t begin, bool limits)
{
    size_t middle = r->out.count;
    bool below = false, above = false;
    for (math_skip_spaces(r); r->at < r->end && strchr("^_'", *r->at); math_skip_spaces(r)) {
        char which = *r->at++;
        size_t end = r->out.count;
        if (which == '_' ? below : above) {
            math_fail(r, r->at - 1, 1, "one subscript and one superscript");
            return;
        }
        if (which == '\'')
            math_put(r, "<mo>&#x2032;</mo>");
        else
            math_argument(r);
        if (which == '_' && above && !r->failed) { /* MathML has the subscript first */
            size_t n = r->out.count - end;
            char *copy = malloc(n);
            if (!copy) {
                math_fail(r, "no memory", 9, "some");
                return;
            }
            memcpy(copy, r->out.text + end, n);
            r->out.count = end;
            math_insert(r, middle, copy, n);
            free(copy);
        }
        *(which == '_' ? &below : &above) = true;
    }
    if (!below && !above)
        return;
    const char *tag = limits ? (below && above ? "munderover"
                                : below        ? "munder"
                                               : "mover")
                             : (below && above ? "msubsup"
                                : below        ? "msub"
                                               : "msup");
    char opening[16], closing[16];
    math_insert(r, begin, opening, (size_t)snprintf(opening, sizeof opening, "<%s>", tag));
    math_insert(r, r->out.count, closing, (size_t)snprintf(closing, sizeof closing, "</%s>", tag));
}

/* single: an argument without braces, which has no scripts of its own. */
static void atom(MathReader *r, bool single)
{
    size_t begin = r->out.count;
    bool function = false, limits = nucleus(r, single, &function);
    if (!single && !r->failed)
        scripts(r, begin, limits);
    if (function && !single)
        function_space(r);
}

void math_row(MathReader *r)
{
    bool outer = r->open_bar;
    r->open_bar = false;
    for (math_skip_spaces(r); !row_ends(r); math_skip_spaces(r))
        atom(r, false);
    r->open_bar = outer;
}

/* ---- the formula ----------------------------------------------------------------------------- */

void html_escape(FILE *out, const char *string, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const char c = string[i];
        const char *name = c == '&'   ? "&amp;"
                           : c == '<' ? "&lt;"
                           : c == '>' ? "&gt;"
                           : c == '"' ? "&quot;"
                                      : NULL;
        if (name)
            fputs(name, out);
        else
            fputc(c, out);
    }
}

bool mathml_write(FILE *out, const char *latex, size_t bytes, bool display)
{
    MathReader r = {.at = latex, .end = latex + bytes};
    math_row(&r);
    if (!r.failed && r.at != r.end)
        math_fail(&r, r.at, (size_t)(r.end - r.at), "the end, for nothing is open");
    if (!r.failed) {
        fprintf(out, "<math display=\"%s\" alttext=\"", display ? "block" : "inline");
        html_escape(out, latex, bytes);
        fprintf(out, "\"><mrow>%.*s</mrow></math>", (int)r.out.count, r.out.text);
    }
    free(r.out.text);
    return !r.failed;
}
