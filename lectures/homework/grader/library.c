/* library.c: a lab is a homework that is written with gradus itself. Its folder is named lab-NAME.
 *
 *   its header   includes headers of the library. A submission's compiler sees no folder of the
 *                project, so here these are put into one text (whole_header).
 *   the library  is compiled from the project's sources, for each variant: with its own invariants
 *                and without threads, which a submission may not start (lab_build). It is linked
 *                into the tests, and a submission's calls find it there.
 *   what may be  called are the functions that the headers declare with GRADUS_API
 *                (lab_declares); all others stay hidden in the library. */
#include "compile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those of the library, an empty name, and those whose texts the tests of a lab may include. */
static const char *const folders[] = {"tensor",
                                      "tensor/io",
                                      "tensor/kernels",
                                      "tensor/kernels/ref",
                                      "tensor/system",
                                      "tensor/threads",
                                      "autograd",
                                      "autograd/ops",
                                      "autograd/ops/shared",
                                      "nn",
                                      "nn/decode",
                                      "placed",
                                      "",
                                      "tests/autograd",
                                      "tests/autograd/ops",
                                      "tests/harness",
                                      NULL};

void lab_find(Assignment *a)
{
    static const char *const places[] = {"../../../..", "../../.."}; /* in an archive, the second */
    char path[PATH_SIZE];
    if (strncmp(a->name, "lab-", 4) != 0)
        return;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        path_join(path, a->grader, places[i]);
        if (realpath(path, a->project) &&
            file_exists(path_join(path, a->project, "tensor/tensor.h")))
            return;
    }
    quit("%s is written with gradus, whose sources are not here; expected tensor/tensor.h beside "
         "lectures/",
         a->name);
}

unsigned long long lab_hash(const Assignment *a, unsigned long long hash)
{
    char path[PATH_SIZE];
    hash = hash_file(hash, a->grader, "../library.c");
    for (int i = 0; a->project[0] && folders[i]; i++)
        if (*folders[i])
            hash = hash_sources(hash, path_join(path, a->project, folders[i]));
    return hash;
}

const char *lab_folder(int i)
{
    return folders[i];
}

/* ---- the header ------------------------------------------------------------------------------ */

/* Each header of a lab once, behind its name: two may include each other. */
static void put_flat(const Assignment *a, const char *path, Text *to)
{
    char name[256], inner[PATH_SIZE], shared[PATH_SIZE], mark[PATH_SIZE + 16];
    Text text = {0};
    snprintf(mark, sizeof mark, "/* %s */\n", path + strlen(a->project) + 1);
    if (strstr(text_of(to), mark))
        return;
    if (a->project[0])
        text_put(to, mark);
    file_load(path, &text);
    path_join(shared, a->grader, ".."); /* beside it lies what homeworks share */
    for (const char *line = text_of(&text); *line; line += strcspn(line, "\n") + 1) {
        if (sscanf(line, "#include \"%200[^\"]\"", name) == 1)
            put_flat(a, path_join(inner, *name == '.' ? shared : a->project, name), to);
        else
            text_add(to, line, strcspn(line, "\n") + 1);
    }
    text_free(&text);
}

void whole_header(const Assignment *a, Text *to)
{
    char path[PATH_SIZE];
    put_flat(a, path_join(path, a->folder, a->header), to);
}

bool lab_declares(const Assignment *a, const char *name)
{
    char path[PATH_SIZE];
    size_t length = strlen(name);
    Text text = {0};
    bool found = false;
    if (!a->project[0] || !file_read(path_join(path, a->cache, a->header), &text))
        return false;
    for (const char *at = text_of(&text); !found && (at = strstr(at, "GRADUS_API ")); at++) {
        const char *end = at + strcspn(at, "(;[\n"), *begin = end;
        while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
            begin--;
        found = (size_t)(end - begin) == length && strncmp(begin, name, length) == 0;
    }
    text_free(&text);
    return found || strncmp(name, "gradus_real_is_", 15) == 0;
}

/* ---- the library ----------------------------------------------------------------------------- */

/* Those of a folder that belong into the library, each in quotes. */
static void add_sources(const Assignment *a, const char *folder, Text *to)
{
    char path[PATH_SIZE];
    bool threads = strcmp(folder, "tensor/threads") == 0;
    Text names = {0};
    folder_names(path_join(path, a->project, folder), &names);
    for (const char *name = text_of(&names); *name; name += strlen(name) + 1) {
        bool thread = threads && (strcmp(name, "pool.c") == 0 || strcmp(name, "openmp.c") == 0);
        if (is_source(name) && name[strlen(name) - 1] == 'c' && strncmp(name, "windows", 7) != 0 &&
            !thread)
            text_print(to, "\"%s/%s\"\n", path, name);
    }
    text_free(&names);
}

const char *lab_object(const Assignment *a, Variant v, char path[PATH_SIZE])
{
    static const char *const name[VARIANTS] = {"float.o", "double.o", "sanitized.o", "double.o"};
    return path_join(path, a->library, name[v]);
}

bool lab_build(const Assignment *a, Variant v, Text *said)
{
    char path[PATH_SIZE];
    Text sources = {0};
    Arguments l;
    for (int i = 0; *folders[i]; i++)
        add_sources(a, folders[i], &sources);
    bool good =
        file_write(path_join(path, a->library, "sources"), text_of(&sources), sources.length);
    text_free(&sources);
    words_begin(&l, a, v);
    if (a->fills) /* the library's own variables cost time */
        words_add(&l, "-ftrivial-auto-var-init=uninitialized");
    words_add(&l, "-O2", "-fvisibility=hidden", "-DGRADUS_INSIDE", "-DGRADUS_INVARIANTS", "-r",
              "-nostdlib", "@sources", "-o", lab_object(a, v, path));
    words_add_joined(&l, "-I", a->project);
    return good && words_run(&l, a->library, said);
}
