/* kinds.c: the kinds of steps. A kind says what is asked for, and calls the program that checks it,
 * or makes a question from what the project already says: the claims with their faults, and what
 * gdb answers in the guides. See steps.h. */
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

enum { CHOICES = 4, TEXT = 1024 };

typedef struct {
    const char *folder; /* of homeworks               */
    uint64_t seed;      /* of choices and their order */
} Checking;

typedef struct Kind {
    const char *name;
    bool (*check)(const Step *s, const Checking *c);
    const char *says; /* of a row, the folder of its chapter, and the chapter's number */
} Kind;

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

static char *launcher(void)
{
    char *given = getenv("GRADUS_LAUNCHER");
    return given && *given ? given : LECTURES_FOLDER "/../gradus";
}

/* ---- a claim and its faults ------------------------------------------------------------------ */

/* Adds a choice, with a reason as by printf, unless it stands there, or all places are taken. */
GRADUS_PRINTF(3, 4) static void add(Question *q, const char *text, const char *format, ...)
{
    static char reasons[CHOICES][TEXT];
    va_list list;
    int k = 0;
    while (k < CHOICES && q->choices[k].text && strcmp(q->choices[k].text, text) != 0)
        k++;
    if (k == CHOICES || q->choices[k].text)
        return;
    va_start(list, format);
    vsnprintf(reasons[k], TEXT, format, list);
    va_end(list);
    q->choices[k] = (QuestionChoice){text, reasons[k]};
    q->right = k + 1;
}

static bool shares_a_slide(const Claim *a, const Claim *b)
{
    for (int i = 0; i < CLAIM_SLIDES && a->slides[i]; i++)
        for (int k = 0; k < CLAIM_SLIDES && b->slides[k]; k++)
            if (strcmp(a->slides[i], b->slides[k]) == 0)
                return true;
    return false;
}

/* Adds faults of the chapter's claims that leave c alone: those of another row and other slides,
 * and that are none of c's by name. */
static void add_foreign(Question *q, const Claim *c, Rng *rng)
{
    const Claim *const *list = chapter_claims(chapter_with_row(c->row));
    int n = 0;
    while (list[n])
        n++;
    for (int i = 0; i < 8 * n; i++) {
        const Claim *other = list[rng_below(rng, n)];
        if (other->row != c->row && !shares_a_slide(other, c) &&
            !claim_has_fault(c, other->faults[0].name))
            add(q, other->faults[0].what, "this is a fault of another claim, of row %d: \"%s\"",
                other->row, other->statement);
    }
}

/* One run, shown with what it explains; returns the value. */
static double show_run(const Claim *c, const char *fault)
{
    char bound[BOUND_TEXT];
    printf("   %s\n\n", fault ? "with a fault:" : "as it is:");
    Finding f = claim_run(c, fault, 1, stdout);
    printf("\n   value %.6g, bound %s: %s\n\n", f.value, claim_bound(c, bound),
           f.verdict == HOLDS ? "HOLDS" : "FAILS");
    return f.value;
}

/* Shows the claim without and with its fault k, and adds that and its other faults as choices,
 * each with its value, unless that is the same. */
static void show_fault(Question *q, const Claim *c, int k)
{
    wrapped_say("", 3, "%s", c->statement);
    wrapped_say("   measured:", 13, "%s\n", c->quantity);
    double sound = show_run(c, NULL), planted = show_run(c, c->faults[k].name);
    add(q, c->faults[k].what, "it takes the claim's value from %.4g to %.4g", sound, planted);
    for (int i = 0; i < CLAIM_FAULTS && c->faults[i].name; i++) {
        double value = i == k ? planted : claim_run(c, c->faults[i].name, 1, NULL).value;
        if (value < planted || value > planted || isnan(value) != isnan(planted))
            add(q, c->faults[i].what, "it gives %.4g, and %.4g was measured", value, planted);
    }
}

/* A claim of the row is shown without and with a fault, which is to be named. */
static bool check_break(const Step *s, const Checking *c)
{
    Rng rng = {.seed = c->seed, .stream = (uint64_t)s->row};
    char answer[TEXT];
    int count, k;
    const Claim *const *claims = row_claims(s->row, &count),
                       *claim = claims[rng_below(&rng, count)];
    Question q = {.row = s->row, .question = "Which fault is it?", .answer = answer};
    do
        k = (int)rng_below(&rng, CLAIM_FAULTS);
    while (!claim->faults[k].name);
    show_fault(&q, claim, k);
    snprintf(answer, TEXT, "%s (./gradus claims --break %d:%s)", claim->faults[k].what, s->row,
             claim->faults[k].name);
    add_foreign(&q, claim, &rng);
    const QuestionChoice right = q.choices[0]; /* changes its place with any of the choices */
    q.right = 1 + (int)rng_below(&rng, q.right);
    q.choices[0] = q.choices[q.right - 1];
    q.choices[q.right - 1] = right;
    return question_ask(&q, NULL);
}

/* ---- other checks ---------------------------------------------------------------------------- */

static bool check_predict(const Step *s, const Checking *c)
{
    (void)c;
    return passes(lectures_ask, "ask %d --row %d", chapter_with_row(s->row)->number, s->row);
}

static bool check_change(const Step *s, const Checking *c)
{
    (void)c;
    return runs((char *[]){NULL, launcher(), "claims", "--try", (char *)s->what, NULL});
}

/* Asks for the number that stands first in gdb's answer to one of the guide's commands that print:
 * those that are answered with one line, each with the same probability. */
static bool ask_of_guide(const char *guide, uint64_t seed)
{
    Rng rng = {.seed = seed};
    char line[TEXT], said[TEXT], then[8], mark[TEXT + 8], asked[2 * TEXT];
    Finding f = {0};
    int n = 0;
    for (const char *at = guide; (at = strstr(at, "\n(gdb) print")) != NULL; at++) {
        if (sscanf(at, "\n(gdb) %1023[^\n]\n%1023[^\n]\n%7s", line, said, then) != 3 ||
            strncmp(said, "(gdb)", 5) == 0 || (strcmp(then, "(gdb)") && strcmp(then, "```")))
            continue;
        const char *digit = said + strcspn(said, "0123456789");
        snprintf(mark, sizeof mark, "\n(gdb) %s\n", line);
        if (!*digit || strstr(guide, mark) != at || rng_below(&rng, ++n) > 0)
            continue;
        f.value = atof(digit - (digit > said && digit[-1] == '-'));
        snprintf(asked, sizeof asked,
                 "Where the guide first types `%s`, which number stands first in the last line of "
                 "gdb's answer, after any \"$1 =\"?",
                 line);
    }
    const Question q = {.question = asked,
                        .within = 1e-4,
                        .quantity = "so says the guide",
                        .answer = "it stands below the command",
                        .misconception =
                            "another line, or another place of the program, has others"};
    return n > 0 && question_ask(&q, &f);
}

/* The guide of `./gradus debug stepping` is lectures/04-attention/stepping.md. */
static bool check_walk(const Step *s, const Checking *c)
{
    char path[STEP_PATH], *guide = NULL;
    for (int i = 0; chapters[i] && !guide; i++) {
        snprintf(path, sizeof path, "%s/%s/%s.md", LECTURES_FOLDER, chapters[i]->folder, s->what);
        guide = text_read(path, NULL);
    }
    wrapped_say("", 3,
                "Type ./gradus debug %s in a second terminal, and there what lectures%s has after "
                "\"(gdb)\".\n",
                s->what, path + strlen(LECTURES_FOLDER));
    bool right = guide && ask_of_guide(guide, c->seed);
    free(guide);
    return right;
}

/* Hands the homework out, or grades all of it, or one function. */
static bool grade(const Step *s, const Checking *c)
{
    char name[STEP_WHAT], function[STEP_WHAT] = "", file[STEP_PATH + 2 * STEP_WHAT];
    FileStatus found;
    sscanf(s->what, "%63[^:]:%63s", name, function);
    snprintf(file, sizeof file, "%s/%s/%s.c", c->folder, name, name);
    const bool there = disk_look(file, &found), alone = there && *function;
    if (!there)
        *strrchr(file, '/') = 0;
    printf("   ./gradus %s %s '%s'%s%s\n\n", there ? "grade" : "handout", name, file,
           alone ? " --function " : "", alone ? function : "");
    bool ok = runs((char *[]){NULL, launcher(), there ? "grade" : "handout", name, file,
                              alone ? "--function" : NULL, function, NULL});
    if (ok && !there)
        wrapped_say("", 3,
                    "Read %s/README.md, and write %s in %s.c beside it; this step, begun again, "
                    "grades it.\n",
                    file, *function ? function : "its functions", name);
    return ok && there;
}

/* A mystery is a run of its own at each try: what a wrong answer was told does not help the
 * next. */
static bool check_find(const Step *s, const Checking *c)
{
    int chapter = mystery_chapter(s->what);
    return chapter ? passes(lectures_mystery, "mystery %d --chapter %d",
                            1 + (int)(c->seed % 1000000), chapter)
                   : grade(s, c);
}

/* Grades what the program calls of the homeworks, compiles it with them, and runs it. */
static bool check_milestone(const Step *s, const Checking *c)
{
    return runs((char *[]){NULL, GRADUS_MILESTONE, (char *)s->what, (char *)c->folder, NULL});
}

/* ---- all kinds ------------------------------------------------------------------------------- */

static const Kind kinds[] = {
    {"predict", check_predict,
     "Predict before anything is measured; the step is done when all answers are right. Then read "
     "section %d of lectures/%s/README.md (./gradus lecture %d --html).\n"},
    {"break", check_break, "A fault is planted in what a claim of this row measures. Name it.\n"},
    {"change", check_change,
     "Solve the exercise of section %d of lectures/%s/README.md in the copy of exercises*.c that "
     "is "
     "named below, and begin this step again. As it stands:\n"},
    {"walk", check_walk, NULL},
    {"write", grade, NULL},
    {"find", check_find, NULL},
    {"milestone", check_milestone, NULL},
};

Step step_make(const char *kind, int row, const char *what, int minutes)
{
    Step s = {.kind = kinds, .row = row, .minutes = minutes};
    if (row)
        snprintf(s.what, sizeof s.what, "%d", row);
    else
        snprintf(s.what, sizeof s.what, "%s", what);
    snprintf(s.key, sizeof s.key, "%.10s %s", kind, s.what);
    while (strcmp(s.kind->name, kind) != 0)
        s.kind++;
    return s;
}

bool step_check(const Step *s, uint64_t seed)
{
    const char *folder = getenv("GRADUS_HOMEWORK");
    const Chapter *chapter = chapter_with_row(s->row);
    if (chapter)
        wrapped_say("", 3, s->kind->says, s->row, chapter->folder, chapter->number);
    return s->kind->check(s, &(Checking){folder && *folder ? folder : "homework", seed});
}
