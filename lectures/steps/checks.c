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

/* Runs a command of this program with words as by printf: its status. */
static int run(int (*command)(int argc, char **argv), const char *format, int a, int b)
{
    char text[128], *argv[8] = {NULL};
    int argc = 0;
    snprintf(text, sizeof text, format, a, b);
    for (char *word = strtok(text, " "); word && argc < 7; word = strtok(NULL, " "))
        argv[argc++] = word;
    return command(argc, argv);
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
    (void)c;
    say("Predict before anything is measured. The step is done when all answers are right.");
    return run(lectures_ask, "ask %d --row %d", chapter_with_row(s->row)->number, s->row) == 0;
}

/* Shows some of the row's claims in words; then one of the values is asked for, which is no
 * rounding error where there are others. */
static bool check_measure(const Step *s, Checking *c)
{
    enum { SHOWN = 4 };
    Finding found[SHOWN]; /* finite values; the first `telling` are no rounding errors */
    char text[STEP_PATH], answer[STEP_PATH];
    Rng rng = {.seed = c->seed, .stream = (uint64_t)s->row};
    int left = 0, needed = SHOWN, count = 0, telling = 0;
    bool all = true;
    const Claim *const *claims = chapter_claims(chapter_with_row(s->row));
    for (const Claim *const *k = claims; *k; k++)
        left += (*k)->row == s->row;
    if (left > SHOWN)
        say("%d of the row's %d claims; all of them: ./gradus claims --explain %d", SHOWN, left,
            s->row);
    for (const Claim *const *k = claims; *k; k++) {
        if ((*k)->row != s->row || rng_below(&rng, left--) >= needed)
            continue; /* each choice of so many claims is equally likely */
        needed--;
        Finding f = report_explained(*k, 1);
        all &= f.verdict == HOLDS;
        if (!isfinite(f.value))
            continue;
        found[count++] = f;
        if (fabs(f.value) > 1e-6) {
            found[count - 1] = found[telling];
            found[telling++] = f;
        }
    }
    if (!all || !count) {
        say("A claim fails on this machine, or measures no finite number: the step is not done.");
        return false;
    }
    Finding asked = found[rng_below(&rng, telling ? telling : count)];
    snprintf(text, sizeof text, "What was measured for \"%s\"? Its value, to two digits.",
             asked.claim->statement);
    snprintf(answer, sizeof answer, "the reason of its bound: %s", asked.claim->why);
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

/* The statement of an exercise begins with the name of its function: "attend: softmax(...". */
static bool check_change(const Step *s, Checking *c)
{
    const Chapter *chapter = chapter_with_row(s->row);
    char names[STEP_TITLE] = "";
    (void)c;
    for (const Claim *const *e = chapter_exercises(chapter); *e; e++) {
        size_t n = strlen(names);
        if ((*e)->row == s->row)
            snprintf(names + n, sizeof names - n, "%s%.*s", n ? " and " : "",
                     (int)strcspn((*e)->statement, ":"), (*e)->statement);
    }
    say("Change %s in lectures/%s/exercises*.c as section %d of its README.md asks, and begin this "
        "step again. As it stands:",
        names, chapter->folder, s->row);
    return run(lectures_claims, "claims --try %d", s->row, 0) == 0;
}

static bool check_walk(const Step *s, Checking *c)
{
    char path[STEP_PATH];
    if (!guide_of(s->what, path))
        return false;
    say("Type ./gradus gdb %s in a second terminal, and there what lectures/%s has after "
        "\"(gdb)\".",
        s->what, path);
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
    int chapter = mystery_chapter(s->what);
    return chapter ? run(lectures_mystery, "mystery --chapter %d --seed %d", chapter,
                         1 + (int)(c->seed % 1000000)) == 0
                   : check_write(s, c);
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
