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

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *course, *rows, *kinds, *more, *grade, *out;
    int seed, sheets, minutes, level;
    bool list;
} Settings;

/* "4,5" or "16-22,30" */
static void take_rows(const char *text, Choice *choice)
{
    for (const char *at = text; at && *at;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (end == at || (*end && *end != ',') || first < 1 || last >= ROWS_END || last < first)
            options_refuse("--rows: found '%s'; expected numbers such as 4,5 or 16-22", text);
        for (long i = first; i <= last; i++)
            choice->rows[i] = choice->some_rows = true;
        at = end + (*end == ',');
    }
}

static void need_kinds(const Kinds *kinds, const char *list)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        int n = (int)strcspn(at, ","), i = 0;
        while (i < kinds->count && ((int)strlen(kinds->list[i].name) != n ||
                                    strncmp(kinds->list[i].name, at, (size_t)n) != 0))
            i++;
        if (i == kinds->count)
            options_refuse("--kinds: found '%.*s'; expected a name of --list", n, at);
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
        {"rows", OPTION_TEXT, &s->rows, "LIST", "only these of lectures/README.md: 16-22,30", 0, 0},
        {"kinds", OPTION_TEXT, &s->kinds, "LIST", "only these names of --list", 0, 0},
        {"questions", OPTION_TEXT, &s->more, "FILE", "further kinds of questions, your own", 0, 0},
        {"list", OPTION_FLAG, &s->list, NULL, "the kinds that can be asked, and write none", 0, 0},
        {"grade", OPTION_TEXT, &s->grade, "FILE",
         "grade the answers of a class: student,sheet,1a,1b,...", 0, 0},
        {"out", OPTION_TEXT, &s->out, "DIR", "the folder; each course has its own in it", 0, 0},
        {0},
    };
    options_parse(argc, argv,
                  "Writes paper exams of a course, with solutions, and grades the answers.", table);
    if (!s->course || !strchr("VBHZJ", *s->course) || strlen(s->course) != 1)
        options_refuse("--course: found '%s'; expected V, B, H, Z or J",
                       s->course ? s->course : "");
    bool sheets = options_given("sheets") || options_given("seed");
    if (s->grade && (s->list || sheets))
        options_refuse("--grade: found --list, --seed or --sheets, too; expected neither: the file "
                       "has the sheets");
    if (s->list && (sheets || options_given("out")))
        options_refuse("--list: found --seed, --sheets or --out, too; expected neither");
}

static void list_kinds(const Kinds *kinds, const Choice *choice)
{
    int count = 0;
    printf("%-24s %7s %4s %6s %8s %6s\n", "kind", "chapter", "row", "level", "minutes", "points");
    for (const Kind *k = kinds->list; k < kinds->list + kinds->count; k++)
        if (choice_allows(choice, k)) {
            count++;
            printf("%-24s %7d %4d %6d %8d %6d\n", k->name, k->chapter, k->row, k->level, k->minutes,
                   k->points);
        }
    printf("%d of %d kinds\n", count, kinds->count);
}

static bool write_sheets(const Settings *s, const Kinds *kinds, const Choice *choice,
                         const char *folder)
{
    char command[512], level[16] = "";
    bool ok = true, pdf = false;
    if (s->level)
        snprintf(level, sizeof level, " --level %d", s->level);
    for (int seed = s->seed; seed < s->seed + s->sheets && ok; seed++) {
        Sheet sheet;
        snprintf(command, sizeof command,
                 "./gradus exam --course %s --seed %d --minutes %d%s%s%s%s%s%s%s", s->course, seed,
                 s->minutes, level, s->rows ? " --rows " : "", s->rows ? s->rows : "",
                 s->kinds ? " --kinds " : "", s->kinds ? s->kinds : "",
                 s->more ? " --questions " : "", s->more ? s->more : "");
        ok = sheet_draw(&sheet, kinds, choice, (uint64_t)seed) &&
             sheet_write(&sheet, folder, command, &pdf);
        if (ok)
            printf("%s/sheet-%d, solution-%d (md, tex,%s html): %d questions, %d points, %d "
                   "minutes\n",
                   folder, seed, seed, pdf ? " pdf," : "", sheet.count, sheet.points,
                   sheet.minutes);
        sheet_free(&sheet);
    }
    if (ok && !pdf)
        printf("there is no pdflatex, so no PDF\n");
    return ok;
}

int lectures_exam(int argc, char **argv)
{
    Settings s = {.seed = 1, .sheets = 1, .minutes = 60, .out = "out/exam"};
    Kinds kinds;
    char folder[EXAM_PATH];
    int wrong = 0;
    read_settings(argc, argv, &s);
    Choice choice = {.course = *s.course, .minutes = s.minutes, .level = s.level, .only = s.kinds};
    take_rows(s.rows, &choice);
    if (snprintf(folder, sizeof folder, "%s/%s", s.out, s.course) >= (int)sizeof folder)
        options_refuse("--out: the name is too long");
    bool ok = kinds_read(&kinds, s.more);
    if (ok)
        need_kinds(&kinds, s.kinds);
    if (ok && s.list)
        list_kinds(&kinds, &choice);
    else if (ok)
        options_need_folder("out", folder);
    if (ok && s.grade)
        ok = (wrong = grade_class(s.grade, &kinds, &choice, folder)) >= 0;
    else if (ok && !s.list)
        ok = write_sheets(&s, &kinds, &choice, folder);
    if (!ok)
        fprintf(stderr, "./gradus exam: %s\n", tensor_error());
    kinds_free(&kinds);
    return !ok || wrong;
}
