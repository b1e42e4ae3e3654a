/* kinds.c: the kinds of steps: whether there is such a step, what it says, and the program that
 * checks it. See steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/mystery/mystery.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/text_stream.h"
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

/* Runs a command of this program with words as by printf: is its status 0? */
static bool passes(int (*command)(int argc, char **argv), const char *format, int a, int b)
{
    char text[128], *argv[8] = {NULL};
    int argc = 0;
    snprintf(text, sizeof text, format, a, b);
    for (char *word = strtok(text, " "); word && argc < 7; word = strtok(NULL, " "))
        argv[argc++] = word;
    return command(argc, argv) == 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool has_row(const Step *s)
{
    return chapter_with_row(s->row) != NULL;
}

static int stop_of(const Step *s)
{
    return strncmp(s->what, "READING:", 8) == 0 ? atoi(s->what + 8) : 0;
}

static bool has_text(const Step *s)
{
    return s->row ? has_row(s) : is_stop(stop_of(s));
}

static bool check_read(const Step *s, Checking *c)
{
    if (!s->row) {
        say("Read stop %d of READING.md, and the files that it names.", stop_of(s));
        return ask_of_stop(stop_of(s), c->seed);
    }
    const Chapter *chapter = chapter_with_row(s->row);
    say("Read section %d of lectures/%s/README.md; ./gradus lecture %d --html writes it as a page "
        "for a browser, with figures to be moved.",
        s->row, chapter->folder, chapter->number);
    return ask_of_row(s->row, c->seed, false);
}

static bool has_question(const Step *s)
{
    const Chapter *c = chapter_with_row(s->row);
    const Question *q = c ? c->questions : NULL;
    while (q && q->row && q->row != s->row)
        q++;
    return q && q->row;
}

static bool check_predict(const Step *s, Checking *c)
{
    (void)c;
    say("Predict before anything is measured. The step is done when all answers are right.");
    return passes(lectures_ask, "ask %d --row %d", chapter_with_row(s->row)->number, s->row);
}

/* Shows up to four of the row's claims in words, one after the other from one that depends on the
 * seed; then the first value that is no rounding error is asked for. */
static bool check_measure(const Step *s, Checking *c)
{
    enum { SHOWN = 4 };
    Finding asked = {0};
    char text[STEP_PATH], answer[STEP_PATH];
    int count;
    const Claim *const *claims = claims_of_row(s->row, &count);
    if (count > SHOWN)
        say("%d of the row's %d claims; all of them: ./gradus claims --explain %d", SHOWN, count,
            s->row);
    for (int i = 0; i < count && i < SHOWN; i++) {
        Finding f = report_explained(claims[(c->seed + (uint64_t)i) % (uint64_t)count], 1);
        if (f.verdict != HOLDS) {
            say("A claim fails on this machine: the step is not done.");
            return false;
        }
        if (isfinite(f.value) && !(fabs(asked.value) > 1e-6))
            asked = f;
    }
    if (!asked.claim) {
        say("No claim measures a finite number: the step is not done.");
        return false;
    }
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
    return ask_of_row(s->row, c->seed, true);
}

/* The row's exercise, or NULL. */
static const Claim *exercise_of(const Step *s)
{
    const Chapter *c = chapter_with_row(s->row);
    for (const Claim *const *e = c ? chapter_exercises(c) : NULL; e && *e; e++)
        if ((*e)->row == s->row)
            return *e;
    return NULL;
}

static bool has_exercise(const Step *s)
{
    return exercise_of(s) != NULL;
}

/* The statement of an exercise begins with the name of its function: "attend: softmax(...". */
static bool check_change(const Step *s, Checking *c)
{
    const char *statement = exercise_of(s)->statement;
    (void)c;
    say("Change %.*s in lectures/%s/exercises*.c as section %d of its README.md asks, and begin "
        "this step again. As it stands:",
        (int)strcspn(statement, ":"), statement, chapter_with_row(s->row)->folder, s->row);
    return passes(lectures_claims, "claims --try %d", s->row, 0);
}

/* ---- guides ---------------------------------------------------------------------------------- */

/* "04-attention/stepping.md", the guide of `./gradus gdb stepping`, in lectures/. */
static bool find_guide(const char *name, char path[STEP_PATH])
{
    char whole[STEP_PATH + sizeof LECTURES_FOLDER];
    FileStatus found;
    for (int i = 0; chapters[i] && strncmp(name, "stepping", 8) == 0; i++) {
        snprintf(path, STEP_PATH, "%s/%s.md", chapters[i]->folder, name);
        snprintf(whole, sizeof whole, "%s/%s", LECTURES_FOLDER, path);
        if (disk_look(whole, &found))
            return true;
    }
    return false;
}

static bool has_guide(const Step *s)
{
    char path[STEP_PATH];
    return find_guide(s->what, path);
}

static bool check_walk(const Step *s, Checking *c)
{
    char path[STEP_PATH];
    if (!find_guide(s->what, path))
        return false;
    say("Type ./gradus gdb %s in a second terminal, and there what lectures/%s has after "
        "\"(gdb)\".",
        s->what, path);
    return ask_of_guide(path, c->seed);
}

/* ---- homeworks ------------------------------------------------------------------------------- */

/* "hw1", "debug1", or "hw1:softmax": is there such a homework, in the tables of GUIDE.md ("|
 * [hw1](hw1-tensor-ops/) | what |"), with a test of the function? */
static bool has_graded(const char *what)
{
    char mark[STEP_WHAT + 8], path[STEP_PATH], folder[STEP_WHAT] = "";
    int name = (int)strcspn(what, ":");
    snprintf(mark, sizeof mark, "\n| [%.*s](", name, what);
    char *text = text_read(LECTURES_FOLDER "/homework/GUIDE.md", NULL);
    const char *row = text ? strstr(text, mark) : NULL;
    if (row)
        sscanf(row + strlen(mark), "%63[^/)]", folder);
    free(text);
    snprintf(path, sizeof path, "%s/homework/%s/tests.c", LECTURES_FOLDER, folder);
    snprintf(mark, sizeof mark, "\", \"%s\",", what + name + (what[name] == ':'));
    text = *folder ? text_read(path, NULL) : NULL;
    bool there = text && (!what[name] || strstr(text, mark));
    free(text);
    return there;
}

static bool has_homework(const Step *s)
{
    return strncmp(s->what, "debug", 5) != 0 && has_graded(s->what);
}

static bool has_bug(const Step *s)
{
    return mystery_chapter(s->what) || (strncmp(s->what, "debug", 5) == 0 && has_graded(s->what));
}

/* The folder of homeworks becomes ./homework where none was chosen. */
static const char *folder_of(Record *r)
{
    char folder[STEP_PATH];
    if (!*r->folder && !system_full_path(".", folder, sizeof folder - 16))
        options_refuse("--folder: the current folder has no path; expected a folder for homeworks");
    if (!*r->folder)
        record_note(r, "folder", strcat(folder, "/homework"));
    return r->folder;
}

/* Hands the homework out, or grades all of it, or one function. */
static bool check_write(const Step *s, Checking *c)
{
    int name = (int)strcspn(s->what, ":");
    const char *folder = folder_of(c->record);
    CommandLine w = {0};
    FileStatus found;
    char file[2 * STEP_PATH];
    snprintf(file, sizeof file, "%s/%.*s/%.*s.c", folder, name, s->what, name, s->what);
    bool there = disk_look(file, &found);
    command_add(&w, "%s", c->launcher);
    command_add(&w, there ? "grade" : "handout");
    command_add(&w, "%.*s", name, s->what);
    command_add(&w, there ? "%s/%.*s/%.*s.c" : "%s/%.*s", folder, name, s->what, name, s->what);
    if (there && s->what[name]) {
        command_add(&w, "--function");
        command_add(&w, "%s", s->what + name + 1);
    }
    bool ok = command_run(&w, c->launcher) == 0;
    if (ok && !there)
        say("Read %s/%.*s/README.md, and write your part of %.*s.c beside it; this step, begun "
            "again, grades it.",
            folder, name, s->what, name, s->what);
    return ok && there;
}

/* A mystery is a run of its own at each try: what a wrong answer was told does not help the
 * next. */
static bool check_find(const Step *s, Checking *c)
{
    int chapter = mystery_chapter(s->what);
    return chapter ? passes(lectures_mystery, "mystery --chapter %d --seed %d", chapter,
                            1 + (int)(c->seed % 1000000))
                   : check_write(s, c);
}

static bool has_milestone(const Step *s)
{
    CommandLine parts;
    return milestone_parts(s->what, &parts);
}

static bool check_program(const Step *s, Checking *c)
{
    folder_of(c->record);
    return check_milestone(s, c);
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const Kind kinds[] = {
    {"read", "the number of a row or a stop of READING.md, as in: read 21, read READING:3",
     has_text, check_read, "rows"},
    {"predict", "the number of a row that has a question, as in: predict 21", has_question,
     check_predict, "rows"},
    {"measure", "the number of a row, as in: measure 21", has_row, check_measure, "rows"},
    {"break", "the number of a row, as in: break 21", has_row, check_break, "rows"},
    {"change", "the number of a row that has an exercise, as in: change 21", has_exercise,
     check_change, "exercises"},
    {"walk", "a guide for gdb, as in: walk stepping", has_guide, check_walk, "walk"},
    {"write", "a homework or a function of it, as in: write hw1:softmax", has_homework, check_write,
     "homework"},
    {"find", "a bug or a mystery, as in: find debug1, find mystery4", has_bug, check_find, "find"},
    {"milestone", "head, xor, tired, writes, digit or vae", has_milestone, check_program,
     "milestone"},
    {0},
};

bool step_named(Step *s, const char *kind, const char *what, char why[STEP_PATH])
{
    char *end;
    const Kind *k = kinds;
    *s = (Step){0};
    while (k->name && strcmp(k->name, kind) != 0)
        k++;
    if (!k->name) {
        snprintf(why, STEP_PATH,
                 "found '%.40s'; expected a kind of step: read, predict, measure, break, change, "
                 "walk, write, find or milestone",
                 kind);
        return false;
    }
    s->kind = k;
    snprintf(s->what, sizeof s->what, "%s", what);
    snprintf(s->key, sizeof s->key, "%s %s", kind, s->what);
    long row = strtol(s->what, &end, 10);
    s->row = end > s->what && !*end ? (int)row : 0;
    snprintf(why, STEP_PATH, "there is no '%s'; expected %s", s->key, k->expected);
    return strlen(what) < sizeof s->what && k->there(s);
}
