/* kit.c: the hand-out as an archive with a grader that students run at home, without the solution
 * in any form.
 *
 * The expected arrays of the visible tests, with the homework's two seeds, are files in it. Where a
 * test needs an earlier function, the student's own takes the place of the solution's, so it is
 * tried once that one passes. There are no named mistakes: those need the solution. */
#include "grader.h"
#include "zip.h"

#include <stdio.h>
#include <string.h>

static const char script[] =
    "#!/bin/sh\n"
    "# Builds the grader, once, and grades:  ./gradus grade HW FILE.c [--test NAME]\n"
    "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 2\n"
    "[ \"${1:-}\" = grade ] || { echo 'usage: ./gradus grade HW FILE.c [--test NAME]' >&2; exit 2; "
    "}\n"
    "shift\n"
    "mkdir -p \"$here/.grader\" || exit 2\n"
    "[ -x \"$here/.grader/grade\" ] || ${CC:-cc} -std=gnu11 -O1 -o \"$here/.grader/grade\" \\\n"
    "    \"$here\"/homework/grader/*.c -lm || exit 2\n"
    "exec \"$here/.grader/grade\" \"$here/homework\" \"$here/.grader\" grade \"$@\"\n";

/* A file of the homework, into its folder in the archive. */
static void add_copy(Zip *z, const Assignment *a, const char *from, const char *file)
{
    char path[PATH_SIZE], name[160];
    snprintf(name, sizeof name, "homework/%s/%s", a->name, file);
    zip_add_file(z, path_join(path, from, file), name);
}

/* README.md, hwN.h and, at the top, the hand-out; in the homework's folder the visible tests. */
static void add_texts(Zip *z, const Assignment *a)
{
    char path[PATH_SIZE];
    Text stub = {0}, readme = {0};
    handout_readme(a, &readme);
    zip_add(z, "README.md", &readme, false);
    zip_add_file(z, path_join(path, a->cache, a->header), a->header);
    homework_text(a, STUB, NULL, &stub);
    zip_add(z, a->source, &stub, false);
    add_copy(z, a, a->folder, "README.md");
    add_copy(z, a, a->cache, a->header);
    add_copy(z, a, a->folder, "tests.c");
    text_free(&readme);
    text_free(&stub);
}

static void add_expected(Zip *z, const Assignment *a)
{
    char path[PATH_SIZE], name[200];
    for (int i = 0; i < 2 * a->count; i++) {
        Cases cases;
        Text why = {0};
        Request q = request_all(a, i / 2, i % 2 ? second_seed(a) : 1);
        if (!cases_expect(&cases, a, &q, &why))
            quit("%s", text_of(&why));
        cases_free(&cases);
        snprintf(name, sizeof name, "homework/%s/expected/%s", a->name,
                 path_last(expected_file(a, &q, path)));
        zip_add_file(z, path, name);
    }
}

int write_kit(const char *root, const char *cache, const char *hw, const char *file)
{
    static Assignment a;
    char path[PATH_SIZE];
    Zip z = {.count = 0};
    Text archive = {0};
    assignment_open(&a, root, cache, hw, NULL);
    if (a.project[0])
        quit("%s is written with gradus: there is no archive to grade it without; write the "
             "hand-out into a folder",
             a.id);
    if (file_exists(path_join(path, a.folder, "program.c")))
        quit("%s: there is no archive to grade at home, because its tests need the right program; "
             "write the hand-out into a folder",
             a.id);
    zip_add_program(&z, "gradus", script);
    add_texts(&z, &a);
    zip_add_folder(&z, path_join(path, root, "grader"), "homework/grader");
    zip_add_folder(&z, a.grader, "homework/grader/runner");
    add_expected(&z, &a);
    zip_end(&z, &archive);
    file_save(file, &archive);
    printf("%s: students unpack it, write %s.c and run ./gradus grade %s %s.c\n", file, a.id, a.id,
           a.id);
    return 0;
}
