/* kinds.c: the kinds of steps. A kind is a function, which without a Checking tells whether there
 * is such a step; with one it says what is asked for, and calls the program that checks it. See
 * steps.h. */
#include "lectures/steps/steps.h"

#include "lectures/mystery/mystery.h"
#include "lectures/runner/commands.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/io/disk.h"

#include <stdlib.h>
#include <string.h>

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

/* Runs argv[1], a script, with the streams of this program: is its status 0? */
static bool runs(char *argv[])
{
    SystemProcess p;
    char shell[STEP_PATH];
    if (!system_find_program("sh", shell, sizeof shell))
        options_refuse("found no program sh on PATH; expected one, which runs %s", argv[1]);
    argv[0] = shell;
    fflush(stdout);
    return system_start(&p, argv, 0) == 0 && system_wait(&p) == 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool check_read(const Step *s, Checking *c)
{
    const Chapter *chapter = chapter_with_row(s->row);
    int stop = strncmp(s->what, "READING:", 8) == 0 ? atoi(s->what + 8) : 0;
    if (!c)
        return chapter || (stop >= 1 && stop <= READING_STOPS);
    if (stop) {
        wrapped_say("", 3, "Read stop %d of READING.md, and the files that it names.\n", stop);
        return ask_of_stop(stop, c->seed);
    }
    wrapped_say("", 3,
                "Read section %d of lectures/%s/README.md; ./gradus lecture %d --html writes it as "
                "a page for a browser, with figures to be moved.\n",
                s->row, chapter->folder, chapter->number);
    return ask_of_row(s->row, c->seed, false);
}

static bool check_predict(const Step *s, Checking *c)
{
    const Chapter *chapter = chapter_with_row(s->row);
    const Question *q = chapter ? chapter->questions : NULL;
    while (q && q->row && q->row != s->row)
        q++;
    if (!c)
        return q && q->row;
    wrapped_say("", 3,
                "Predict before anything is measured. The step is done when all answers are "
                "right.\n");
    return passes(lectures_ask, "ask %d --row %d", chapter->number, s->row);
}

/* Shows claims of the row in words, from one that depends on the seed to the first whose value is a
 * number, and asks for that. */
static bool check_measure(const Step *s, Checking *c)
{
    Finding f = {0};
    char text[STEP_PATH];
    int count;
    if (!c)
        return chapter_with_row(s->row) != NULL;
    const Claim *const *claims = row_claims(s->row, &count);
    for (int i = 0; i < count && (!i || !isfinite(f.value)); i++)
        f = report_explained(claims[(c->seed + (uint64_t)i) % (uint64_t)count], 1);
    snprintf(text, sizeof text,
             "One of the row's %d claims (all: ./gradus claims --explain %d). Which value was "
             "measured? To two digits.",
             count, s->row);
    const Question q = {.question = text,
                        .within = 0.02,
                        .answer = "it stands after \"value\" above",
                        .misconception = "the other numbers are those that it comes from"};
    return question_ask(&q, &f) && f.verdict == HOLDS;
}

static bool check_break(const Step *s, Checking *c)
{
    if (!c)
        return chapter_with_row(s->row) != NULL;
    wrapped_say("", 3, "A fault is planted in what a claim of this row measures. Name it.\n");
    return ask_of_row(s->row, c->seed, true);
}

/* The statement of an exercise begins with the name of its function: "attend: softmax(...". */
static bool check_change(const Step *s, Checking *c)
{
    const Chapter *chapter = chapter_with_row(s->row);
    const Claim *const *e = chapter ? chapter_exercises(chapter) : NULL;
    while (e && *e && (*e)->row != s->row)
        e++;
    if (!c)
        return e && *e;
    wrapped_say("", 3,
                "Change %.*s in lectures/%s/exercises*.c as section %d of its README.md asks, and "
                "begin this step again. As it stands:\n",
                (int)strcspn((*e)->statement, ":"), (*e)->statement, chapter->folder, s->row);
    return passes(lectures_claims, "claims --try %d", s->row, 0);
}

/* The guide of `./gradus gdb stepping` is lectures/04-attention/stepping.md. */
static bool check_walk(const Step *s, Checking *c)
{
    char path[STEP_PATH];
    FileStatus found;
    bool there = false;
    for (int i = 0; chapters[i] && !there && strncmp(s->what, "stepping", 8) == 0; i++) {
        snprintf(path, sizeof path, "%s/%s/%s.md", LECTURES_FOLDER, chapters[i]->folder, s->what);
        there = disk_look(path, &found);
    }
    if (!c || !there)
        return there;
    wrapped_say("", 3,
                "Type ./gradus gdb %s in a second terminal, and there what lectures%s has after "
                "\"(gdb)\".\n",
                s->what, path + strlen(LECTURES_FOLDER));
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

/* The folder of homeworks; ./homework, which is noted, where none was chosen. */
static void find_folder(Checking *c, char folder[STEP_PATH])
{
    snprintf(folder, STEP_PATH, "%s", c->folder);
    if (*folder)
        return;
    if (!system_full_path(".", folder, STEP_PATH - 16))
        options_refuse("--folder: the current folder has no path; expected a folder for homeworks");
    record_note(c->record, "folder", strcat(folder, "/homework"));
}

/* Hands the homework out, or grades all of it, or one function. */
static bool grade(const Step *s, Checking *c)
{
    char folder[STEP_PATH], name[STEP_WHAT], function[STEP_WHAT] = "", file[2 * STEP_PATH];
    char *launcher = getenv("GRADUS_LAUNCHER");
    FileStatus found;
    find_folder(c, folder);
    sscanf(s->what, "%63[^:]:%63s", name, function);
    snprintf(file, sizeof file, "%s/%s/%s.c", folder, name, name);
    const bool there = disk_look(file, &found), alone = there && *function;
    if (!there)
        snprintf(file, sizeof file, "%s/%s", folder, name);
    printf("   ./gradus %s %s '%s'%s%s\n\n", there ? "grade" : "handout", name, file,
           alone ? " --function " : "", alone ? function : "");
    bool ok = runs((char *[]){NULL, launcher && *launcher ? launcher : LECTURES_FOLDER "/../gradus",
                              there ? "grade" : "handout", name, file, alone ? "--function" : NULL,
                              function, NULL});
    if (ok && !there)
        wrapped_say("", 3,
                    "Read %s/README.md, and write %s in %s.c beside it; this step, begun again, "
                    "grades it.\n",
                    file, *function ? function : "its functions", name);
    return ok && there;
}

static bool check_write(const Step *s, Checking *c)
{
    return c ? grade(s, c) : strncmp(s->what, "debug", 5) != 0 && has_graded(s->what);
}

/* A mystery is a run of its own at each try: what a wrong answer was told does not help the
 * next. */
static bool check_find(const Step *s, Checking *c)
{
    int chapter = mystery_chapter(s->what);
    if (!c)
        return chapter || (strncmp(s->what, "debug", 5) == 0 && has_graded(s->what));
    return chapter ? passes(lectures_mystery, "mystery %d --chapter %d",
                            1 + (int)(c->seed % 1000000), chapter)
                   : grade(s, c);
}

/* Compiles the program with the homeworks, and runs it. A line of milestones.txt begins with its
 * name. */
static bool check_milestone(const Step *s, Checking *c)
{
    char folder[STEP_PATH], name[STEP_WHAT], mark[STEP_WHAT + 8];
    if (!c) {
        char *text = text_read(LECTURES_FOLDER "/steps/milestones/milestones.txt", NULL);
        snprintf(mark, sizeof mark, "\n%s ", s->what);
        bool there = text && strstr(text, mark);
        free(text);
        return there;
    }
    find_folder(c, folder);
    snprintf(name, sizeof name, "%s", s->what);
    bool ok = runs((char *[]){NULL, GRADUS_MILESTONE, name, folder, NULL});
    putchar('\n');
    return ok;
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const Kind kinds[] = {
    {"read", "the number of a row or a stop of READING.md, as in: read 21, read READING:3",
     check_read, "rows"},
    {"predict", "the number of a row that has a question, as in: predict 21", check_predict,
     "rows"},
    {"measure", "the number of a row, as in: measure 21", check_measure, "rows"},
    {"break", "the number of a row, as in: break 21", check_break, "rows"},
    {"change", "the number of a row that has an exercise, as in: change 21", check_change,
     "exercises"},
    {"walk", "a guide for gdb, as in: walk stepping", check_walk, "walk"},
    {"write", "a homework or a function of it, as in: write hw1:softmax", check_write, "homework"},
    {"find", "a bug or a mystery, as in: find debug1, find mystery4", check_find, "find"},
    {"milestone", "head, xor, tired, writes, digit or vae", check_milestone, "milestone"},
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
    return strlen(what) < sizeof s->what && k->check(s, NULL);
}
