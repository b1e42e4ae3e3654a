/* record.c: which steps are done. See steps.h.
 *
 * A text file of lines in any order, so that two files are merged by writing one after the other,
 * and a new line is added to what another program may have noted since:
 *
 *     course J
 *     folder /home/ana/homework
 *     done predict 21
 *
 * Of course and folder the last line counts. */
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

/* False where the line is none of a record. What a later version calls a step is kept, too. */
static bool take_line(Record *r, const char *line)
{
    char kind[STEP_WHAT], what[STEP_WHAT];
    int read = 0;
    for (const char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    if (!*line || *line == '#')
        return true;
    if (sscanf(line, "done %63s %63s%n", kind, what, &read) == 2 && !line[read]) {
        size_t n = strlen(r->lines), size = n + (size_t)read + 2;
        char *larger = realloc(r->lines, size);
        if (!larger)
            return forget(r, "no memory");
        r->lines = larger;
        snprintf(larger + n, size - n, "%s\n", line);
        return true;
    }
    char *kept = strncmp(line, "course ", 7) == 0   ? r->course
                 : strncmp(line, "folder ", 7) == 0 ? r->folder
                                                    : NULL;
    if (!kept || !line[7] || strlen(line + 7) >= STEP_PATH)
        return false;
    strcpy(kept, line + 7);
    return true;
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

static bool append(Record *r, const char *lines)
{
    static const char opening[] =
        "# gradus steps: what is done. Files are merged by writing one after the other.\n";
    char folder[STEP_PATH];
    FileStatus found;
    snprintf(folder, sizeof folder, "%.*s", (int)(system_last_slash(r->file) - r->file), r->file);
    tensor_on_error(NULL, NULL); /* a check may have left one that ends the program */
    if (!tensor_make_directory(folder))
        return forget(r, strerror(errno));
    bool there = disk_look(r->file, &found);
    FILE *out = fopen(r->file, "a");
    bool ok = out && fprintf(out, "%s%s", there ? r->open_line ? "\n" : "" : opening, lines) > 0;
    ok = out && fclose(out) == 0 && ok;
    r->open_line = false;
    return ok || forget(r, strerror(errno));
}

/* Renames a damaged record to the first free of steps.txt.damaged-1, -2, ..., and begins another
 * with what could be read of it. */
static void keep_aside(Record *r)
{
    char aside[STEP_PATH];
    FileStatus found;
    int k = 1;
    do
        snprintf(aside, STEP_PATH, "%.*s.damaged-%d", STEP_PATH - 64, r->file, k++);
    while (disk_look(aside, &found));
    if (!disk_rename(r->file, aside)) {
        forget(r, strerror(errno));
        return;
    }
    fprintf(stderr,
            "./gradus steps: the record was damaged; it is kept as %s, and what could be read of "
            "it goes on\n",
            aside);
    r->open_line = false;
    append(r, r->lines + 1);
    if (*r->course)
        record_note(r, "course", r->course);
    if (*r->folder)
        record_note(r, "folder", r->folder);
}

void record_open(Record *r)
{
    FileStatus found;
    size_t bytes = 0;
    *r = (Record){.lines = text_copy("\n", 1)};
    if (!r->lines || !find_file(r) || !disk_look(r->file, &found))
        return;
    char *text = found.kind == FILE_REGULAR ? text_read(r->file, &bytes) : NULL;
    if (!text) {
        forget(r, found.kind == FILE_REGULAR ? strerror(errno) : "it is no file");
        return;
    }
    bool whole = true;
    r->open_line = bytes && text[bytes - 1] != '\n';
    for (size_t i = 0; i < bytes; i++)
        text[i] = text[i] ? text[i] : 1; /* a byte 0 is damage, too */
    for (char *line = text, *next; line; line = next) {
        next = text_cut(line);
        whole &= take_line(r, line);
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

bool record_note(Record *r, const char *word, const char *text)
{
    char line[STEP_PATH + 16];
    snprintf(line, sizeof line, "%s %s", word, text);
    return take_line(r, line) && *r->file && append(r, strcat(line, "\n"));
}
