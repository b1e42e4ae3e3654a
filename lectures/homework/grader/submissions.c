/* submissions.c: the submissions in a folder. Each entry is one:
 *
 *   ann.c, ann/hw1.c, ann/submission/hw1.c      a person's own arrangement
 *   Ann Lee_4711_assignsubmission_file_/hw1.c   Moodle, also without a folder: ..._file_hw1.c
 *   leeann_LATE_123_456_hw1-1.c                 Canvas: user, submission, second attempt
 *   submission_123/hw1.c                        Gradescope, with submission_metadata.yml beside it
 *
 * Of several .c files in a folder, hwN.c is taken, else the one whose name has hwN in it, else the
 * first. */
#include "all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

enum { DEPTH_MAX = 4 };

/* ---- which file ------------------------------------------------------------------------------ */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && strcasecmp(name + length - wanted, end) == 0;
}

/* Files that lie beside submissions and are none. */
static bool is_ignored(const char *name)
{
    static const char *const ends[] = {"~",    ".txt",  ".md",  ".csv", ".yml",  ".yaml",
                                       ".h",   ".o",    ".so",  ".out", ".html", ".log",
                                       ".bak", ".orig", ".swp", ".json"};
    if (name[0] == '.' || strcasecmp(name, "makefile") == 0 || strcmp(name, "__MACOSX") == 0)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

typedef struct {
    char path[PATH_SIZE];
    int rank; /* 0: hwN.c, 1: hwN in its name, 2: another .c, 3: none */
} Choice;

static int rank_of(const char *name, const char *id)
{
    char own[48];
    snprintf(own, sizeof own, "%s.c", id);
    if (!ends_with(name, ".c"))
        return 3;
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
        if (is_ignored(name) || snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_SIZE ||
            lstat(path, &info) != 0)
            continue;
        if (S_ISDIR(info.st_mode))
            search(best, path, id, depth + 1);
        else if (rank < best->rank) {
            best->rank = rank;
            snprintf(best->path, sizeof best->path, "%s", path);
        }
    }
    text_free(&names);
}

void submission_file(char file[PATH_SIZE], const Assignment *a)
{
    struct stat info;
    Choice best = {.rank = 3};
    if (lstat(file, &info) != 0 || !S_ISDIR(info.st_mode))
        return;
    search(&best, file, a->id, 0);
    if (best.rank < 3)
        snprintf(file, PATH_SIZE, "%s", best.path);
}

/* ---- who ------------------------------------------------------------------------------------- */

static bool all_digits(const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isdigit((unsigned char)from[i]))
            return false;
    return length > 0;
}

/* Ann Lee_4711_assignsubmission_file_hw1.c */
static bool from_moodle(Origin *o, const char *name)
{
    const char *mark = strstr(name, "_assignsubmission_"), *id = mark;
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
    if (!at || at > end)
        return;
    at += strlen(key);
    at += strspn(at, " '\"");
    size_t length = strcspn(at, "'\"\n");
    snprintf(to, size, "%.*s", (int)length, at);
}

/* 2026-11-20 23:59:59.000000000 Z, or with an offset such as +01:00, to seconds since 1970. */
static long time_of_text(const char *text)
{
    struct tm t = {.tm_isdst = 0};
    char zone[16] = "Z";
    int hours = 0, minutes = 0;
    if (sscanf(text, "%d-%d-%d%*1[ T]%d:%d:%d%*[.0-9] %15s", &t.tm_year, &t.tm_mon, &t.tm_mday,
               &t.tm_hour, &t.tm_min, &t.tm_sec, zone) < 6)
        return 0;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    if (zone[0] == '+' || zone[0] == '-')
        sscanf(zone + 1, "%2d:%2d", &hours, &minutes);
    long offset = 60L * (60 * hours + minutes);
    return (long)timegm(&t) - (zone[0] == '-' ? -offset : offset);
}

static bool from_gradescope(Origin *o, const char *name, const Text *metadata)
{
    char key[300], created[64] = "";
    if (strncmp(name, "submission_", 11) != 0 || !all_digits(name + 11, strlen(name + 11)))
        return false;
    o->system = FROM_GRADESCOPE;
    snprintf(key, sizeof key, "%s:", name);
    const char *part = strstr(text_of(metadata), key), *end;
    if (!part)
        return true;
    end = strstr(part + 1, "\nsubmission_");
    end = end ? end : part + strlen(part);
    take_value(part, end, ":name:", o->student, sizeof o->student);
    take_value(part, end, ":sid:", o->id, sizeof o->id);
    if (!o->id[0])
        take_value(part, end, ":email:", o->id, sizeof o->id);
    take_value(part, end, ":created_at:", created, sizeof created);
    o->time = time_of_text(created);
    return true;
}

static void find_origin(Submission *s, const Text *metadata)
{
    Origin *o = &s->row.origin;
    struct stat info;
    *o = (Origin){.system = FROM_FOLDER};
    if (!from_moodle(o, s->name) && !from_gradescope(o, s->name, metadata))
        from_canvas(o, s->name);
    name_clean(o->student, sizeof o->student);
    name_clean(o->id, sizeof o->id);
    if (o->time == 0 && stat(s->file, &info) == 0)
        o->time = (long)info.st_mtime;
}

int submissions_list(const Assignment *a, const char *folder, Submission **all)
{
    char path[PATH_SIZE];
    int count = 0;
    Text metadata = {0}, names = {0};
    if (!folder_names(folder, &names))
        quit("--all: %s cannot be opened", folder);
    file_read(path_join(path, folder, "submission_metadata.yml"), &metadata);
    *all = NULL;
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1) {
        if (is_ignored(name))
            continue;
        *all = memory_grown(*all, (size_t)count + 1, sizeof **all);
        Submission *s = &(*all)[count++];
        *s = (Submission){.row = {.there = false}};
        snprintf(s->name, sizeof s->name, "%s", name);
        path_join(s->file, folder, name);
        submission_file(s->file, a);
        find_origin(s, &metadata);
    }
    text_free(&names);
    text_free(&metadata);
    return count;
}
