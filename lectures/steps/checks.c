/* checks.c: runs the program that checks a step. See steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/mystery/mystery.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <string.h>

/* ---- what to type ---------------------------------------------------------------------------- */

/* The file that a homework's functions are written into: FOLDER/hw1/hw1.c. */
static void file_of(const char *folder, const char *homework, char *path, size_t size)
{
    snprintf(path, size, "%s/%s/%s.c", *folder ? folder : "homework", homework, homework);
}

static void homework_command(const Step *s, const char *folder, char *text, size_t size)
{
    char homework[STEP_WHAT], function[STEP_WHAT], file[STEP_PATH];
    split_task(s->what, homework, function);
    file_of(folder, homework, file, sizeof file);
    Homework h;
    bool one = *function && homework_named(homework, function, &h);
    snprintf(text, size, "./gradus grade %s %s%s%s", homework, file, one ? " --test " : "",
             one ? h.tests : "");
}

const char *step_commands(const Step *s, const char *folder, char *text, size_t size)
{
    const Chapter *c = s->row ? chapter_with_row(s->row) : NULL;
    switch (s->kind) {
    case STEP_READ:
        if (c)
            snprintf(text, size, "./gradus lecture %d --html", c->number);
        else
            snprintf(text, size, "less READING.md");
        break;
    case STEP_PREDICT:
        snprintf(text, size, "./gradus ask %d --row %d", c->number, s->row);
        break;
    case STEP_MEASURE:
        snprintf(text, size, "./gradus claims --explain %d", s->row);
        break;
    case STEP_BREAK:
        snprintf(text, size, "./gradus claims --break %d", s->row);
        break;
    case STEP_CHANGE:
        snprintf(text, size, "./gradus claims --try %d", s->row);
        break;
    case STEP_WALK:
        snprintf(text, size, "./gradus gdb %s", s->what);
        break;
    case STEP_FIND:
        if (mystery_chapter(s->what)) {
            snprintf(text, size, "./gradus mystery --chapter %d", mystery_chapter(s->what));
            break;
        }
        homework_command(s, folder, text, size);
        break;
    case STEP_MILESTONE:
        snprintf(text, size, "./gradus steps milestone %s", s->what);
        break;
    default:
        homework_command(s, folder, text, size);
    }
    return text;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void say(const char *text)
{
    printf("   ");
    wrapped_print(text, 3);
    putchar('\n');
    fflush(stdout);
}

static bool check_read(const Step *s, const Checking *c)
{
    char text[STEP_PATH];
    Made m;
    if (!s->row) {
        int stop;
        sscanf(s->what, "READING:%d", &stop);
        snprintf(text, sizeof text, "Read stop %d of READING.md, and the files that it names.",
                 stop);
        say(text);
        return made_of_stop(&m, stop, c->seed) && question_ask(&m.question, NULL);
    }
    const Chapter *chapter = chapter_with_row(s->row);
    snprintf(text, sizeof text,
             "Read section %d of lectures/%s/README.md; ./gradus lecture %d --html writes it as a "
             "page for a browser, with figures to be moved.",
             s->row, chapter->folder, chapter->number);
    say(text);
    made_of_row(&m, s->row, c->seed);
    return question_ask(&m.question, NULL);
}

static bool check_predict(const Step *s)
{
    char chapter[16], row[16];
    snprintf(chapter, sizeof chapter, "%d", chapter_with_row(s->row)->number);
    snprintf(row, sizeof row, "%d", s->row);
    say("Predict before anything is measured. The step is done when all answers are right.");
    return lectures_ask(4, (char *[]){"ask", chapter, "--row", row, NULL}) == 0;
}

/* Shows the row's claims in words; then one of the values is asked for. */
static bool check_measure(const Step *s, const Checking *c)
{
    Finding asked = {0};
    char text[MADE_TEXT], answer[MADE_TEXT];
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

static bool check_break(const Step *s, const Checking *c)
{
    Made m;
    say("A fault is planted in what a claim of this row measures. Name it.");
    made_of_fault(&m, s->row, c->seed);
    return question_ask(&m.question, NULL);
}

static bool check_change(const Step *s)
{
    char row[16], text[STEP_PATH];
    const Chapter *c = chapter_with_row(s->row);
    snprintf(row, sizeof row, "%d", s->row);
    snprintf(
        text, sizeof text,
        "Change the function of row %d in an exercises*.c of lectures/%s as section %d asks; the "
        "step is done when each claim of its exercises holds.",
        s->row, c->folder, s->row);
    say(text);
    return lectures_claims(3, (char *[]){"claims", "--try", row, NULL}) == 0;
}

static bool check_walk(const Step *s, const Checking *c)
{
    char path[STEP_PATH], text[2 * STEP_PATH];
    Made m;
    if (!guide_of(s->what, path, sizeof path))
        return false;
    snprintf(text, sizeof text, "Type what lectures/%s says after \"(gdb)\": ./gradus gdb %s", path,
             s->what);
    say(text);
    return made_of_guide(&m, path, c->seed) && question_ask(&m.question, NULL);
}

/* A run of its own at each try: what a wrong answer was told does not help the next. */
static bool check_mystery(const Step *s, const Checking *c)
{
    char chapter[16], seed[32];
    snprintf(chapter, sizeof chapter, "%d", mystery_chapter(s->what));
    snprintf(seed, sizeof seed, "%d", (int)(1 + c->seed % 1000000));
    return lectures_mystery(5, (char *[]){"mystery", "--chapter", chapter, "--seed", seed, NULL}) ==
           0;
}

/* ---- homeworks ------------------------------------------------------------------------------- */

/* Runs ./gradus with these words, and prints them first. Returns its status, or -1. */
static int launch(const Checking *c, char *const words[])
{
    SystemProcess p;
    char *argv[12] = {(char *)c->launcher};
    printf("   ./gradus");
    for (int i = 0; words[i]; i++) {
        printf(" %s", words[i]);
        argv[i + 1] = words[i];
    }
    printf("\n\n");
    fflush(stdout);
    int reason = system_start(&p, argv, 0);
    if (reason) {
        fprintf(stderr, "%s: %s\n", c->launcher, strerror(reason));
        return -1;
    }
    return system_wait(&p);
}

/* The folder of homeworks becomes ./homework where none was chosen. */
static void choose_folder(Record *r)
{
    char here[STEP_PATH / 2];
    if (*r->folder)
        return;
    if (!system_full_path(".", here, sizeof here))
        options_refuse("--folder: the current folder has no path; expected a folder for homeworks");
    snprintf(r->folder, sizeof r->folder, "%s/homework", here);
    record_save(r);
}

static bool hand_out(const Checking *c, char *homework, const char *file)
{
    char folder[STEP_PATH], text[2 * STEP_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(system_last_slash(file) - file), file);
    if (launch(c, (char *[]){"handout", homework, folder, NULL}) == 0) {
        snprintf(
            text, sizeof text,
            "Read %s/README.md, and write your part of %s.c beside it; this step, begun again, "
            "grades it.",
            folder, homework);
        say(text);
    }
    return false;
}

/* Grades the whole file, or the tests of one function, until one of them is not passed. */
static bool check_homework(const Step *s, Checking *c)
{
    char homework[STEP_WHAT], function[STEP_WHAT], file[2 * STEP_PATH];
    FileStatus found;
    Homework h;
    split_task(s->what, homework, function);
    if (!homework_named(homework, *function ? function : NULL, &h))
        return false;
    choose_folder(c->record);
    file_of(c->record->folder, homework, file, sizeof file);
    if (!disk_look(file, &found))
        return hand_out(c, homework, file);
    if (!*function)
        return launch(c, (char *[]){"grade", homework, file, NULL}) == 0;
    for (char *test = h.tests, *end; *test; test = end) {
        end = test + strcspn(test, " ");
        if (*end)
            *end++ = 0;
        if (launch(c, (char *[]){"grade", homework, file, "--test", test, NULL}) != 0)
            return false;
    }
    return true;
}

bool step_check(const Step *s, Checking *c)
{
    switch (s->kind) {
    case STEP_READ:
        return check_read(s, c);
    case STEP_PREDICT:
        return check_predict(s);
    case STEP_MEASURE:
        return check_measure(s, c);
    case STEP_BREAK:
        return check_break(s, c);
    case STEP_CHANGE:
        return check_change(s);
    case STEP_WALK:
        return check_walk(s, c);
    case STEP_WRITE:
        return check_homework(s, c);
    case STEP_FIND:
        return mystery_chapter(s->what) ? check_mystery(s, c) : check_homework(s, c);
    case STEP_MILESTONE:
        choose_folder(c->record);
        return check_milestone(s, c);
    default:
        return false;
    }
}
