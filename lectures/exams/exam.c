/* exam.c: the command `./gradus exam`.
 *
 *   lectures exam --course J --seed 42              a sheet and its solutions
 *   lectures exam --course J --seed 1 --sheets 30   one for each of a class
 *   lectures exam --course J --list                 the kinds of questions that J can have
 *   lectures exam --course J --grade answers.csv    the points of a class
 *
 * Status 0; 1: a line of the answers could not be graded, or a file could not be written; 2: the
 * command line cannot be read. */
#include "lectures/exams/exam.h"

#include "lectures/runner/commands.h"

#include "examples/common/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *course, *chapters, *rows, *kinds, *more, *grade, *out;
    int seed, sheets, minutes, level;
    double tolerance;
    bool list;
} Settings;

/* "4", "4,5" or "16-22,30" */
static void take_numbers(const char *option, const char *text, bool set[ROWS_END])
{
    for (const char *at = text; at && *at;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        bool number = end != at;
        if (number && *end == '-') {
            at = end + 1;
            last = strtol(at, &end, 10);
            number = end != at;
        }
        if (!number || (*end && *end != ',') || first < 1 || last >= ROWS_END || last < first)
            options_refuse("--%s: found '%s'; expected numbers such as 4,5 or 16-22", option, text);
        for (long i = first; i <= last; i++)
            set[i] = true;
        at = end + (*end == ',');
    }
}

static void need_kinds(const Kinds *kinds, const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        char name[NAME_BYTES];
        bool known = false;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        for (int i = 0; i < kinds->count; i++)
            known |= strcmp(kinds->list[i].name, name) == 0;
        if (!known)
            options_refuse("--kinds: found '%s'; expected a name of --list", name);
    }
}

static void read_settings(int argc, char **argv, Settings *s)
{
    const Option table[] = {
        {"course", OPTION_TEXT, &s->course, "LETTER",
         "V, B, H, Z or J, whose symbols and rows it has", 0, 0},
        {"seed", OPTION_INT, &s->seed, "N", "the number of the first sheet", 0, 1e9},
        {"sheets", OPTION_INT, &s->sheets, "N", "how many sheets, of successive numbers", 1, 1000},
        {"minutes", OPTION_INT, &s->minutes, "N", "at most so long", 2, 600},
        {"level", OPTION_INT, &s->level, "N", "1: the easy questions; 2: and the middle ones", 1,
         3},
        {"chapters", OPTION_TEXT, &s->chapters, "LIST", "only these, such as 4,5", 0, 0},
        {"rows", OPTION_TEXT, &s->rows, "LIST", "only these of lectures/README.md: 16-22,30", 0, 0},
        {"kinds", OPTION_TEXT, &s->kinds, "LIST", "only these names of --list", 0, 0},
        {"questions", OPTION_TEXT, &s->more, "FILE", "further kinds of questions, your own", 0, 0},
        {"list", OPTION_FLAG, &s->list, NULL, "the kinds that can be asked, and write none", 0, 0},
        {"grade", OPTION_TEXT, &s->grade, "FILE",
         "grade the answers of a class: student,sheet,1a,1b,...", 0, 0},
        {"tolerance", OPTION_NUMBER, &s->tolerance, "X",
         "with --grade: how far an answer may be off, as a share", 0, 0.5},
        {"out", OPTION_TEXT, &s->out, "DIR", "the folder; each course has its own in it", 0, 0},
        {0},
    };
    options_parse(argc, argv,
                  "Writes paper exams of a course, with solutions, and grades the answers.", table);
    if (!s->course || !strchr("VBHZJ", *s->course) || strlen(s->course) != 1)
        options_refuse("--course: found '%s'; expected V, B, H, Z or J",
                       s->course ? s->course : "");
    if (s->grade && (s->list || options_given("sheets") || options_given("seed")))
        options_refuse("--grade: found --list, --seed or --sheets, too; expected neither: the file "
                       "has the sheets");
    if (options_given("tolerance") && !s->grade)
        options_refuse("--tolerance: expected --grade as well");
    if (s->list && (options_given("seed") || options_given("sheets") || options_given("out")))
        options_refuse("--list: found --seed, --sheets or --out, too; expected neither");
}

static int list_kinds(const Kinds *kinds, const Choice *choice)
{
    int count = 0;
    printf("%-24s %7s %4s %6s %8s %6s\n", "kind", "chapter", "row", "level", "minutes", "points");
    for (int i = 0; i < kinds->count; i++) {
        const Kind *k = &kinds->list[i];
        if (!choice_allows(choice, k))
            continue;
        count++;
        printf("%-24s %7d %4d %6d %8d %6d\n", k->name, k->chapter, k->row, k->level, k->minutes,
               k->points);
    }
    printf("%d of %d kinds\n", count, kinds->count);
    return 0;
}

/* The command that makes the same sheet. */
static void put_command(char *text, size_t size, const Settings *s, int seed)
{
    const char *options[] = {"chapters", s->chapters, "rows",      s->rows,
                             "kinds",    s->kinds,    "questions", s->more};
    size_t n = (size_t)snprintf(text, size, "./gradus exam --course %s --seed %d --minutes %d",
                                s->course, seed, s->minutes);
    if (s->level && n < size)
        n += (size_t)snprintf(text + n, size - n, " --level %d", s->level);
    for (int i = 0; i < 8; i += 2)
        if (options[i + 1] && n < size)
            n += (size_t)snprintf(text + n, size - n, " --%s %s", options[i], options[i + 1]);
}

static bool write_sheets(const Settings *s, const Kinds *kinds, const Choice *choice,
                         const char *folder)
{
    char command[KINDS_TEXT];
    bool ok = true, pdf = false;
    for (int i = 0; i < s->sheets && ok; i++) {
        Sheet sheet;
        put_command(command, sizeof command, s, s->seed + i);
        ok = sheet_draw(&sheet, kinds, choice, (uint64_t)s->seed + (uint64_t)i) &&
             sheet_write(&sheet, folder, command, &pdf);
        if (ok)
            printf("%s/sheet-%d, solution-%d%s: %d questions, %d points, %d minutes\n", folder,
                   s->seed + i, s->seed + i, pdf ? " (md, tex, pdf, html)" : " (md, tex, html)",
                   sheet.count, sheet.points, sheet.minutes);
        sheet_free(&sheet);
    }
    if (ok && !pdf)
        printf("there is no pdflatex, so no PDF\n");
    return ok;
}

int lectures_exam(int argc, char **argv)
{
    Settings s = {.seed = 1, .sheets = 1, .minutes = 60, .tolerance = 0.01, .out = "out/exam"};
    Kinds kinds;
    char folder[EXAM_PATH];
    int wrong = 0;
    read_settings(argc, argv, &s);
    Choice choice = {*s.course, s.minutes, s.level, {0}, {0}, s.kinds};
    take_numbers("chapters", s.chapters, choice.chapters);
    take_numbers("rows", s.rows, choice.rows);
    bool ok = kinds_read(&kinds, s.more);
    if (ok)
        need_kinds(&kinds, s.kinds);
    if (snprintf(folder, sizeof folder, "%s/%s", s.out, s.course) >= (int)sizeof folder)
        options_refuse("--out: the name is too long");
    if (ok && s.list)
        list_kinds(&kinds, &choice);
    else if (ok)
        options_need_folder("out", folder);
    if (ok && s.grade)
        ok = (wrong = grade_class(s.grade, &kinds, &choice, s.tolerance, folder)) >= 0;
    else if (ok && !s.list)
        ok = write_sheets(&s, &kinds, &choice, folder);
    if (!ok)
        fprintf(stderr, "./gradus exam: %s\n", tensor_error());
    kinds_free(&kinds);
    return !ok || wrong;
}
