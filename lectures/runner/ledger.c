/* ledger.c: runs the claims of the chapters.
 *
 *   lectures claims [N]                  each as it is: HOLDS or FAILS
 *   lectures claims --explain ROW        in words, with the numbers on the way
 *   lectures claims --break ROW[:FAULT]  under its faults: each must FAIL
 *   lectures claims [N] --seeds K        K times, from as many seeds: the share that holds; also --try ROW[:solved]
 *   lectures claims [N] --poison nan     with kernels that return NaN, or zeros: each must FAIL, or say why not
 *   lectures claims [N] --try ROW        the exercises: each FAILS until its function was changed as asked
 *   lectures claims [N] --try ROW:solved with their solutions: each must HOLD
 *   lectures claims [N] --try ROW:wrong  with their wrong solutions: each must FAIL
 *   lectures lecture N                   the chapter in words */
#include "lectures/runner/chapters.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/exercises.h"
#include "lectures/runner/pages.h"
#include "lectures/runner/poison.h"
#include "lectures/runner/values.h"

#include "examples/common/example.h"
#include "examples/common/options.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const Chapter *only; /* NULL: all         */
    int row;             /* 0: all            */
    bool exercises;      /* instead of claims */
    const char *fault;   /* NULL: each        */
    int seed, seeds;     /* 0 seeds: seed alone */
} Choice;

/* The i-th chosen claim over all chapters, or NULL after the last. */
static const Claim *chosen_claim(const Choice *choice, int i)
{
    for (int k = 0; chapters[k]; k++) {
        const Claim *const *c =
            choice->exercises ? chapter_exercises(chapters[k]) : chapter_claims(chapters[k]);
        for (; *c; c++) {
            bool chosen = (!choice->only || choice->only == chapters[k]) &&
                          (!choice->row || choice->row == (*c)->row);
            if (chosen && i-- == 0)
                return *c;
        }
    }
    return NULL;
}

/* "21", "21:no-scaling", "all", "all:solved". Returns what follows the colon, or NULL. "all" leaves
 * the row as it is: that of
 * --row, or 0. */
static const char *split_row(const char *option, const char *word, int *row)
{
    char *end;
    long number = strtol(word, &end, 10);
    bool all = strncmp(word, "all", 3) == 0;
    if (all)
        end = (char *)word + 3;
    if (end == word || (*end && *end != ':') || (!all && (number < 1 || number > 99)))
        options_refuse("--%s: found '%s'; expected a row, ROW:NAME, or all", option, word);
    if (!all)
        *row = (int)number;
    return *end ? end + 1 : NULL;
}

/* ---- the ways to run them -------------------------------------------------------------------- */

static int run_plain(Report *r, const Choice *choice)
{
    const Claim *c;
    report_begin(r);
    for (int i = 0; (c = chosen_claim(choice, i)); i++) {
        if (choice->fault && !claim_has_fault(c, choice->fault))
            continue;
        Finding f = claim_run(c, choice->fault, (uint64_t)choice->seed, NULL);
        report_finding(r, &f);
    }
    report_end(r);
    return r->failed > 0;
}

/* The exercises as they are in the files, whatever becomes of each. */
static int run_tried(Report *r, const Choice *choice)
{
    const Claim *c;
    Tries tries = {.seconds = 60};
    report_begin(r);
    for (int i = 0; (c = chosen_claim(choice, i)); i++)
        exercise_try(r, &tries, c, (uint64_t)choice->seed);
    exercises_end(r, &tries);
    return r->failed > 0;
}

static int run_explained(Report *r, const Choice *choice)
{
    const Claim *c;
    for (int i = 0; (c = chosen_claim(choice, i)); i++) {
        Finding f = report_explained(c, (uint64_t)choice->seed);
        r->count++;
        r->failed += f.verdict == FAILS;
    }
    return r->failed > 0;
}

/* Is this one of the faults to be run? Of an exercise these are the wrong solutions. */
static bool chosen_fault(const Choice *choice, const char *fault)
{
    if (choice->exercises)
        return strcmp(fault, "solved") != 0;
    return !choice->fault || strcmp(choice->fault, fault) == 0;
}

/* Each claim under each of its faults, or under one. Status 1, as a claim that fails should be: 0
 * tells that a fault changed nothing. */
static int run_broken(Report *r, const Choice *choice)
{
    const Claim *c;
    int held = 0;
    report_begin(r);
    for (int i = 0; (c = chosen_claim(choice, i)); i++)
        for (int k = 0; k < CLAIM_FAULTS && c->faults[k].name; k++) {
            if (!chosen_fault(choice, c->faults[k].name))
                continue;
            Finding f = claim_run(c, c->faults[k].name, (uint64_t)choice->seed, NULL);
            report_finding(r, &f);
            held += f.verdict == HOLDS;
        }
    report_end(r);
    if (held)
        fprintf(stderr, "lectures: %d claims hold in spite of their fault\n", held);
    return held == 0;
}

/* ---- several seeds --------------------------------------------------------------------------- */

/* Seed after seed, and all claims of a seed together, so that what is trained for several of them
 * is trained once. */
static int run_seeds(Report *r, const Choice *choice)
{
    const Claim *c;
    int count = 0;
    for (; (c = chosen_claim(choice, count)); count++)
        if (choice->fault && !claim_has_fault(c, choice->fault))
            options_refuse("--seeds: \"%s\" has no \"%s\"; expected a row of which each has it",
                           c->statement, choice->fault);
    static Share *shares; /* where the program ends with a message, it is not lost */
    shares = calloc((size_t)count + 1, sizeof *shares);
    if (!shares)
        options_refuse("no memory for %d claims", count);
    Progress p = progress_begin("seeds", choice->seeds, false);
    for (int k = 0; k < choice->seeds; k++) {
        const int seed = choice->seed + k;
        for (int i = 0; i < count; i++) {
            c = chosen_claim(choice, i);
            const Finding f = claim_run(c, choice->fault, (uint64_t)seed, NULL);
            if (f.verdict == FAILS)
                fprintf(stderr, "seed %d, row %d: \"%s\" FAILS with %.6g\n", seed, c->row,
                        c->statement, f.value);
            shares[i].claim = c;
            share_add(&shares[i], &f);
        }
        progress_show(&p, k + 1, "%d claims", count);
    }
    progress_end(&p);
    r->shares = true;
    report_begin(r);
    for (int i = 0; i < count; i++)
        report_share(r, &shares[i]);
    report_end(r);
    free(shares);
    return r->failed > 0;
}

/* ---- kernels that compute nothing ------------------------------------------------------------ */

/* With kernels that compute nothing, each claim must fail, but for those that say why they need
 * not: these must hold, so that no reason is left over. */
static int run_poisoned(Report *r, const Choice *choice, const char *number)
{
    const Claim *c;
    bool nan = strcmp(number, "nan") == 0;
    int wrong = 0;
    if (!nan && strcmp(number, "zeros") != 0)
        options_refuse("--poison: found '%s'; expected nan or zeros", number);
    poison_begin(nan ? (double)NAN : 0);
    report_begin(r);
    for (int i = 0; (c = chosen_claim(choice, i)); i++) {
        const char *reason = nan ? c->holds_on_nan : c->holds_on_zeros;
        Finding f = claim_run(c, NULL, (uint64_t)choice->seed, NULL);
        tensor_clear_error();
        report_finding(r, &f);
        if (f.verdict == HOLDS && r->format == REPORT_TABLE)
            printf("     holds: %s\n", reason ? reason : "WITHOUT A REASON");
        if (f.verdict == FAILS && r->format == REPORT_TABLE && reason)
            printf("     fails, although it lists a reason to hold: %s\n", reason);
        wrong += (f.verdict == HOLDS) != (reason != NULL);
    }
    report_end(r);
    if (wrong)
        fprintf(
            stderr,
            "lectures: kernels that return %s: %d claims hold without a reason, or fail with one\n",
            number, wrong);
    return wrong > 0;
}

/* ---- the commands ---------------------------------------------------------------------------- */

int lectures_claims(int argc, char **argv)
{
    int threads = 0, explained = 0, status;
    bool quiet = false;
    const char *format = "table", *broken_row = NULL, *tried = NULL, *poison = NULL;
    Choice choice = {.seed = 1, .only = take_chapter(&argc, argv)};
    const Option table[] = {
        {"row", OPTION_INT, &choice.row, "ROW", "only this row; 0: all", 0, 99},
        {"format", OPTION_TEXT, &format, "FORMAT", "table, tsv or markdown", 0, 0},
        {"explain", OPTION_INT, &explained, "ROW", "the row's claims in words, with the numbers", 0,
         99},
        {"break", OPTION_TEXT, &broken_row, "ROW[:FAULT]",
         "its claims under their faults; all: of all", 0, 0},
        {"seeds", OPTION_INT, &choice.seeds, "K", "run with K seeds: the share that holds", 0,
         10000},
        {"try", OPTION_TEXT, &tried, "ROW",
         "the row's exercises; all: of all; ROW:solved: solved; ROW:wrong: with wrong solutions", 0,
         0},
        {"poison", OPTION_TEXT, &poison, "WHAT",
         "with kernels that return nan, or zeros: each claim must fail", 0, 0},
        {"seed", OPTION_INT, &choice.seed, "N", "of all random numbers", 0, 1e9},
        {"threads", OPTION_INT, &threads, "N", "0: as many as there are", 0, 1024},
        {"quiet", OPTION_FLAG, &quiet, NULL, "only the verdict, by the exit status", 0, 0},
        {0},
    };
    options_parse(argc, argv, "Measures what the slides say: each claim with its bound.", table);
    values_exit_on_error();
    tensor_set_threads(threads);
    if (quiet && !freopen("/dev/null", "w", stdout))
        options_refuse("cannot be quiet: no /dev/null");
    Report r = {.format = (ReportFormat)options_one_of("format", format, report_formats)};
    choice.row = explained ? explained : choice.row;
    if (broken_row)
        choice.fault = split_row("break", broken_row, &choice.row);
    if (tried) {
        choice.fault = split_row("try", tried, &choice.row);
        choice.exercises = true;
        if (choice.fault && strcmp(choice.fault, "wrong") == 0)
            broken_row = tried;
    }
    if (choice.seeds && (broken_row || explained || poison))
        options_refuse("--seeds with --break, --explain, --poison or wrong solutions; expected "
                       "claims as they are, or --try without wrong solutions");
    status = broken_row               ? run_broken(&r, &choice)
             : explained              ? run_explained(&r, &choice)
             : choice.seeds           ? run_seeds(&r, &choice)
             : poison                 ? run_poisoned(&r, &choice, poison)
             : tried && !choice.fault ? run_tried(&r, &choice)
                                      : run_plain(&r, &choice);
    if (r.count == 0)
        options_refuse(choice.fault ? "row %d has no fault \"%s\"" : "there is no claim of row %d",
                       choice.row, choice.fault);
    return status;
}

int lectures_lecture(int argc, char **argv)
{
    int threads = 0;
    const char *trace = NULL, *out = "out/lectures";
    bool html = false, live = false;
    Choice choice = {.seed = 1, .only = take_chapter(&argc, argv)};
    const Option table[] = {
        {"html", OPTION_FLAG, &html, NULL,
         "write the chapter, or all, as pages for a browser, with figures to be moved, and end", 0,
         0},
        {"live", OPTION_FLAG, &live, NULL,
         "as --html, with the library in the pages that use it: they compute", 0, 0},
        {"out", OPTION_TEXT, &out, "DIR", "the folder of --html and --live", 0, 0},
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
        example_trace(trace);
    values_exit_on_error();
    tensor_set_threads(threads);
    if (html || live) {
        options_need_folder("out", out);
        return chapter_pages(choice.only, live, out, (uint64_t)choice.seed);
    }
    if (!choice.only) {
        printf("chapters (./gradus lecture N shows one)\n");
        for (int i = 0; chapters[i]; i++)
            printf("  %d  %-14s rows %d to %d: lectures/%s/README.md\n", chapters[i]->number,
                   chapters[i]->title, chapters[i]->first_row, chapters[i]->last_row,
                   chapters[i]->folder);
        return 0;
    }
    printf("chapter %d, %s; the notes: lectures/%s/README.md\n\n", choice.only->number,
           choice.only->title, choice.only->folder);
    Report r = {0};
    return run_explained(&r, &choice);
}
