/* assignment.c: an assignment is a folder
 *
 *   hwN-name/  README.md   hwN.h   hwN.c (marked)   tests.c   mistakes.txt
 *
 * and an instructor's overlay adds hidden tests and settings to it. */
#include "grader.h"
#include "walls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- finding it ------------------------------------------------------------------------------ */

static bool is_assignment(const char *folder)
{
    char path[PATH_SIZE];
    return file_exists(path_join(path, folder, "tests.c"));
}

/* hw1 of hw1-tensor-ops; lab-op of lab-op. */
static void set_names(Assignment *a, const char *folder)
{
    const char *name = path_last(folder);
    if (!realpath(folder, a->folder))
        quit("%s cannot be opened", folder);
    name = path_last(a->folder);
    snprintf(a->name, sizeof a->name, "%s", name);
    size_t prefix = strncmp(name, "lab-", 4) == 0 ? 4 : 0;
    snprintf(a->id, sizeof a->id, "%.*s", (int)(prefix + strcspn(name + prefix, "-")), name);
    snprintf(a->source, sizeof a->source, "%s.c", a->id);
    snprintf(a->header, sizeof a->header, "%s.h", a->id);
    lab_find(a);
}

/* Homeworks first, hw2 before hw10; then the others by name and number. */
static int by_number(const struct dirent **a, const struct dirent **b)
{
    const char *x = (*a)->d_name, *y = (*b)->d_name;
    int homeworks = (strncmp(y, "hw", 2) == 0) - (strncmp(x, "hw", 2) == 0);
    size_t letters = strcspn(x, "0123456789");
    int names = strncmp(x, y, letters);
    long difference = names ? 0 : strtol(x + letters, NULL, 10) - strtol(y + letters, NULL, 10);
    return homeworks ? homeworks : names ? names : difference ? (int)difference : strcmp(x, y);
}

void assignment_list(const char *root)
{
    char path[PATH_SIZE];
    struct dirent **entry;
    int count = scandir(root, &entry, NULL, by_number);
    for (int i = 0; i < count; i++) {
        if (entry[i]->d_name[0] != '.' && is_assignment(path_join(path, root, entry[i]->d_name)))
            fprintf(stderr, "  %s\n", entry[i]->d_name);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

static void read_title(Assignment *a)
{
    char path[PATH_SIZE];
    Text readme = {0};
    snprintf(a->title, sizeof a->title, "%s", a->name);
    if (file_read(path_join(path, a->folder, "README.md"), &readme) && readme.data[0] == '#')
        snprintf(a->title, sizeof a->title, "%.*s", (int)strcspn(readme.data + 2, "\n"),
                 readme.data + 2);
    text_free(&readme);
}

void assignment_find(Assignment *a, const char *root, const char *hw)
{
    char path[PATH_SIZE];
    const size_t length = hw ? strlen(hw) : 0;
    path_join(path, root, "grader/runner");
    if (!realpath(path, a->grader))
        quit("%s: expected the grader's folder", path);
    if (hw && is_assignment(hw)) {
        set_names(a, hw);
        snprintf(a->called, sizeof a->called, "%s%s", strchr(hw, '/') ? "" : "./", hw);
        read_title(a);
        return;
    }
    Text names = {0};
    folder_names(root, &names);
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1)
        if ((hw ? strncmp(name, hw, length) == 0 && (name[length] == 0 || name[length] == '-')
                : !a->id[0]) &&
            is_assignment(path_join(path, root, name)))
            set_names(a, path);
    text_free(&names);
    snprintf(a->called, sizeof a->called, "%s", a->id);
    if (!a->id[0]) {
        fprintf(stderr, "grader: there is no assignment \"%s\"; there are:\n", hw ? hw : "");
        assignment_list(root);
        exit(2);
    }
    read_title(a);
}

int assignment_function(const Assignment *a, const char *name)
{
    for (int i = 0; i < a->functions; i++)
        if (strcmp(a->function[i], name) == 0)
            return i;
    return -1;
}

int assignment_test(const Assignment *a, const char *name)
{
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->test[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- the table of tests ---------------------------------------------------------------------- */

static void take_row(Assignment *a, const TestRow *row)
{
    if (a->count == TESTS_MAX || row->magic != MAGIC)
        quit("%s/tests.c: more than %d tests", a->folder, TESTS_MAX);
    a->test[a->count++] = *row;
    if (assignment_function(a, row->function) >= 0)
        return;
    if (a->functions == FUNCTIONS_MAX)
        quit("%s/tests.c: tests of more than %d functions", a->folder, FUNCTIONS_MAX);
    snprintf(a->function[a->functions++], sizeof *a->function, "%s", row->function);
}

/* The tests themselves know their table; the library of submissions is not needed for that. */
void assignment_read_table(Assignment *a)
{
    Bench bench = bench_trusted(a, "tests");
    Outcome o = {.answered = false};
    a->count = a->functions = 0;
    bench_run(&bench, &(Request){.mode = RUN_LIST, .function = -1}, 1 << 20, &o);
    for (size_t at = 0; at + sizeof(TestRow) <= o.results.length; at += sizeof(TestRow)) {
        TestRow row;
        memcpy(&row, o.results.data + at, sizeof row);
        take_row(a, &row);
    }
    bool loaded = o.results.length <= sizeof(Record); /* or the record of why not, and its words */
    if (a->count == 0)
        quit("%s/tests.c: no test was found: %s", a->folder,
             loaded ? text_of(&o.output) : text_of(&o.results) + sizeof(Record));
    outcome_free(&o);
    bench_close(&bench);
}

/* ---- an instructor's overlay ----------------------------------------------------------------- */

static void read_setting(Overlay *o, const char *key, const char *value)
{
    if (strcmp(key, "seed") == 0 && seed_read(value))
        o->seed = seed_read(value);
    else if (strcmp(key, "tell") == 0 && strcmp(value, "all") == 0)
        o->tell = TELL_ALL;
    else if (strcmp(key, "tell") == 0 && strcmp(value, "name") == 0)
        o->tell = TELL_NAME;
    else if (strcmp(key, "tell") == 0 && strcmp(value, "nothing") == 0)
        o->tell = TELL_NOTHING;
    else if (strcmp(key, "visibility") == 0)
        snprintf(o->visibility, sizeof o->visibility, "%s", value);
    else if (strcmp(key, "allow") == 0 && o->allowed_count < ALLOWED_MAX)
        snprintf(o->allowed[o->allowed_count++], sizeof *o->allowed, "%s", value);
    else
        quit("%s/settings: found \"%s %s\"; expected seed N, tell all|name|nothing, visibility "
             "WORD, or allow NAME",
             o->folder, key, value);
}

static void overlay_read(Overlay *o, const char *folder)
{
    char path[PATH_SIZE], key[48], value[48], line[256];
    if (!realpath(folder, o->folder))
        quit("%s: the overlay folder cannot be opened", folder);
    snprintf(o->visibility, sizeof o->visibility, "after_published");
    FILE *settings = fopen(path_join(path, o->folder, "settings"), "r");
    while (settings && fgets(line, sizeof line, settings))
        if (sscanf(line, " %47[^# \n] %47s", key, value) == 2)
            read_setting(o, key, value);
    if (settings)
        fclose(settings);
}

uint64_t second_seed(const Assignment *a)
{
    return a->overlay.seed ? a->overlay.seed
                           : hash_add(HASH_BEGIN, a->id, strlen(a->id)) % 999999999 + 1;
}

uint64_t seed_read(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long seed = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return strspn(text, "0123456789") && !end[*end == '\n'] && !errno ? seed : 0;
}

bool overlay_allows(const Assignment *a, const char *name)
{
    for (int i = 0; i < a->overlay.allowed_count; i++)
        if (strcmp(a->overlay.allowed[i], name) == 0)
            return true;
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void assignment_open(Assignment *a, const char *root, const char *cache, const char *hw,
                     const char *overlay)
{
    char path[PATH_SIZE];
    *a = (Assignment){.sanitizer = true};
    assignment_find(a, root, hw);
    if (overlay)
        overlay_read(&a->overlay, overlay);
    compiler_find(a);
    walls_find(a);
    a->kit = file_exists(path_join(path, a->folder, "expected"));
    cache_open(a, cache);
}
