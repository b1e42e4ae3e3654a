/* main.c: the grader's command line. ./gradus grade, handout and gradescope come here.
 *
 *   grader ROOT CACHE grade HW FILE.c [--format F] [--out FILE] [--overlay DIR]
 *   grader ROOT CACHE handout HW DIR [--solution]
 *   grader ROOT CACHE grade HW --confusion, or --check
 *
 * Whole classes, archives, and reports for other programs are made by ROOT/instructor, which starts
 *
 *   grader ROOT CACHE describe HW    what it must know of the homework, as JSON
 *   grader ROOT CACHE each HW        grades the files that it names, one after the other */
#include "grader.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct {
    const char *root, *cache, *command, *word[2];
    int words;
    const char *format, *out, *overlay;
    bool solution;
    uint64_t hidden_seed;
    GradeOptions grade;
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
    if (*i + 1 >= argc || !*argv[*i + 1])
        quit("%s: expected a value after it, which is not empty", argv[*i]);
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
    const uint64_t seed = seed_read(value_of(argc, argv, i));
    if (!seed)
        quit("%s: found '%s'; expected a whole number from 1 to %llu", argv[*i - 1], argv[*i],
             ULLONG_MAX);
    return seed;
}

static void read_option(Line *l, int argc, char **argv, int *i)
{
    const char *o = argv[*i];
    const struct {
        const char *name, **into;
    } texts[] = {{"--format", &l->format},
                 {"--out", &l->out},
                 {"--overlay", &l->overlay},
                 {"--test", &l->grade.only},
                 {"--function", &l->grade.function}};
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
    l->grade = (GradeOptions){.seed = 1, .only_case = -1};
    for (int i = 4; i < argc; i++)
        if (argv[i][0] == '-' && argv[i][1])
            read_option(l, argc, argv, &i);
        else if (l->words < 2)
            l->word[l->words++] = argv[i];
        else
            quit("found '%s' after '%s'; expected an option", argv[i], l->word[1]);
}

/* ---- commands -------------------------------------------------------------------------------- */

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
    check_file(l->word[1]);
    if (l->out && !file_can_be_written(l->out))
        quit("--out: '%s' cannot be written; expected a regular file, or none yet, in a folder",
             l->out);
    Report r;
    Text out = {0};
    grade(&r, a, l->word[1], &l->grade);
    r.colour = !l->out && isatty(STDOUT_FILENO) && !(getenv("NO_COLOR") && *getenv("NO_COLOR"));
    if (r.failure.length)
        quit("%s could not be graded: %s", l->word[1], text_of(&r.failure));
    (strcmp(l->format, "json") == 0 ? report_json : report_text)(&r, &out);
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

static void open_homework(Assignment *a, const Line *l)
{
    assignment_open(a, l->root, l->cache, l->word[0], l->overlay);
    snprintf(a->launcher, sizeof a->launcher, "./gradus");
    if (l->hidden_seed)
        a->overlay.seed = l->hidden_seed;
    check_test(a, l->grade.only);
    if (l->grade.function && assignment_function(a, l->grade.function) < 0)
        quit("--function: found '%s'; expected a function of %s", l->grade.function, a->name);
    check_case(a, &l->grade);
}

/* ---- for the instructors' program ------------------------------------------------------------ */

/* Does ROOT/instructor do what is asked? */
static bool is_for_instructors(int argc, char **argv)
{
    static const char options[] = " --all --submission --merge --shard --jobs --due --roster "
                                  "--late-days --late-percent ";
    const size_t length = strlen(argv[argc - 1]);
    const bool zip = length > 4 && strcmp(argv[argc - 1] + length - 4, ".zip") == 0;
    bool found = strcmp(argv[3], "gradescope") == 0 || (strcmp(argv[3], "handout") == 0 && zip);
    for (int i = 4; i < argc; i++) {
        char word[32];
        snprintf(word, sizeof word, " %.28s ", argv[i]);
        bool own = strcmp(argv[i], "text") == 0 || strcmp(argv[i], "json") == 0 || !*argv[i];
        found = found || (word[1] == '-' && strstr(options, word)) ||
                (strcmp(argv[i - 1], "--format") == 0 && !own);
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return false;
    }
    return found;
}

static void start_instructor(int argc, char **argv)
{
    char folder[PATH_SIZE], program[PATH_SIZE];
    const char **words = memory((size_t)argc + 4, sizeof *words);
    words[0] = "python3";
    words[1] = "-B";
    words[2] = path_join(folder, argv[1], "instructor");
    words[3] = realpath(argv[0], program) ? program : argv[0];
    if (!file_exists(folder))
        quit("%s is not there; expected it for classes, archives and reports for other programs",
             folder);
    memcpy(words + 4, argv + 1, sizeof *words * (size_t)(argc - 1));
    execvp(words[0], (char *const *)words);
    quit("python3: %s; expected it for classes, archives and reports for other programs",
         strerror(errno));
}

/* Files and notes are read from standard input, each closed by a NUL; of each the report is
 * written, as text and as JSON, with its length in a line before it. */
static int grade_each(const Assignment *a, GradeOptions o)
{
    char *file = NULL, *note = NULL;
    size_t file_size = 0, note_size = 0;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
    while (getdelim(&file, &file_size, 0, stdin) > 0 && getdelim(&note, &note_size, 0, stdin) > 0) {
        Report r;
        Text form[2] = {{0}, {0}};
        o.note = note;
        o.of_student = true;
        grade(&r, a, file, &o);
        report_text(&r, &form[0]);
        report_json(&r, &form[1]);
        for (int i = 0; i < 2; i++) {
            printf("%zu\n%s", form[i].length, text_of(&form[i]));
            text_free(&form[i]);
        }
        fflush(stdout);
        report_free(&r);
    }
    free(file);
    free(note);
    return 0;
}

static int describe(const Assignment *a)
{
    Text json = {0};
    assignment_json(a, &json);
    fputs(text_of(&json), stdout);
    text_free(&json);
    return 0;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* What a command does with a homework that is open. */
static int run_command(Line *l, Assignment *a)
{
    open_homework(a, l);
    if (strcmp(l->command, "grade") == 0)
        return grade_one(l, a);
    if (is_author(l->command))
        return confusion(a, strcmp(l->command, "check") == 0);
    if (strcmp(l->command, "describe") == 0)
        return describe(a);
    return grade_each(a, l->grade);
}

int main(int argc, char **argv)
{
    Line l;
    if (argc > 4 && is_for_instructors(argc, argv))
        start_instructor(argc, argv);
    read_line(&l, argc, argv);
    signal(SIGPIPE, SIG_IGN);
    Assignment *a = &assignment;
    if (strcmp(l.command, "isolation") == 0) {
        assignment_open(a, l.root, l.cache, l.words ? l.word[0] : NULL, l.overlay);
        return isolation_print(a);
    }
    bool two = strcmp(l.command, "grade") == 0 || strcmp(l.command, "handout") == 0;
    if (l.words < (two ? 2 : 1)) {
        fputs(usage_of(l.command), stderr);
        if (strcmp(l.command, "grade") == 0) {
            fprintf(stderr, "\nhomeworks:\n");
            assignment_list(l.root);
        }
        return 2;
    }
    if (strcmp(l.command, "handout") != 0)
        return run_command(&l, a);
    assignment_find(a, l.root, l.word[0]);
    if (!folder_can_be_written(l.word[1]))
        quit("'%s' cannot be written; expected a folder, or nothing yet", l.word[1]);
    return handout(a, l.word[1], l.solution);
}
