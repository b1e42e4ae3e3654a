/* test_markdown.c: Markdown as HTML and LaTeX as MathML: single forms, and what is refused. The
 * chapters as a whole are compared in tests/browser/chapter.py, with README.md and with pandoc. */
#define _GNU_SOURCE
#include "lectures/runner/markdown.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/mathml.h"
#include "tests/harness/runner.h"

#include "gradus.h"

#include <stdlib.h>
#include <string.h>

static void put_link(void *page, FILE *out, const char *address)
{
    (void)page;
    html_escape(out, address, strlen(address));
}

static bool put_picture(void *page, FILE *out, const char *address, const char *alternative)
{
    (void)page;
    fprintf(out, "[%s: %s]", address, alternative);
    return strcmp(address, "missing.png") != 0 || tensor_fail("picture: missing; expected one");
}

static void put_answers(void *page, FILE *out, int row)
{
    (void)page;
    fprintf(out, "[row %d]", row);
}

static const MarkdownPage page = {NULL, put_link, put_picture, put_answers};

/* The HTML of a text, until the next call; NULL after an error. */
static const char *html_of(const char *markdown)
{
    static char *html;
    TextStream s;
    free(html);
    bool ok = markdown_write(text_open(&s), markdown, &page);
    html = text_close(&s, NULL);
    return ok ? html : NULL;
}

static void check_html(const char *markdown, const char *expected)
{
    const char *html = html_of(markdown);
    CHECK(html && strcmp(html, expected) == 0, "%s became %s; expected %s", markdown,
          html ? html : tensor_error(), expected);
}

static void spans(void)
{
    check_html("a *b* **c** `d*e*` f_1 * g * h\n",
               "<p>a <em>b</em> <strong>c</strong> <code>d*e*</code> f_1 * g * h</p>\n");
    check_html("[a `b`](c.md#d) ![e f](g.png) \\<h\\>",
               "<p><a href=\"c.md#d\">a <code>b</code></a> [g.png: e f] &lt;h&gt;</p>\n");
    check_html("x[1] < y & \"z\" `<i>`",
               "<p>x[1] &lt; y &amp; &quot;z&quot; <code>&lt;i&gt;</code></p>\n");
    check_html("a $`x<1`$ b $`y` $2", "<p>a <math display=\"inline\" alttext=\"x&lt;1\"><mrow>"
                                      "<mi>x</mi><mo>&lt;</mo><mn>1</mn></mrow></math> b "
                                      "$<code>y</code> $2</p>\n");
    CHECK(!html_of("a $`\\unknown`$"), "a formula within a line is read as another one is");
    CHECK_ERROR("found '\\unknown'");
    check_html("*a b*: **c *d* e** and *a\nb*",
               "<p><em>a b</em>: <strong>c <em>d</em> e</strong> and <em>a b</em></p>\n");
}

static void blocks(void)
{
    check_html("# 4 A, b's\n\na\nb\n\n1. one\n   more\n2. two\n\n- x\n",
               "<h1 id=\"4-a-bs\">4 A, b's</h1>\n<p>a b</p>\n<ol>\n<li>one "
               "more</li>\n<li>two</li>\n</ol>\n<ul>\n<li>x</li>\n</ul>\n");
    check_html("> a\n>\n> b\n", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n");
    check_html("    a < b\n", "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>\n");
    check_html("![a](b.png)\n", "[b.png: a]\n");
    check_html(
        "<!-- questions: 7 -->\n> a\n\n> b\n",
        "<blockquote>\n<p>a</p>\n</blockquote>\n[row 7]<blockquote>\n<p>b</p>\n</blockquote>\n");
    check_html("<!-- code: a.c f -->\n```c\nx < y;\n```\n<!-- other -->\nz\n",
               "<figure class=\"code\"><figcaption><a href=\"a.c\">a.c</a> f</figcaption><pre "
               "tabindex=\"0\"><code>x &lt; y;\n"
               "</code></pre></figure>\n<p>z</p>\n");
}

static void tables(void)
{
    check_html("| a | b |\n|---|---:|\n| `x \\| y` | 1 |\n",
               "<div class=\"table\" tabindex=\"0\" role=\"group\" "
               "aria-label=\"table\"><table>\n<thead><tr><th>a</th><th class=\"right\">b"
               "</th></tr>\n</thead><tbody><tr><td><code>x | y</code></td><td "
               "class=\"right\">1</td></tr>\n</tbody></table></div>\n");
    check_html("| | |\n|---|---|\n| ![a](b) | c |\n",
               "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table "
               "class=\"pictures\">\n<tbody><tr><td>[b: a]</td>"
               "<td>c</td></tr>\n</tbody></table></div>\n");
}

/* What is not understood is an error, and nothing of the formula is written. */
static void errors(void)
{
    static const struct {
        const char *latex, *message;
    } wrong[] = {{"\\unknown x", "mathml_write: found '\\unknown'; expected a command of"},
                 {"{a", "mathml_write: found 'the end'; expected }"},
                 {"a}", "mathml_write: found '}'; expected the end, for nothing is open"},
                 {"\\frac{a}", "mathml_write: found 'no argument'; expected one"},
                 {"x_a_b", "mathml_write: found '_'; expected one subscript and one superscript"},
                 {"\\left( a", "mathml_write: found 'the end'; expected \\right"},
                 {"\\begin{array}a\\end{array}", "mathml_write: found 'array'; expected bmatrix"},
                 {"\\begin{cases}a\\end{bmatrix}",
                  "mathml_write: found 'bmatrix'; expected the end of"},
                 {"\\mathbb{e}", "mathml_write: found 'e'; expected a capital letter"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        TextStream s;
        FILE *out = text_open(&s);
        CHECK(!mathml_write(out, wrong[i].latex, strlen(wrong[i].latex), true), "%s",
              wrong[i].latex);
        size_t bytes = 1;
        char *text = text_close(&s, &bytes);
        CHECK(bytes == 0, "%s left %s", wrong[i].latex, text);
        CHECK_ERROR(wrong[i].message);
        free(text);
    }
    CHECK(!html_of("![a](missing.png)\n"), "a picture that is not there");
    CHECK_ERROR("picture: missing; expected one");
    CHECK(!html_of("```math\n\\unknown\n```\n"), "a formula that is not understood");
    CHECK_ERROR("mathml_write: found '\\unknown'");
}

/* Spacing and signs that the comparison with pandoc does not see. */
static void signs(void)
{
    static const struct {
        const char *latex, *part;
    } right[] = {{"a-b", "<mo>&#x2212;</mo>"},
                 {"(a)-b", "<mo>&#x2212;</mo>"},
                 {"a=-2", "<mo>=</mo><mo form=\"prefix\">&#x2212;</mo>"},
                 {"2 \\cdot (-1)", "(</mo><mo form=\"prefix\">&#x2212;</mo>"},
                 {"a \\approx -1", "<mo form=\"prefix\">&#x2212;</mo>"},
                 {"|a| |b|",
                  "<mo fence=\"true\" form=\"prefix\" stretchy=\"false\">|</mo><mi>b</mi><mo "
                  "fence=\"true\" form=\"postfix\""},
                 {"\\log x", "<mi>log</mi><mspace width=\"0.167em\"></mspace><mi>x</mi>"},
                 {"\\log(x)", "<mi>log</mi><mo stretchy=\"false\">(</mo>"},
                 {"\\mathrm{E}", "<mi mathvariant=\"normal\">E</mi>"},
                 {"\\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"},
                 {"12.5x", "<mn>12.5</mn><mi>x</mi>"},
                 {"x^{2}_1", "<msubsup><mi>x</mi><mn>1</mn><mrow><mn>2</mn></mrow></msubsup>"},
                 {"\\text{a < b}", "<mtext>a&#xa0;&lt;&#xa0;b</mtext>"}};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        TextStream s;
        FILE *out = text_open(&s);
        CHECK(mathml_write(out, right[i].latex, strlen(right[i].latex), true), "%s",
              tensor_error());
        char *text = text_close(&s, NULL);
        CHECK(strstr(text, right[i].part), "%s became %s", right[i].latex, text);
        free(text);
    }
}

static const TestCase cases[] = {{"spans", spans},   {"blocks", blocks}, {"tables", tables},
                                 {"errors", errors}, {"signs", signs},   {NULL, NULL}};

int main(int argc, char **argv)
{
    return run_tests("markdown", cases, argc, argv);
}
