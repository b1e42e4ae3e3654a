/* exam.c: the command `./gradus exam`.
 *
 *   lectures exam --course J --seed 42              a sheet and its solutions
 *   lectures exam --course J --seed 1 --sheets 30   one for each of a class
 *   lectures exam --course J --grade answers.csv    the points of a class
 *
 * Status 0; 1: answers cannot be graded, or a file cannot be written; 2: the command line cannot be
 * read. */
#include "lectures/exams/exam.h"

#include "lectures/runner/commands.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *course, *rows, *more, *grade, *out;
    int seed, sheets, minutes;
} Settings;

static void read_settings(int argc, char **argv, Settings *s)
{
    const Option table[] = {
        {"course", OPTION_TEXT, &s->course, "LETTER",
         "V, B, H, Z or J, whose symbols and rows it has", 0, 0},
        {"seed", OPTION_INT, &s->seed, "N", "the number of the first sheet", 0, SEED_MOST},
        {"sheets", OPTION_INT, &s->sheets, "N", "how many sheets, of successive numbers", 1, 1000},
        {"minutes", OPTION_INT, &s->minutes, "N", "at most so long", 2, 600},
        {"rows", OPTION_TEXT, &s->rows, "LIST",
         "only these of lectures/README.md, or kinds of question: 16-22,causal-mask", 0, 0},
        {"questions", OPTION_TEXT, &s->more, "FILE", "further kinds of questions, your own", 0, 0},
        {"grade", OPTION_TEXT, &s->grade, "FILE",
         "grade the answers of a class: student,sheet,code,1a,1b,...", 0, 0},
        {"out", OPTION_TEXT, &s->out, "DIR", "the folder; each course has its own in it", 0, 0},
        {0},
    };
    options_parse(argc, argv,
                  "Writes paper exams of a course, with solutions, and grades the answers.", table);
    if (!s->course || strlen(s->course) != 1 || !strchr("VBHZJ", *s->course))
        options_refuse("--course: found '%s'; expected V, B, H, Z or J",
                       s->course ? s->course : "");
    if (s->grade && (options_given("sheets") || options_given("seed")))
        options_refuse("--grade: found --seed or --sheets, too; expected neither: the file has the "
                       "sheets");
}

/* Leaves out all kinds but those of the list: "16-22,30,causal-mask" has rows and names. */
static void keep_only(Kinds *kinds, const char *list)
{
    for (int i = 0; i < kinds->count; i++)
        kinds->list[i].left_out = true;
    for (const char *at = list; at; at = strchr(at, ',')) {
        char word[NAME_BYTES];
        int first = 0, last = 0, read = 0;
        at += *at == ',';
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        int numbers = sscanf(word, "%d%n-%d%n", &first, &read, &last, &read);
        bool rows = numbers > 0 && !word[read];
        if (!rows && !kind_named(kinds, word))
            options_refuse("--rows: found '%s'; expected numbers such as 4 or 16-22, or a kind of "
                           "lectures/exams/questions",
                           word);
        for (Kind *k = kinds->list; k < kinds->list + kinds->count; k++)
            if (rows ? k->row >= first && k->row <= (numbers == 2 ? last : first)
                     : strcmp(k->name, word) == 0)
                k->left_out = false;
    }
}

static bool write_sheets(const Settings *s, const Kinds *kinds, const char *folder)
{
    bool ok = true, pdf = false;
    for (int seed = s->seed; seed < s->seed + s->sheets && ok; seed++) {
        Sheet sheet;
        ok = sheet_draw(&sheet, kinds, *s->course, s->minutes, (uint64_t)seed) &&
             sheet_write(&sheet, folder, &pdf);
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
    read_settings(argc, argv, &s);
    if (snprintf(folder, sizeof folder, "%s/%s", s.out, s.course) >= (int)sizeof folder)
        options_refuse("--out: the name is too long");
    bool ok = kinds_read(&kinds, s.more);
    if (ok && s.rows)
        keep_only(&kinds, s.rows);
    if (ok)
        options_need_folder("out", folder);
    if (ok && s.grade)
        ok = grade_class(s.grade, &kinds, *s.course, s.minutes, folder);
    else if (ok)
        ok = write_sheets(&s, &kinds, folder);
    if (!ok)
        fprintf(stderr, "./gradus exam: %s\n", tensor_error());
    kinds_free(&kinds);
    return !ok;
}
