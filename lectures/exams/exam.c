/* exam.c: the command `./gradus exam`: chooses the questions of a sheet, and writes it as Markdown,
 * and from that as LaTeX, PDF and a page for a browser. Status 0; 1: answers cannot be graded, or a
 * file cannot be written; 2: the command line cannot be read. */
#define GRADUS_INSIDE /* an error names what was asked for, not this file */
#include "lectures/exams/exam.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/pages.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include "examples/common/options.h"
#include "tensor/files.h"
#include "tensor/io/disk.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const Kinds *kinds;
    const char *folder, *rows; /* rows: only these; NULL: all */
    const char *title, *date;  /* of the reader's course; NULL: the lecture's, none */
    char course;
    int seed, minutes, points, count;
    uint64_t numbers; /* the seed of the choice and of all numbers: each course has its own */
    bool pdf, chosen[KINDS_MOST]; /* which kinds it has */
} Sheet;

/* Is the row in a list such as 16-22,26? */
static bool has_row(const char *list, int row)
{
    bool has = false;
    for (const char *at = list; *at; at += *at == ',') {
        char *end;
        long first = strtol(at, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (first < 1 || last < first || (*end && *end != ','))
            options_refuse("--rows: found '%s'; expected numbers such as 4 or 16-22", at);
        has |= first <= row && row <= last;
        at = end;
    }
    return has;
}

/* An hour begins with a long question; then come two that ask why. */
static bool comes_now(const Sheet *s, const Kind *k, int minutes)
{
    enum { HOUR = 60, LONG = 12 };
    return s->count == 0 && minutes >= HOUR ? k->minutes >= LONG
                                            : s->count > 2 || minutes < HOUR || k->reasons;
}

/* Takes kinds until none fits into the minutes: each time one of those that come now, if there are
 * any, among these one of a row that the sheet has least often, among these of such a chapter, and
 * among these at random. */
static bool choose(Sheet *s, int minutes)
{
    enum { MOST = 64 }; /* rows and chapters, which lectures/README.md numbers */
    int of_row[MOST] = {0}, of_chapter[MOST] = {0};
    for (const Kind *best = s->kinds->list; best;) {
        uint64_t least = UINT64_MAX;
        best = NULL;
        for (const Kind *k = s->kinds->list; k < s->kinds->list + s->kinds->count; k++) {
            uint64_t often = (uint64_t)(MOST * of_row[k->row] + of_chapter[k->chapter]);
            uint64_t rank = (uint64_t)!comes_now(s, k, minutes) << 63 | often << 48 |
                            rng_hash(s->numbers, k->name) >> 16;
            if (!s->chosen[k - s->kinds->list] && kind_taught(k, s->course) &&
                (!s->rows || has_row(s->rows, k->row)) && s->minutes + k->minutes <= minutes &&
                rank < least) {
                least = rank;
                best = k;
            }
        }
        if (best) {
            s->chosen[best - s->kinds->list] = true;
            of_row[best->row]++;
            of_chapter[best->chapter]++;
            s->count++;
            s->points += best->points;
            s->minutes += best->minutes;
        }
    }
    return s->count > 0 || tensor_fail("no kind of question is left for course %c; expected other "
                                       "--rows, or more --minutes",
                                       s->course);
}

/* With five digits of the logarithms, each divergence of the kind kl-of-two-distributions comes out
 * by hand within the 1 % of grade.c (0.15 % at worst); with three, 21 of its 56 do not. */
static const char rules[] =
    "\nGive whole numbers exactly, and others as a fraction or with three significant digits. The "
    "last number of a question counts for all of its numbers; where it is wrong, each right one "
    "before it counts for its own. Answer a why in one or two sentences.\n\n"
    "$`\\ln 2 \\approx 0.69315`$, $`\\ln 3 \\approx 1.09861`$, $`\\ln 5 \\approx 1.60944`$.\n";

/* The Markdown; key: of the solutions, or NULL. */
static bool put_sheet(FILE *out, FILE *key, const Sheet *s, const char *title)
{
    const Lecture *lecture = lectures;
    ExamQuestion q = {.kinds = s->kinds, .course = s->course, .seed = s->numbers};
    while (lecture->letter != s->course)
        lecture++;
    fprintf(out, "# %s\n\n%s%s%s\n\n%d questions, %d points, about %d minutes.", title,
            s->title ? s->title : lecture->name, s->date ? ", " : "", s->date ? s->date : "",
            s->count, s->points, s->minutes);
    fprintf(out, key ? "\n" : " Name: ........................\n%s", rules);
    for (q.kind = s->kinds->list; q.kind < s->kinds->list + s->kinds->count; q.kind++)
        if (s->chosen[q.kind - s->kinds->list] && ++q.number && !question_write(&q, out, key))
            return false;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A question stays on one page, and an answer has space to work in. space: between paragraphs */
static void put_latex(FILE *out, const char *text, const char *space)
{
    bool formula = false;
    fprintf(out,
            "\\documentclass[a4paper,11pt]{article}\\nofiles\n\\usepackage[utf8]{inputenc}\n"
            "\\usepackage{amsmath}\n\\usepackage[margin=2.2cm]{geometry}\n"
            "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{%s}\n\\begin{document}\n",
            space);
    for (const char *at = text; *at; at++) {
        formula ^= *at == '$';
        if (*at == '#' && (at == text || at[-1] == '\n')) {
            int marks = (int)strspn(at, "# "), line = (int)strcspn(at, "\n");
            fprintf(out, "\\filbreak\\medskip\\textbf{%.*s}", line - marks, at + marks);
            at += line - 1;
        } else if (strncmp(at, ANSWER, sizeof ANSWER - 1) == 0) {
            fputs("\\dotfill\\par\\vspace*{14mm}", out);
            at += sizeof ANSWER - 2;
        } else if (*at != '`') {
            fprintf(out, !formula && strchr("%&_#", *at) ? "\\%c" : "%c", *at);
        }
    }
    fputs("\\end{document}\n", out);
}

/* STEM.pdf of STEM.tex, where there is LaTeX. */
static bool run_latex(Sheet *s, const char *stem)
{
    char latex[EXAM_PATH], to[EXAM_PATH + 32], path[EXAM_PATH + 64];
    if (!(s->pdf = system_find_program("pdflatex", latex, sizeof latex)))
        return true;
    snprintf(to, sizeof to, "-output-directory=%s", s->folder);
    snprintf(path, sizeof path, "%s.tex", stem);
    char *argv[] = {latex, "-interaction=batchmode", "-halt-on-error", to, path, NULL};
    SystemProcess p; /* what it says stands in its log */
    if (system_start(&p, argv, 2) != 0 || system_wait(&p) != 0)
        return tensor_fail("pdflatex refuses %s; its .log says why", path);
    snprintf(path, sizeof path, "%s.log", stem);
    disk_remove(path);
    return true;
}

static bool write_one(Sheet *s, FILE *key)
{
    char stem[EXAM_PATH + 32], title[64], path[EXAM_PATH + 64];
    TextStream stream;
    FILE *out = text_open(&stream);
    snprintf(stem, sizeof stem, "%s/%s-%d", s->folder, key ? "solution" : "sheet", s->seed);
    snprintf(title, sizeof title, "%s, sheet %d", key ? "Solutions" : "Exam", s->seed);
    bool ok = out && put_sheet(out, key, s, title);
    char *text = out ? text_close(&stream, NULL) : NULL;
    ok = text ? ok : tensor_fail("no memory for a sheet");
    for (int latex = 0; latex < 2 && ok; latex++) {
        snprintf(path, sizeof path, "%s.%s", stem, latex ? "tex" : "md");
        AtomicFile *file = tensor_file_open(path);
        if (file && latex)
            put_latex(tensor_file_stream(file), text, key ? "4pt" : "16pt");
        else if (file)
            fputs(text, tensor_file_stream(file));
        ok = file && tensor_file_commit(file);
    }
    ok = ok && run_latex(s, stem);
    free(text);
    return ok;
}

static bool write_sheet(Sheet s, int minutes)
{
    char path[EXAM_PATH + 32];
    s.numbers = rng_hash((uint64_t)s.seed, (char[]){s.course, 0});
    snprintf(path, sizeof path, "%s/key-%d.csv", s.folder, s.seed);
    AtomicFile *key = choose(&s, minutes) ? tensor_file_open(path) : NULL;
    bool ok = key && fputs("answer,right,points\n", tensor_file_stream(key)) >= 0 &&
              write_one(&s, NULL) && write_one(&s, tensor_file_stream(key));
    if (!ok)
        tensor_file_discard(key);
    else if ((ok = tensor_file_commit(key)))
        printf("%s/sheet-%d, solution-%d (md, tex%s): %d questions, %d points, %d minutes\n",
               s.folder, s.seed, s.seed, s.pdf ? ", pdf" : "; there is no pdflatex, so no PDF",
               s.count, s.points, s.minutes);
    return ok;
}

/* Where LaTeX is missing, a Chromium prints the pages. Each is our own, and loads nothing: it needs
 * no sandbox, which Chromium refuses to root. */
static bool print_pages(const char *folder, int seed, int sheets)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char program[EXAM_PATH], from[EXAM_PATH + 64], to[EXAM_PATH + 64], said[1024];
    bool found = system_find_program("pdflatex", program, sizeof program), ok = true;
    if (found)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = system_find_program(names[i], program, sizeof program);
    for (int i = 0; found && ok && i < 2 * sheets; i++) {
        const char *kind = i % 2 ? "solution" : "sheet";
        snprintf(from, sizeof from, "%s/%s-%d.html", folder, kind, seed + i / 2);
        snprintf(to, sizeof to, "--print-to-pdf=%s/%s-%d.pdf", folder, kind, seed + i / 2);
        char *argv[] = {program, "--headless", "--no-pdf-header-footer", "--no-sandbox", to,
                        from,    NULL};
        SystemProcess p;
        ok = system_start(&p, argv, 2) == 0;
        while (ok && disk_read(p.stream, said, sizeof said) > 0) /* not the reader's */
            ;
        ok = (ok && system_wait(&p) == 0) || tensor_fail("%s cannot print %s", program, from);
    }
    if (found && ok)
        printf("%s: and printed by Chromium (pdf)\n", folder);
    return ok;
}

/* ---- the command line ------------------------------------------------------------------------ */

typedef struct {
    const char *course, *rows, *grade, *out, *title, *date;
    int seed, sheets, minutes;
} Settings;

static void read_settings(int argc, char **argv, Settings *s)
{
    const Option table[] = {
        {"course", OPTION_TEXT, &s->course, "LETTER",
         "V, B, H, Z or J, whose symbols and rows it has", 0, 0},
        {"seed", OPTION_INT, &s->seed, "N", "the number of the first sheet", 0, 1e6},
        {"sheets", OPTION_INT, &s->sheets, "N", "how many sheets, of successive numbers", 1, 1000},
        {"minutes", OPTION_INT, &s->minutes, "N", "at most so long", 2, 600},
        {"rows", OPTION_TEXT, &s->rows, "LIST", "only these of lectures/README.md: 16-22,26", 0, 0},
        {"grade", OPTION_TEXT, &s->grade, "FILE",
         "grade the answers of a class: student,sheet,1a,1b,...", 0, 0},
        {"title", OPTION_TEXT, &s->title, "TEXT", "your course, below the heading", 0, 0},
        {"date", OPTION_TEXT, &s->date, "TEXT", "the day, after it", 0, 0},
        {"out", OPTION_TEXT, &s->out, "DIR", "the folder; each course has its own in it", 0, 0},
        {0},
    };
    options_parse(argc, argv,
                  "Writes paper exams of a course, with solutions, and grades the answers.", table);
    if (!s->course || strlen(s->course) != 1 || !strchr(EXAM_COURSES, *s->course))
        options_refuse("--course: found '%s'; expected V, B, H, Z or J",
                       s->course ? s->course : "");
    if (s->grade && (options_given("seed") || options_given("sheets") || options_given("minutes") ||
                     options_given("rows") || options_given("title") || options_given("date")))
        options_refuse("--grade: found --seed, --sheets, --minutes, --rows, --title or --date, "
                       "too; expected none of them: the keys beside the sheets have the answers");
}

int lectures_exam(int argc, char **argv)
{
    Settings s = {.seed = 1, .sheets = 1, .minutes = 60, .out = "out/exam"};
    Kinds kinds = {0};
    char folder[EXAM_PATH];
    read_settings(argc, argv, &s);
    if (snprintf(folder, sizeof folder, "%s/%s", s.out, s.course) >= (int)sizeof folder)
        options_refuse("--out: the name is too long");
    options_need_folder("out", folder);
    Sheet sheet = {&kinds, folder, s.rows, s.title, s.date, *s.course, .seed = s.seed};
    bool ok = s.grade ? grade_class(s.grade, folder)
                      : kinds_read(&kinds, LECTURES_FOLDER "/exams/questions.txt");
    for (; ok && !s.grade && sheet.seed < s.seed + s.sheets; sheet.seed++)
        ok = write_sheet(sheet, s.minutes);
    if (ok && !s.grade && text_pages(folder) == 0) {
        printf("%s: the sheets and solutions as pages, too (html)\n", folder);
        ok = print_pages(folder, s.seed, s.sheets);
    }
    if (!ok)
        fprintf(stderr, "./gradus exam: %s\n", tensor_error());
    free(kinds.text);
    return !ok;
}
