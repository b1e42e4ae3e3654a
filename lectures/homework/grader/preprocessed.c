/* preprocessed.c: judges a submission after the preprocessor has read it.
 *
 * A compiler can be made to read any file (#include "/etc/passwd"), in ways that only a
 * preprocessor sees through. So the preprocessor goes first, behind the walls of walls.h, and what
 * it left is judged: before each line that comes from another file it writes a marker,
 *
 *     # 12 "file" FLAGS        1: this file begins here; 2: back from another file
 *
 * and every marker has to name the submission, hwN.h, or a file in the compiler's own folders of
 * headers. The same text, and nothing else, is compiled afterwards. A submission that writes a
 * marker of its own only accuses itself of an include. */
#include "compile.h"
#include "walls.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char headers[] =
    "assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h "
    "math.h stdalign.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h "
    "string.h tgmath.h time.h wchar.h ";

static const char *const pragmas[] = {
    "STDC",
    "once",
    "omp",
    "unroll",
    "clang diagnostic",
    "clang loop",
    "clang fp",
    "region",
    "endregion",
    "pack",
    "message",
    "GCC diagnostic",
    "GCC optimize",
    "GCC unroll",
    "GCC ivdep",
    "GCC push_options",
    "GCC pop_options",
    "GCC reset_options",
    "GCC warning",
    "GCC error",
};

enum { SAID_MAX = 1200 }; /* bytes of reasons, then it is enough */

typedef struct {
    const Assignment *a;
    const char *file; /* the submission's name                             */
    bool assembly;    /* may it have assembly?                             */
    bool own;         /* the line is the submission's                      */
    int line;         /* of the submission, also while a header is read    */
    int attribute;    /* depth of brackets in an __attribute__; 0: in none */
    bool opened;      /* the last word was [                               */
    bool good;
    Text *said;
} State;

const char *headers_allowed(void)
{
    return headers;
}

static void refuse(State *s, const char *format, const char *what)
{
    s->good = false;
    text_print(s->said, "line %d: ", s->line);
    text_print(s->said, format, what);
    text_put(s->said, "\n");
}

/* ---- markers --------------------------------------------------------------------------------- */

static bool is_name(const char *path, const char *name)
{
    return strcmp(path, name) == 0 || (strncmp(path, "./", 2) == 0 && strcmp(path + 2, name) == 0);
}

/* In a folder of headers that belongs to the compiler: /usr/include, /usr/lib/gcc/.../include. */
static bool is_system_header(const char *path)
{
    char real[PATH_SIZE];
    return *path == '/' && walls_tree_of(path) && realpath(path, real) && strstr(real, "/include");
}

/* Is it one of those that a submission may include itself? Their own includes are their own
 * business. */
static bool is_listed(const char *path)
{
    char name[64];
    snprintf(name, sizeof name, "%.60s ", path_last(path));
    const char *at = strstr(headers, name);
    return at && (at == headers || at[-1] == ' ');
}

static void refuse_include(State *s, const char *path)
{
    char words[PATH_SIZE + 160];
    snprintf(words, sizeof words,
             "#include \"%.200s\": only \"%s.h\" and the headers of the C standard can be included "
             "(%.*s)",
             path, s->a->id, (int)sizeof headers - 2, headers);
    refuse(s, "%s", words);
}

/* The file's name between quotes; a backslash stands before a quote or a backslash in it. */
static const char *read_name(const char *p, char name[PATH_SIZE])
{
    size_t length = 0;
    if (*p++ != '"')
        return NULL;
    for (; *p && *p != '"' && *p != '\n' && length + 1 < PATH_SIZE; p++) {
        p += *p == '\\' && (p[1] == '"' || p[1] == '\\');
        name[length++] = *p;
    }
    name[length] = 0;
    return *p == '"' ? p + 1 : NULL;
}

static void read_marker(State *s, const char *p)
{
    char name[PATH_SIZE];
    char *after;
    long line = strtol(p, &after, 10);
    const char *flags = *after == ' ' ? read_name(after + 1, name) : NULL;
    if (!flags) {
        refuse(s, "%s: a line marker that the compiler does not write; leave it out", "#");
        return;
    }
    bool begins = flags[0] == ' ' && flags[1] == '1', from_own = s->own;
    s->own = is_name(name, s->file);
    if (s->own)
        s->line = (int)line - 1; /* the marker is about the next line */
    if (s->own || is_name(name, s->a->header) || name[0] == '<')
        return;
    bool back = flags[0] == ' ' && flags[1] == '2';
    if (from_own && !begins && !back)
        refuse(s, "#line %s would hide where an error is; leave it out", name);
    else if (!is_system_header(name) || (from_own && begins && !is_listed(name)))
        refuse_include(s, name);
}

/* ---- other lines that begin with # ----------------------------------------------------------- */

static void read_pragma(State *s, const char *words)
{
    char text[80];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(words, "\n"), words);
    if (strstr(text, "pch_preprocess") || strstr(text, "dependency")) {
        refuse(s, "#pragma %s reads another file; leave it out", text);
        return;
    }
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (strncmp(text, pragmas[i], strlen(pragmas[i])) == 0)
            return;
    if (s->own)
        refuse(s, "#pragma %s is not known here; leave it out", text);
}

static void read_directive(State *s, const char *p)
{
    const char *word = p + 1 + strspn(p + 1, " \t");
    char text[80];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(word, "\n"), word);
    if (isdigit((unsigned char)*word))
        read_marker(s, word);
    else if (strncmp(word, "pragma", 6) == 0 && strchr(" \t", word[6]))
        read_pragma(s, word + 6 + strspn(word + 6, " \t"));
    else if (*word != '\n' && *word)
        refuse(s, "#%s is not allowed; leave it out", text);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_word(const char *p, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && strncmp(p, *list, length) == 0)
            return true;
    return false;
}

/* Such a word is refused wherever it stands: an attribute may begin with [[, [ [ or <:<:. */
static bool is_about_watch(const char *p)
{
    p += strspn(p, "_");
    return strncmp(p, "no_sanitize", 11) == 0 || strncmp(p, "no_address_safety", 17) == 0 ||
           strncmp(p, "disable_sanitizer", 17) == 0;
}

/* A name or a number. */
static size_t read_word(State *s, const char *p)
{
    static const char *const assembly[] = {"asm", "__asm", "__asm__", NULL};
    static const char *const attribute[] = {"__attribute__", "__attribute", "__declspec", NULL};
    static const char *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    size_t length = 0;
    s->opened = false;
    while (isalnum((unsigned char)p[length]) || p[length] == '_' || p[length] == '$' ||
           (p[length] & 0x80))
        length++;
    if (is_word(p, length, assembly) && !s->assembly)
        refuse(s, "%s: assembly is not allowed, write it in C", "asm");
    if (is_about_watch(p))
        refuse(s, "%s: the sanitizer must not be switched off", "__attribute__");
    if (is_word(p, length, raw) && p[length] == '"')
        refuse(s, "%s: raw strings are not C", "R\"...\"");
    if (is_word(p, length, attribute) && s->attribute == 0)
        s->attribute = 1;
    return length;
}

/* A string or a character. In an attribute it goes into the assembly as it is, so it has to be a
 * plain name. */
static size_t read_quoted(State *s, const char *p)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,=-+$ ";
    size_t length = 1;
    s->opened = false;
    while (p[length] && p[length] != *p && p[length] != '\n')
        length += p[length] == '\\' && p[length + 1] && p[length + 1] != '\n' ? 2 : 1;
    if (s->attribute && !s->assembly && strspn(p + 1, plain) < length - 1)
        refuse(s, "%s: a string in an attribute can hold letters, digits and _.,=-+ only",
               "__attribute__");
    return length + (p[length] == *p);
}

/* An attribute may also begin with two [, of which <: is another spelling and which blanks may
 * divide: nothing else in C does. It ends with the bracket that closes its first one. */
static size_t read_sign(State *s, const char *p)
{
    bool pair = strncmp(p, "<:", 2) == 0 || strncmp(p, ":>", 2) == 0;
    bool opens = *p == '[' || (pair && *p == '<'), closes = *p == ']' || (pair && *p == ':');
    if (s->attribute == 0 && opens && s->opened)
        s->attribute = 2;
    else if (s->attribute && (opens || *p == '('))
        s->attribute++;
    else if (s->attribute && (closes || *p == ')'))
        s->attribute = s->attribute == 2 ? 0 : s->attribute - 1;
    s->opened = isspace((unsigned char)*p) ? s->opened : opens;
    return pair ? 2 : 1;
}

static const char *read_line(State *s, const char *p)
{
    if (s->own)
        s->line++;
    if (*(p + strspn(p, " \t")) == '#') {
        read_directive(s, p + strspn(p, " \t"));
        return p + strcspn(p, "\n");
    }
    while (*p && *p != '\n' && s->own) {
        if (isalnum((unsigned char)*p) || *p == '_' || *p == '$' || (*p & 0x80))
            p += read_word(s, p);
        else if (*p == '"' || *p == '\'')
            p += read_quoted(s, p);
        else
            p += read_sign(s, p);
    }
    return p + strcspn(p, "\n");
}

bool preprocessed_allowed(const Assignment *a, const char *text, const char *file, bool assembly,
                          Text *said)
{
    State s = {.a = a, .file = file, .assembly = assembly, .good = true, .said = said};
    for (const char *p = text; *p && said->length < SAID_MAX; p += *p == '\n')
        p = read_line(&s, p);
    return s.good;
}
