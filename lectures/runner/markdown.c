/* markdown.c: see markdown.h. Blocks are read line by line, and the text within a block character
 * by character. */
#define _GNU_SOURCE
#include "lectures/runner/markdown.h"

#include "lectures/runner/mathml.h"
#include "lectures/runner/text_stream.h"

#include "gradus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    FILE *out;
    const char *at; /* the line that is read next; "" at the end */
    const MarkdownPage *page;
    char *caption; /* of the code that follows, or NULL */
    int row;       /* whose questions follow; 0: none   */
    bool ok;
} Reader;

/* ---- within a line --------------------------------------------------------------------------- */

static void spans(Reader *r, const char *text, size_t n);

/* The position of `mark` in text from i on, outside of `code` and \escapes; n if there is none. */
static size_t find_mark(const char *text, size_t i, size_t n, const char *mark)
{
    size_t length = strlen(mark);
    bool code = false;
    for (; i + length <= n; i++) {
        if (text[i] == '\\' && !code)
            i++;
        else if (text[i] == '`')
            code = !code;
        else if (!code && strncmp(text + i, mark, length) == 0 && text[i - 1] != ' ')
            return i;
    }
    return n;
}

static void wrapped(Reader *r, const char *tag, const char *text, size_t n)
{
    fprintf(r->out, "<%s>", tag);
    spans(r, text, n);
    fprintf(r->out, "</%s>", tag);
}

/* The end of the link or picture whose [ is at text[i]; 0 if it is none. [*middle] is its "](" . */
static size_t link_end(const char *text, size_t i, size_t n, size_t *middle)
{
    int depth = 0;
    for (size_t k = i; k < n; k++) {
        depth += text[k] == '[';
        depth -= text[k] == ']';
        if (depth == 0) {
            const char *close =
                k + 1 < n && text[k + 1] == '(' ? memchr(text + k, ')', n - k) : NULL;
            *middle = k;
            return close ? (size_t)(close - text) + 1 : 0;
        }
    }
    return 0;
}

static void link_span(Reader *r, const char *text, size_t n, const char *address, size_t bytes)
{
    char *copy = text_copy(address, bytes);
    fputs("<a href=\"", r->out);
    if (copy)
        r->page->link(r->page->page, r->out, copy);
    fputs("\">", r->out);
    spans(r, text, n);
    fputs("</a>", r->out);
    free(copy);
}

static void picture_span(Reader *r, const char *text, size_t n, const char *address, size_t bytes)
{
    char *source = text_copy(address, bytes), *alternative = text_copy(text, n);
    r->ok = source && alternative && r->page->picture(r->page->page, r->out, source, alternative) &&
            r->ok;
    free(source);
    free(alternative);
}

/* What begins at text[i]: its length, or 0 if it is a character like others. */
static size_t span(Reader *r, const char *text, size_t i, size_t n)
{
    size_t end, middle;
    bool picture = text[i] == '!' && i + 1 < n && text[i + 1] == '[';
    if (text[i] == '\\' && i + 1 < n && ispunct((unsigned char)text[i + 1])) {
        html_escape(r->out, text + i + 1, 1);
        return 2;
    }
    if (strncmp(text + i, "$`", 2) == 0) {
        for (end = i + 2; end + 2 <= n && strncmp(text + end, "`$", 2) != 0;)
            end++;
        if (end + 2 <= n) {
            r->ok = mathml_write(r->out, text + i + 2, end - i - 2, false) && r->ok;
            return end + 2 - i;
        }
    }
    if (text[i] == '`' && (end = i + 1 + strcspn(text + i + 1, "`")) < n) {
        fputs("<code>", r->out);
        html_escape(r->out, text + i + 1, end - i - 1);
        fputs("</code>", r->out);
        return end + 1 - i;
    }
    if ((text[i] == '[' || picture) && (end = link_end(text, i + picture, n, &middle))) {
        size_t from = i + 1 + picture;
        (picture ? picture_span : link_span)(r, text + from, middle - from, text + middle + 2,
                                             end - middle - 3);
        return end - i;
    }
    for (int stars = 2; text[i] == '*' && stars > 0; stars--) {
        const char *mark = stars == 2 ? "**" : "*";
        size_t from = i + (size_t)stars;
        if (strncmp(text + i, mark, (size_t)stars) == 0 && from < n && text[from] != ' ' &&
            (end = find_mark(text, from + 1, n, mark)) < n) {
            wrapped(r, stars == 2 ? "strong" : "em", text + from, end - from);
            return end + (size_t)stars - i;
        }
    }
    return 0;
}

static void spans(Reader *r, const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t taken = span(r, text, i, n);
        if (taken == 0)
            html_escape(r->out, text + i, 1);
        i += taken ? taken : 1;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t length(const char *line)
{
    return strcspn(line, "\n");
}

static const char *next(const char *line)
{
    line += length(line);
    return line + (*line == '\n');
}

static bool blank(const char *line)
{
    return line[strspn(line, " \t")] == '\n' || line[strspn(line, " \t")] == 0;
}

/* The length of "1. " or "- " at the beginning of a line; 0 if there is none. */
static size_t bullet(const char *line)
{
    size_t digits = strspn(line, "0123456789");
    if (digits > 0 && strncmp(line + digits, ". ", 2) == 0)
        return digits + 2;
    return strncmp(line, "- ", 2) == 0 ? 2 : 0;
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Does a paragraph end before this line? */
static bool interrupts(const char *line)
{
    return blank(line) || begins(line, "```") || begins(line, "> ") || begins(line, "#") ||
           begins(line, "<!--") || begins(line, "|") || bullet(line);
}

/* The lines of a paragraph from r->at on, joined by spaces; to be freed. */
static char *joined(Reader *r, size_t skip)
{
    TextStream whole;
    size_t bytes = 0;
    FILE *all = text_open(&whole);
    if (!all)
        return NULL;
    do {
        fprintf(all, "%.*s ", (int)(length(r->at) - skip), r->at + skip);
        r->at = next(r->at);
        skip = strspn(r->at, " ");
    } while (*r->at && !interrupts(r->at));
    char *text = text_close(&whole, &bytes);
    while (text && bytes > 0 && text[bytes - 1] == ' ')
        text[--bytes] = 0;
    return text;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void blocks(Reader *r);

static void text_block(Reader *r, const char *tag, size_t skip)
{
    char *text = joined(r, skip);
    if (text && text[0] == '!' && strchr(text, ')') == text + strlen(text) - 1)
        spans(r, text, strlen(text)); /* a picture alone is no paragraph */
    else if (text)
        wrapped(r, tag, text, strlen(text));
    fputc('\n', r->out);
    r->ok = r->ok && text;
    free(text);
}

/* GitHub's anchor: small letters, digits and hyphens for spaces. */
static void heading(Reader *r)
{
    size_t level = strspn(r->at, "#"), n = length(r->at);
    fprintf(r->out, "<h%zu id=\"", level);
    for (size_t i = level + 1; i < n; i++) {
        unsigned char c = (unsigned char)r->at[i];
        if (isalnum(c) || c >= 0x80 || c == '-' || c == '_')
            fputc(tolower(c), r->out);
        else if (c == ' ')
            fputc('-', r->out);
    }
    fputs("\">", r->out);
    spans(r, r->at + level + 1, n - level - 1);
    fprintf(r->out, "</h%zu>\n", level);
    r->at = next(r->at);
}

static void list(Reader *r)
{
    bool numbers = *r->at != '-';
    fputs(numbers ? "<ol>\n" : "<ul>\n", r->out);
    while (bullet(r->at) && (*r->at != '-') == numbers)
        text_block(r, "li", bullet(r->at));
    fputs(numbers ? "</ol>\n" : "</ul>\n", r->out);
}

/* The lines of a quote, without their marks, are blocks again. */
static void quote(Reader *r)
{
    TextStream whole;
    FILE *all = text_open(&whole);
    for (; all && *r->at == '>'; r->at = next(r->at)) {
        size_t skip = 1 + (r->at[1] == ' ');
        fprintf(all, "%.*s\n", (int)(length(r->at) - skip), r->at + skip);
    }
    char *text = text_close(&whole, NULL);
    r->ok = text && r->ok;
    Reader inner = {.out = r->out, .at = text ? text : "", .page = r->page, .ok = r->ok};
    fputs("<blockquote>\n", r->out);
    blocks(&inner);
    fputs("</blockquote>\n", r->out);
    if (r->row && r->page->answers)
        r->page->answers(r->page->page, r->out, r->row);
    r->row = 0;
    r->ok = inner.ok;
    free(text);
}

/* Code up to the closing fence; of the language "math", a formula. */
static void fence(Reader *r)
{
    const char *from = next(r->at), *to = from;
    bool math = begins(r->at, "```math");
    while (*to && !begins(to, "```"))
        to = next(to);
    r->at = next(to);
    if (math) {
        fputs("<div class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"formula\">",
              r->out);
        r->ok = r->ok && mathml_write(r->out, from, (size_t)(to - from), true);
        fputs("</div>\n", r->out);
        return;
    }
    fputs("<figure class=\"code\">", r->out);
    if (r->caption) {
        size_t n = strcspn(r->caption, " ");
        fputs("<figcaption>", r->out);
        link_span(r, r->caption, n, r->caption, n);
        html_escape(r->out, r->caption + n, strlen(r->caption + n));
        fputs("</figcaption>", r->out);
    }
    fputs("<pre tabindex=\"0\"><code>", r->out);
    html_escape(r->out, from, (size_t)(to - from));
    fputs("</code></pre></figure>\n", r->out);
    free(r->caption);
    r->caption = NULL;
}

static void indented(Reader *r)
{
    fputs("<pre tabindex=\"0\"><code>", r->out);
    for (; begins(r->at, "    "); r->at = next(r->at)) {
        html_escape(r->out, r->at + 4, length(r->at) - 4);
        fputc('\n', r->out);
    }
    fputs("</code></pre>\n", r->out);
}

/* <!-- code: FILE FUNCTION --> is kept for the code that follows, <!-- questions: ROW --> for the
 * quote. */
static void comment(Reader *r)
{
    const char *end = strstr(r->at, "-->"), *from = r->at + strlen("<!-- code: ");
    if (end && begins(r->at, "<!-- code: ")) {
        free(r->caption);
        r->caption = text_copy(from, (size_t)(end - from) - (end[-1] == ' '));
    }
    sscanf(r->at, "<!-- questions: %d", &r->row);
    r->at = next(end ? end : r->at);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The cells of a line; `|` within one is written \|, also in code. */
static void table_row(Reader *r, const char *tag, const char *line, const char *rule)
{
    char cell[4096];
    fputs("<tr>", r->out);
    for (line++; *line && *line != '\n';) {
        size_t n = 0;
        for (; *line && *line != '\n' && *line != '|'; line++) {
            line += *line == '\\' && line[1] == '|';
            if (n < sizeof cell - 1)
                cell[n++] = *line;
        }
        line += *line == '|';
        size_t skip = 0, rule_length = strcspn(rule, "|\n");
        while (n > 0 && cell[n - 1] == ' ')
            n--;
        while (skip < n && cell[skip] == ' ')
            skip++;
        bool right = rule_length > 0 && rule[rule_length - 1] == ':';
        fprintf(r->out, right ? "<%s class=\"right\">" : "<%s>", tag);
        cell[n] = 0;
        spans(r, cell + skip, n - skip);
        fprintf(r->out, "</%s>", tag);
        rule += rule_length + (rule[rule_length] == '|');
    }
    fputs("</tr>\n", r->out);
}

/* A head without text, as above two pictures side by side, is left out. */
static void table(Reader *r)
{
    const char *head = r->at, *rule = next(head);
    bool empty = strspn(head, "| ") == length(head);
    if (!begins(rule, "|") || strspn(rule, "|-: ") != length(rule)) {
        text_block(r, "p", 0);
        return;
    }
    fprintf(r->out,
            "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table%s>\n",
            empty ? " class=\"pictures\"" : "");
    if (!empty) {
        fputs("<thead>", r->out);
        table_row(r, "th", head, rule + 1);
        fputs("</thead>", r->out);
    }
    fputs("<tbody>", r->out);
    for (r->at = next(rule); begins(r->at, "|"); r->at = next(r->at))
        table_row(r, "td", r->at, rule + 1);
    fputs("</tbody></table></div>\n", r->out);
}

static void blocks(Reader *r)
{
    while (*r->at && r->ok) {
        if (blank(r->at))
            r->at = next(r->at);
        else if (begins(r->at, "```"))
            fence(r);
        else if (begins(r->at, "    "))
            indented(r);
        else if (begins(r->at, "<!--"))
            comment(r);
        else if (begins(r->at, "#") && r->at[strspn(r->at, "#")] == ' ')
            heading(r);
        else if (*r->at == '>')
            quote(r);
        else if (*r->at == '|')
            table(r);
        else if (bullet(r->at))
            list(r);
        else
            text_block(r, "p", 0);
    }
}

bool markdown_write(FILE *out, const char *text, const MarkdownPage *page)
{
    Reader r = {.out = out, .at = text, .page = page, .ok = true};
    blocks(&r);
    free(r.caption);
    return r.ok || tensor_fail("markdown_write: found no memory; expected some");
}
