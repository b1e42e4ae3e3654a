/* mathml_arguments.c: the commands of LaTeX that have arguments. See mathml_reader.h. */
#include "lectures/runner/mathml_reader.h"

#include <stdio.h>
#include <string.h>

/* ---- letters --------------------------------------------------------------------------------- */

/* A letter number `code` of Unicode, as UTF-8. */
static void put_code(MathReader *r, unsigned code)
{
    char text[16];
    snprintf(text, sizeof text, "&#x%x;", code);
    math_put(r, text);
}

/* The bytes within the braces that follow, as they stand. */
static size_t plain_argument(MathReader *r, const char **text)
{
    math_expect(r, "{");
    *text = r->at;
    while (r->at < r->end && *r->at != '}')
        r->at++;
    size_t n = (size_t)(r->at - *text);
    math_expect(r, "}");
    return n;
}

/* Spaces at the ends of a text are part of it. */
static void words(MathReader *r)
{
    const char *word;
    size_t n = plain_argument(r, &word);
    math_put(r, "<mtext>");
    for (size_t i = 0; i < n; i++)
        if (word[i] == '\\' && i + 1 < n)
            math_put_escaped(r, word[++i]); /* \% is a per cent sign */
        else if (word[i] == ' ')
            math_put(r, "&#xa0;");
        else
            math_put_escaped(r, word[i]);
    math_put(r, "</mtext>");
}

/* A word in upright letters. A single letter would be slanted without the attribute. */
static void upright(MathReader *r)
{
    const char *word;
    size_t n = plain_argument(r, &word);
    math_put(r, n == 1 ? "<mi mathvariant=\"normal\">" : "<mi>");
    for (size_t i = 0; i < n; i++)
        math_put_escaped(r, word[i]);
    math_put(r, "</mi>");
}

/* Unicode has an alphabet of each kind, but for letters that it had before. */
static void alphabet(MathReader *r, unsigned first, const char *older, const unsigned *codes)
{
    const char *word;
    size_t n = plain_argument(r, &word);
    for (size_t i = 0; i < n; i++) {
        if (word[i] < 'A' || word[i] > 'Z') {
            math_fail(r, word + i, 1, "a capital letter");
            return;
        }
        const char *old = strchr(older, word[i]);
        math_put(r, "<mi mathvariant=\"normal\">");
        put_code(r, old ? codes[old - older] : first + (unsigned)(word[i] - 'A'));
        math_put(r, "</mi>");
    }
}

static void fraction(MathReader *r)
{
    math_put(r, "<mfrac>");
    math_argument(r);
    math_argument(r);
    math_put(r, "</mfrac>");
}

static void root(MathReader *r)
{
    math_put(r, "<msqrt>");
    math_argument(r);
    math_put(r, "</msqrt>");
}

static void brace_below(MathReader *r)
{
    math_put(r, "<munder><munder>");
    math_argument(r);
    math_put(r, "<mo stretchy=\"true\">&#x23df;</mo></munder>");
    math_skip_spaces(r);
    if (math_take(r, "_"))
        math_argument(r);
    else
        math_put(r, "<mrow></mrow>");
    math_put(r, "</munder>");
}

/* The delimiter after \left, \right or \big. "." is none. */
void math_delimiter(MathReader *r, const char *attributes)
{
    static const struct {
        const char *latex, *sign;
    } known[] = {{"(", "("},        {")", ")"},        {"[", "["},   {"]", "]"},
                 {"\\{", "{"},      {"\\}", "}"},      {"\\|", "‖"}, {"|", "|"},
                 {"\\langle", "⟨"}, {"\\rangle", "⟩"}, {".", ""}};
    math_skip_spaces(r);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (math_take(r, known[i].latex)) {
            math_put(r, "<mo ");
            math_put(r, attributes);
            math_put(r, ">");
            math_put(r, known[i].sign);
            math_put(r, "</mo>");
            return;
        }
    math_fail(r, r->at < r->end ? r->at : "the end", r->at < r->end ? 1 : 7, "a delimiter");
}

static void delimited(MathReader *r)
{
    math_put(r, "<mrow>");
    math_delimiter(r, "fence=\"true\" form=\"prefix\" stretchy=\"true\"");
    math_row(r);
    math_expect(r, "\\right");
    math_delimiter(r, "fence=\"true\" form=\"postfix\" stretchy=\"true\"");
    math_put(r, "</mrow>");
}

static void environment(MathReader *r)
{
    static const struct {
        const char *name, *begin, *end;
    } known[] = {{"bmatrix", "<mo>[</mo><mtable>", "</mtable><mo>]</mo>"},
                 {"pmatrix", "<mo>(</mo><mtable>", "</mtable><mo>)</mo>"},
                 {"cases", "<mo>{</mo><mtable class=\"cases\">", "</mtable>"},
                 {"aligned", "<mtable class=\"aligned\" displaystyle=\"true\">", "</mtable>"}};
    const char *name, *closing;
    size_t n = plain_argument(r, &name), k = 0, all = sizeof known / sizeof *known;
    while (k < all && (strlen(known[k].name) != n || strncmp(known[k].name, name, n) != 0))
        k++;
    if (k == all) {
        math_fail(r, name, n, "bmatrix, pmatrix, cases or aligned");
        return;
    }
    math_put(r, "<mrow>");
    math_put(r, known[k].begin);
    math_put(r, "<mtr><mtd>");
    for (math_row(r); !r->failed && !math_take(r, "\\end"); math_row(r)) {
        if (math_take(r, "&"))
            math_put(r, "</mtd><mtd>");
        else {
            math_expect(r, "\\\\");
            math_put(r, "</mtd></mtr><mtr><mtd>");
        }
    }
    size_t closed = plain_argument(r, &closing);
    if (closed != n || strncmp(closing, name, n) != 0)
        math_fail(r, closing, closed, "the end of the environment that is open");
    math_put(r, "</mtd></mtr>");
    math_put(r, known[k].end);
    math_put(r, "</mrow>");
}

/* ---- which command --------------------------------------------------------------------------- */

bool math_command_with_arguments(MathReader *r, const char *name, size_t n)
{
    static const unsigned double_struck[] = {0x2102, 0x210d, 0x2115, 0x2119,
                                             0x211a, 0x211d, 0x2124};
    static const unsigned script[] = {0x212c, 0x2130, 0x2131, 0x210b,
                                      0x2110, 0x2112, 0x2133, 0x211b};
    static const struct {
        const char *name;
        void (*read)(MathReader *r);
    } longer[] = {{"text", words},     {"mathrm", upright},    {"operatorname", upright},
                  {"frac", fraction},  {"tfrac", fraction},    {"sqrt", root},
                  {"left", delimited}, {"begin", environment}, {"underbrace", brace_below}};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (strlen(longer[i].name) == n && strncmp(longer[i].name, name, n) == 0) {
            longer[i].read(r);
            return true;
        }
    if (n == 6 && strncmp(name, "mathbb", n) == 0)
        alphabet(r, 0x1d538, "CHNPQRZ", double_struck);
    else if (n == 7 && strncmp(name, "mathcal", n) == 0)
        alphabet(r, 0x1d49c, "BEFHILMR", script);
    else
        return false;
    return true;
}
