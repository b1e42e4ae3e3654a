/* kit.c: the command `./gradus kit V`: what an instructor needs to give one of the lectures
 * tomorrow, from the slides' list, the claims, the questions, the figures and the homework guide.
 *
 *   OUT/V/figures/01-map.pdf, ...   its figures in the order of the slides, with their scripts
 *   OUT/V/figures.pdf               the same on the pages of one file
 *   OUT/V/kit.md, kit.html          slide by slide: what to say, to type, to ask */
#include "lectures/steps/kit.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/latex.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/values.h"

#include "examples/common/example.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

enum { SAID = 4, WEEKS = 12 };

/* ---- rows ------------------------------------------------------------------------------------ */

/* Runs every claim of the lecture's rows once. */
static void run_claims(Kit *k)
{
    int count = 0, done = 0;
    for (int row = 1; row < KIT_ROWS; row++)
        count += slide_of_row(k->letter, row) != NULL;
    Progress p = progress_begin("rows", count, k->quiet);
    for (int row = 1; row < KIT_ROWS; row++) {
        if (!slide_of_row(k->letter, row))
            continue;
        for (const Claim *const *c = chapter_claims(chapter_with_row(row)); *c; c++)
            if ((*c)->row == row)
                k->seconds[row] += claim_run(*c, NULL, k->seed, NULL).seconds;
        progress_show(&p, ++done, "row %d", row);
    }
    progress_end(&p);
}

/* ---- figures ------------------------------------------------------------------------------- */

/* The figures of a row that no slide has shown yet, numbered in the order of the slides. */
static void list_row(Kit *k, int row)
{
    for (const Figure *const *f = chapter_figures(chapter_with_row(row)); *f; f++) {
        if ((*f)->row != row)
            continue;
        int n = k->figure_count++;
        if (n == KIT_FIGURES)
            options_refuse("more than %d figures", KIT_FIGURES);
        k->figures[n].figure = *f;
        snprintf(k->figures[n].name, KIT_NAME, "%02d-%s", n + 1, (*f)->name);
    }
}

/* The scripts of all figures one after the other, without the lines that choose their own files,
 * draw the pages of one file. The terminal is that of the first script. */
static bool write_all(const Kit *k, const char *folder)
{
    char path[2 * STEP_PATH];
    snprintf(path, sizeof path, "%s/all.gp", folder);
    FILE *out = fopen(path, "w");
    bool ok = out != NULL;
    for (int i = 0; ok && i < k->figure_count; i++) {
        snprintf(path, sizeof path, "%s/%s.gp", folder, k->figures[i].name);
        char *script = text_read(path, NULL);
        ok = script != NULL;
        for (char *line = script, *next; line; line = next) {
            next = text_cut(line);
            if (i == 0 && strncmp(line, "set terminal ", 13) == 0)
                fprintf(out, "%s\nset output '../figures.pdf'\n", line);
            else if (strncmp(line, "set terminal ", 13) != 0 && !strstr(line, "set output"))
                fprintf(out, "%s\n", line);
        }
        fprintf(out, "reset\n");
        free(script);
    }
    ok = out && fprintf(out, "unset output\n") > 0 && fclose(out) == 0 && ok;
    return ok || example_fail("%s: expected the script of a figure with its PDF", path);
}

static bool draw_figures(Kit *k)
{
    char folder[STEP_PATH + 16], stem[2 * STEP_PATH];
    for (const Slide *s = slides; s->title; s++)
        for (int i = 0; s->lecture == k->letter && i < SLIDE_ROWS && s->rows[i]; i++)
            if (slide_of_row(k->letter, s->rows[i]) == s)
                list_row(k, s->rows[i]);
    snprintf(folder, sizeof folder, "%s/figures", k->folder);
    Progress p = progress_begin("figures", k->figure_count, k->quiet);
    for (int i = 0; i < k->figure_count; i++) {
        snprintf(stem, sizeof stem, "%s/%s", folder, k->figures[i].name);
        const Sketch s = {stem, PLOT_PDF, true, k->seed};
        if (!k->figures[i].figure->draw(&s))
            return false;
        progress_show(&p, i + 1, "%s", k->figures[i].name);
    }
    progress_end(&p);
    return !plot_has_gnuplot() || (write_all(k, folder) && latex_gnuplot(folder, "all.gp"));
}

/* ---- one slide ------------------------------------------------------------------------------- */

static bool cites(const Claim *c, const Slide *s)
{
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        if (c->slides[i][0] == s->lecture && strcmp(c->slides[i] + 3, s->title) == 0)
            return true;
    return false;
}

/* A text within a cell or a paragraph: what Markdown would read as its own is escaped. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("*_|<[]`\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* The statements of one row that cite the slide, or with `any` all of them: at most SAID, and those
 * that are against the slide; returns how many there are. */
static int print_said(FILE *out, const Slide *s, int row, bool any)
{
    int count = 0;
    static const char *const judged[] = {"", "refutes", "qualifies", "corrects"};
    for (const Claim *const *c = chapter_claims(chapter_with_row(row)); *c; c++) {
        if ((*c)->row != row || (!any && !cites(*c, s)))
            continue;
        bool against =
            (*c)->against.says && cites(*c, s) && strcmp((*c)->against.slide + 3, s->title) == 0;
        if (count++ >= SAID && !against)
            continue;
        fprintf(out, "- ");
        put(out, (*c)->statement);
        if (against) {
            fprintf(out, " **The slide says:** ");
            put(out, (*c)->against.says);
            fprintf(out, "; the measurement %s it.", judged[(*c)->against.judgement]);
        }
        fprintf(out, "\n");
    }
    if (count > SAID)
        fprintf(out, "- and more: row %d has %d statements on it\n", row, count);
    return count;
}

static void print_question(FILE *out, const Question *q)
{
    fprintf(out, "\n> ");
    put(out, q->question);
    fprintf(out, "\n\n");
    for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
        fprintf(out, "- (%c) ", 'a' + i);
        put(out, q->choices[i].text);
        fprintf(out, i + 1 == q->right ? ": **right:** " : ": ");
        put(out, q->choices[i].reason);
        fprintf(out, "\n");
    }
    fprintf(out, "- answer: ");
    put(out, q->answer);
    fprintf(out, q->misconception ? " Usual wrong answer: " : "");
    put(out, q->misconception ? q->misconception : "");
    fprintf(out, "\n");
}

/* What to type: the claims with their seconds, and the example. */
static void print_commands(FILE *out, const Kit *k, int row)
{
    const char *program = row_with(row)->program;
    fprintf(out, "\nType `./gradus claims --explain %d`", row);
    if (k->seconds[row] > 0)
        fprintf(out, " (%.*f s)", k->seconds[row] < 10, k->seconds[row]);
    if (program)
        fprintf(out, "; `./gradus example %s`%s", strchr(program, '/') + 1,
                strstr(program, "equivariance") ? "" : " trains a model");
    fprintf(out, ".\n");
}

/* The slide's number in its lecture, from 1. */
static int number_of(const Slide *s)
{
    int number = 1;
    for (const Slide *e = slides; e < s; e++)
        number += e->lecture == s->lecture;
    return number;
}

static void print_row(FILE *out, const Kit *k, const Slide *s, int row)
{
    const Chapter *c = chapter_with_row(row);
    const Slide *first = slide_of_row(k->letter, row);
    fprintf(out, "\n#### Row %d: ", row);
    put(out, row_with(row)->what);
    fprintf(out, "\n\n");
    if (first != s)
        fprintf(out, "See slide %d, too.\n\n", number_of(first));
    for (int i = 0; i < k->figure_count; i++)
        if (k->figures[i].figure->row == row) {
            fprintf(out, "- figure `%s`: ", k->figures[i].name);
            put(out, k->figures[i].figure->what);
            fprintf(out, "\n");
        }
    if (print_said(out, s, row, false) == 0 && first == s)
        print_said(out, s, row, true);
    if (first == s)
        print_commands(out, k, row);
    for (const Question *q = c->questions; first == s && q && q->row; q++)
        if (q->row == row)
            print_question(out, q);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Is a claim about the slide, and has one of its rows a figure? */
static void print_gaps(FILE *out, const Kit *k)
{
    int gaps = 0;
    fprintf(out, "\n## What is not covered\n\n");
    for (const Slide *s = slides; s->title; s++) {
        bool claimed = false, drawn = false;
        for (int i = 0; s->lecture == k->letter && i < SLIDE_ROWS && s->rows[i]; i++) {
            for (const Claim *const *c = chapter_claims(chapter_with_row(s->rows[i])); *c; c++)
                claimed |= cites(*c, s);
            for (int f = 0; f < k->figure_count; f++)
                drawn |= k->figures[f].figure->row == s->rows[i];
        }
        if (s->lecture != k->letter || (claimed && drawn))
            continue;
        gaps++;
        fprintf(out, "- \"");
        put(out, s->title);
        fprintf(out, "\": %s%s%s\n", claimed ? "" : "no claim cites it",
                claimed || drawn ? "" : "; ", drawn ? "" : "no figure");
    }
    fprintf(out,
            "%sEverything here is about the slides' titles and rows as lectures/README.md lists "
            "them; what a lecturer says beside them is not known.\n",
            gaps ? "\n" : "Each slide has a claim and a figure. ");
}

static void write_text(FILE *out, const Kit *k, bool timed)
{
    static Path path;
    fprintf(out,
            "# %c: %s\n\nSlide by slide: figures (figures.pdf has them in this order, figures/ one "
            "by one), what was measured, what to type, and what to ask. Each row is told in full "
            "at the first slide that shows it.%s\n\n## Slides\n",
            k->letter, k->title,
            timed ? " Seconds are those of this machine, with all claims of the row." : "");
    for (const Slide *s = slides; s->title; s++) {
        if (s->lecture != k->letter)
            continue;
        fprintf(out, "\n### %d. ", number_of(s));
        put(out, s->title);
        if (s->pages > 1)
            fprintf(out, " (%d slides)", s->pages);
        fprintf(out, "\n");
        for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
            print_row(out, k, s, s->rows[i]);
    }
    path_read(&path, (char[]){k->letter, 0});
    fputc('\n', out);
    plan_print(out, &path, WEEKS);
    fprintf(out,
            "\n`./gradus steps --course %c --weeks N` prints it for another number of weeks.\n",
            k->letter);
    print_gaps(out, k);
}

static bool write_files(const Kit *k, bool timed)
{
    char path[2 * STEP_PATH];
    snprintf(path, sizeof path, "%s/kit.md", k->folder);
    FILE *file = fopen(path, "w");
    if (file)
        write_text(file, k, timed);
    if (!file || fclose(file) != 0)
        return example_fail("%s cannot be written", path);
    char *markdown = text_read(path, NULL);
    snprintf(path, sizeof path, "%s/kit.html", k->folder);
    bool ok = markdown && markdown_page(path, k->title, markdown);
    free(markdown);
    return ok;
}

static const char *title_of(const char *word)
{
    for (const Lecture *l = lectures; word && l->letter; l++)
        if (word[0] == l->letter && !word[1])
            return l->name;
    options_refuse("found '%s'; expected a lecture, V, B, H, Z or J, as in: kit V",
                   word ? word : "");
}

int lectures_kit(int argc, char **argv)
{
    int seed = 1, threads = 0;
    bool untimed = false, quiet = false;
    const char *out = "out/kit", *letter = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "DIR", "the folder; each lecture has its own in it", 0, 0},
        {"untimed", OPTION_FLAG, &untimed, NULL, "do not run the claims for their seconds", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"quiet", OPTION_FLAG, &quiet, NULL, "no progress", 0, 0},
        {0},
    };
    options_parse(
        letter ? argc - 1 : argc, letter ? argv + 1 : argv,
        "Writes what is needed to give one of the lectures: figures, statements, commands, "
        "questions.",
        table);
    Kit k = {.title = title_of(letter), .seed = (uint64_t)seed, .quiet = quiet};
    k.letter = letter[0];
    options_need_folder("out", out);
    values_exit_on_error();
    tensor_set_threads(threads);
    if (snprintf(k.folder, sizeof k.folder, "%s/%c", out, k.letter) >= (int)sizeof k.folder - 64)
        options_refuse("--out: the name is too long");
    bool ok = draw_figures(&k);
    if (ok && !untimed)
        run_claims(&k);
    ok = ok && write_files(&k, !untimed);
    if (ok)
        printf("%s: kit.md, kit.html, %d figures%s\n", k.folder, k.figure_count,
               plot_has_gnuplot() ? ", figures.pdf" : " as scripts and data: there is no gnuplot");
    return !ok;
}
