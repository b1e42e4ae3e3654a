/* lectures.c: the program of all chapters.
 *
 *   lectures claims [N] [options]     the ledger
 *   lectures figures [N] [options]    the pictures
 *   lectures lecture [N] [options]    a chapter, claim by claim, in words
 *   lectures index                    the tables of lectures/README.md
 *   lectures plot heatmap FILE ...    a picture of one's own numbers
 *
 * `./gradus claims 4` is build/lectures/lectures claims 4. */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"

#include "examples/common/options.h"
#include "examples/common/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the command line asks for -------------------------------------------------------------------- */

/* The chapter that argv[1] names, taken out of the words; NULL where there is none: all of them. */
static const Chapter *take_chapter(int *argc, char **argv)
{
    if (*argc < 2 || argv[1][0] == '-')
        return NULL;
    const Chapter *c = chapter_named(argv[1]);
    if (!c) {
        char known[256] = "";
        for (int i = 0; chapters[i]; i++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%d %s", i ? ", " : "",
                     chapters[i]->number, strchr(chapters[i]->folder, '-') + 1);
        options_refuse("there is no chapter \"%s\"; there are: %s", argv[1], known);
    }
    memmove(argv + 1, argv + 2, sizeof *argv * (size_t)(*argc - 1));
    --*argc;
    return c;
}

static ReportFormat format_named(const char *name)
{
    for (int i = 0; i < REPORT_FORMATS; i++)
        if (strcmp(name, report_formats[i]) == 0)
            return (ReportFormat)i;
    options_refuse("--format: found '%s'; expected table, tsv, json or markdown", name);
}

unsigned picture_formats(const char *list, bool tex)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"png", PLOT_PNG}, {"svg", PLOT_SVG}, {"pdf", PLOT_PDF}, {"tex", FIGURE_TEX}};
    unsigned formats = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == n && strncmp(known[i].name, list, n) == 0)
                bit = known[i].bit;
        if (!bit || (bit == FIGURE_TEX && !tex))
            options_refuse(
                "--format: found '%.*s'; expected png, svg, pdf%s or several of them with commas",
                (int)n, list, tex ? ", tex" : "");
        formats |= bit;
        list += n + (list[n] == ',');
    }
    return formats;
}

/* ---- claims ----------------------------------------------------------------------------------------------- */

typedef struct {
    const Chapter *only; /* NULL: all */
    int row;             /* 0: all    */
    int seed;
} Choice;

static bool chosen(const Choice *choice, const Chapter *chapter, const Claim *claim)
{
    return (!choice->only || choice->only == chapter) &&
           (!choice->row || choice->row == claim->row);
}

/* "21", "21:no-scaling", or "all" (row 0). Returns the fault, or NULL for every one. */
static const char *split_row(const char *word, int *row)
{
    char *end;
    long number = strtol(word, &end, 10);
    if (strcmp(word, "all") == 0)
        return NULL;
    if (end == word || (*end && *end != ':') || number < 1 || number > 99)
        options_refuse("--break: found '%s'; expected a row, ROW:FAULT, or all", word);
    *row = (int)number;
    return *end ? end + 1 : NULL;
}

/* Runs one claim under each of its faults, or under `fault` alone. How many held in spite of it. */
static int run_broken(Report *r, const Claim *claim, const char *fault, const Choice *choice)
{
    int held = 0;
    for (int k = 0; k < CLAIM_FAULTS && claim->faults[k].name; k++) {
        const char *name = claim->faults[k].name;
        if (fault && strcmp(fault, name) != 0)
            continue;
        Finding f = claim_run(claim, name, (uint64_t)choice->seed, NULL);
        report_finding(r, &f);
        held += f.verdict == HOLDS;
    }
    return held;
}

typedef enum { RUN, EXPLAIN, BREAK } Way;

/* All chosen claims; those under a fault that hold all the same are counted in *held. */
static void run_claims(Report *r, const Choice *choice, Way way, const char *fault, int *held)
{
    for (int i = 0; chapters[i]; i++)
        for (const Claim *const *c = chapters[i]->claims; *c; c++) {
            Finding f;
            if (!chosen(choice, chapters[i], *c))
                continue;
            if (way == BREAK) {
                *held += run_broken(r, *c, fault, choice);
                continue;
            }
            f = way == EXPLAIN ? report_explained(*c, (uint64_t)choice->seed)
                               : claim_run(*c, NULL, (uint64_t)choice->seed, NULL);
            if (way == RUN)
                report_finding(r, &f);
            else {
                r->count++;
                r->failed += f.verdict == FAILS;
            }
        }
}

static int claims(int argc, char **argv)
{
    int threads = 0, explained = 0;
    bool quiet = false;
    const char *format = "table", *fault = NULL, *broken_row = NULL;
    Choice choice = {.seed = 1, .only = take_chapter(&argc, argv)};
    const Option table[] = {
        {"row", OPTION_INT, &choice.row, "ROW", "only this row; 0: all", 0, 99},
        {"format", OPTION_TEXT, &format, "FORMAT", "table, tsv, json or markdown", 0, 0},
        {"explain", OPTION_INT, &explained, "ROW", "the row's claims in words, with the numbers", 0,
         99},
        {"break", OPTION_TEXT, &broken_row, "ROW[:FAULT]",
         "its claims under their faults; all: of all", 0, 0},
        {"seed", OPTION_INT, &choice.seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"quiet", OPTION_FLAG, &quiet, NULL, "only the verdict, by the exit status", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Measures what the slides say: each claim with its bound.", table);
    example_exit_on_error();
    tensor_set_threads(threads);
    if (quiet && !freopen("/dev/null", "w", stdout))
        options_refuse("cannot be quiet: no /dev/null");
    Way way = broken_row ? BREAK : explained ? EXPLAIN : RUN;
    Report r = {.format = format_named(format)};
    int held = 0;
    if (way == BREAK)
        fault = split_row(broken_row, &choice.row);
    if (way == EXPLAIN)
        choice.row = explained;
    if (way != EXPLAIN)
        report_begin(&r);
    run_claims(&r, &choice, way, fault, &held);
    if (way != EXPLAIN)
        report_end(&r);
    if (r.count == 0)
        options_refuse(fault ? "row %d has no fault \"%s\"" : "there is no claim of row %d",
                       choice.row, fault);
    if (way == BREAK && held > 0) {
        fprintf(stderr, "lectures: %d claims hold in spite of their fault\n", held);
        return 0;
    }
    return r.failed > 0;
}

/* ---- a chapter in words -------------------------------------------------------------------------------------- */

static void list_chapters(void)
{
    for (int i = 0; chapters[i]; i++)
        printf("  %d  %-14s rows %d to %d: lectures/%s/README.md\n", chapters[i]->number,
               chapters[i]->title, chapters[i]->first_row, chapters[i]->last_row,
               chapters[i]->folder);
}

static int lecture(int argc, char **argv)
{
    int threads = 0, held = 0;
    const char *trace = NULL;
    Choice choice = {.seed = 1, .only = take_chapter(&argc, argv)};
    const Option table[] = {
        {"row", OPTION_INT, &choice.row, "ROW", "only this row; 0: all", 0, 99},
        {"seed", OPTION_INT, &choice.seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"trace", OPTION_MAYBE, &trace, "V",
         "print its first step op by op, in the symbols of V, B, H, Z or J, and end", 0, 0},
        {0},
    };
    options_parse(argc, argv, "A chapter, claim by claim: what is measured, and the numbers.",
                  table);
    if (trace)
        trace_begin(trace);
    example_exit_on_error();
    tensor_set_threads(threads);
    if (!choice.only) {
        printf("chapters (./gradus lecture N shows one)\n");
        list_chapters();
        return 0;
    }
    printf("chapter %d, %s; the notes: lectures/%s/README.md\n\n", choice.only->number,
           choice.only->title, choice.only->folder);
    Report r = {0};
    run_claims(&r, &choice, EXPLAIN, NULL, &held);
    return r.failed > 0;
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static int figures(int argc, char **argv)
{
    int seed = 1, threads = 0;
    bool no_title = false, quiet = false, list = false;
    const char *format = "png,svg,pdf", *out = "out/lectures", *only = NULL;
    const Chapter *chapter = take_chapter(&argc, argv);
    const Option table[] = {
        {"format", OPTION_TEXT, &format, "LIST", "png, svg, pdf, tex (for LaTeX), with commas", 0,
         0},
        {"out", OPTION_TEXT, &out, "DIR", "the folder; each chapter has its own in it", 0, 0},
        {"only", OPTION_TEXT, &only, "NAME", "one figure", 0, 0},
        {"list", OPTION_FLAG, &list, NULL, "their names, and draw none", 0, 0},
        {"no-title", OPTION_FLAG, &no_title, NULL, "for slides, which have titles of their own", 0,
         0},
        {"seed", OPTION_INT, &seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"quiet", OPTION_FLAG, &quiet, NULL, "do not say what is drawn", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Draws the figures of a chapter, or of all.", table);
    example_exit_on_error();
    tensor_set_threads(threads);
    unsigned formats = picture_formats(format, true);
    if (only && !chapter)
        options_refuse("--only: expected a chapter before it, as in: figures 4 --only %s", only);
    if (quiet && !freopen("/dev/null", "w", stdout))
        options_refuse("cannot be quiet: no /dev/null");
    for (int i = 0; chapters[i]; i++) {
        char folder[512];
        if (chapter && chapter != chapters[i])
            continue;
        for (const Figure *const *f = chapters[i]->figures; list && *f; f++)
            printf("%s\n", (*f)->name);
        if (list)
            continue;
        snprintf(folder, sizeof folder, "%s/%s", out, chapters[i]->folder);
        if (!figures_draw(chapters[i]->figures, folder, formats, !no_title, only, (uint64_t)seed) ||
            (!only && (formats & PLOT_PNG) && !figures_contact_sheet(chapters[i]->figures, folder)))
            return 1;
    }
    if (!plot_has_gnuplot())
        printf("no gnuplot, so no pictures: scripts and data only\n");
    return 0;
}

/* ---- which command ------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"claims", claims},
                    {"figures", figures},
                    {"lecture", lecture},
                    {"index", lectures_index},
                    {"plot", lectures_plot}};
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "usage: lectures claims|figures|lecture|index|plot ...\n");
    return 2;
}
