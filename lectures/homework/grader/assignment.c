/* assignment.c: an assignment is a folder
 *
 *   hwN-name/  README.md   hwN.h   hwN.c (marked)   tests.c   mistakes.txt
 *
 * What is built of it once (the runner, the tests, the reference before each function) is kept in the
 * cache, under a name that is made of all the texts it comes from: after any change it is built anew. */
#include "grader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const variant_name[VARIANTS] = {"float", "double", "sanitized", "judge"};

/* ---- finding it ---------------------------------------------------------------------------------- */

static bool is_assignment(const char *folder)
{
    char path[PATH_SIZE];
    return file_exists(path_join(path, folder, "tests.c"));
}

/* hw1 of hw1-tensor-ops. */
static void set_names(Assignment *a, const char *folder)
{
    const char *name = path_last(folder);
    if (!realpath(folder, a->folder))
        quit("%s cannot be opened", folder);
    name = path_last(a->folder);
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(a->id, sizeof a->id, "%.*s", (int)strcspn(name, "-"), name);
}

void assignment_list(const char *root)
{
    char path[PATH_SIZE];
    struct dirent **entry;
    int count = scandir(root, &entry, NULL, alphasort);
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
    size_t length = strlen(hw);
    path_join(path, root, "grader/runner");
    if (!realpath(path, a->grader))
        quit("%s: expected the grader's folder", path);
    if (strchr(hw, '/') && is_assignment(hw)) {
        set_names(a, hw);
        read_title(a);
        return;
    }
    DIR *folder = opendir(root);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, hw, length) == 0 &&
            (entry->d_name[length] == 0 || entry->d_name[length] == '-') &&
            is_assignment(path_join(path, root, entry->d_name)))
            set_names(a, path);
    if (folder)
        closedir(folder);
    if (!a->id[0]) {
        fprintf(stderr, "grader: there is no assignment \"%s\"; there are:\n", hw);
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

/* ---- where things are ---------------------------------------------------------------------------- */

static const char *built(const Assignment *a, const char *what, Variant v, char path[PATH_SIZE])
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", what, variant_name[v]);
    return path_join(path, a->cache, name);
}

const char *assignment_runner(const Assignment *a, Variant v, char path[PATH_SIZE])
{
    return built(a, "runner", v, path);
}

const char *assignment_tests(const Assignment *a, Variant v, char path[PATH_SIZE])
{
    return built(a, "tests", v, path);
}

const char *assignment_before(const Assignment *a, Variant v, int function, char path[PATH_SIZE])
{
    char what[32];
    snprintf(what, sizeof what, "before-%d", function);
    return built(a, what, v, path);
}

const char *assignment_reference(const Assignment *a, char path[PATH_SIZE])
{
    return path_join(path, a->cache, "reference");
}

/* ---- building it --------------------------------------------------------------------------------- */

static unsigned long long hash_file(unsigned long long hash, const char *folder, const char *name)
{
    char path[PATH_SIZE];
    Text text = {0};
    if (file_read(path_join(path, folder, name), &text))
        hash = hash_add(hash, text.data, text.length);
    text_free(&text);
    return hash_add(hash, "|", 1);
}

static void choose_cache(Assignment *a, const char *cache)
{
    static const char *const grader_parts[] = {"runner.c",      "case.c",       "heap.c",
                                               "differences.c", "sandbox.c",    "case.h",
                                               "homework.h",    "../compile.c", "../assignment.c"};
    char name[128], full[PATH_SIZE];
    unsigned long long hash = hash_add(HASH_BEGIN, a->compiler, strlen(a->compiler));
    for (size_t i = 0; i < sizeof grader_parts / sizeof *grader_parts; i++)
        hash = hash_file(hash, a->grader, grader_parts[i]);
    snprintf(name, sizeof name, "%s.h", a->id);
    hash = hash_file(hash, a->folder, name);
    snprintf(name, sizeof name, "%s.c", a->id);
    hash = hash_file(hash, a->folder, name);
    hash = hash_file(hash, a->folder, "tests.c");
    if (a->overlay.folder[0])
        hash = hash_file(hash, a->overlay.folder, "hidden.c");
    if (!folder_make(cache) || !realpath(cache, full))
        quit("%s: the folder cannot be made", cache);
    snprintf(name, sizeof name, "%s-%016llx", a->name, hash);
    path_join(a->cache, full, name);
    if (!folder_make(a->cache))
        quit("%s: the folder cannot be made", a->cache);
}

static void must(bool good, const char *what, Text *said)
{
    if (!good)
        quit("%s could not be built:\n%s", what, text_of(said));
    text_cut(said, 0);
}

static void build_references(const Assignment *a, Text *said)
{
    char name[64], object[64], file[48];
    snprintf(file, sizeof file, "%s.c", a->id);
    Build b = {.folder = a->cache, .file = file, .trusted = true, .variant = JUDGE};
    b.output = "reference";
    must(build_library(a, &b, said), "the reference", said);
    for (Variant v = FLOAT; v < JUDGE; v++) {
        if (v == SANITIZED && !a->sanitizer)
            continue;
        snprintf(object, sizeof object, "before-1-%s.o", variant_name[v]);
        for (int f = 1; f < a->functions; f++) {
            snprintf(name, sizeof name, "before-%d-%s", f, variant_name[v]);
            b.output = name;
            b.variant = v;
            b.after = f;
            b.object = f > 1 ? object : NULL;
            must(build_library(a, &b, said), "the reference", said);
        }
    }
}

static void write_solution(const Assignment *a)
{
    char path[PATH_SIZE], name[48];
    Text marked = {0}, solution = {0};
    snprintf(name, sizeof name, "%s.c", a->id);
    if (!file_read(path_join(path, a->folder, name), &marked) ||
        !marked_solution(marked.data, &solution))
        quit("%s: expected a source with pairs of BEGIN SOLUTION and END SOLUTION", path);
    if (!file_write(path_join(path, a->cache, name), solution.data, solution.length))
        quit("%s cannot be written", path);
    text_free(&marked);
    text_free(&solution);
}

static void build_runners(Assignment *a, Text *said)
{
    char path[PATH_SIZE];
    for (Variant v = FLOAT; v < VARIANTS; v++) {
        bool good = build_program(a, v, assignment_runner(a, v, path), said) &&
                    build_tests(a, v, assignment_tests(a, v, path), said);
        if (v == SANITIZED) {
            a->sanitizer = good;
            text_cut(said, 0);
        } else {
            must(good, "the tests", said);
        }
    }
}

/* ---- the table of tests -------------------------------------------------------------------------- */

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
static void read_table(Assignment *a)
{
    char library[PATH_SIZE];
    Bench bench = {.assignment = a, .variant = JUDGE, .wall_limit = 20};
    bench.library = assignment_tests(a, JUDGE, library);
    Outcome o = {.answered = false};
    a->count = a->functions = 0;
    bench_run(&bench, &(Request){.mode = RUN_LIST, .function = -1}, 1 << 20, &o);
    for (size_t at = 0; at + sizeof(TestRow) <= o.results.length; at += sizeof(TestRow)) {
        TestRow row;
        memcpy(&row, o.results.data + at, sizeof row);
        take_row(a, &row);
    }
    if (a->count == 0)
        quit("%s/tests.c: no test was found: %s", a->folder, text_of(&o.output));
    outcome_free(&o);
    bench_close(&bench);
}

/* One process builds, the others wait for it. */
void assignment_open(Assignment *a, const char *root, const char *cache, const char *hw,
                     const char *overlay)
{
    char path[PATH_SIZE];
    Text said = {0};
    *a = (Assignment){.sanitizer = true};
    assignment_find(a, root, hw);
    if (overlay)
        overlay_read(&a->overlay, overlay);
    compiler_find(a);
    choose_cache(a, cache);
    int lock = open(path_join(path, a->cache, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    bool ready = file_exists(path_join(path, a->cache, "ready"));
    if (!ready) {
        write_solution(a);
        build_runners(a, &said);
    } else {
        a->sanitizer = file_exists(assignment_tests(a, SANITIZED, path));
    }
    read_table(a);
    if (!ready) {
        build_references(a, &said);
        if (!file_write(path_join(path, a->cache, "ready"), "", 0))
            quit("%s cannot be written", path);
    }
    if (lock >= 0)
        close(lock);
    text_free(&said);
}

/* ---- an instructor's overlay --------------------------------------------------------------------- */

static void read_setting(Overlay *o, const char *key, const char *value)
{
    if (strcmp(key, "seed") == 0)
        o->seed = strtoull(value, NULL, 10);
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
             "WORD, "
             "or allow NAME",
             o->folder, key, value);
}

void overlay_read(Overlay *o, const char *folder)
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
