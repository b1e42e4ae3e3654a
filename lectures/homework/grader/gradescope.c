/* gradescope.c: the archive that Gradescope takes as an autograder: setup.sh is run once,
 * run_autograder for each submission; the file is chosen as with --all. run_autograder writes
 * /autograder/results/results.json only if the submission was graded: where the grader itself
 * fails, there is no such file, and Gradescope reports a failure of the autograder and no grade.
 * The archive holds all that this needs: the grader's sources, the homework, the instructor's
 * overlay. */
#include "grader.h"
#include "zip.h"

#include <stdio.h>

/* %s: the homework's id, and after it the options. */
static const char setup[] =
    "#!/bin/sh\n"
    "# Run once, when Gradescope builds the machine: a compiler, and the grader.\n"
    "set -e\n"
    "base=${AUTOGRADER:-/autograder}\n"
    "if ! command -v gcc >/dev/null; then\n"
    "    apt-get update\n"
    "    apt-get install -y --no-install-recommends gcc libc6-dev\n"
    "fi\n"
    "cd \"$base/source\"\n"
    "gcc -std=gnu11 -O1 -o grade homework/grader/*.c -lm\n"
    "chmod 700 \"$base/source\" # the solution is in it\n"
    "# What every grading needs is built now: each begins with a copy of this machine.\n"
    "CC=gcc ./grade homework cache handout %s solved --solution >/dev/null\n"
    "CC=gcc ./grade homework cache grade %s solved/%s.c%s >/dev/null || [ $? -eq 1 ]\n"
    "rm -r solved\n";

/* The homework's id; its options. The seed is in a folder that setup.sh closes to others. */
static const char run[] =
    "#!/bin/sh\n"
    "# Run for each submission. Without results.json Gradescope shows a failure of the autograder, "
    "and no grade.\n"
    "base=${AUTOGRADER:-/autograder}\n"
    "results=$base/results/results.json\n"
    "mkdir -p \"$base/results\"\n"
    "cd \"$base/source\" || exit 1\n"
    "CC=gcc ./grade homework cache grade %s --submission \"$base/submission\" --format gradescope "
    "--hidden-seed \"$(cat seed)\" --out \"$results\"%s\n"
    "status=$?\n"
    "[ $status -le 1 ] && [ -s \"$results\" ] && exit 0\n"
    "rm -f \"$results\" # a failure of the machine is no grade\n"
    "echo \"The grader itself failed (status $status). Tell your instructor.\" >&2\n"
    "exit 1\n";

int write_archive(const Assignment *a, const char *root, const char *file, const char *overlay,
                  uint64_t seed)
{
    char path[PATH_SIZE], script[2048];
    Zip z = {.count = 0};
    Text archive = {0}, number = {0};
    const char *options = overlay ? " --overlay overlay" : "";
    text_print(&number, SEED_FORMAT "\n", (unsigned long long)seed);
    snprintf(script, sizeof script, setup, a->id, a->id, a->id, options);
    zip_add_program(&z, "setup.sh", script);
    snprintf(script, sizeof script, run, a->id, options);
    zip_add_program(&z, "run_autograder", script);
    zip_add(&z, "seed", &number, false);
    zip_add_folder(&z, path_join(path, root, "grader"), "homework/grader");
    zip_add_folder(&z, a->grader, "homework/grader/runner");
    char name[128];
    snprintf(name, sizeof name, "homework/%s", a->name);
    zip_add_folder(&z, a->folder, name);
    zip_add_folder(&z, root, "homework"); /* what homeworks share */
    lab_archive(a, &z);
    if (overlay)
        zip_add_folder(&z, overlay, "overlay");
    zip_end(&z, &archive);
    file_save(file, &archive);
    text_free(&number);
    printf("%s: upload it as the autograder of %s; the seed of its hidden inputs is " SEED_FORMAT
           "\n",
           file, a->title, (unsigned long long)seed);
    return 0;
}
