/* compile.c: from texts to libraries.
 *
 * A submission is preprocessed first, and looked at with all macros expanded (for asm); it is compiled, and
 * the object file is looked at (object.c); only then is it linked. Its functions are weak, so that the
 * reference can stand in for those of earlier tasks, and only the assignment's functions leave the library:
 * a malloc or a main of the student's own is nobody else's. */
#include "grader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ARGUMENTS_MAX = 64, COMPILE_SECONDS = 10, TRUSTED_SECONDS = 120 };

typedef struct {
    const char *word[ARGUMENTS_MAX];
    int count;
    char own[8][PATH_SIZE + 32]; /* words that are put together here */
    int owned;
} Arguments;

static void add(Arguments *l, const char *word)
{
    if (l->count < ARGUMENTS_MAX - 1)
        l->word[l->count++] = word;
}

static void add_all(Arguments *l, const char *const *words)
{
    for (; *words; words++)
        add(l, *words);
}

/* -Ipath, or another flag that is stuck to its value. */
static void add_joined(Arguments *l, const char *flag, const char *value)
{
    if (l->owned < 8) {
        snprintf(l->own[l->owned], sizeof *l->own, "%s%s", flag, value);
        add(l, l->own[l->owned++]);
    }
}

static void begin(Arguments *l, const Assignment *a, Variant v)
{
    static const char *const common[] = {
        "-std=gnu11", "-O1", "-g", "-fPIC", "-ffp-contract=off", "-fdiagnostics-color=never", NULL};
    l->count = l->owned = 0;
    add(l, a->compiler);
    add_all(l, common);
    if (v == DOUBLE || v == JUDGE)
        add(l, "-DGRADUS_F64");
    if (v == JUDGE)
        add(l, "-DHOMEWORK_JUDGE");
    if (v == SANITIZED) {
        static const char *const watch[] = {"-fsanitize=address,undefined",
                                            "-fno-omit-frame-pointer", "-fno-sanitize-recover=all",
                                            "-DHOMEWORK_SANITIZED", NULL};
        add_all(l, watch);
    }
}

static bool went_well(Arguments *l, const char *folder, int seconds, Text *said)
{
    l->word[l->count] = NULL;
    int status = process_run(l->word, folder, seconds, said);
    if (WIFSIGNALED(status))
        text_print(said, "the compiler did not come to an end in %d seconds and 3 GB\n", seconds);
    else if (status == -1 || WEXITSTATUS(status) == 127)
        text_print(said, "the compiler %s could not be started\n", l->word[0]);
    return status == 0;
}

/* ---- which compiler ------------------------------------------------------------------------------ */

void compiler_find(Assignment *a)
{
    const char *wanted = getenv("CC");
    const char *const names[] = {wanted && *wanted ? wanted : "cc", "gcc", "clang", NULL};
    for (int i = 0; names[i]; i++) {
        Text said = {0};
        const char *const ask[] = {names[i], "--version", NULL};
        bool there = process_run(ask, NULL, 10, &said) == 0;
        text_free(&said);
        if (there) {
            snprintf(a->compiler, sizeof a->compiler, "%s", names[i]);
            return;
        }
    }
    quit("no C compiler was found (cc, gcc, clang); set CC to yours");
}

bool compiler_sanitizes(const Assignment *a)
{
    Arguments l;
    Text said = {0};
    char path[PATH_SIZE];
    static const char source[] = "int main(void) { return 0; }\n";
    begin(&l, a, SANITIZED);
    add(&l, "probe.c");
    add(&l, "-o");
    add(&l, "probe");
    bool good = file_write(path_join(path, a->runners, "probe.c"), source, sizeof source - 1) &&
                went_well(&l, a->runners, TRUSTED_SECONDS, &said);
    text_free(&said);
    return good;
}

/* ---- the submission ------------------------------------------------------------------------------- */

/* A line that the preprocessor left: # 12 "file" ... Returns whether the text after it is the student's. */
static bool is_own(const char *marker, const char *file, int *line)
{
    char named[PATH_SIZE];
    return sscanf(marker, "# %d \"%1000[^\"]\"", line, named) == 2 && strcmp(named, file) == 0;
}

static void refuse_word(const char *word, size_t length, int line, Text *said)
{
    static const char *const assembly[] = {"asm", "__asm", "__asm__"};
    for (int i = 0; i < 3; i++)
        if (strlen(assembly[i]) == length && strncmp(word, assembly[i], length) == 0)
            text_print(said, "line %d: asm: assembly is not allowed, write it in C\n", line);
}

/* Looks at every word of the student's own lines, macros expanded. */
static bool words_allowed(const char *p, const char *file, Text *said)
{
    bool own = false;
    int line = 0;
    size_t before = said->length;
    while (*p) {
        if (p[0] == '#' && p[1] == ' ') {
            own = is_own(p, file, &line);
            p += strcspn(p, "\n");
            p += *p == '\n';
            continue;
        }
        for (; *p && *p != '\n';) {
            if (*p == '"' || *p == '\'') {
                char quote = *p++;
                while (*p && *p != quote && *p != '\n')
                    p += p[0] == '\\' && p[1] ? 2 : 1;
                p += *p == quote;
            } else if (isalpha((unsigned char)*p) || *p == '_') {
                size_t length =
                    strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
                if (own)
                    refuse_word(p, length, line, said);
                p += length;
            } else {
                p++;
            }
        }
        line += *p == '\n';
        p += *p == '\n';
    }
    return said->length == before;
}

static bool asm_allowed(const Assignment *a)
{
    for (int i = 0; i < a->overlay.allowed_count; i++)
        if (strcmp(a->overlay.allowed[i], "asm") == 0)
            return true;
    return false;
}

static void add_source(Arguments *l, const Assignment *a, const Build *b)
{
    char header[48];
    snprintf(header, sizeof header, "%s.h", a->id);
    add_joined(l, "-I", a->folder);
    add(l, "-include");
    add_joined(l, "", header);
    add(l, "-DTASK=__attribute__((weak,visibility(\"default\")))");
    add(l, "-Wall");
    add(l, "-Wextra");
    add(l, "-Werror=implicit-function-declaration");
    add(l, "-Werror=incompatible-pointer-types");
    add(l, "-Werror=int-conversion");
    add(l, b->file);
}

/* What any variant compiles is the text that was looked at: the sanitizer's build begins with the float
 * build's preprocessed text, so that no #ifdef can show it something else. */
static bool preprocess(const Assignment *a, const Build *b, char *output, Text *said)
{
    Arguments l;
    Text text = {0}, ignored = {0};
    char path[PATH_SIZE];
    begin(&l, a, b->variant == SANITIZED ? FLOAT : b->variant);
    snprintf(output, PATH_SIZE, "%s.%s.i", b->file, b->variant == DOUBLE ? "double" : "float");
    if (b->variant == SANITIZED && file_exists(path_join(path, b->folder, output)))
        return true;
    add(&l, "-E");
    add_source(&l, a, b);
    add(&l, "-o");
    add(&l, output);
    bool good = went_well(&l, b->folder, b->trusted ? TRUSTED_SECONDS : COMPILE_SECONDS, &ignored);
    if (good && !b->trusted && !asm_allowed(a))
        good = file_read(path_join(path, b->folder, output), &text) &&
               words_allowed(text_of(&text), b->file, said);
    else if (!good)
        good = true; /* the compiler says the same, and better */
    text_free(&text);
    text_free(&ignored);
    return good;
}

static bool compile(const Assignment *a, const Build *b, const char *object, Text *said)
{
    Arguments l;
    char text[PATH_SIZE];
    bool look = !b->trusted;
    if (look && !preprocess(a, b, text, said))
        return false;
    begin(&l, a, b->variant);
    if (b->variant == SANITIZED && look) {
        add(&l, "-w");
        add(&l, text);
    } else {
        add_source(&l, a, b);
    }
    add(&l, "-c");
    add(&l, "-o");
    add(&l, object);
    return went_well(&l, b->folder, b->trusted ? TRUSTED_SECONDS : COMPILE_SECONDS, said);
}

static bool write_exports(const Assignment *a, const Build *b, const char *name)
{
    Text map = {0};
    char path[PATH_SIZE];
    int count = b->after > 0 ? b->after : a->functions;
    text_put(&map, "{ global:");
    for (int i = 0; i < count; i++)
        text_print(&map, " %s;", a->function[i]);
    text_put(&map, " local: *; };\n");
    bool good = file_write(path_join(path, b->folder, name), map.data, map.length);
    text_free(&map);
    return good;
}

static bool link_library(const Assignment *a, const Build *b, const char *object, Text *said)
{
    static const char *const wraps[] = {"-Wl,--wrap=malloc",        "-Wl,--wrap=calloc",
                                        "-Wl,--wrap=realloc",       "-Wl,--wrap=free",
                                        "-Wl,--wrap=aligned_alloc", NULL};
    Arguments l;
    char exports[PATH_SIZE];
    snprintf(exports, sizeof exports, "%.200s.map", b->output);
    if (!write_exports(a, b, exports))
        return false;
    begin(&l, a, b->variant);
    add(&l, "-shared");
    add(&l, object);
    add(&l, "-o");
    add(&l, b->output);
    add(&l, "-Wl,-z,lazy");
    add(&l, "-Wl,-z,noexecstack");
    add_joined(&l, "-Wl,--version-script=", exports);
    if (!b->trusted)
        add_all(&l, wraps);
    add(&l, "-lm");
    return went_well(&l, b->folder, b->trusted ? TRUSTED_SECONDS : COMPILE_SECONDS, said);
}

bool build_library(const Assignment *a, const Build *b, Text *said)
{
    char object[PATH_SIZE], path[PATH_SIZE];
    snprintf(object, sizeof object, "%.200s.o", b->output);
    if (b->object)
        return link_library(a, b, b->object, said);
    if (!compile(a, b, object, said))
        return false;
    if (!b->trusted) {
        Object o;
        object_read(&o, path_join(path, b->folder, object), a, b->variant == SANITIZED);
        text_put(said, text_of(&o.refused));
        bool good = o.refused.length == 0;
        text_free(&o.refused);
        if (!good)
            return false;
    }
    return link_library(a, b, object, said);
}

/* ---- the grader's own side ------------------------------------------------------------------------ */

bool build_program(const Assignment *a, Variant v, const char *output, Text *said)
{
    static const char *const parts[] = {"runner.c", "case.c", "heap.c", "differences.c",
                                        "sandbox.c"};
    Arguments l;
    begin(&l, a, v);
    for (int i = 0; i < 5; i++) {
        static char path[5][PATH_SIZE];
        add(&l, path_join(path[i], a->grader, parts[i]));
    }
    add_joined(&l, "-I", a->grader);
    add(&l, "-rdynamic");
    add(&l, "-o");
    add(&l, output);
    add(&l, "-ldl");
    add(&l, "-lm");
    return went_well(&l, a->cache, TRUSTED_SECONDS, said);
}

bool build_tests(const Assignment *a, Variant v, const char *output, Text *said)
{
    Arguments l;
    char tests[PATH_SIZE], hidden[PATH_SIZE];
    begin(&l, a, v);
    add_joined(&l, "-I", a->grader);
    add_joined(&l, "-I", a->folder);
    add(&l, path_join(tests, a->folder, "tests.c"));
    if (a->overlay.folder[0] && file_exists(path_join(hidden, a->overlay.folder, "hidden.c")))
        add(&l, hidden);
    add(&l, "-shared");
    add(&l, "-Wl,-z,lazy");
    add(&l, "-o");
    add(&l, output);
    add(&l, "-lm");
    return went_well(&l, a->cache, TRUSTED_SECONDS, said);
}
