/* gnuplot.c: from a script to pictures.
 *
 * A script names its data and its pictures relative to its own directory, so that it can be run
 * there by hand and the directory can be moved. We run it with two commands before it: cd, and a
 * temporary name for the pictures. On an error gnuplot leaves an empty file behind; so the pictures
 * get their own names only when all of them are there, and an older picture is never lost to a
 * failure.
 *
 * No shell is involved anywhere: gnuplot gets its arguments one by one, and the names in them are
 * single-quoted for gnuplot, which interprets nothing there. */
#include "inside.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool plot_has_gnuplot(void)
{
    char path[PROGRAM_MAX];
    return plot_program_find("gnuplot", path);
}

/* ---- running it ------------------------------------------------------------------------------ */

enum { TAIL_MAX = 4096 };

/* Reads to the end and keeps the last bytes, at least half a buffer of them. */
static void read_tail(Program *p, char tail[TAIL_MAX])
{
    size_t n, used = 0;
    while ((n = plot_program_read(p, tail + used, TAIL_MAX - 1 - used)) > 0) {
        used += n;
        if (used == TAIL_MAX - 1) {
            memmove(tail, tail + TAIL_MAX / 2, used - TAIL_MAX / 2);
            used -= TAIL_MAX / 2;
        }
    }
    tail[used] = 0;
}

/* gnuplot's message is the last line that it writes; the lines before repeat the command. */
static const char *last_line(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        text[--n] = 0;
    char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

static bool run(char *const argv[], char tail[TAIL_MAX], const char *who)
{
    Program p;
    if (!plot_program_start(&p, argv, 2, who))
        return false;
    read_tail(&p, tail);
    bool ok = plot_program_end(&p);
    const char *message = last_line(tail);
    return ok ||
           tensor_fail("%s: gnuplot failed: %.400s", who, *message ? message : "(no message)");
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* A name in the picture's directory that no other run uses, in this process or another. */
static char *temporary_base(void)
{
    static atomic_uint next;
    char name[64];
    snprintf(name, sizeof name, ".plot-%ld-%u", (long)getpid(), atomic_fetch_add(&next, 1));
    return mem_strdup(name);
}

static char *picture_path(const char *directory, const char *base, int i)
{
    char *folder = plot_text_join(directory, "/", base);
    char *path = folder ? plot_text_join(folder, plot_picture_formats[i].suffix, "") : NULL;
    mem_free(folder);
    return path;
}

static bool is_made(const Stem *stem, const char *temporary, int i, const char *message,
                    const char *who)
{
    struct stat s;
    char *path = picture_path(stem->directory, temporary, i);
    bool made = path && stat(path, &s) == 0 && s.st_size > 0;
    if (path && !made)
        tensor_fail("%s: gnuplot made no %s: %.400s", who, plot_picture_formats[i].suffix + 1,
                    message);
    mem_free(path);
    return made;
}

static bool put_in_place(const Stem *stem, const char *temporary, int i, const char *who)
{
    char *from = picture_path(stem->directory, temporary, i);
    char *to = from ? picture_path(stem->directory, stem->base, i) : NULL;
    bool ok = to && (rename(from, to) == 0 || tensor_fail("%s: %s: %s", who, to, strerror(errno)));
    mem_free(from);
    mem_free(to);
    return ok;
}

static void remove_temporary(const Stem *stem, const char *temporary)
{
    for (int i = 0; i < FORMATS; i++) {
        char *path = picture_path(stem->directory, temporary, i);
        if (path)
            unlink(path);
        mem_free(path);
    }
}

/* The commands before the script: cd './out'; picture = './.plot-1-0' */
static char *preamble(const char *directory, const char *temporary)
{
    static const char quote[] = "'.\"\\047\".'"; /* see text.c */
    size_t size = sizeof quote * strlen(directory) + strlen(temporary) + 64;
    char *text = mem_alloc(size), *at = text;
    if (!text)
        return NULL;
    at += sprintf(at, "cd '");
    for (; *directory; directory++)
        at += *directory == '\'' ? sprintf(at, "%s", quote) : sprintf(at, "%c", *directory);
    sprintf(at, "'; picture = './%s'", temporary);
    return text;
}

static bool render(const char *program, const Stem *stem, unsigned formats, const char *temporary,
                   const char *who)
{
    char tail[TAIL_MAX] = "";
    char *before = preamble(stem->directory, temporary);
    char *script = before ? plot_text_join("./", stem->base, ".gp") : NULL;
    char *argv[] = {(char *)program, "--default-settings", "-e", before, script, NULL};
    bool ok = script && run(argv, tail, who);
    for (int i = 0; i < FORMATS; i++)
        if (formats & plot_picture_formats[i].bit)
            ok = ok && is_made(stem, temporary, i, last_line(tail), who);
    for (int i = 0; i < FORMATS; i++)
        if (formats & plot_picture_formats[i].bit)
            ok = ok && put_in_place(stem, temporary, i, who);
    mem_free(before);
    mem_free(script);
    return ok;
}

bool plot_render(const Stem *stem, unsigned formats, const char *who)
{
    char program[PROGRAM_MAX];
    if (!plot_program_find("gnuplot", program))
        return true;
    char *temporary = temporary_base();
    bool ok = temporary && render(program, stem, formats, temporary, who);
    if (temporary && !ok)
        remove_temporary(stem, temporary);
    mem_free(temporary);
    return ok;
}
