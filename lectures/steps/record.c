/* record.c: which steps are done. See steps.h, and README.md for the lines of the file. Their order
 * is free, but for the last course and folder, so that two files are merged by writing one after
 * the other, and a new line is added to what another program may have noted since. */
#include "lectures/runner/text_stream.h"
#include "lectures/steps/steps.h"

#include "tensor/io/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool forget(Record *r, const char *reason)
{
    snprintf(r->reason, sizeof r->reason, "%.500s%s%s", r->file, *r->file ? ": " : "", reason);
    r->file[0] = 0;
    return false;
}

/* What a later version calls a step is a line of a record, too. */
static bool is_line(const char *line)
{
    char kind[STEP_WHAT], what[STEP_WHAT];
    int read = 0;
    for (const char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    if (sscanf(line, "done %63s %63s%n", kind, what, &read) == 2)
        return !line[read];
    bool named = strncmp(line, "course ", 7) == 0 || strncmp(line, "folder ", 7) == 0;
    return !*line || *line == '#' || (named && line[7] && strlen(line) < STEP_PATH);
}

/* A folder of the environment, or NULL: the specification of XDG ignores one that is not
 * absolute. */
static const char *folder_in(const char *variable)
{
    const char *folder = getenv(variable);
    return folder && system_is_absolute(folder) ? folder : NULL;
}

static bool find_file(Record *r)
{
    const char *state = folder_in("XDG_STATE_HOME");
    const char *home = folder_in("HOME") ? folder_in("HOME") : folder_in("USERPROFILE");
    if (!state && !home)
        return forget(r, "there is no home folder (neither HOME nor XDG_STATE_HOME)");
    int n = snprintf(r->file, sizeof r->file, "%s%s/gradus/steps.txt", state ? state : home,
                     state ? "" : "/.local/state");
    return n < (int)sizeof r->file - 64 || forget(r, "the name is too long");
}

/* Adds lines to the file, which another program may have changed, and may have left within one. */
static bool append(Record *r, const char *lines)
{
    char folder[STEP_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(system_last_slash(r->file) - r->file), r->file);
    tensor_on_error(NULL, NULL); /* a check may have left one that ends the program */
    FILE *file = tensor_make_directory(folder) ? fopen(r->file, "a+b") : NULL;
    bool within = file && fseek(file, -1, SEEK_END) == 0 && fgetc(file) != '\n';
    bool ok = file && fseek(file, 0, SEEK_END) == 0 &&
              fprintf(file, "%s%s", within ? "\n" : "", lines) >= 0;
    ok = file && fclose(file) == 0 && ok;
    return ok || forget(r, strerror(errno));
}

/* Renames a damaged record to the first free of steps.txt.damaged-1, -2, ..., and begins another
 * with what could be read of it. */
static bool keep_aside(Record *r)
{
    char aside[STEP_PATH];
    FileStatus found;
    int k = 1;
    do
        snprintf(aside, STEP_PATH, "%.*s.damaged-%d", STEP_PATH - 64, r->file, k++);
    while (disk_look(aside, &found));
    if (!disk_rename(r->file, aside))
        return forget(r, strerror(errno));
    fprintf(stderr,
            "./gradus steps: the record was damaged; it is kept as %s, and what could be read of "
            "it goes on\n",
            aside);
    return append(r, r->lines + 1);
}

void record_open(Record *r)
{
    FileStatus found;
    size_t bytes = 0, n = 1;
    bool whole = true;
    *r = (Record){.lines = "\n"};
    if (!find_file(r) || !disk_look(r->file, &found))
        return;
    char *text = found.kind == FILE_REGULAR ? text_read(r->file, &bytes) : NULL;
    char *lines = text ? malloc(bytes + 3) : NULL;
    if (!lines) {
        free(text);
        forget(r, found.kind == FILE_REGULAR ? strerror(errno) : "it is no file");
        return;
    }
    r->lines = strcpy(lines, "\n");
    for (size_t i = 0; i < bytes; i++)
        text[i] = text[i] ? text[i] : 1; /* a byte 0 is damage, too */
    for (char *line = text, *next; line; line = next) {
        next = text_cut(line);
        whole &= is_line(line);
        if (is_line(line))
            n += (size_t)snprintf(lines + n, bytes + 3 - n, "%s\n", line);
    }
    free(text);
    if (!whole)
        keep_aside(r);
}

bool record_has(const Record *r, const Step *s)
{
    char line[STEP_KEY + 16];
    snprintf(line, sizeof line, "\ndone %s\n", s->key);
    return strstr(r->lines, line) != NULL;
}

void record_last(const Record *r, const char *word, char text[STEP_PATH])
{
    char mark[16];
    int n = snprintf(mark, sizeof mark, "\n%s ", word);
    *text = 0;
    for (const char *at = r->lines; (at = strstr(at, mark)) != NULL; at += n)
        snprintf(text, STEP_PATH, "%.*s", (int)strcspn(at + n, "\n"), at + n);
}

bool record_note(Record *r, const char *word, const char *text)
{
    char line[STEP_PATH + 16];
    snprintf(line, sizeof line, "%s %s\n", word, text);
    return *r->file && append(r, line);
}
