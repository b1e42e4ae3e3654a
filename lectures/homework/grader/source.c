/* source.c: what a submission's text says before any compiler reads it.
 *
 * A compiler can be made to read any file (#include "/etc/passwd" shows it in an error message) and to
 * believe it is somewhere else (#line). So directives are looked at here, where no macro can have made
 * them: C does not expand macros into directives. */
#include "grader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 1 << 20 };

static const char *const headers[] = {
    "assert.h", "complex.h", "ctype.h",  "errno.h",  "float.h",   "inttypes.h", "iso646.h",
    "limits.h", "math.h",    "stdarg.h", "stdint.h", "stdbool.h", "stddef.h",   "stdio.h",
    "stdlib.h", "string.h",  "tgmath.h", "time.h",   "wchar.h",   "stdalign.h",
};

static const char *const pragmas[] = {
    "STDC",
    "once",
    "omp",
    "unroll",
    "clang",
    "GCC diagnostic",
    "GCC optimize",
    "GCC unroll",
    "GCC ivdep",
    "GCC push_options",
    "GCC pop_options",
};

/* ---- directives ---------------------------------------------------------------------------------- */

/* Reads on past a backslash at a line's end, which joins lines. */
static const char *joined(const char *p, int *line)
{
    while (p[0] == '\\' && p[1] == '\n') {
        p += 2;
        ++*line;
    }
    return p;
}

static const char *past_comment(const char *p, int *line)
{
    bool block = p[1] == '*';
    for (p += 2; *p; p++) {
        p = joined(p, line);
        if (!block && *p == '\n')
            return p;
        if (block && p[0] == '*' && *joined(p + 1, line) == '/')
            return joined(p + 1, line) + 1;
        if (!*p)
            break;
        *line += *p == '\n';
    }
    return p;
}

static bool is_comment(const char *p, int *line)
{
    if (*p != '/')
        return false;
    const char *second = joined(p + 1, line);
    return second == p + 1 && (*second == '/' || *second == '*');
}

static const char *past_quoted(const char *p, int *line)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n') {
        p = joined(p, line);
        if (*p == '\\' && p[1] && p[1] != '\n')
            p++;
        if (*p)
            p++;
    }
    return *p == quote ? p + 1 : p;
}

/* The directive after its '#', on one line, without comments. */
static const char *directive(const char *p, int *line, char *into, size_t size)
{
    size_t used = 0;
    while (*p && *p != '\n') {
        p = joined(p, line);
        if (!*p || *p == '\n')
            break;
        if (is_comment(p, line)) {
            p = past_comment(p, line);
            if (used + 1 < size)
                into[used++] = ' ';
            continue;
        }
        if (used + 1 < size)
            into[used++] = *p;
        p++;
    }
    into[used] = 0;
    return p;
}

static const char *past_blank(const char *p)
{
    return p + strspn(p, " \t\f\v");
}

static bool listed(const char *const *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(list[i], name, length) == 0)
            return true;
    return false;
}

static void check_include(Source *s, const Assignment *a, const char *what, int line)
{
    char own[40];
    snprintf(own, sizeof own, "%s.h", a->id);
    const char *name = what + 1;
    size_t length = strcspn(name, *what == '<' ? ">" : "\"");
    bool system = *what == '<' && listed(headers, sizeof headers / sizeof *headers, name, length);
    bool quoted_system =
        *what == '"' && listed(headers, sizeof headers / sizeof *headers, name, length);
    bool ours = *what == '"' && listed((const char *const[]){own}, 1, name, length);
    if (!system && !quoted_system && !ours)
        text_print(&s->refused,
                   "line %d: #include %.60s: only \"%s\" and the headers of the C standard can be "
                   "included (<math.h>, <string.h>, ...)\n",
                   line, what, own);
}

static void check_pragma(Source *s, const char *what, int line)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (strncmp(what, pragmas[i], strlen(pragmas[i])) == 0)
            return;
    text_print(&s->refused, "line %d: #pragma %.60s is not known here; leave it out\n", line, what);
}

static void check_directive(Source *s, const Assignment *a, const char *text, int line)
{
    const char *name = past_blank(text);
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    const char *rest = past_blank(name + length);
    static const char *const includes[] = {"include", "include_next", "import", "embed"};
    if (listed(includes, 4, name, length))
        check_include(s, a, rest, line);
    else if (listed((const char *const[]){"pragma"}, 1, name, length))
        check_pragma(s, rest, line);
    else if (isdigit((unsigned char)*name) ||
             listed((const char *const[]){"line"}, 1, name, length))
        text_print(&s->refused, "line %d: #line would hide where an error is; leave it out\n",
                   line);
}

static void check_directives(Source *s, const Assignment *a)
{
    char text[512];
    int line = 1;
    bool fresh = true; /* nothing but blanks on this line so far */
    for (const char *p = text_of(&s->text); *p;) {
        p = joined(p, &line);
        int here = line;
        if (is_comment(p, &line)) {
            p = past_comment(p, &line);
        } else if (fresh && (*p == '#' || (p[0] == '%' && p[1] == ':'))) {
            p = directive(p + (*p == '#' ? 1 : 2), &line, text, sizeof text);
            check_directive(s, a, text, here);
        } else if (*p == '"' || *p == '\'') {
            p = past_quoted(p, &line);
            fresh = false;
        } else if (*p) {
            fresh = *p == '\n' || (fresh && isspace((unsigned char)*p));
            line += *p == '\n';
            p++;
        }
    }
}

/* ---- a file that is not quite text --------------------------------------------------------------- */

static bool begins(const Text *t, const char *with, size_t count)
{
    return t->length >= count && memcmp(t->data, with, count) == 0;
}

/* Takes the byte-order mark and the carriage returns out. */
static void clean(Source *s)
{
    Text *t = &s->text;
    size_t to = 0, from = 0, returns = 0;
    if (begins(t, "\xEF\xBB\xBF", 3)) {
        from = 3;
        text_put(&s->notes, "The file begins with a byte-order mark; it was taken out. Save it as "
                            "UTF-8 without one.\n");
    }
    for (; from < t->length; from++)
        if (t->data[from] == '\r') {
            returns++;
            if (from + 1 == t->length || t->data[from + 1] != '\n')
                t->data[to++] = '\n';
        } else {
            t->data[to++] = t->data[from];
        }
    text_cut(t, to);
    if (returns)
        text_put(&s->notes, "The lines end as on Windows (CRLF); that does no harm.\n");
}

static void check_kind(Source *s, const char *path)
{
    const Text *t = &s->text;
    if (begins(t, "PK\3\4", 4) || begins(t, "\x1f\x8b", 2))
        text_put(&s->refused, "this is an archive; hand in the .c file that is in it\n");
    else if (begins(t, "%PDF", 4))
        text_put(&s->refused, "this is a PDF; hand in the .c file\n");
    else if (begins(t,
                    "\x7f"
                    "ELF",
                    4) ||
             begins(t, "!<arch>", 7))
        text_put(&s->refused, "this is a compiled file; hand in the .c file it was made from\n");
    else if (begins(t, "\xff\xfe", 2) || begins(t, "\xfe\xff", 2))
        text_put(&s->refused,
                 "the file is UTF-16, which compilers do not read; save it as UTF-8\n");
    else if (t->length && memchr(t->data, 0, t->length))
        text_put(&s->refused, "the file has NUL bytes; it is not a C source text\n");
    else if (t->length > SOURCE_MAX)
        text_print(&s->refused, "the file has %zu bytes; at most %d are read\n", t->length,
                   SOURCE_MAX);
    else if (t->length == 0)
        text_put(&s->refused, "the file is empty\n");
    size_t length = strlen(path);
    if (length < 2 || strcmp(path + length - 2, ".c") != 0)
        text_print(&s->notes, "The file is named %s; a C source is named with .c at the end.\n",
                   path_last(path));
}

void source_read(Source *s, const char *path, const Assignment *a)
{
    struct stat info;
    *s = (Source){.text = {0}};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        text_print(&s->refused, "%s is a folder; expected a .c file\n", path);
    else if (!file_read(path, &s->text))
        text_print(&s->refused, "%s cannot be read\n", path);
    else
        check_kind(s, path);
    if (s->refused.length)
        return;
    clean(s);
    check_directives(s, a);
}

void source_free(Source *s)
{
    text_free(&s->text);
    text_free(&s->notes);
    text_free(&s->refused);
}
