/* path.c: reads a path. See steps.h and README.md. */
#include "lectures/mystery/mystery.h"
#include "lectures/runner/text_stream.h"
#include "lectures/steps/milestones.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

const char *const step_kinds[STEP_KINDS + 1] = {"read", "predict", "measure", "break",     "change",
                                                "walk", "write",   "find",    "milestone", NULL};

const char *step_key(const Step *s, char key[STEP_KEY])
{
    snprintf(key, STEP_KEY, "%s %s", step_kinds[s->kind], s->what);
    return key;
}

/* ---- one step -------------------------------------------------------------------------------- */

static bool asks_about(const Chapter *c, int row)
{
    for (const Question *q = c->questions; q && q->row; q++)
        if (q->row == row)
            return true;
    return false;
}

static bool has_exercise(const Chapter *c, int row)
{
    for (const Claim *const *e = chapter_exercises(c); *e; e++)
        if ((*e)->row == row)
            return true;
    return false;
}

/* A step about a row: "21". */
static bool of_row(Step *s, const char *what, char why[STEP_WHY])
{
    char *end;
    long row = strtol(what, &end, 10);
    const Chapter *c = end != what && !*end && row > 0 ? chapter_with_row((int)row) : NULL;
    bool there = c && (s->kind != STEP_PREDICT || asks_about(c, (int)row)) &&
                 (s->kind != STEP_CHANGE || has_exercise(c, (int)row));
    if (!c)
        snprintf(why, STEP_WHY, "%s: found '%s'; expected the number of a row, as in: %s 21",
                 step_kinds[s->kind], what, step_kinds[s->kind]);
    else if (!there)
        snprintf(why, STEP_WHY, "row %ld has no %s; expected a row that has one", row,
                 s->kind == STEP_PREDICT ? "question" : "exercise");
    s->row = (int)row;
    return there;
}

static bool of_stop(const char *what, char why[STEP_WHY])
{
    char *text[STOP_TEXTS], *whole;
    if (!reading_stop(atoi(what), text, &whole)) {
        snprintf(why, STEP_WHY, "READING.md has no stop '%s'; expected one, as in: read READING:3",
                 what);
        return false;
    }
    free(whole);
    return true;
}

static bool of_guide(const char *what, char why[STEP_WHY])
{
    char path[STEP_PATH];
    if (guide_of(what, path, sizeof path))
        return true;
    snprintf(why, STEP_WHY, "there is no guide '%s'; expected one, as in: walk stepping", what);
    return false;
}

static bool of_milestone(const char *what, char why[STEP_WHY])
{
    if (milestone_named(what))
        return true;
    snprintf(why, STEP_WHY,
             "there is no milestone '%s'; expected head, xor, tired, writes, digit or "
             "vae",
             what);
    return false;
}

/* "mystery4": a run whose fault is of a subject of chapter 4. */
static bool of_mystery(const char *what, char why[STEP_WHY])
{
    if (mystery_chapter(what))
        return true;
    snprintf(why, STEP_WHY, "there is no mystery '%s'; expected one, as in: find mystery4", what);
    return false;
}

static bool of_homework(const Step *s, const char *what, char why[STEP_WHY])
{
    char homework[STEP_WHAT], function[STEP_WHAT];
    Homework h;
    split_task(what, homework, function);
    bool bug = strncmp(homework, "debug", 5) == 0;
    if (bug == (s->kind == STEP_FIND) && homework_named(homework, *function ? function : NULL, &h))
        return true;
    snprintf(why, STEP_WHY, "there is no %s '%s'; expected one, as in: %s",
             s->kind == STEP_FIND ? "bug" : "homework or function", what,
             s->kind == STEP_FIND ? "find debug1" : "write hw1:softmax");
    return false;
}

bool step_named(Step *s, const char *kind, const char *what, char why[STEP_WHY])
{
    int k = 0;
    *s = (Step){0};
    while (step_kinds[k] && strcmp(step_kinds[k], kind) != 0)
        k++;
    s->kind = (StepKind)k;
    if (k == STEP_KINDS || strlen(what) >= sizeof s->what) {
        snprintf(why, STEP_WHY,
                 "found '%.40s %.40s'; expected a kind of step (read, predict, measure, "
                 "break, change, walk, write, find, milestone) and what it is about",
                 kind, what);
        return false;
    }
    strcpy(s->what, what);
    if (s->kind == STEP_MILESTONE)
        return of_milestone(what, why);
    if (s->kind == STEP_WALK)
        return of_guide(what, why);
    if (s->kind == STEP_FIND && strncmp(what, "mystery", 7) == 0)
        return of_mystery(what, why);
    if (s->kind == STEP_WRITE || s->kind == STEP_FIND)
        return of_homework(s, what, why);
    if (s->kind == STEP_READ && strncmp(what, "READING:", 8) == 0)
        return of_stop(what + 8, why);
    return of_row(s, what, why);
}

/* ---- a file of them -------------------------------------------------------------------------- */

static void *grown(void *list, int count, size_t size)
{
    void *larger = realloc(list, (size_t)(count + 1) * size);
    if (!larger)
        options_refuse("no memory for a path of %d steps", count);
    return larger;
}

static void add_section(Path *p, const char *title)
{
    p->sections = grown(p->sections, p->section_count, sizeof *p->sections);
    if (!(p->sections[p->section_count++] = text_copy(title, strlen(title))))
        options_refuse("no memory for a path");
}

static void add_step(Path *p, const char *line, const char *where)
{
    char kind[STEP_WHAT], what[STEP_WHAT], why[STEP_WHY];
    int minutes = 0, read = 0;
    Step s;
    if (sscanf(line, "%63s %63s %d %n", kind, what, &minutes, &read) != 3 || line[read] ||
        minutes < 1 || minutes > 600)
        options_refuse(
            "%s: found '%s'; expected a kind of step, what it is about and minutes, as in: "
            "predict 21 5",
            where, line);
    if (!step_named(&s, kind, what, why))
        options_refuse("%s: %s", where, why);
    s.minutes = minutes;
    if (!p->section_count)
        add_section(p, p->title);
    s.section = p->section_count - 1;
    p->steps = grown(p->steps, p->count, sizeof *p->steps);
    p->steps[p->count++] = s;
}

static void add_line(Path *p, char *line, const char *where)
{
    line += strspn(line, " \t");
    for (size_t n = strlen(line); n && strchr(" \t\r", line[n - 1]); n--)
        line[n - 1] = 0;
    if (!*line || *line == '#')
        return;
    if (strncmp(line, "path ", 5) == 0)
        snprintf(p->title, sizeof p->title, "%s", line + 5);
    else if (strncmp(line, "section ", 8) == 0)
        add_section(p, line + 8);
    else
        add_step(p, line, where);
}

/* A name without a slash or a dot is one of paths/. */
static char *text_of(const char *name, char file[STEP_PATH])
{
    if (strpbrk(name, "/\\."))
        snprintf(file, STEP_PATH, "%s", name);
    else
        snprintf(file, STEP_PATH, "%s/steps/paths/%s.txt", LECTURES_FOLDER, name);
    char *text = text_read(file, NULL);
    if (!text)
        options_refuse("--course: found '%s'; expected V, B, H, Z, J, gradus or the file of a path",
                       name);
    return text;
}

void path_read(Path *p, const char *name)
{
    char file[STEP_PATH], where[STEP_PATH + 16];
    int number = 0;
    char *text = text_of(name, file), *next = text;
    *p = (Path){.title = "a path"};
    snprintf(p->name, sizeof p->name, "%s", name);
    while (next) {
        char *line = next, *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        snprintf(where, sizeof where, "%s:%d", file, ++number);
        add_line(p, line, where);
    }
    free(text);
    if (!p->count)
        options_refuse("%s: found no step; expected at least one", file);
}

void path_free(Path *p)
{
    for (int i = 0; i < p->section_count; i++)
        free(p->sections[i]);
    free(p->sections);
    free(p->steps);
}
