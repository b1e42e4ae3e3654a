/* source.c: reads the file that was handed in, and says what it is if it is no C text.
 *
 * What a C text makes the compiler do is judged later, from what the compiler wrote
 * (preprocessed.c, object.c): only a compiler knows how to read C. */
#define _GNU_SOURCE
#include "grader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 1 << 20 };

/* ---- a file that is not quite text ----------------------------------------------------------- */

static bool begins(const Text *t, const char *with, size_t count)
{
    return t->length >= count && memcmp(t->data, with, count) == 0;
}

/* Takes the byte-order mark and the carriage returns out. */
static void clean(Source *s)
{
    Text *t = &s->text;
    size_t to = 0, from = 0, pairs = 0, alone = 0;
    if (begins(t, "\xEF\xBB\xBF", 3)) {
        from = 3;
        text_put(&s->notes, "The file begins with a byte-order mark; it was taken out. Save it as "
                            "UTF-8 without one.\n");
    }
    for (; from < t->length; from++)
        if (t->data[from] == '\r') {
            bool pair = from + 1 < t->length && t->data[from + 1] == '\n';
            pairs += pair;
            alone += !pair;
            if (!pair)
                t->data[to++] = '\n';
        } else {
            t->data[to++] = t->data[from];
        }
    text_cut(t, to);
    if (pairs || alone)
        text_print(&s->notes, "The lines end %s; that does no harm.\n",
                   !alone   ? "as on Windows (CRLF)"
                   : !pairs ? "with a carriage return alone (CR), as on old Macs"
                            : "in several ways (CRLF and CR)");
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
        text_print(&s->refused,
                   "the file has more than %d bytes; at most so many can be handed in\n",
                   SOURCE_MAX);
    else if (t->length == 0)
        text_put(&s->refused, "the file is empty\n");
    size_t length = strlen(path);
    if (length < 2 || strcmp(path + length - 2, ".c") != 0)
        text_print(&s->notes, "The file is named %s; a C source is named with .c at the end.\n",
                   path_last(path));
}

/* __has_include asks which files there are. No text needs it, and its answer leaves no trace in
 * what the preprocessor writes. */
static void check_probes(Source *s)
{
    Text joined = {0};
    for (const char *p = text_of(&s->text); *p; p++)
        if (p[0] == '\\' && p[1 + strspn(p + 1, " \t\f\v")] == '\n')
            p += 1 + strspn(p + 1, " \t\f\v");
        else
            text_add(&joined, p, 1);
    if (strstr(text_of(&joined), "__has_include") || strstr(text_of(&joined), "__has_embed"))
        text_put(&s->refused, "__has_include and __has_embed are not allowed; leave them out\n");
    text_free(&joined);
}

/* A submission whose folder has no .c file (submissions.c): what is there in place of it. */
static void refuse_folder(Text *refused, const char *path, const Assignment *a)
{
    int count = 0;
    Text names = {0};
    folder_names(path, &names);
    text_put(refused, "no .c file was handed in");
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1, count++)
        if (count < 5)
            text_print(refused, "%s%.60s", count ? ", " : "; found: ", name);
    text_print(refused, "%s; expected %s.c\n", count > 5 ? ", ..." : "", a->id);
    text_free(&names);
}

/* A regular file, and not through a link: a link could lead to the solution, or to a private file
 * of whoever runs the grader. Opening never waits, as it would for a pipe. */
static int open_submission(const char *path, Text *refused, const Assignment *a)
{
    struct stat info;
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (from < 0 && errno == ELOOP)
        text_print(refused, "%s is a symbolic link; hand in the file itself\n", path_last(path));
    else if (from < 0)
        text_print(refused, "%s cannot be read: %s\n", path_last(path), strerror(errno));
    else if (fstat(from, &info) == 0 && S_ISDIR(info.st_mode))
        refuse_folder(refused, path, a);
    else if (!S_ISREG(info.st_mode))
        text_print(refused, "%s is no regular file; expected a .c file\n", path_last(path));
    if (from >= 0 && refused->length) {
        close(from);
        return -1;
    }
    return from;
}

void source_read(Source *s, const char *path, const Assignment *a, bool of_student)
{
    *s = (Source){.text = {0}};
    int from = open_submission(path, &s->refused, a);
    size_t length = strlen(path);
    if (from < 0)
        return;
    text_read(from, &s->text, SOURCE_MAX + 1);
    check_kind(s, path);
    if (of_student && (length < 2 || strcasecmp(path + length - 2, ".c") != 0))
        text_print(&s->refused, "no .c file was handed in; found: %.100s; expected %s.c\n",
                   path_last(path), a->id);
    if (s->refused.length == 0) {
        clean(s);
        check_probes(s);
    }
}

void source_free(Source *s)
{
    text_free(&s->text);
    text_free(&s->notes);
    text_free(&s->refused);
}
