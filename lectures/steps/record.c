/* record.c: which steps are done. See steps.h.
 *
 * A text file of lines in any order, so that two files are merged by writing one after the other:
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

static const char opening[] =
    "# gradus steps: what is done. Files are merged by writing one after the other.\n";

/* ---- lines ----------------------------------------------------------------------------------- */

static bool keep_done(Record *r, const char *key)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->done[i], key) == 0)
            return true;
    char **larger = realloc(r->done, (size_t)(r->count + 1) * sizeof *larger);
    if (!larger)
        return false;
    r->done = larger;
    char *copy = text_copy(key, strlen(key));
    if (copy)
        r->done[r->count++] = copy;
    return copy != NULL;
}

/* Is it "KIND WHAT"? What a later version calls a step is kept, too. */
static bool is_key(const char *text)
{
    size_t n = strcspn(text, " ");
    return n > 0 && text[n] == ' ' && text[n + 1] && !strchr(text + n + 1, ' ') &&
           strlen(text) < STEP_KEY;
}

/* False where the line is none of a record. */
static bool take_line(Record *r, const char *line, bool merging)
{
    for (const char *c = line; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    if (!*line || *line == '#')
        return true;
    if (strncmp(line, "done ", 5) == 0)
        return is_key(line + 5) && keep_done(r, line + 5);
    bool course = strncmp(line, "course ", 7) == 0, folder = strncmp(line, "folder ", 7) == 0;
    if ((!course && !folder) || !line[7] || strlen(line + 7) >= STEP_PATH)
        return false;
    if (!merging)
        strcpy(course ? r->course : r->folder, line + 7);
    return true;
}

/* Takes all lines of a text of so many bytes; false where one of them is none of a record. */
static bool take_text(Record *r, char *text, size_t bytes, bool merging)
{
    bool whole = strlen(text) == bytes;
    for (size_t at = 0; at < bytes;) {
        size_t n = strcspn(text + at, "\n");
        text[at + n] = 0;
        if (n && text[at + n - 1] == '\r')
            text[at + n - 1] = 0;
        whole &= take_line(r, text + at, merging);
        at += n + 1;
    }
    return whole;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* A folder of the environment, or NULL: the specification of XDG ignores one that is not
 * absolute. */
static const char *folder_in(const char *variable)
{
    const char *folder = getenv(variable);
    return folder && system_is_absolute(folder) ? folder : NULL;
}

static bool forget(Record *r, const char *reason)
{
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    r->file[0] = 0;
    return false;
}

static bool find_file(Record *r)
{
    const char *state = folder_in("XDG_STATE_HOME");
    const char *home = folder_in("HOME") ? folder_in("HOME") : folder_in("USERPROFILE");
    int n = state  ? snprintf(r->file, sizeof r->file, "%s/gradus/steps.txt", state)
            : home ? snprintf(r->file, sizeof r->file, "%s/.local/state/gradus/steps.txt", home)
                   : 0;
    if (n <= 0)
        return forget(r, "there is no home folder (neither HOME nor XDG_STATE_HOME)");
    return n < (int)sizeof r->file - 64 || forget(r, "the name of the home folder is too long");
}

static bool cannot_use(Record *r)
{
    char reason[STEP_PATH];
    snprintf(reason, sizeof reason, "%.*s: %s", STEP_PATH - 128, r->file, strerror(errno));
    return forget(r, reason);
}

/* Renames a damaged record to the first free of steps.txt.damaged-1, -2, ... */
static void keep_aside(Record *r, char aside[STEP_PATH])
{
    FileStatus found;
    int k = 1;
    do
        snprintf(aside, STEP_PATH, "%.*s.damaged-%d", STEP_PATH - 64, r->file, k++);
    while (disk_look(aside, &found));
    if (!disk_rename(r->file, aside)) {
        aside[0] = 0;
        cannot_use(r);
    }
}

void record_open(Record *r, char aside[STEP_PATH])
{
    FileStatus found;
    size_t bytes;
    *r = (Record){0};
    aside[0] = 0;
    if (!find_file(r) || !disk_look(r->file, &found))
        return;
    errno = found.kind == FILE_DIRECTORY ? EISDIR : EINVAL;
    char *text = found.kind == FILE_REGULAR ? text_read(r->file, &bytes) : NULL;
    if (!text)
        cannot_use(r);
    else if (!take_text(r, text, bytes, false))
        keep_aside(r, aside);
    free(text);
    if (aside[0])
        record_save(r);
}

void record_close(Record *r)
{
    for (int i = 0; i < r->count; i++)
        free(r->done[i]);
    free(r->done);
}

bool record_has(const Record *r, const Step *s)
{
    char key[STEP_KEY];
    step_key(s, key);
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->done[i], key) == 0)
            return true;
    return false;
}

static bool write_lines(const Record *r, FILE *out)
{
    fputs(opening, out);
    if (*r->course)
        fprintf(out, "course %s\n", r->course);
    if (*r->folder)
        fprintf(out, "folder %s\n", r->folder);
    for (int i = 0; i < r->count; i++)
        fprintf(out, "done %s\n", r->done[i]);
    bool ok = !ferror(out);
    return fclose(out) == 0 && ok;
}

/* Makes the folders of a file; a failure shows when the file is written. */
static void make_folders(const char *file)
{
    char folder[STEP_PATH];
    snprintf(folder, sizeof folder, "%s", file);
    for (char *slash = folder + 1; (slash = system_first_slash(slash)) != NULL; slash++) {
        char kept = *slash;
        *slash = 0;
        disk_make_directory(folder);
        *slash = kept;
    }
}

/* The new file replaces the old one as a whole. */
bool record_save(Record *r)
{
    char part[STEP_PATH + 32];
    size_t bytes;
    if (!*r->file)
        return false;
    char *text = text_read(r->file, &bytes);
    if (text)
        take_text(r, text, bytes, true); /* what another program has noted since */
    free(text);
    make_folders(r->file);
    snprintf(part, sizeof part, "%s.part-%ld", r->file, system_process_id());
    FILE *out = fopen(part, "w");
    if (!out)
        return cannot_use(r);
    if (write_lines(r, out) && disk_rename(part, r->file))
        return true;
    cannot_use(r);
    disk_remove(part);
    return false;
}

bool record_add(Record *r, const Step *s)
{
    char key[STEP_KEY];
    return keep_done(r, step_key(s, key)) && record_save(r);
}
