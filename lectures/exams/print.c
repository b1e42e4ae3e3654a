/* print.c: a sheet as Markdown, and from that as LaTeX, PDF and a page for a browser. See
 * exam.h. */
#define GRADUS_INSIDE /* an error names the file that is written, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/page.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- Markdown -------------------------------------------------------------------------------- */

static const char blank[] = "............";

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void put_question(FILE *out, const ExamQuestion *q, int number, bool solved)
{
    const Kind *k = q->kind;
    fprintf(out, "\n## Question %d: %d points, about %d minute%s, level %d\n\n%s\n", number,
            k->points, k->minutes, plural(k->minutes), k->level, q->asked);
    for (int i = 0; i < q->count; i++) {
        const Answer *a = &q->answer[i];
        if (solved)
            fprintf(out, "\n(%c) [%d point%s] %s: %s\n", 'a' + i, a->points, plural(a->points),
                    a->symbol, a->worked);
        else
            fprintf(out, "\n(%c) %s: %s\n", 'a' + i, a->symbol, blank);
    }
    if (solved)
        fprintf(out, "\nRow %d of lectures/README.md, kind %s.\n", k->row, k->name);
}

/* With five digits of the logarithms, each divergence of the kind kl-of-two-distributions comes out
 * by hand within the 1 % of grade.c (0.15 % at worst); with three, 21 of its 56 do not. */
static const char rules[] =
    "\nGive whole numbers exactly, and others as a fraction or with three significant digits. The "
    "last answer of a question counts for all of its points; where it is wrong, each right answer "
    "before it counts for its own.\n\n"
    "$`\\ln 2 \\approx 0.69315`$, $`\\ln 3 \\approx 1.09861`$, $`\\ln 5 \\approx 1.60944`$.\n";

static void put_sheet(FILE *out, const Sheet *s, const char *title, bool solved)
{
    const char *lecture = "";
    for (const Lecture *l = lectures; l->letter; l++)
        lecture = l->letter == s->course ? l->name : lecture;
    fprintf(out, "# %s\n\n%s\n\n%d questions, %d points, about %d minutes.", title, lecture,
            s->count, s->points, s->minutes);
    fprintf(out, solved ? "\n" : " Name: %s%s\n%s", blank, blank, rules);
    for (int i = 0; i < s->count; i++)
        put_question(out, &s->question[i], i + 1, solved);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The Markdown of a sheet as LaTeX: a question stays on one page, and a sheet has space between its
 * lines. */
static void put_latex(FILE *out, const char *text, bool solved)
{
    bool formula = false, heading = false;
    fprintf(out,
            "\\documentclass[a4paper,11pt]{article}\n\\usepackage[utf8]{inputenc}\n"
            "\\usepackage{amsmath}\n\\usepackage[margin=2.2cm]{geometry}\n"
            "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{%s}\n\\begin{document}\n",
            solved ? "4pt" : "16pt");
    for (char before = '\n'; *text; before = *text++) {
        formula ^= *text == '$';
        if (before == '\n' && *text == '#') {
            fputs("\\filbreak\\medskip\\textbf{", out);
            text += strspn(text, "# ") - 1;
            heading = true;
        } else if (*text == '\n' && heading) {
            fputs("}\n", out);
            heading = false;
        } else if (*text != '`') {
            fprintf(out, !formula && strchr("%&_#", *text) ? "\\%c" : "%c", *text);
        }
    }
    fputs("\\end{document}\n", out);
}

/* FOLDER/NAME.tex as FOLDER/NAME.pdf; false where there is no LaTeX, or it fails. */
static bool run_latex(const char *folder, const char *name)
{
    char latex[EXAM_PATH], to[EXAM_PATH + 32], path[2 * EXAM_PATH], said[512];
    if (!system_find_program("pdflatex", latex, sizeof latex))
        return false;
    snprintf(to, sizeof to, "-output-directory=%s", folder);
    snprintf(path, sizeof path, "%s/%s.tex", folder, name);
    char *argv[] = {latex, "-interaction=batchmode", "-halt-on-error", to, path, NULL};
    SystemProcess p;
    bool ok = system_start(&p, argv, 1) == 0;
    while (ok && disk_read(p.stream, said, sizeof said) > 0)
        ; /* its log has the same */
    if (!ok || system_wait(&p) != 0)
        return tensor_fail("pdflatex refuses %s; its .log says why", path);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, i ? "aux" : "log");
        system_unlink(path);
    }
    return true;
}

static bool write_one(const Sheet *s, bool solved, const char *folder, bool *pdf)
{
    char name[64], title[64], path[2 * EXAM_PATH];
    unsigned long long seed = s->seed;
    TextStream stream;
    FILE *out = text_open(&stream);
    snprintf(title, sizeof title, "%s, sheet %llu, code %d", solved ? "Solutions" : "Exam", seed,
             s->code);
    snprintf(name, sizeof name, "%s-%llu", solved ? "solution" : "sheet", seed);
    if (out)
        put_sheet(out, s, title, solved);
    char *text = out ? text_close(&stream, NULL) : NULL;
    bool ok = text != NULL;
    for (int latex = 0; latex < 2 && ok; latex++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, latex ? "tex" : "md");
        AtomicFile *file = atomic_open(path);
        if (file && latex)
            put_latex(atomic_stream(file), text, solved);
        else if (file)
            fputs(text, atomic_stream(file));
        ok = file && atomic_commit(file);
    }
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    ok = ok && markdown_page(path, title, text);
    free(text);
    *pdf = ok && run_latex(folder, name);
    return ok && !tensor_failed();
}

/* A file of answers as grade.c reads it, with one line: the right ones. */
static bool write_key(const Sheet *s, const char *folder)
{
    char path[2 * EXAM_PATH];
    unsigned long long seed = s->seed;
    snprintf(path, sizeof path, "%s/key-%llu.csv", folder, seed);
    AtomicFile *file = atomic_open(path);
    FILE *out = atomic_stream(file);
    if (!file)
        return false;
    fputs("student,sheet,code", out);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->question[i].count; k++)
            fprintf(out, ",%d%c", i + 1, 'a' + k);
    fprintf(out, "\nsolution,%llu,%d", seed, s->code);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->question[i].count; k++)
            fprintf(out, ",%.10g", s->question[i].answer[k].value);
    fputs("\n", out);
    return atomic_commit(file);
}

bool sheet_write(const Sheet *s, const char *folder, bool *pdf)
{
    return write_one(s, false, folder, pdf) && write_one(s, true, folder, pdf) &&
           write_key(s, folder);
}
