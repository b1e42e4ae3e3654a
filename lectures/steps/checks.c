/* checks.c: runs the program that checks a step. See steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/mystery/mystery.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Prints a paragraph. */
static void say(const char *format, ...) GRADUS_PRINTF(1, 2);
static void say(const char *format, ...)
{
    char text[3 * STEP_PATH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("   ");
    wrapped_print(text, 3);
    putchar('\n');
    fflush(stdout);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool check_read(const Step *s, Checking *c)
{
    if (!s->row) {
        int stop = atoi(s->what + strlen("READING:"));
        say("Read stop %d of READING.md, and the files that it names.", stop);
        return ask_of_stop(stop, c->seed);
    }
    const Chapter *chapter = chapter_with_row(s->row);
    say("Read section %d of lectures/%s/README.md; ./gradus lecture %d --html writes it as a page "
        "for a browser, with figures to be moved.",
        s->row, chapter->folder, chapter->number);
    return ask_of_row(s->row, c->seed);
}

static bool check_predict(const Step *s, Checking *c)
{
    char chapter[16], row[16];
    (void)c;
    snprintf(chapter, sizeof chapter, "%d", chapter_with_row(s->row)->number);
    snprintf(row, sizeof row, "%d", s->row);
    say("Predict before anything is measured. The step is done when all answers are right.");
    return lectures_ask(4, (char *[]){"ask", chapter, "--row", row, NULL}) == 0;
}

/* Shows the row's claims in words; then one of the values is asked for. */
static bool check_measure(const Step *s, Checking *c)
{
    Finding asked = {0};
    char text[STEP_PATH], answer[STEP_PATH];
    Rng rng = {.seed = c->seed, .stream = (uint64_t)s->row};
    int fit = 0;
    bool all = true;
    for (const Claim *const *k = chapter_claims(chapter_with_row(s->row)); *k; k++) {
        if ((*k)->row != s->row)
            continue;
        Finding f = report_explained(*k, 1);
        all &= f.verdict == HOLDS;
        if (isfinite(f.value) && rng_below(&rng, ++fit) == 0)
            asked = f;
    }
    if (!all || !fit) {
        say("A claim fails on this machine, or measures no finite number: the step is not done.");
        return false;
    }
    snprintf(text, sizeof text, "What was measured for \"%s\"? Its value, to two digits.",
             asked.claim->statement);
    snprintf(answer, sizeof answer, "bound because: %s", asked.claim->why);
    return question_ask(&(Question){.question = text,
                                    .within = 0.02,
                                    .answer = answer,
                                    .misconception = "the value stands below the claim's numbers"},
                        &asked);
}

static bool check_break(const Step *s, Checking *c)
{
    say("A fault is planted in what a claim of this row measures. Name it.");
    return ask_of_fault(s->row, c->seed);
}

static bool check_change(const Step *s, Checking *c)
{
    (void)c;
    say("Change the function of row %d in an exercises*.c of lectures/%s as section %d asks; the "
        "step is done when each claim of its exercises holds.",
        s->row, chapter_with_row(s->row)->folder, s->row);
    char row[16];
    snprintf(row, sizeof row, "%d", s->row);
    return lectures_claims(3, (char *[]){"claims", "--try", row, NULL}) == 0;
}

static bool check_walk(const Step *s, Checking *c)
{
    char path[STEP_PATH];
    if (!guide_of(s->what, path))
        return false;
    say("Type what lectures/%s says after \"(gdb)\": ./gradus gdb %s", path, s->what);
    return ask_of_guide(path, c->seed);
}

/* ---- homeworks ------------------------------------------------------------------------------- */

/* ./gradus with up to five words. */
static int launch(const Checking *c, const char *const words[])
{
    CommandLine w = {0};
    command_add(&w, "%s", c->launcher);
    for (int i = 0; words[i]; i++)
        command_add(&w, "%s", words[i]);
    return command_run(&w, c->launcher);
}

/* The folder of homeworks becomes ./homework where none was chosen. */
static void choose_folder(Record *r)
{
    char here[STEP_PATH / 2], folder[STEP_PATH];
    if (*r->folder)
        return;
    if (!system_full_path(".", here, sizeof here))
        options_refuse("--folder: the current folder has no path; expected a folder for homeworks");
    snprintf(folder, sizeof folder, "%s/homework", here);
    record_note(r, "folder", folder);
}

/* Grades the whole file, or the tests of one function, until one of them is not passed. */
static bool check_write(const Step *s, Checking *c)
{
    char folder[2 * STEP_PATH], file[3 * STEP_PATH];
    FileStatus found;
    Homework h;
    if (!homework_named(&h, s->what))
        return false;
    choose_folder(c->record);
    snprintf(folder, sizeof folder, "%s/%s", c->record->folder, h.name);
    snprintf(file, sizeof file, "%s/%s.c", folder, h.name);
    if (!disk_look(file, &found)) {
        if (launch(c, (const char *[]){"handout", h.name, folder, NULL}) == 0)
            say("Read %s/README.md, and write your part of %s.c beside it; this step, begun again, "
                "grades it.",
                folder, h.name);
        return false;
    }
    if (!h.function)
        return launch(c, (const char *[]){"grade", h.name, file, NULL}) == 0;
    for (char *test = strtok(h.tests, " "); test; test = strtok(NULL, " "))
        if (launch(c, (const char *[]){"grade", h.name, file, "--test", test, NULL}) != 0)
            return false;
    return true;
}

/* A mystery is a run of its own at each try: what a wrong answer was told does not help the
 * next. */
static bool check_find(const Step *s, Checking *c)
{
    char chapter[16], seed[32];
    if (!mystery_chapter(s->what))
        return check_write(s, c);
    snprintf(chapter, sizeof chapter, "%d", mystery_chapter(s->what));
    snprintf(seed, sizeof seed, "%d", (int)(1 + c->seed % 1000000));
    char *words[] = {"mystery", "--chapter", chapter, "--seed", seed, NULL};
    return lectures_mystery(5, words) == 0;
}

static bool check_program(const Step *s, Checking *c)
{
    choose_folder(c->record);
    return check_milestone(s, c);
}

bool step_check(const Step *s, Checking *c)
{
    static bool (*const checks[STEP_KINDS])(const Step *s, Checking *c) = {
        check_read, check_predict, check_measure, check_break,  check_change,
        check_walk, check_write,   check_find,    check_program};
    return checks[s->kind](s, c);
}
