/* submissions.c: the submissions in a folder. Each entry is one:
 *
 *   ann.c, ann/hw1.c, ann/submission/hw1.c      a person's own arrangement
 *   Ann Lee_4711_assignsubmission_file_/hw1.c   Moodle, also without a folder: ..._file_hw1.c
 *   leeann_LATE_123_456_hw1-1.c                 Canvas: user, submission, second attempt
 *   submission_123/hw1.c                        Gradescope, with submission_metadata.yml beside it
 *
 * In all of them one rule says what is graded: hwN.c, else a .c file whose name has hwN in it, else
 * the first .c file; nothing that is no .c file. The others are named. */
#include "all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 4 };

/* ---- which file ------------------------------------------------------------------------------ */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && strcasecmp(name + length - wanted, end) == 0;
}

static bool ends_with_one(const char *name, const char *const *end)
{
    while (*end && !ends_with(name, *end))
        end++;
    return *end;
}

/* Nobody's work: hidden files, and what editors and systems leave. */
static bool is_debris(const char *name)
{
    static const char *const ends[] = {"~", ".bak", ".orig", ".swp", NULL};
    return name[0] == '.' || strcmp(name, "__MACOSX") == 0 || ends_with_one(name, ends);
}

/* What may lie in a class's folder and is no submission. */
static bool is_beside(const char *name)
{
    static const char *const ends[] = {".md",  ".csv", ".yml", ".yaml", ".json", ".h",
                                       ".log", ".out", ".o",   ".so",   NULL};
    return strcasecmp(name, "makefile") == 0 || ends_with_one(name, ends);
}

typedef struct {
    char path[PATH_SIZE];
    int rank;   /* 0: hwN.c, 1: hwN in its name, 2: another .c, NO_C: none */
    Text names; /* of all files, each closed by a NUL */
} Choice;

static int rank_of(const char *name, const char *id)
{
    char own[48];
    snprintf(own, sizeof own, "%s.c", id);
    if (!ends_with(name, ".c"))
        return NO_C;
    if (strcasecmp(name, own) == 0)
        return 0;
    for (const char *at = name; *at; at++)
        if (strncasecmp(at, id, strlen(id)) == 0)
            return 1;
    return 2;
}

/* The best file of a folder and of those inside it. Links are not followed. */
static void search(Choice *best, const char *folder, const char *id, int depth)
{
    char path[PATH_SIZE];
    struct stat info;
    Text names = {0};
    if (depth < DEPTH_MAX)
        folder_names(folder, &names);
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1) {
        int rank = rank_of(name, id);
        if (is_debris(name) || snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_SIZE ||
            lstat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            search(best, path, id, depth + 1);
        else if (rank < best->rank) {
            best->rank = rank;
            snprintf(best->path, sizeof best->path, "%s", path);
        }
        if (!S_ISDIR(info.st_mode))
            text_add(&best->names, path, strlen(path) + 1);
    }
    text_free(&names);
}

void note_left_out(char note[NOTE_SIZE], const char *name)
{
    const char *before = note[0] ? ", " : "not graded: ";
    size_t length = strlen(note);
    if (length + strlen(before) + strlen(name) < NOTE_SIZE)
        snprintf(note + length, NOTE_SIZE - length, "%s%s", before, name);
}

int submission_file(char file[PATH_SIZE], char note[NOTE_SIZE], const Assignment *a)
{
    struct stat info;
    Choice best = {.rank = NO_C};
    const size_t folder = strlen(file) + 1;
    note[0] = 0;
    if (lstat(file, &info) != 0 || !S_ISDIR(info.st_mode))
        return NO_C;
    search(&best, file, a->id, 0);
    if (best.rank < NO_C)
        snprintf(file, PATH_SIZE, "%s", best.path);
    for (const char *path = text_of(&best.names); *path; path += strlen(path) + 1)
        if (best.rank < NO_C && strcmp(path, file) != 0 && strcmp(path_last(path), a->header) != 0)
            note_left_out(note, path + folder);
    text_free(&best.names);
    return best.rank;
}

/* ---- who ------------------------------------------------------------------------------------- */

static bool all_digits(const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)from[i]))
            return false;
    return length > 0;
}

static const char moodle_mark[] = "_assignsubmission_";

/* Ann Lee_4711_assignsubmission_file_hw1.c */
static bool from_moodle(Origin *o, const char *name)
{
    const char *mark = strstr(name, moodle_mark), *id = mark;
    if (!mark)
        return false;
    while (id > name && id[-1] != '_')
        id--;
    if (id == name || !all_digits(id, (size_t)(mark - id)))
        return false;
    snprintf(o->student, sizeof o->student, "%.*s", (int)(id - 1 - name), name);
    snprintf(o->id, sizeof o->id, "%.*s", (int)(mark - id), id);
    o->system = FROM_MOODLE;
    return true;
}

/* leeann_LATE_123_456_hw1-1.c: the last number counts what was handed in again. */
static bool from_canvas(Origin *o, const char *name)
{
    Origin c = {.system = FROM_CANVAS};
    int from = 0, end = 0, again = 0;
    if (sscanf(name, "%159[^_]_%n", c.student, &from) != 1 || !from)
        return false;
    c.marked_late = strncmp(name + from, "LATE_", 5) == 0;
    from += c.marked_late ? 5 : 0;
    if (sscanf(name + from, "%63[0-9]_%*[0-9]_%n", c.id, &end) != 1 || !end)
        return false;
    const char *dash = strrchr(name + from, '-');
    c.attempt = dash && sscanf(dash, "-%d.", &again) == 1 ? again + 1 : 1;
    *o = c;
    return true;
}

/* The value after a key such as ":sid:" in the first lines of a submission's part; without
 * quotes. */
static void take_value(const char *part, const char *end, const char *key, char *to, size_t size)
{
    const char *at = strstr(part, key);
    if (!at || at >= end)
        return;
    at += strlen(key);
    at += strspn(at, " '\"");
    size_t length = strcspn(at, "'\"\n");
    snprintf(to, size, "%.*s", (int)length, at);
}

const char *submitter_next(Origin *o, const char *from)
{
    const char *item = strstr(from, "\n  - "), *end = strstr(from, "\n  :");
    if (!item || (end && end < item))
        return NULL;
    const char *next = strstr(item + 1, "\n  - ");
    end = next && (!end || next < end) ? next : end ? end : item + strlen(item);
    o->student[0] = o->id[0] = o->email[0] = 0;
    take_value(item, end, ":name:", o->student, sizeof o->student);
    take_value(item, end, ":email:", o->email, sizeof o->email);
    take_value(item, end, ":sid:", o->id, sizeof o->id);
    if (!o->id[0])
        snprintf(o->id, sizeof o->id, "%.63s", o->email);
    name_clean(o->student, sizeof o->student);
    name_clean(o->id, sizeof o->id);
    return end;
}

static bool from_gradescope(Submission *s, const Text *metadata)
{
    char key[300], created[64] = "", zone[ZONE_SIZE];
    Origin *o = &s->row.origin;
    if (strncmp(s->name, "submission_", 11) != 0 || !all_digits(s->name + 11, strlen(s->name + 11)))
        return false;
    o->system = FROM_GRADESCOPE;
    snprintf(key, sizeof key, "%s:", s->name);
    const char *part = strstr(text_of(metadata), key), *end;
    if (!part)
        return true;
    end = strstr(part + 1, "\nsubmission_");
    end = end ? end : part + strlen(part);
    const char *people = strstr(part, ":submitters:");
    if (people && people < end)
        s->partners = submitter_next(o, people);
    take_value(part, end, ":created_at:", created, sizeof created);
    if (!time_read(created, &o->time, zone))
        o->time = 0;
    return true;
}

/* The file's own name: what follows the system's words, without the number of the attempt. */
static void own_name(const Submission *s, char own[PATH_SIZE])
{
    const Origin *o = &s->row.origin;
    const char *mark = strstr(s->name, moodle_mark), *last = strrchr(s->name, '_');
    snprintf(own, PATH_SIZE, "%s", s->name);
    if (o->system == FROM_MOODLE && strchr(mark + strlen(moodle_mark), '_'))
        snprintf(own, PATH_SIZE, "%s", strchr(mark + strlen(moodle_mark), '_') + 1);
    if (o->system == FROM_CANVAS)
        snprintf(own, PATH_SIZE, "%s", last + 1);
    char *dash = o->system == FROM_CANVAS && o->attempt > 1 ? strrchr(own, '-') : NULL;
    const char *end = dash ? strrchr(own, '.') : NULL;
    if (end)
        memmove(dash, end, strlen(end) + 1);
}

static void find_origin(Submission *s, const Assignment *a, const Text *metadata)
{
    Origin *o = &s->row.origin;
    struct stat info;
    char own[PATH_SIZE];
    *o = (Origin){.system = FROM_FOLDER};
    if (!from_moodle(o, s->name) && !from_gradescope(s, metadata))
        from_canvas(o, s->name);
    name_clean(o->student, sizeof o->student);
    name_clean(o->id, sizeof o->id);
    own_name(s, own);
    o->rank = stat(s->file, &info) == 0 && S_ISDIR(info.st_mode)
                  ? submission_file(s->file, s->row.note, a)
                  : rank_of(own, a->id);
    if (o->time == 0 && stat(s->file, &info) == 0)
        o->time = (long)info.st_mtime;
    name_clean(s->row.note, sizeof s->row.note);
}

/* Is it what a student typed into Moodle, beside a file? */
static bool is_remark(const char *name, const Text *names)
{
    const char *mark = strstr(name, moodle_mark);
    size_t length = mark ? (size_t)(mark - name) + strlen(moodle_mark) : 0;
    if (!mark || strncmp(name + length, "onlinetext", 10) != 0)
        return false;
    for (const char *n = text_of(names); *n; n += strlen(n) + 1)
        if (strncmp(n, name, length) == 0 && strncmp(n + length, "file", 4) == 0)
            return true;
    return false;
}

int submissions_list(const Assignment *a, const char *folder, Submission **all)
{
    static Text metadata; /* the partners of a submission are read later */
    char path[PATH_SIZE];
    int count = 0;
    Text names = {0};
    if (!folder_names(folder, &names))
        quit("--all: %s cannot be opened", folder);
    file_read(path_join(path, folder, "submission_metadata.yml"), &metadata);
    *all = NULL;
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1) {
        if (is_debris(name) || is_remark(name, &names))
            continue;
        *all = memory_grown(*all, (size_t)count + 1, sizeof **all);
        Submission *s = &(*all)[count];
        *s = (Submission){.row = {.there = false}};
        snprintf(s->name, sizeof s->name, "%s", name);
        path_join(s->file, folder, name);
        find_origin(s, a, &metadata);
        count += s->row.origin.system != FROM_FOLDER || !is_beside(name);
    }
    text_free(&names);
    return count;
}
