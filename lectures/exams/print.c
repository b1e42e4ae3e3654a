/* print.c: a sheet as Markdown, LaTeX, PDF and a page for a browser. See exam.h. */
#define GRADUS_INSIDE /* an error names the file that is written, not this one */
#include "lectures/exams/exam.h"

#include "lectures/runner/page.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"

#include "tensor/io/disk.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- two kinds of text ----------------------------------------------------------------------- */

/* A paragraph whose formulas stand between $: as LaTeX it gets its quotation marks, as Markdown
 * $`...`$, which GitHub and our pages read. */
static void put(FILE *out, const char *text, bool latex)
{
    bool formula = false, quoted = false;
    for (; *text; text++) {
        if (*text == '$') {
            formula = !formula;
            fputs(latex ? "$" : formula ? "$`" : "`$", out);
        } else if (latex && *text == '"' && !formula) {
            quoted = !quoted;
            fputs(quoted ? "``" : "''", out);
        } else if (latex && (*text == '%' || *text == '&' || *text == '_') && !formula) {
            fprintf(out, "\\%c", *text);
        } else {
            fputc(*text, out);
        }
    }
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void put_question(FILE *out, const ExamQuestion *q, int number, bool solved, bool latex)
{
    const Kind *k = q->kind;
    fprintf(out,
            latex ? "\n\\medskip\\begin{minipage}{\\linewidth}\\setlength{\\parskip}{4pt}"
                    "\\textbf{Question %d}\\hfill %d points, about %d minute%s, level %d\\\\[2pt]\n"
                  : "\n## Question %d\n\n%d points, about %d minute%s, level %d.\n\n",
            number, k->points, k->minutes, plural(k->minutes), k->level);
    put(out, q->asked, latex);
    for (int i = 0; i < q->count; i++) {
        const Answer *a = &q->answer[i];
        fprintf(out, solved ? "\n\n(%c) [%d point%s] " : "\n\n(%c) ", 'a' + i, a->points,
                plural(a->points));
        put(out, a->symbol, latex);
        fputs(": ", out);
        if (solved)
            put(out, a->worked, latex);
        else
            fputs(latex ? "\\underline{\\hspace{3cm}}" : "............", out);
    }
    fprintf(out, latex ? "\n%s\\end{minipage}\\par\n" : "\n%s",
            latex && !solved ? "\\vspace{2.5cm}" : "");
    if (solved && latex)
        fprintf(out, "\n{\\footnotesize row %d of lectures/README.md, kind %s}\n\n", k->row,
                k->name);
    else if (solved)
        fprintf(out, "\nRow %d of lectures/README.md, kind %s.\n", k->row, k->name);
}

/* With five digits of the logarithms, each divergence of the kind kl-of-two-distributions comes out
 * by hand within the 1 % of grade.c (0.15 % at worst); with three, 21 of its 56 do not. */
static const char *const rules[] = {
    "Give whole numbers exactly, and others as a fraction or with three significant digits. The "
    "last answer of a question counts for all of its points; where it is wrong, each right answer "
    "before it counts for its own.",
    "$\\ln 2 \\approx 0.69315$, $\\ln 3 \\approx 1.09861$, $\\ln 5 \\approx 1.60944$.",
};

static void put_sheet(FILE *out, const Sheet *s, const char *title, bool solved, bool latex)
{
    const char *lecture = "";
    for (const Lecture *l = lectures; l->letter; l++)
        lecture = l->letter == s->course ? l->name : lecture;
    fprintf(out,
            latex ? "\\documentclass[a4paper,11pt]{article}\n\\usepackage[utf8]{inputenc}\n"
                    "\\usepackage{amsmath}\n\\usepackage[margin=2.2cm]{geometry}\n"
                    "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{4pt}\n"
                    "\\begin{document}\n{\\Large\\bfseries %s}\\\\[4pt]\n%s\n\n"
                  : "# %s\n\n%s\n\n",
            title, lecture);
    fprintf(out, "%d questions, %d points, about %d minutes.", s->count, s->points, s->minutes);
    if (!solved)
        fputs(latex ? "\\hfill Name: \\underline{\\hspace{6cm}}" : " Name: ............", out);
    for (int i = 0; i < 2 && !solved; i++) {
        fputs("\n\n", out);
        put(out, rules[i], latex);
    }
    fputs("\n", out);
    for (int i = 0; i < s->count; i++)
        put_question(out, &s->question[i], i + 1, solved, latex);
    fputs(latex ? "\\end{document}\n" : "", out);
}

/* ---- files ----------------------------------------------------------------------------------- */

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
    char name[64], title[64], path[2 * EXAM_PATH], page[2 * EXAM_PATH];
    unsigned long long seed = s->seed;
    bool ok = true;
    snprintf(title, sizeof title, "%s, sheet %llu, code %d", solved ? "Solutions" : "Exam", seed,
             s->code);
    snprintf(name, sizeof name, "%s-%llu", solved ? "solution" : "sheet", seed);
    for (int markdown = 0; markdown < 2 && ok; markdown++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, markdown ? "md" : "tex");
        AtomicFile *file = atomic_open(path);
        if (file)
            put_sheet(atomic_stream(file), s, title, solved, !markdown);
        ok = file && atomic_commit(file);
    }
    char *text = ok ? text_read(path, NULL) : NULL;
    snprintf(page, sizeof page, "%s/%s.html", folder, name);
    ok = text && markdown_page(page, title, text);
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
