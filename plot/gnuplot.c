/* gnuplot.c: runs gnuplot on a script and renames its pictures.
 *
 * A script names its data and its pictures relative to its own directory, so that it can be run
 * there by hand and the directory can be moved. We run it with two commands before it: cd, and a
 * temporary name for the pictures. After an error gnuplot leaves an empty file; so the pictures are
 * renamed only when all of them exist, and a failure never destroys an older picture.
 *
 * No shell is involved: gnuplot gets an argument vector, and file names in it are single-quoted for
 * gnuplot, which interprets nothing between single quotes. */
#include "plot/internal.h"
#include "plot/own.h"
#include "tensor/io/disk.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

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

/* gnuplot's error message is its last line of output; the lines before it repeat the command. */
static const char *last_line(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && strchr(" \t\r\n", text[n - 1]))
        text[--n] = 0;
    char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

static bool run(char *const argv[], char tail[TAIL_MAX], const Stem *stem, const char *who)
{
    Program p;
    if (!plot_program_start(&p, argv, 2, who))
        return false;
    read_tail(&p, tail);
    bool ok = plot_program_end(&p);
    if (p.why)
        return tensor_fail("%s: the output of gnuplot for %s.gp cannot be read: %s", who,
                           stem->path, strerror(p.why));
    const char *message = last_line(tail);
    return ok ||
           tensor_fail("%s: gnuplot failed: %.400s", who, *message ? message : "(no message)");
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* The temporary and the final path of each picture; NULL for a format that was not requested. Both
 * are allocated before gnuplot runs, so that its files can be removed even when memory has run
 * out. */
typedef struct {
    const char *who;
    char temporary
        [64]; /* a name in the directory that no other run uses, in this process or another */
    char *made[FORMATS], *place[FORMATS];
} Pictures;

static char *picture_path(const char *directory, const char *base, int i)
{
    char *folder = plot_text_join(directory, "/", base);
    char *path = folder ? plot_text_join(folder, plot_picture_formats[i].suffix, "") : NULL;
    mem_free(folder);
    return path;
}

static bool pictures_open(Pictures *p, const Stem *stem, unsigned formats, const char *who)
{
    static atomic_uint next;
    bool ok = true;
    *p = (Pictures){.who = who};
    snprintf(p->temporary, sizeof p->temporary, ".plot-%ld-%u", system_process_id(),
             atomic_fetch_add(&next, 1));
    for (int i = 0; i < FORMATS; i++) {
        if (!(formats & plot_picture_formats[i].bit))
            continue;
        p->made[i] = picture_path(stem->directory, p->temporary, i);
        p->place[i] = picture_path(stem->directory, stem->base, i);
        ok = ok && p->made[i] && p->place[i];
    }
    return ok;
}

/* Removes the pictures that were made and not renamed. */
static void pictures_close(Pictures *p, bool ok)
{
    for (int i = 0; i < FORMATS; i++) {
        if (p->made[i] && !ok)
            disk_remove(p->made[i]);
        mem_free(p->made[i]);
        mem_free(p->place[i]);
    }
}

static bool is_made(const Pictures *p, int i, const char *message)
{
    FileStatus found;
    bool seen = disk_look(p->made[i], &found);
    if (!seen && errno != ENOENT)
        return tensor_fail("%s: %s: cannot read its status: %s", p->who, p->made[i],
                           strerror(errno));
    return (seen && found.bytes > 0) || tensor_fail("%s: gnuplot made no %s: %.400s", p->who,
                                                    plot_picture_formats[i].suffix + 1, message);
}

static bool put_in_place(const Pictures *p, int i)
{
    return disk_rename(p->made[i], p->place[i]) ||
           tensor_fail("%s: %s: cannot rename onto it: %s", p->who, p->place[i], strerror(errno));
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

static bool render(const char *program, const Stem *stem, const Pictures *p)
{
    char tail[TAIL_MAX] = "";
    char *before = preamble(stem->directory, p->temporary);
    char *script = before ? plot_text_join("./", stem->base, ".gp") : NULL;
    char *argv[] = {(char *)program, "--default-settings", "-e", before, script, NULL};
    bool ok = script && run(argv, tail, stem, p->who);
    for (int i = 0; i < FORMATS; i++)
        ok = ok && (!p->made[i] || is_made(p, i, last_line(tail)));
    for (int i = 0; i < FORMATS; i++)
        ok = ok && (!p->made[i] || put_in_place(p, i));
    mem_free(before);
    mem_free(script);
    return ok;
}

bool plot_render(const Stem *stem, unsigned formats, const char *who)
{
    char program[PROGRAM_MAX];
    Pictures pictures;
    if (!plot_program_find("gnuplot", program))
        return true;
    bool ok = pictures_open(&pictures, stem, formats, who) && render(program, stem, &pictures);
    pictures_close(&pictures, ok);
    return ok;
}

bool plot_script_run(const char *stem, const char *who)
{
    Stem s;
    bool ok = plot_stem_open(&s, stem, who) && plot_render(&s, 0, who);
    plot_stem_close(&s);
    return ok;
}
