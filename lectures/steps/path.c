/* path.c: reads a path. See steps.h and README.md. */
#include "lectures/mystery/mystery.h"
#include "lectures/runner/text_stream.h"
#include "lectures/steps/milestones.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

/* ---- one step -------------------------------------------------------------------------------- */

static bool has_row(const Step *s)
{
    return chapter_with_row(s->row) != NULL;
}

static bool has_text(const Step *s)
{
    Stop stop;
    return s->row ? has_row(s)
                  : reading_stop(&stop, atoi(s->what + strcspn(s->what, "1234567890")));
}

static bool has_question(const Step *s)
{
    const Chapter *c = chapter_with_row(s->row);
    for (const Question *q = c ? c->questions : NULL; q && q->row; q++)
        if (q->row == s->row)
            return true;
    return false;
}

static bool has_exercise(const Step *s)
{
    const Chapter *c = chapter_with_row(s->row);
    for (const Claim *const *e = c ? chapter_exercises(c) : NULL; e && *e; e++)
        if ((*e)->row == s->row)
            return true;
    return false;
}

static bool has_guide(const Step *s)
{
    char path[STEP_PATH];
    return guide_of(s->what, path);
}

static bool has_homework(const Step *s)
{
    Homework h;
    return strncmp(s->what, "debug", 5) != 0 && homework_named(&h, s->what);
}

static bool has_bug(const Step *s)
{
    Homework h;
    return mystery_chapter(s->what) ||
           (strncmp(s->what, "debug", 5) == 0 && homework_named(&h, s->what));
}

static bool has_milestone(const Step *s)
{
    return milestone_named(s->what) != NULL;
}

static const struct {
    const char *name, *expected;
    bool (*there)(const Step *s);
} kinds[STEP_KINDS] = {
    {"read", "the number of a row or a stop of READING.md, as in: read 21, read READING:3",
     has_text},
    {"predict", "the number of a row that has a question, as in: predict 21", has_question},
    {"measure", "the number of a row, as in: measure 21", has_row},
    {"break", "the number of a row, as in: break 21", has_row},
    {"change", "the number of a row that has an exercise, as in: change 21", has_exercise},
    {"walk", "a guide for gdb, as in: walk stepping", has_guide},
    {"write", "a homework or a function of it, as in: write hw1:softmax", has_homework},
    {"find", "a bug or a mystery, as in: find debug1, find mystery4", has_bug},
    {"milestone", "head, xor, tired, writes, digit or vae", has_milestone},
};

bool step_named(Step *s, const char *kind, const char *what, char why[STEP_PATH])
{
    char *end;
    int k = 0;
    *s = (Step){0};
    while (k < STEP_KINDS && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == STEP_KINDS) {
        snprintf(why, STEP_PATH,
                 "found '%.40s'; expected a kind of step: read, predict, measure, break, change, "
                 "walk, write, find or milestone",
                 kind);
        return false;
    }
    s->kind = (StepKind)k;
    snprintf(s->what, sizeof s->what, "%s", what);
    snprintf(s->key, sizeof s->key, "%s %s", kind, s->what);
    long row = strtol(s->what, &end, 10);
    s->row = k <= STEP_CHANGE && end > s->what && !*end ? (int)row : 0;
    snprintf(why, STEP_PATH, "there is no '%s'; expected %s", s->key, kinds[k].expected);
    return strlen(what) < sizeof s->what && kinds[k].there(s);
}

/* ---- a file of them -------------------------------------------------------------------------- */

static void add_section(Path *p, const char *title)
{
    if (p->section_count == PATH_SECTIONS)
        options_refuse("%s: expected at most %d sections", p->name, PATH_SECTIONS);
    snprintf(p->sections[p->section_count++], STEP_TITLE, "%s", title);
}

static void add_step(Path *p, const char *line, const char *where)
{
    char kind[STEP_WHAT], what[STEP_WHAT], why[STEP_PATH];
    int minutes = 0, read = 0;
    Step *s = &p->steps[p->count];
    if (p->count == PATH_STEPS)
        options_refuse("%s: expected at most %d steps", where, PATH_STEPS);
    if (sscanf(line, "%63s %63s %d %n", kind, what, &minutes, &read) != 3 || line[read] ||
        minutes < 1 || minutes > 600)
        options_refuse("%s: found '%s'; expected a kind of step, what it is about and minutes, as "
                       "in: predict 21 5",
                       where, line);
    if (!step_named(s, kind, what, why))
        options_refuse("%s: %s", where, why);
    if (!p->section_count)
        add_section(p, p->title);
    s->minutes = minutes;
    s->section = p->section_count - 1;
    p->count++;
}

void path_read(Path *p, const char *name)
{
    char file[STEP_PATH], where[STEP_PATH + 16];
    int number = 0;
    *p = (Path){.title = "a path"};
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(file, sizeof file, strpbrk(name, "/\\.") ? "%.0s%s" : "%s/steps/paths/%s.txt",
             LECTURES_FOLDER, name);
    char *text = text_read(file, NULL);
    if (!text)
        options_refuse("--course: found '%s'; expected V, B, H, Z, J, gradus or the file of a path",
                       name);
    for (char *line = text, *next; line; line = next) {
        next = text_cut(line);
        line += strspn(line, " \t");
        snprintf(where, sizeof where, "%s:%d", file, ++number);
        if (strncmp(line, "path ", 5) == 0)
            snprintf(p->title, sizeof p->title, "%s", line + 5);
        else if (strncmp(line, "section ", 8) == 0)
            add_section(p, line + 8);
        else if (*line && *line != '#')
            add_step(p, line, where);
    }
    free(text);
    if (!p->count)
        options_refuse("%s: found no step; expected at least one", file);
}
