/* kit.c: the command `./gradus kit V`: what an instructor needs to give one of the lectures
 * tomorrow, from the slides' list, the claims, the questions, the figures and the homework guide.
 *
 *   OUT/V/figures/01-map.pdf, ...   its figures in the order of the slides, with their scripts
 *   OUT/V/figures.pdf               the same on the pages of one file
 *   OUT/V/kit.md, kit.html          slide by slide: what to say, to type, to ask */
#include "lectures/runner/commands.h"
#include "lectures/runner/latex.h"
#include "lectures/runner/page.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/values.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAID = 4, WEEKS = 12, FIGURES = 160 };

typedef struct {
    const Slide *begin, *end;      /* of the lecture      */
    char folder[STEP_PATH];        /* OUT/V               */
    const Figure *figure[FIGURES]; /* of its rows         */
    int figures;                   /* how many            */
} Kit;

/* ---- figures and seconds --------------------------------------------------------------------- */

/* Measures the processor time of a row's claims, which does not count what else runs. The row has a
 * seed of its own, since models that another row has trained are kept, and the command has to train
 * them. */
static double time_row(int row)
{
    int count;
    const Claim *const *claims = row_claims(row, &count);
    const clock_t begin = clock();
    for (int i = 0; i < count; i++)
        claim_run(claims[i], NULL, 1 + (uint64_t)row, NULL);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("row %d: %.2f s\n", row, seconds);
    fflush(stdout);
    return seconds;
}

static void list_figures(Kit *k, int row)
{
    for (const Figure *const *f = chapter_figures(chapter_with_row(row)); *f; f++) {
        if (k->figures == FIGURES)
            options_refuse("more than %d figures", FIGURES);
        if ((*f)->row == row)
            k->figure[k->figures++] = *f;
    }
}

/* Draws the figures, and joins their scripts without the lines that choose a file for each: then
 * the first one's terminal has a page for every figure. */
static void draw_figures(const Kit *k)
{
    char folder[STEP_PATH + 16], stem[2 * STEP_PATH], path[2 * STEP_PATH + 16];
    snprintf(folder, sizeof folder, "%s/figures", k->folder);
    snprintf(path, sizeof path, "%s/all.gp", folder);
    options_need_file("out", path);
    FILE *all = fopen(path, "w");
    for (int i = 0; all && i < k->figures; i++) {
        snprintf(stem, sizeof stem, "%s/%02d-%s", folder, i + 1, k->figure[i]->name);
        snprintf(path, sizeof path, "%s.gp", stem);
        k->figure[i]->draw(&(Sketch){stem, PLOT_PDF, true, 1});
        printf("%s: %s\n", stem, k->figure[i]->what);
        fflush(stdout);
        char *script = text_read(path, NULL);
        for (char *line = script, *next; line; line = next) {
            bool terminal = strncmp(line, "set terminal ", 13) == 0;
            next = text_cut(line);
            if (terminal ? i == 0 : !strstr(line, "set output"))
                fprintf(all, "%s\n%s", line, terminal ? "set output '../figures.pdf'\n" : "");
        }
        free(script);
    }
    if (!all || fclose(all) != 0)
        options_refuse("--out: %s/all.gp cannot be written", folder);
    if (plot_has_gnuplot())
        latex_gnuplot(folder, "all.gp");
}

/* ---- one slide ------------------------------------------------------------------------------- */

/* A text between two others: what Markdown would read as its own is escaped. NULL: none of them. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
    if (text)
        fputs(before, out);
    for (; text && *text; text++)
        fprintf(out, strchr("*_|<[]`\\", *text) ? "\\%c" : "%c", *text);
    if (text)
        fputs(after, out);
}

static bool cites(const Claim *c, const Slide *s)
{
    for (int i = 0; i < CLAIM_SLIDES && c->slides[i]; i++)
        if (c->slides[i][0] == s->lecture && strcmp(c->slides[i] + 3, s->title) == 0)
            return true;
    return false;
}

/* The first statements of a row that cite the slide, and all that are against it; returns how many
 * cite it. */
static int print_said(FILE *out, const Slide *s, int row)
{
    static const char *const judged[] = {"\n", "; the measurement refutes it.\n",
                                         "; the measurement qualifies it.\n",
                                         "; the measurement corrects it.\n"};
    int count, said = 0;
    const Claim *const *claims = row_claims(row, &count);
    for (int i = 0; i < count; i++) {
        const Claim *c = claims[i];
        const bool against = c->against.says && c->against.slide[0] == s->lecture &&
                             strcmp(c->against.slide + 3, s->title) == 0;
        if (!cites(c, s) || (said++ >= SAID && !against))
            continue;
        put(out, "- ", c->statement, "\n");
        put(out, "  **The slide says:** ", against ? c->against.says : NULL,
            judged[c->against.judgement]);
    }
    return said;
}

static void print_questions(FILE *out, int row)
{
    for (const Question *q = chapter_with_row(row)->questions; q && q->row; q++) {
        if (q->row != row)
            continue;
        put(out, "\n> ", q->question, "\n\n");
        for (int i = 0; i < QUESTION_CHOICES && q->choices[i].text; i++) {
            fprintf(out, "- (%c) ", 'a' + i);
            put(out, "", q->choices[i].text, i + 1 == q->right ? ": **right:** " : ": ");
            put(out, "", q->choices[i].reason, "\n");
        }
        put(out, "- answer: ", q->answer, "\n");
        put(out, "- usual wrong answer: ", q->misconception, "\n");
    }
}

/* What to type: the claims, and the example with the run time that its README states: "10 s of
 * processor time". */
static void print_commands(FILE *out, int row)
{
    char path[STEP_PATH];
    const char *program = row_with(row)->program;
    fprintf(out, "\nType `./gradus claims --explain %d` (%.2f s)", row, time_row(row));
    if (program) {
        snprintf(path, sizeof path, "%s/../%s/README.md", LECTURES_FOLDER, program);
        char *text = text_read(path, NULL), *time = text ? strstr(text, "Run time: ") : NULL;
        fprintf(out, "; `./gradus example %s` (%.*s)", strchr(program, '/') + 1,
                time ? (int)strcspn(time + 10, ".\n") : 0, time ? time + 10 : "");
        free(text);
    }
    fprintf(out, ".\n");
}

static void print_slide(FILE *out, const Kit *k, const Slide *s)
{
    int said = 0, drawn = 0;
    fprintf(out, "\n### %d. ", (int)(s - k->begin) + 1);
    put(out, "", s->title, "");
    fprintf(out, s->pages > 1 ? " (%d slides)\n" : "\n", s->pages);
    for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++) {
        const int row = s->rows[i];
        const Slide *first = slide_of_row(s->lecture, row);
        fprintf(out, "\n#### Row %d, of slide %d: ", row, (int)(first - k->begin) + 1);
        put(out, "", row_with(row)->what, "\n\n");
        for (int f = 0; f < k->figures; f++)
            if (k->figure[f]->row == row) {
                fprintf(out, "- figure `%02d-%s`: ", f + 1, k->figure[f]->name);
                put(out, "", k->figure[f]->what, "\n");
                drawn++;
            }
        said += print_said(out, s, row);
        if (first == s) {
            print_commands(out, row);
            print_questions(out, row);
        }
    }
    if (!said)
        fprintf(out, "\nNot covered: no claim cites this slide.\n");
    if (!drawn)
        fprintf(out, "\nNot covered: no figure.\n");
}

static void write_text(FILE *out, const Kit *k, const Path *path)
{
    fprintf(out,
            "# %s: %s\n\nSlide by slide: figures (figures.pdf has them in this order, figures/ one "
            "by one), what was measured, what to type, and what to ask, both at the first slide of "
            "a row. V, B, H, Z and J are the "
            "lectures of lectures/README.md. Seconds are processor time of this machine, for all "
            "claims of the row. \"Not covered\" says which slides no claim cites, and which have "
            "no figure; what a lecturer says beside them is not known.\n\n## Slides\n",
            path->name, path->title);
    for (const Slide *s = k->begin; s < k->end; s++)
        print_slide(out, k, s);
    fputc('\n', out);
    path_plan(out, path, WEEKS);
    fprintf(out,
            "\n`./gradus steps --course %s --weeks N` prints it for another number of weeks.\n",
            path->name);
}

int lectures_kit(int argc, char **argv)
{
    static Kit k;
    static Path path;
    char name[STEP_PATH + 16];
    const char *out = "out/kit", *letter = take_word(&argc, argv);
    const Option table[] = {{"out", OPTION_TEXT, &out, "DIR",
                             "the folder; each lecture has its own in it", 0, 0},
                            {0}};
    options_parse(argc, argv,
                  "Writes what is needed to give one of the lectures: figures, statements, "
                  "commands, questions.",
                  table);
    for (k.begin = slides; k.begin->title; k.begin++)
        if (letter && letter[0] == k.begin->lecture && !letter[1])
            break;
    for (k.end = k.begin; k.end->title && k.end->lecture == k.begin->lecture;)
        k.end++;
    if (k.end == k.begin)
        options_refuse("found '%s'; expected a lecture, V, B, H, Z or J, as in: kit V",
                       letter ? letter : "");
    path_read(&path, letter);
    snprintf(k.folder, sizeof k.folder, "%s/%s", out, letter);
    snprintf(name, sizeof name, "%s/kit.md", k.folder);
    options_need_file("out", name);
    values_exit_on_error();
    for (const Slide *s = k.begin; s < k.end; s++)
        for (int i = 0; i < SLIDE_ROWS && s->rows[i]; i++)
            if (slide_of_row(*letter, s->rows[i]) == s)
                list_figures(&k, s->rows[i]);
    FILE *file = fopen(name, "w");
    if (file)
        write_text(file, &k, &path);
    if (!file || fclose(file) != 0)
        options_refuse("--out: %s cannot be written", name);
    text_page(NULL, NULL, false, name, k.folder, "kit", 1);
    draw_figures(&k); /* last, since models that a figure has trained are kept */
    printf("%s: kit.md, kit.html, %d figures%s\n", k.folder, k.figures,
           plot_has_gnuplot() ? ", figures.pdf" : " as scripts and data: there is no gnuplot");
    return 0;
}
