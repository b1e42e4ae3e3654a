/* kit.c: the command `./gradus kit V`: what an instructor needs to give one of the lectures
 * tomorrow, from the slides' list, the claims, the questions, the figures and the homework guide.
 *
 *   OUT/V/figures/01-map.pdf, ...   its figures in the order of the slides, with their scripts
 *   OUT/V/figures.pdf               the same on the pages of one file
 *   OUT/V/kit.md, kit.html          slide by slide: what to say, to type, to ask */
#include "lectures/runner/commands.h"
#include "lectures/runner/latex.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/values.h"
#include "lectures/steps/steps.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAID = 4, WEEKS = 12, FIGURES = 160, NAME = 80 };

typedef struct {
    const Lecture *lecture;
    const Slide *begin, *end; /* its slides */
    char folder[STEP_PATH];   /* OUT/V */
    bool timed, quiet;
    struct {
        const Figure *figure;
        char name[NAME]; /* "01-map" */
    } figures[FIGURES];
    int figure_count;
} Kit;

/* Is this the first slide of the lecture that shows its i-th row? */
static bool is_first(const Slide *s, int i)
{
    return slide_of_row(s->lecture, s->rows[i]) == s;
}

static int count_rows(const Slide *s)
{
    int n = 0;
    while (n < SLIDE_ROWS && s->rows[n])
        n++;
    return n;
}

/* ---- figures ------------------------------------------------------------------------------- */

/* The figures of a row that no slide has shown yet, numbered in the order of the slides. */
static void list_row(Kit *k, int row)
{
    for (const Figure *const *f = chapter_figures(chapter_with_row(row)); *f; f++) {
        int n = k->figure_count;
        if ((*f)->row != row)
            continue;
        if (n == FIGURES)
            options_refuse("more than %d figures", FIGURES);
        k->figures[n].figure = *f;
        snprintf(k->figures[n].name, NAME, "%02d-%s", ++k->figure_count, (*f)->name);
    }
}

/* Adds a figure's script to that of all, whose terminal is the first one's: without the lines that
 * choose a file of its own it draws a page. */
static bool add_page(FILE *all, const char *stem, bool first)
{
    char path[2 * STEP_PATH + 4];
    snprintf(path, sizeof path, "%s.gp", stem);
    char *script = text_read(path, NULL);
    for (char *line = script, *next; line; line = next) {
        bool terminal = strncmp(line, "set terminal ", 13) == 0;
        next = text_cut(line);
        if (first && terminal)
            fprintf(all, "%s\nset output '../figures.pdf'\n", line);
        else if (!terminal && !strstr(line, "set output"))
            fprintf(all, "%s\n", line);
    }
    free(script);
    return fprintf(all, "reset\n") > 0 && (script || example_fail("%s cannot be read", path));
}

static bool draw_figures(Kit *k)
{
    char folder[STEP_PATH + 16], stem[2 * STEP_PATH];
    for (const Slide *s = k->begin; s < k->end; s++)
        for (int i = 0; i < count_rows(s); i++)
            if (is_first(s, i))
                list_row(k, s->rows[i]);
    snprintf(folder, sizeof folder, "%s/figures", k->folder);
    snprintf(stem, sizeof stem, "%s/all.gp", folder);
    FILE *all = tensor_make_directory(folder) ? fopen(stem, "w") : NULL;
    bool ok = all || example_fail("%s cannot be written", stem);
    Progress p = progress_begin("figures", k->figure_count, k->quiet);
    for (int i = 0; ok && i < k->figure_count; i++) {
        snprintf(stem, sizeof stem, "%s/%s", folder, k->figures[i].name);
        ok = k->figures[i].figure->draw(&(Sketch){stem, PLOT_PDF, true, 1}) &&
             add_page(all, stem, i == 0);
        progress_show(&p, i + 1, "%s", k->figures[i].name);
    }
    progress_end(&p);
    ok = all && fclose(all) == 0 && ok;
    return ok && (!plot_has_gnuplot() || latex_gnuplot(folder, "all.gp"));
}

/* ---- one slide ------------------------------------------------------------------------------- */

static bool cites(const Claim *c, const Slide *s)
{
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        if (c->slides[i][0] == s->lecture && strcmp(c->slides[i] + 3, s->title) == 0)
            return true;
    return false;
}

/* A text between two others: what Markdown would read as its own is escaped. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    for (; *text; text++)
        fprintf(out, strchr("*_|<[]`\\", *text) ? "\\%c" : "%c", *text);
    fputs(after, out);
}

/* The statements of one row that cite the slide, or with `any` all of them: at most SAID, and those
 * that are against the slide; returns how many there are. */
static int print_said(FILE *out, const Slide *s, int row, bool any)
{
    static const char *const judged[] = {"", "refutes", "qualifies", "corrects"};
    int count = 0;
    for (const Claim *const *c = chapter_claims(chapter_with_row(row)); *c; c++) {
        if ((*c)->row != row || (!any && !cites(*c, s)))
            continue;
        bool against =
            (*c)->against.says && cites(*c, s) && strcmp((*c)->against.slide + 3, s->title) == 0;
        if (count++ >= SAID && !against)
            continue;
        put(out, "- ", (*c)->statement, against ? " **The slide says:** " : "\n");
        if (against) {
            put(out, "", (*c)->against.says, "; the measurement ");
            fprintf(out, "%s it.\n", judged[(*c)->against.judgement]);
        }
    }
    if (count > SAID)
        fprintf(out, "- and more: row %d has %d statements on it\n", row, count);
    return count;
}

static void print_question(FILE *out, const Question *q)
{
    put(out, "\n> ", q->question, "\n\n");
    for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
        fprintf(out, "- (%c) ", 'a' + i);
        put(out, "", q->choices[i].text, i + 1 == q->right ? ": **right:** " : ": ");
        put(out, "", q->choices[i].reason, "\n");
    }
    put(out, "- answer: ", q->answer, q->misconception ? " Usual wrong answer: " : "\n");
    if (q->misconception)
        put(out, "", q->misconception, "\n");
}

/* The run time that an example's README states: "10 s of processor time". */
static void print_run_time(FILE *out, const char *program)
{
    char path[STEP_PATH];
    snprintf(path, sizeof path, "%s/../%s/README.md", LECTURES_FOLDER, program);
    char *text = text_read(path, NULL), *found = text ? strstr(text, "Run time: ") : NULL;
    if (found)
        fprintf(out, " (%.*s)", (int)strcspn(found + 10, ".\n"), found + 10);
    free(text);
}

/* What to type: the claims, with the processor time that they take, and the example. Each row has a
 * seed of its own, since models that a figure or another row has trained are kept, and the command
 * has to train them. */
static void print_commands(FILE *out, const Kit *k, int row)
{
    const char *program = row_with(row)->program;
    const clock_t begin = clock(); /* of this program: what else runs does not count */
    int count;
    const Claim *const *claims = row_claims(row, &count);
    for (int i = 0; i < count && k->timed; i++)
        claim_run(claims[i], NULL, 1 + (uint64_t)row, NULL);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    fprintf(out, "\nType `./gradus claims --explain %d`", row);
    if (k->timed)
        fprintf(out, " (%.*f s)", seconds < 10, seconds);
    if (program) {
        fprintf(out, "; `./gradus example %s`", strchr(program, '/') + 1);
        print_run_time(out, program);
    }
    fprintf(out, ".\n");
}

/* The slide's i-th row: told in full at the first slide that shows it. */
static void print_row(FILE *out, const Kit *k, const Slide *s, int i)
{
    const int row = s->rows[i];
    const bool first = is_first(s, i);
    fprintf(out, "\n#### Row %d: ", row);
    put(out, "", row_with(row)->what, "\n\n");
    if (!first)
        fprintf(out, "See slide %d, too.\n\n", (int)(slide_of_row(s->lecture, row) - k->begin) + 1);
    for (int f = 0; f < k->figure_count; f++)
        if (k->figures[f].figure->row == row) {
            fprintf(out, "- figure `%s`: ", k->figures[f].name);
            put(out, "", k->figures[f].figure->what, "\n");
        }
    if (print_said(out, s, row, false) == 0 && first)
        print_said(out, s, row, true);
    if (first)
        print_commands(out, k, row);
    for (const Question *q = chapter_with_row(row)->questions; first && q && q->row; q++)
        if (q->row == row)
            print_question(out, q);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Slides that no claim cites, or of whose rows none has a figure. */
static void print_gaps(FILE *out, const Kit *k)
{
    int gaps = 0;
    fprintf(out, "\n## What is not covered\n\n");
    for (const Slide *s = k->begin; s < k->end; s++) {
        bool claimed = false, drawn = false;
        for (int i = 0; i < count_rows(s); i++) {
            for (const Claim *const *c = chapter_claims(chapter_with_row(s->rows[i])); *c; c++)
                claimed |= cites(*c, s);
            for (int f = 0; f < k->figure_count; f++)
                drawn |= k->figures[f].figure->row == s->rows[i];
        }
        if (claimed && drawn)
            continue;
        gaps++;
        put(out, "- \"", s->title, claimed ? "\": " : "\": no claim cites it");
        fprintf(out, "%s%s\n", claimed || drawn ? "" : "; ", drawn ? "" : "no figure");
    }
    fprintf(out,
            "%s\nEverything here is about the slides' titles and rows as lectures/README.md lists "
            "them; what a lecturer says beside them is not known.\n",
            gaps ? "" : "Each slide has a claim and a figure.\n");
}

static void write_text(FILE *out, const Kit *k)
{
    static Path path;
    const char letter[] = {k->lecture->letter, 0};
    Progress p = progress_begin("slides", k->end - k->begin, k->quiet);
    fprintf(out,
            "# %s: %s\n\nSlide by slide: figures (figures.pdf has them in this order, figures/ one "
            "by one), what was measured, what to type, and what to ask. Each row is told in full "
            "at the first slide that shows it. V, B, H, Z and J are the lectures of "
            "lectures/README.md.%s\n\n## Slides\n",
            letter, k->lecture->name,
            k->timed ? " Seconds are processor time of this machine, for all claims of the row."
                     : "");
    for (const Slide *s = k->begin; s < k->end; s++) {
        int number = (int)(s - k->begin) + 1;
        fprintf(out, "\n### %d. ", number);
        put(out, "", s->title, "");
        fprintf(out, s->pages > 1 ? " (%d slides)\n" : "\n", s->pages);
        for (int i = 0; i < count_rows(s); i++)
            print_row(out, k, s, i);
        progress_show(&p, number, "%s", s->title);
    }
    progress_end(&p);
    path_read(&path, letter);
    fputc('\n', out);
    path_plan(out, &path, WEEKS);
    fprintf(out,
            "\n`./gradus steps --course %s --weeks N` prints it for another number of weeks.\n",
            letter);
    print_gaps(out, k);
}

static bool write_files(const Kit *k)
{
    char path[2 * STEP_PATH];
    snprintf(path, sizeof path, "%s/kit.md", k->folder);
    FILE *file = fopen(path, "w");
    if (file)
        write_text(file, k);
    if (!file || fclose(file) != 0)
        return example_fail("%s cannot be written", path);
    char *markdown = text_read(path, NULL);
    snprintf(path, sizeof path, "%s/kit.html", k->folder);
    bool ok = markdown && markdown_page(path, k->lecture->name, markdown);
    free(markdown);
    return ok;
}

/* Finds the lecture and its slides, which follow one another. */
static void find_lecture(Kit *k, const char *word)
{
    for (k->lecture = lectures; k->lecture->letter; k->lecture++)
        if (word && word[0] == k->lecture->letter && !word[1])
            break;
    if (!k->lecture->letter)
        options_refuse("found '%s'; expected a lecture, V, B, H, Z or J, as in: kit V",
                       word ? word : "");
    for (k->begin = slides; k->begin->lecture != *word;)
        k->begin++;
    for (k->end = k->begin; k->end->title && k->end->lecture == *word;)
        k->end++;
}

int lectures_kit(int argc, char **argv)
{
    const char *out = "out/kit", *letter = take_word(&argc, argv);
    bool untimed = false, quiet = false;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "DIR", "the folder; each lecture has its own in it", 0, 0},
        {"untimed", OPTION_FLAG, &untimed, NULL, "do not run the claims for their seconds", 0, 0},
        {"quiet", OPTION_FLAG, &quiet, NULL, "no progress", 0, 0},
        {0},
    };
    options_parse(argc, argv,
                  "Writes what is needed to give one of the lectures: figures, statements, "
                  "commands, questions.",
                  table);
    Kit k = {.timed = !untimed, .quiet = quiet};
    find_lecture(&k, letter);
    options_need_folder("out", out);
    values_exit_on_error();
    if (snprintf(k.folder, sizeof k.folder, "%s/%s", out, letter) >= (int)sizeof k.folder - 64)
        options_refuse("--out: the name is too long");
    bool ok = draw_figures(&k) && write_files(&k);
    if (ok)
        printf("%s: kit.md, kit.html, %d figures%s\n", k.folder, k.figure_count,
               plot_has_gnuplot() ? ", figures.pdf" : " as scripts and data: there is no gnuplot");
    return !ok;
}
