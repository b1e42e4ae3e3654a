/* cache.c: what is built once and kept: the runner, which all homeworks share; of a homework the
 * tests, the solution, and for each function a library of the functions before it. The folder's
 * name is a hash of all the texts that it was made from, so that after any change it is built anew.
 * One process builds, others wait for it. */
#include "grader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char FILLED[] = "filled"; /* a program that shows that the compiler fills variables */
static const char ZEROED[] = "zeroed"; /* with 0, too */
static const char *const variant_name[VARIANTS] = {"float", "double", "sanitized", "judge"};

/* ---- where things are ------------------------------------------------------------------------ */

const char *cached(const Assignment *a, const char *what, Variant v, char path[PATH_SIZE])
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", what, variant_name[v]);
    return path_join(path, a->cache, name);
}

const char *cached_runner(const Assignment *a, Variant v, char path[PATH_SIZE])
{
    char name[64];
    snprintf(name, sizeof name, "runner-%s", variant_name[v == JUDGE ? DOUBLE : v]);
    return path_join(path, a->runners, name);
}

bool assignment_has_hidden(const Assignment *a)
{
    char path[PATH_SIZE];
    return a->overlay.folder[0] && file_exists(path_join(path, a->overlay.folder, "hidden.c"));
}

/* ---- its name -------------------------------------------------------------------------------- */

static void make_folder(const char *root, const char *name, unsigned long long hash,
                        char path[PATH_SIZE])
{
    char full[128];
    snprintf(full, sizeof full, "%s-%016llx", name, hash);
    if (!folder_make(path_join(path, root, full)))
        quit("%s: the folder cannot be made", path);
}

static void choose_folders(Assignment *a, const char *root)
{
    const char *flags = getenv("GRADER_FLAGS"); /* as in words_begin */
    unsigned long long hash = hash_add(HASH_BEGIN, a->compiler, strlen(a->compiler));
    hash = hash_add(hash, flags ? flags : "", flags ? strlen(flags) : 0);
    hash = hash_sources(hash, a->grader);
    hash = hash_file(hash, a->grader, "../cache.c");
    hash = hash_file(hash, a->grader, "../compile.c");
    hash = hash_file(hash, a->grader, "../judge.c");
    hash = hash_file(hash, a->grader, "../submission.c");
    make_folder(root, "runner", hash, a->runners);
    if (a->project[0]) {
        hash = lab_hash(a, hash);
        make_folder(root, "library", hash, a->library);
    }
    hash = hash_file(hash, a->folder, a->header);
    hash = hash_file(hash, a->grader, "../../prelude.h");
    hash = hash_file(hash, a->grader, "../../prelude_debug.h");
    hash = hash_file(hash, a->folder, a->source);
    hash = hash_file(hash, a->folder, "tests.c");
    hash = hash_file(hash, a->folder, "program.c");
    hash = a->overlay.folder[0] ? hash_file(hash, a->overlay.folder, "hidden.c") : hash;
    make_folder(root, a->name, hash, a->cache);
}

/* ---- building -------------------------------------------------------------------------------- */

static void must(bool good, const char *what, Text *said)
{
    if (!good)
        quit("%s could not be built:\n%s", what, text_of(said));
    text_cut(said, 0);
}

/* The library of the functions before f goes into the process that runs a submission of f: no code
 * of f, or of a later function, may be in it. The linker drops what the earlier functions do not
 * use; this makes sure of it. */
static void check_before(const Assignment *a, const char *library, int f)
{
    Object o;
    char path[PATH_SIZE];
    if (!submissions_are_held())
        return; /* the author of a homework builds it on Linux */
    object_read(&o, path_join(path, a->cache, library), a, true);
    for (int later = f; later < a->functions; later++)
        if (o.defines[later])
            quit("%s/%s.c: the solution of a function before %s calls %s, which a test tries "
                 "later; let it call a static function, or exchange the tests",
                 a->folder, a->id, a->function[f], a->function[later]);
    text_free(&o.refused);
}

static void build_before(const Assignment *a, Variant v, Text *said)
{
    char name[64], object[64];
    Build b = {.folder = a->cache, .file = a->source, .variant = v, .output = name};
    snprintf(object, sizeof object, "before-1-%s.o", variant_name[v]);
    for (int f = 1; f < a->functions; f++) {
        snprintf(name, sizeof name, "before-%d-%s", f, variant_name[v]);
        b.after = f;
        b.object = f > 1 ? object : NULL;
        must(build_library(a, &b, said), "the reference", said);
        check_before(a, name, f);
    }
}

static void build_references(const Assignment *a, Text *said)
{
    Build b = {.folder = a->cache, .file = a->source, .variant = JUDGE};
    b.output = "reference-judge";
    must(build_library(a, &b, said), "the reference", said);
    b.variant = FLOAT;
    b.output = "reference-float";
    must(build_library(a, &b, said), "the reference", said);
    b.output = "rounded-float";
    b.all_float = true;
    build_library(a, &b, said); /* fails where the header wants pointers to doubles */
    text_cut(said, 0);
    for (Variant v = FLOAT; v < JUDGE; v++)
        if (v != SANITIZED || a->sanitizer)
            build_before(a, v, said);
}

/* And what makes each double of it a float, but not those of the headers. */
static void write_solution(const Assignment *a)
{
    static const char *const function[] = {"exp",   "exp2", "expm1", "log",  "log2",
                                           "log1p", "sqrt", "pow",   "tanh", "sin",
                                           "cos",   "erf",  "fabs",  "fmin", "fmax",
                                           "floor", "ceil", "round", NULL};
    char path[PATH_SIZE];
    Text solution = {0}, header = {0};
    homework_text(a, SOLUTION, NULL, &solution);
    file_save(path_join(path, a->cache, a->source), &solution);
    text_put(&header, "#include <complex.h>\n#include <float.h>\n#include <limits.h>\n"
                      "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
                      "#include <string.h>\n#define double float\n");
    for (int i = 0; function[i]; i++)
        text_print(&header, "#define %s %sf\n", function[i], function[i]);
    file_save(path_join(path, a->cache, "rounded.h"), &header);
}

static void build_lab(Assignment *a, Text *said)
{
    for (Variant v = FLOAT; v < JUDGE; v++)
        if (v != SANITIZED || a->sanitizer)
            must(lab_build(a, v, said), "the library", said);
}

/* Which line of the program is wrong, counted from 1. */
static int line_with_bug(const Assignment *a, const char *wrong, const char *right)
{
    int line = 0, found = 0, count = 0;
    while (*wrong || *right) {
        size_t length = strcspn(wrong, "\n"), other = strcspn(right, "\n");
        line++;
        if (length != other || strncmp(wrong, right, length) != 0) {
            found = line;
            count++;
        }
        wrong += length + (wrong[length] == '\n');
        right += other + (right[other] == '\n');
    }
    if (count != 1)
        quit("%s/program.c: the right program differs in %d lines; expected one", a->folder, count);
    return found;
}

/* wrong.c and right.c, whose names do not meet: the tests are linked with both. */
static void write_programs(const Assignment *a)
{
    static const char *const name[] = {"wrong", "right"};
    char path[PATH_SIZE], file[16];
    Text text[2] = {{0}, {0}};
    if (!bug_program(a, false, &text[0]) || !bug_program(a, true, &text[1]))
        return;
    for (int i = 0; i < 2; i++) {
        Text out = {0};
        snprintf(file, sizeof file, "%s.c", name[i]);
        text_print(&out, "#define program %s_program\n#define main %s_main\nint main(void);\n%s",
                   name[i], name[i], text_of(&text[i]));
        if (i == 0)
            text_print(&out, "const int line_with_bug = %d;\n",
                       line_with_bug(a, text_of(&text[0]), text_of(&text[1])));
        file_save(path_join(path, a->cache, file), &out);
    }
    text_free(&text[0]);
    text_free(&text[1]);
}

static void build_runners(Assignment *a, Text *said)
{
    char path[PATH_SIZE];
    a->sanitizer = compiler_makes(a, SANITIZED, "probe");
    a->fills = true;
    a->fills = compiler_makes(a, FLOAT, FILLED);
    a->zeros = a->sanitizer && a->fills;
    a->zeros = a->zeros && compiler_makes(a, SANITIZED, ZEROED);
    for (Variant v = FLOAT; v < JUDGE; v++)
        if (v != SANITIZED || a->sanitizer)
            must(build_program(a, v, cached_runner(a, v, path), said), "the runner", said);
}

/* Visible and hidden tests are libraries of their own: a run has those alone that it needs. */
static void build_all_tests(const Assignment *a, Text *said)
{
    char path[PATH_SIZE];
    must(build_tests(a, JUDGE, TESTS_BOTH, cached(a, "tests", JUDGE, path), said), "tests.c", said);
    for (Variant v = FLOAT; v < JUDGE; v++) {
        if (v == SANITIZED && !a->sanitizer)
            continue;
        must(build_tests(a, v, TESTS_VISIBLE, cached(a, "tests", v, path), said), "tests.c", said);
        if (assignment_has_hidden(a))
            must(build_tests(a, v, TESTS_HIDDEN, cached(a, "hidden", v, path), said), "hidden.c",
                 said);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int lock_folder(const char *folder)
{
    char path[PATH_SIZE];
    int lock = open(path_join(path, folder, "lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        ;
    return lock;
}

/* Builds the contents of a cache folder once; processes that need it meanwhile wait. */
static void fill(const char *folder, void (*build)(Assignment *a, Text *said), Assignment *a)
{
    char path[PATH_SIZE];
    Text said = {0};
    int lock = lock_folder(folder);
    if (!file_exists(path_join(path, folder, "ready"))) {
        build(a, &said);
        file_save(path, &(Text){0});
    }
    if (lock >= 0)
        close(lock);
    text_free(&said);
}

static void build_homework(Assignment *a, Text *said)
{
    char path[PATH_SIZE];
    Text header = {0};
    whole_header(a, &header);
    file_save(path_join(path, a->cache, a->header), &header);
    if (!a->kit)
        write_solution(a);
    write_programs(a);
    build_all_tests(a, said);
    assignment_read_table(a);
    if (!a->kit)
        build_references(a, said);
}

void cache_open(Assignment *a, const char *cache)
{
    char root[PATH_SIZE], path[PATH_SIZE];
    if (!folder_make(cache) || !realpath(cache, root))
        quit("%s: the folder cannot be made", cache);
    choose_folders(a, root);
    fill(a->runners, build_runners, a);
    a->sanitizer = file_exists(cached_runner(a, SANITIZED, path));
    a->fills = file_exists(path_join(path, a->runners, FILLED));
    a->zeros = file_exists(path_join(path, a->runners, ZEROED));
    if (a->project[0])
        fill(a->library, build_lab, a);
    fill(a->cache, build_homework, a);
    if (a->count == 0)
        assignment_read_table(a);
}
