/* main.c: the grader's command line. ./gradus grade, handout and gradescope come here.
 *
 *   grader ROOT CACHE grade HW FILE.c [--format F] [--out FILE] [--overlay DIR]
 *   grader ROOT CACHE grade HW --all DIR --out DIR
 *   grader ROOT CACHE handout HW DIR [--solution]
 *   grader ROOT CACHE gradescope HW OUT.zip [--overlay DIR]
 *   grader ROOT CACHE grade HW --confusion, or --check */
#include "all.h"
#include "report.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *root, *cache, *command, *word[2];
    int words;
    const char *format, *out, *overlay, *all, *submission, *shard;
    int workers;
    bool solution;
    uint64_t hidden_seed;
    GradeOptions grade;
    ClassOptions class;
} Line;

static const char usage_grade[] =
    "usage: ./gradus grade HW FILE.c [options]\n"
    "       ./gradus grade HW --all DIR --out RESULTS [options]\n"
    "grades a homework: hw1, hw2, ... (./gradus grade alone lists them)\n\n"
    "  --format NAME   text (default), markdown, gradescope, json, classroom\n"
    "  --out FILE      write there instead of standard output\n"
    "  --test NAME     only this test\n"
    "  --function NAME  only the tests of this function\n"
    "  --seed N        the seed of the visible inputs (1)\n"
    "  --hidden-seed N  the seed of the others, as in grades.csv; without it that of the overlay\n"
    "                  or of the class, else the homework's\n"
    "  --case N        only this case of the test\n"
    "  --overlay DIR   an instructor's hidden tests and settings\n"
    "  --all DIR       every submission in a folder, several at a time; RESULTS is a folder,\n"
    "                  and a submission that is graded in it already is not graded again\n"
    "  --shard K/N     with --all: only every N-th submission, from the K-th on, as one of N "
    "machines\n"
    "  --merge RESULTS  with --all, in place of --out: the class's files for the shards' results\n"
    "  --submission DIR  in place of FILE.c: the file that --all takes of one submission; a "
    "report\n"
    "                  of 0 points says so where there is none\n"
    "  --jobs N        how many at a time (as many as processors)\n"
    "  --isolation     what a submission can and cannot do on this machine; HW may be left out\n"
    "  --due TIME      with --all: 2026-11-20T23:59-05:00, or Z; without a zone this machine's is\n"
    "                  meant; later submissions are late\n"
    "  --roster FILE   with --all: a CSV table of all students (id, name, email, extension); who\n"
    "                  handed in nothing gets a row\n"
    "  --late-days N   so many late days cost nothing (0)\n"
    "  --late-percent P  each further late day costs P percent of the points (0)\n"
    "  --confusion     for the author of a homework: tests its solution, hand-out and known "
    "mistakes\n"
    "  --check         the quick part of it: can every mistake be applied to the solution?\n"
    "  --help          show this text\n\n"
    "The exit status is 0 for all points, 1 for fewer, 2 if nothing could be graded.\n";

static const char usage_handout[] =
    "usage: ./gradus handout HW DIR [--solution]\n"
    "       ./gradus handout HW OUT.zip\n"
    "writes what a student gets into a folder: README.md, hwN.h and hwN.c with empty functions;\n"
    "--solution: the solved hwN.c. A .zip also holds a grader with the visible tests, without the "
    "solution\n";

static const char usage_gradescope[] = "usage: ./gradus gradescope HW OUT.zip [--overlay DIR] "
                                       "[--hidden-seed N]\n"
                                       "writes the archive that Gradescope takes as an autograder: "
                                       "it holds the solution, the overlay\n"
                                       "and the seed of the hidden inputs, which is a new one "
                                       "unless it is given here or in the overlay\n";

static bool is_author(const char *command)
{
    return strcmp(command, "confusion") == 0 || strcmp(command, "check") == 0;
}

static const char *usage_of(const char *command)
{
    return strcmp(command, "handout") == 0      ? usage_handout
           : strcmp(command, "gradescope") == 0 ? usage_gradescope
                                                : usage_grade;
}

/* ---- the words of the line ------------------------------------------------------------------- */

static const char *value_of(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc)
        quit("%s: expected a value after it", argv[*i]);
    if (!*argv[*i + 1])
        quit("%s: found an empty value; expected one", argv[*i]);
    return argv[++*i];
}

static long number_of(int argc, char **argv, int *i, long low, long high)
{
    char *end;
    const char *option = argv[*i], *text = value_of(argc, argv, i);
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < low || value > high)
        quit("%s: found '%s'; expected a whole number from %ld to %ld", option, text, low, high);
    return value;
}

static uint64_t seed_of(int argc, char **argv, int *i)
{
    const char *option = argv[*i], *text = value_of(argc, argv, i);
    const uint64_t seed = seed_read(text);
    if (!seed)
        quit("%s: found '%s'; expected a whole number from 1 to %llu", option, text, ULLONG_MAX);
    return seed;
}

static void read_due(ClassOptions *class, const char *text)
{
    char zone[ZONE_SIZE];
    if (!time_read(text, &class->due, zone))
        quit("--due: found '%s'; expected a day and perhaps a time and its zone, such as "
             "2026-11-20T23:59-05:00 or 2026-11-20T23:59Z",
             text);
    snprintf(class->due_words, sizeof class->due_words, "%.16s%s, zone %s", text,
             strlen(text) > 10 ? "" : " 23:59:59", zone);
}

static void read_option(Line *l, int argc, char **argv, int *i)
{
    const char *o = argv[*i];
    const struct {
        const char *name, **into;
    } texts[] = {{"--format", &l->format},           {"--out", &l->out},
                 {"--overlay", &l->overlay},         {"--test", &l->grade.only},
                 {"--function", &l->grade.function}, {"--all", &l->all},
                 {"--submission", &l->submission},   {"--shard", &l->shard},
                 {"--roster", &l->class.roster}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (strcmp(o, texts[k].name) == 0) {
            *texts[k].into = value_of(argc, argv, i);
            return;
        }
    if (strcmp(o, "--seed") == 0)
        l->grade.seed = seed_of(argc, argv, i);
    else if (strcmp(o, "--hidden-seed") == 0)
        l->hidden_seed = seed_of(argc, argv, i);
    else if (strcmp(o, "--case") == 0)
        l->grade.only_case = (int)number_of(argc, argv, i, 0, 10000);
    else if (strcmp(o, "--jobs") == 0)
        l->workers = (int)number_of(argc, argv, i, 1, 64);
    else if (strcmp(o, "--merge") == 0)
        l->class.merge = value_of(argc, argv, i);
    else if (strcmp(o, "--due") == 0)
        read_due(&l->class, value_of(argc, argv, i));
    else if (strcmp(o, "--late-days") == 0)
        l->class.free_days = (int)number_of(argc, argv, i, 0, 365);
    else if (strcmp(o, "--late-percent") == 0)
        l->class.percent = (int)number_of(argc, argv, i, 0, 100);
    else if (strcmp(o, "--solution") == 0)
        l->solution = true;
    else if (strcmp(o, "--confusion") == 0)
        l->command = "confusion";
    else if (strcmp(o, "--check") == 0)
        l->command = "check";
    else if (strcmp(o, "--isolation") == 0)
        l->command = "isolation";
    else if (strcmp(o, "--help") == 0 || strcmp(o, "-h") == 0) {
        fputs(usage_of(l->command), stdout);
        exit(0);
    } else
        quit("unknown option %s (--help lists all)", o);
}

static void read_line(Line *l, int argc, char **argv)
{
    if (argc < 4)
        quit("./gradus grade --help says how it is used");
    *l = (Line){.root = argv[1], .cache = argv[2], .command = argv[3], .format = "text"};
    l->workers = (int)sysconf(_SC_NPROCESSORS_ONLN);
    l->grade = (GradeOptions){.seed = 1, .only_case = -1};
    for (int i = 4; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            read_option(l, argc, argv, &i);
        else if (l->words < (l->all || l->submission ? 1 : 2))
            l->word[l->words++] = argv[i];
        else
            quit("found '%s' after '%s'; expected an option", argv[i], l->word[1]);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* What handout and gradescope write: a folder, or a .zip. */
static void check_target(const char *path, bool archive)
{
    if (archive ? !file_can_be_written(path) : !folder_can_be_written(path))
        quit("'%s' cannot be written; expected %s, or nothing yet", path,
             archive ? "a regular file in a folder" : "a folder");
}

static void check_test(const Assignment *a, const char *name)
{
    if (!name || assignment_test(a, name) >= 0)
        return;
    fprintf(stderr, "grader: there is no test \"%s\" in %s; there are:", name, a->name);
    for (int i = 0; i < a->count; i++)
        fprintf(stderr, " %s", a->test[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

static void check_function(const Assignment *a, const char *name)
{
    if (name && assignment_function(a, name) < 0)
        quit("--function: found '%s'; expected a function of %s", name, a->name);
}

static void check_case(const Assignment *a, const GradeOptions *o)
{
    int most = 0;
    for (int i = 0; i < a->count; i++)
        if (!o->only || strcmp(o->only, a->test[i].name) == 0)
            most = a->test[i].cases > most ? a->test[i].cases : most;
    if (o->only_case >= most)
        quit("--case: found %d; the test has the cases 0 to %d", o->only_case, most - 1);
}

static void check_file(const char *file)
{
    struct stat info;
    if (stat(file, &info) != 0)
        quit("%s: there is no such file; expected a .c file", file);
    if (S_ISDIR(info.st_mode))
        quit("%s is a folder; expected a .c file (--all grades the submissions in a folder, "
             "--submission one that is a folder)",
             file);
}

static int grade_one(const Line *l, const Assignment *a)
{
    char file[PATH_SIZE], note[NOTE_SIZE] = "";
    GradeOptions options = l->grade;
    options.note = note;
    snprintf(file, sizeof file, "%s", l->submission ? l->submission : l->word[1]);
    if (l->submission)
        submission_file(file, note, a);
    else
        check_file(file);
    if (l->out && !file_can_be_written(l->out))
        quit("--out: '%s' cannot be written; expected a regular file, or none yet, in a folder",
             l->out);
    Report r;
    Text out = {0};
    const Format *format = format_find(l->format);
    grade(&r, a, file, &options);
    r.colour = !l->out && isatty(STDOUT_FILENO) && !(getenv("NO_COLOR") && *getenv("NO_COLOR"));
    if (r.failure.length)
        quit("%s could not be graded: %s", file, text_of(&r.failure));
    format->write(&r, &out);
    if (!l->out)
        fwrite(out.data, 1, out.length, stdout);
    else
        file_save(l->out, &out);
    bool all = r.compiled && r.score >= r.max_score;
    report_free(&r);
    text_free(&out);
    return all ? 0 : 1;
}

/* A run is about one homework, which lives as long as the program does. */
static Assignment assignment;

static int do_grade(Line *l)
{
    Assignment *a = &assignment;
    if (!format_find(l->format))
        quit("--format: found '%s'; expected text, markdown, gradescope, json or classroom",
             l->format);
    if (l->all && l->submission)
        quit("--submission: found --all beside it; expected one of them");
    if (!shard_read(&l->class.shard, l->shard))
        quit(SHARD_REFUSED, l->shard);
    if ((l->shard || l->class.merge) && !l->all)
        quit("--%s: expected --all beside it", l->shard ? "shard" : "merge");
    if (!l->all && (l->class.due || l->class.roster || l->class.free_days || l->class.percent))
        quit("--due, --late-days, --late-percent, --roster: expected --all beside them");
    if (l->shard && (l->class.merge || l->class.due || l->class.roster || l->class.free_days ||
                     l->class.percent))
        quit("--shard: found --merge, --roster or a rule for late submissions beside it; expected "
             "them in a "
             "run of their own, once all shards are done");
    if (l->class.merge && l->out)
        quit("--out: found --merge beside it; expected the folder of the shards' results there");
    l->out = l->class.merge ? l->class.merge : l->out;
    l->grade.of_student = l->all || l->submission;
    if (l->words < (l->all || l->submission ? 1 : 2)) {
        fprintf(stderr, "%s\nhomeworks:\n", usage_grade);
        assignment_list(l->root);
        return 2;
    }
    assignment_open(a, l->root, l->cache, l->word[0], l->overlay);
    snprintf(a->launcher, sizeof a->launcher, "./gradus");
    if (l->hidden_seed)
        a->overlay.seed = l->hidden_seed;
    check_test(a, l->grade.only);
    check_function(a, l->grade.function);
    check_case(a, &l->grade);
    if (l->all && !submissions_are_held())
        quit("--all: nothing holds the submissions of others in on this system; grade them on "
             "Linux or in a container (your own file: ./gradus grade %s FILE.c)",
             l->word[0]);
    if (l->all && !l->out)
        quit("--all: expected --out and a folder for the results");
    if (l->all && !folder_can_be_written(l->out))
        quit("--out: no file can be written in '%s'; expected a folder, or none yet", l->out);
    if (l->all) {
        a->overlay.seed = class_seed(l->out, a->overlay.seed);
        return grade_all(a, l->all, l->out, &l->grade, &l->class, l->workers);
    }
    return grade_one(l, a);
}

int main(int argc, char **argv)
{
    Line l;
    read_line(&l, argc, argv);
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(l.command, "grade") == 0)
        return do_grade(&l);
    Assignment *a = &assignment;
    if (strcmp(l.command, "isolation") == 0) {
        assignment_open(a, l.root, l.cache, l.words ? l.word[0] : NULL, l.overlay);
        return isolation_print(a);
    }
    if (l.words < (is_author(l.command) ? 1 : 2)) {
        fputs(usage_of(l.command), stderr);
        return 2;
    }
    if (is_author(l.command)) {
        assignment_open(a, l.root, l.cache, l.word[0], l.overlay);
        return confusion(a, strcmp(l.command, "check") == 0);
    }
    assignment_find(a, l.root, l.word[0]);
    if (strcmp(l.command, "handout") == 0) {
        size_t length = strlen(l.word[1]);
        if (length > 4 && strcmp(l.word[1] + length - 4, ".zip") == 0) {
            check_target(l.word[1], true);
            return write_kit(l.root, l.cache, l.word[0], l.word[1]);
        }
        check_target(l.word[1], false);
        return handout(a, l.word[1], l.solution);
    }
    if (strcmp(l.command, "gradescope") == 0) {
        check_target(l.word[1], true);
        if (l.overlay)
            overlay_read(&a->overlay, l.overlay);
        if (l.hidden_seed)
            a->overlay.seed = l.hidden_seed;
        return write_archive(a, l.root, l.word[1], l.overlay,
                             a->overlay.seed ? a->overlay.seed : secret_seed());
    }
    quit("unknown command %s; expected grade, handout or gradescope", l.command);
}
