/* compile.c: what is trusted becomes libraries and programs: the runner, the tests, the solution,
 * known mistakes. The words of the compiler's command line are put together here for submissions,
 * too (submission.c). */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRUSTED_SECONDS = 120 };

void words_add_all(Arguments *l, const char *const *words)
{
    for (; *words && l->count < ARGUMENTS_MAX - 1; words++)
        l->word[l->count++] = *words;
}

/* -Ipath, or another flag that is stuck to its value. */
void words_add_joined(Arguments *l, const char *flag, const char *value)
{
    if (l->owned < OWN_MAX) {
        snprintf(l->own[l->owned], sizeof *l->own, "%s%s", flag, value);
        words_add(l, l->own[l->owned++]);
    }
}

void words_begin(Arguments *l, const Assignment *a, Variant v)
{
    l->count = l->owned = 0;
    words_add(l, a->compiler, "-std=gnu11", "-O1", "-g1", "-fPIC", "-ffp-contract=off",
              "-ffunction-sections", "-fdata-sections", "-fdiagnostics-color=never");
    words_add(l, "-fno-builtin-malloc", "-fno-builtin-calloc", "-fno-builtin-realloc",
              "-fno-builtin-free"); /* nor is a leak optimised away */
    if (a->fills)
        words_add(l, v == SANITIZED && a->zeros ? "-ftrivial-auto-var-init=zero"
                                                : "-ftrivial-auto-var-init=pattern");
    if (v == DOUBLE || v == JUDGE)
        words_add(l, "-DGRADUS_F64");
    if (v == JUDGE)
        words_add(l, "-DHOMEWORK_JUDGE");
    if (v == SANITIZED)
        words_add(l, "-fsanitize=address,undefined", "-fno-omit-frame-pointer",
                  "-fno-sanitize-recover=all", "-DHOMEWORK_SANITIZED");
    char word[64];
    const char *more = getenv("GRADER_FLAGS"); /* for tests of the grader */
    for (int used = 0; more && sscanf(more, "%63s%n", word, &used) == 1; more += used)
        words_add_joined(l, "", word);
}

bool words_run(Arguments *l, const char *folder, Text *said)
{
    l->word[l->count] = NULL;
    int status = process_run(l->word, folder, TRUSTED_SECONDS, said);
    if (status == -1 || WIFSIGNALED(status))
        text_print(said, "the compiler %s did not come to an end\n", l->word[0]);
    return status == 0;
}

/* ---- which compiler -------------------------------------------------------------------------- */

/* What a compiler cannot do without, with the reason where it is not there. */
static void check_temporary(void)
{
    static const char page[1 << 16];
    char folder[PATH_SIZE], path[PATH_SIZE + 8];
    const char *base = getenv("TMPDIR"), *why = NULL;
    if (!folder_temporary(folder))
        why = strerror(errno);
    else if (snprintf(path, sizeof path, "%s/try", folder), !file_write(path, page, sizeof page))
        why = errno ? strerror(errno) : "no file can be written";
    folder_remove(folder);
    if (why)
        quit("%s%s: %s; expected a folder for temporary files with some free space",
             base && *base ? "TMPDIR=" : "", base && *base ? base : "/tmp", why);
}

void compiler_find(Assignment *a)
{
    check_temporary();
    const char *wanted = getenv("CC");
    const char *const names[] = {wanted && *wanted ? wanted : "cc", "gcc", "clang", NULL};
    for (int i = 0; names[i]; i++) {
        Text said = {0};
        const char *const ask[] = {names[i], "--version", NULL};
        bool there = program_find(a->compiler, names[i]) && process_run(ask, NULL, 10, &said) == 0;
        text_free(&said);
        if (there)
            return;
    }
    quit("no C compiler was found (cc, gcc, clang); set CC to yours");
}

bool compiler_makes(const Assignment *a, Variant v, const char *program)
{
    Arguments l;
    Text said = {0};
    char path[PATH_SIZE];
    static const char source[] = "int main(void) { return 0; }\n";
    words_begin(&l, a, v);
    words_add(&l, "probe.c", "-o", program);
    bool good = file_write(path_join(path, a->runners, "probe.c"), source, sizeof source - 1) &&
                words_run(&l, a->runners, &said);
    text_free(&said);
    return good;
}

/* ---- sources and libraries ------------------------------------------------------------------- */

/* What turns a homework's source into one whose functions are weak. */
void words_add_source(Arguments *l, const Assignment *a, const char *file)
{
    words_add(l, "-include", a->header);
    words_add(l, "-DTASK=__attribute__((weak,visibility(\"default\")))", file);
}

void words_add_warnings(Arguments *l)
{
    words_add(l, "-Wall", "-Wextra", "-Wno-unused-parameter", "-fmax-errors=20");
    words_add(l, "-Werror=implicit-function-declaration", "-Werror=incompatible-pointer-types",
              "-Werror=int-conversion");
}

/* ---- linking --------------------------------------------------------------------------------- */

void exports_print(Text *map, const Assignment *a, int count)
{
    text_put(map, "{ global:");
    for (int i = 0; i < count; i++)
        text_print(map, " %s;", a->function[i]);
    text_put(map, " local: *; };\n");
}

/* A library may use functions that are found when it is loaded, or first called. */
static void add_late_binding(Arguments *l)
{
#ifdef __APPLE__
    words_add(l, "-Wl,-undefined,dynamic_lookup");
#elif defined(__linux__)
    words_add(l, "-Wl,-z,lazy");
#else
    (void)l;
#endif
}

/* What no exported function uses is left out of the library. */
void words_add_linking(Arguments *l, const char *object, const char *output, const char *exports)
{
    words_add(l, "-shared", object, "-o", output);
#ifdef __linux__
    words_add(l, "-Wl,-z,lazy", "-Wl,-z,noexecstack", "-Wl,--gc-sections");
    words_add_joined(l, "-Wl,--version-script=", exports);
#else
    (void)exports; /* an option of GNU's linker */
    add_late_binding(l);
#endif
}

static bool link_library(const Assignment *a, const Build *b, const char *object, Text *said)
{
    Arguments l;
    Text map = {0};
    char exports[PATH_SIZE], path[PATH_SIZE];
    snprintf(exports, sizeof exports, "%.200s.map", b->output);
    exports_print(&map, a, b->after > 0 ? b->after : a->functions);
    bool good = file_write(path_join(path, b->folder, exports), map.data, map.length);
    text_free(&map);
    words_begin(&l, a, b->variant);
    words_add_linking(&l, object, b->output, exports);
    words_add(&l, "-lm");
    return good && words_run(&l, b->folder, said);
}

static bool compile(const Assignment *a, const Build *b, const char *object, Text *said)
{
    Arguments l;
    words_begin(&l, a, b->variant);
    words_add_joined(&l, "-I", a->folder);
    words_add_source(&l, a, b->file);
    if (b->all_float)
        words_add(&l, "-include", "rounded.h"); /* cache.c wrote it */
    words_add_warnings(&l);
    if (b->after > 0 && b->variant == DOUBLE) /* runner.c counts calls of it */
        words_add(&l, "-finstrument-functions");
    words_add(&l, "-c", "-o", object);
    return words_run(&l, b->folder, said);
}

bool build_library(const Assignment *a, const Build *b, Text *said)
{
    char object[PATH_SIZE];
    snprintf(object, sizeof object, "%.200s.o", b->output);
    return (b->object || compile(a, b, object, said)) &&
           link_library(a, b, b->object ? b->object : object, said);
}

/* ---- the grader's own side ------------------------------------------------------------------- */

bool build_program(const Assignment *a, Variant v, const char *output, Text *said)
{
    static const char *const parts[] = {"runner.c",  "case.c",   "heap.c",   "differences.c",
                                        "sandbox.c", "filter.c", "watcher.c"};
    static char path[sizeof parts / sizeof *parts][PATH_SIZE];
    Arguments l;
    words_begin(&l, a, v);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(&l, path_join(path[i], a->grader, parts[i]));
    words_add_joined(&l, "-I", a->grader);
    words_add(&l, "-rdynamic", "-o", output, "-ldl", "-lm");
    return words_run(&l, a->cache, said);
}

bool build_tests(const Assignment *a, Variant v, WhichTests which, const char *output, Text *said)
{
    Arguments l;
    char tests[PATH_SIZE], hidden[PATH_SIZE], path[PATH_SIZE], library[PATH_SIZE];
    words_begin(&l, a, v);
    words_add_joined(&l, "-I", a->grader);
    words_add_joined(&l, "-I", path_join(path, a->grader, "..")); /* from there, ../prelude.h */
    words_add_joined(&l, "-I", a->folder);
    if (which != TESTS_HIDDEN)
        words_add(&l, path_join(tests, a->folder, "tests.c"));
    if (which != TESTS_VISIBLE && assignment_has_hidden(a))
        words_add(&l, path_join(hidden, a->overlay.folder, "hidden.c"));
    if (a->project[0]) {
        words_add_joined(&l, "-I", a->project);
        words_add(&l, lab_object(a, v, library));
    }
    if (file_exists(path_join(path, a->folder, "program.c")))
        words_add(&l, "wrong.c", "right.c"); /* cache.c wrote them */
    words_add(&l, "-shared");
    add_late_binding(&l);
    words_add(&l, "-o", output, "-lm");
    return words_run(&l, a->cache, said);
}
