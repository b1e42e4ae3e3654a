/* path.c: a path is read from its text file, and printed as weeks. See steps.h and README.md. What
 * is to be done of a row, and which functions a homework has, stands in the chapters and the
 * homeworks themselves. */
#include "lectures/runner/text_stream.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What is read: a path, and where in its file one is. */
typedef struct {
    Path *path;
    char where[STEP_PATH + 32];
} Reading;

static void add(Reading *r, const char *kind, int row, const char *what, int minutes)
{
    Path *p = r->path;
    const Step s = step_make(kind, row, what, minutes);
    if (p->count == PATH_STEPS)
        options_refuse("%sexpected at most %d steps", r->where, PATH_STEPS);
    if (path_step(p, s.key))
        options_refuse("%sfound '%s' twice; expected it once", r->where, s.key);
    p->steps[p->count++] = s;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The minutes that a section takes: a word a second and a half, since formulas and code are words,
 * too. */
static int reading_minutes(const Chapter *c, int row)
{
    char path[2 * STEP_PATH], mark[16];
    int words = 0;
    snprintf(path, sizeof path, "%s/%s/README.md", LECTURES_FOLDER, c->folder);
    snprintf(mark, sizeof mark, " (row %d)\n", row);
    char *text = text_read(path, NULL), *at = text ? strstr(text, mark) : NULL;
    char *end = at ? strstr(at + 1, "\n## ") : NULL;
    for (; at && *at && at != end; at++)
        words += isspace((unsigned char)at[0]) && !isspace((unsigned char)at[1]);
    free(text);
    return (words + 39) / 40;
}

/* A row is read with its questions before it, then one of its claims with a planted fault, then its
 * exercise; a step for each of these that the chapter has. */
static void add_row(Reading *r, const char *word)
{
    const int row = atoi(word);
    const Chapter *c = chapter_with_row(row);
    int questions = 0, claims, exercises = 0;
    if (!c)
        options_refuse("%sthere is no row '%s'; expected one of lectures/README.md", r->where,
                       word);
    for (const Question *q = c->questions; q && q->row; q++)
        questions += q->row == row;
    for (const Claim *const *e = chapter_exercises(c); *e; e++)
        exercises += (*e)->row == row;
    row_claims(row, &claims);
    if (questions)
        add(r, "predict", row, NULL, 3 * questions + reading_minutes(c, row));
    if (claims)
        add(r, "break", row, NULL, 8);
    if (exercises)
        add(r, "change", row, NULL, 20);
}

/* ---- homeworks ------------------------------------------------------------------------------- */

enum { TASKS = 32 };

/* The functions of a header, TASK void NAME(...): their number. */
static int tasks_of(const char *header, char name[TASKS][STEP_WHAT])
{
    int n = 0;
    for (const char *at = header; n < TASKS && (at = strstr(at, "\nTASK ")) != NULL; n++) {
        const char *end = at = strchr(at, '('), *begin = end;
        while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')
            begin--;
        snprintf(name[n], STEP_WHAT, "%.*s", (int)(end - begin), begin);
    }
    return n;
}

/* The hours that the homework's README states: "| time | 3 to 4 hours |". 0: there is none. */
static double hours_of(const char *folder)
{
    char path[2 * STEP_PATH];
    double least = 0, most = 0;
    snprintf(path, sizeof path, LECTURES_FOLDER "/homework/%.200s/README.md", folder);
    char *text = text_read(path, NULL), *time = text ? strstr(text, "| time | ") : NULL;
    int found = time ? sscanf(time, "| time | %lf to %lf", &least, &most) : 0;
    free(text);
    return found == 2 ? (least + most) / 2 : least;
}

/* Milestones that were not reached before, and whose homeworks, or functions of one, all are. */
static void add_milestones(Reading *r)
{
    static const char file[] = LECTURES_FOLDER "/steps/milestones/milestones.txt";
    char *text = text_read(file, NULL);
    for (char *line = text, *next; line; line = next) {
        char key[STEP_KEY], needed[STEP_KEY];
        next = text_cut(line);
        const char *name = strtok(line, " ");
        bool ready = name && *name != '#';
        for (const char *word; ready && (word = strtok(NULL, " ")) != NULL;) {
            snprintf(needed, sizeof needed, "write %.60s%s", word, strchr(word, ':') ? "" : ":");
            ready = strncmp(word, "hw", 2) != 0 || path_step(r->path, needed);
        }
        snprintf(key, sizeof key, "milestone %.60s", ready ? name : "");
        if (ready && !path_step(r->path, key))
            add(r, "milestone", 0, name, 15);
    }
    free(text);
}

static void add_function(Reading *r, const char *homework, const char *function, double minutes)
{
    char what[2 * STEP_WHAT];
    snprintf(what, sizeof what, "%.60s:%.60s", homework, function);
    add(r, "write", 0, what, (int)minutes);
}

/* The words after "homework": a folder, and the functions that are written; without them all. A
 * program with a bug, and a lab, are one step. */
static void add_homework(Reading *r, char *words)
{
    char path[2 * STEP_PATH], name[STEP_WHAT], task[TASKS][STEP_WHAT];
    const char *folder = strtok(words, " "), *function = strtok(NULL, " ");
    snprintf(name, sizeof name, "%.*s",
             (int)strcspn(folder, strncmp(folder, "lab-", 4) == 0 ? "" : "-"), folder);
    snprintf(path, sizeof path, LECTURES_FOLDER "/homework/%.200s/%s.h", folder, name);
    const double minutes = 60 * hours_of(folder);
    char *header = text_read(path, NULL);
    if (minutes <= 0 || !header || (*name != 'h' && function))
        options_refuse("%sfound '%s'; expected a folder of lectures/homework, and functions of it",
                       r->where, folder);
    const int tasks = tasks_of(header, task);
    free(header);
    if (*name != 'h')
        add(r, *name == 'd' ? "find" : "write", 0, name, (int)minutes);
    for (int k = 0; *name == 'h' && !function && k < tasks; k++)
        add_function(r, name, task[k], minutes / tasks);
    for (; function; function = strtok(NULL, " ")) {
        int k = 0;
        while (k < tasks && strcmp(task[k], function) != 0)
            k++;
        if (k == tasks)
            options_refuse("%sfound '%s'; expected functions of %s.h", r->where, function, name);
        add_function(r, name, function, minutes / tasks);
    }
    add_milestones(r);
}

/* ---- a path ---------------------------------------------------------------------------------- */

static void add_line(Reading *r, char *line)
{
    char what[STEP_WHAT];
    if (strncmp(line, "row ", 4) == 0) {
        add_row(r, line + 4);
    } else if (strncmp(line, "homework ", 9) == 0) {
        add_homework(r, line + 9);
    } else if (strncmp(line, "walk ", 5) == 0) {
        add(r, "walk", 0, line + 5, 30);
    } else if (strncmp(line, "mystery ", 8) == 0) {
        snprintf(what, sizeof what, "mystery%.8s", line + 8);
        add(r, "find", 0, what, 15);
    } else {
        options_refuse(
            "%sfound '%s'; expected row, homework, walk or mystery, and what it is about", r->where,
            line);
    }
}

/* The text stays in memory: the title is a part of it. */
void path_read(Path *p, const char *name)
{
    char file[STEP_PATH];
    Reading r = {.path = p};
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
        snprintf(r.where, sizeof r.where, "%s:%d: ", file, ++number);
        if (strncmp(line, "path ", 5) == 0)
            p->title = line + 5;
        else if (*line && *line != '#')
            add_line(&r, line);
    }
    if (!p->count)
        options_refuse("%s: found no step; expected at least one", file);
}

Step *path_step(Path *p, const char *key)
{
    const size_t n = strlen(key);
    for (int i = 0; i < p->count; i++)
        if (strncmp(p->steps[i].key, key, n) == 0 && (key[n - 1] == ':' || !p->steps[i].key[n]))
            return &p->steps[i];
    return NULL;
}

/* Prints, after `begin`, what steps `first` to `end` - 1 are about: rows, and if `all` guides,
 * milestones and homeworks without their functions, too. What follows itself is printed once. */
static void print_steps(const Path *p, int first, int end, bool all, const char *begin,
                        const char *comma)
{
    const char *last = "";
    for (int i = first; i < end; i++) {
        const Step *s = &p->steps[i];
        const size_t n = strcspn(s->what, ":");
        if ((!all && !s->row) || (strcspn(last, ":") == n && strncmp(last, s->what, n) == 0))
            continue;
        const bool apart = strncmp(s->key, "walk", 4) == 0 || strncmp(s->key, "mile", 4) == 0;
        printf("%s%s", *last ? comma : begin, all && s->row ? "row " : "");
        printf("%.*s", apart ? STEP_KEY : (int)n, apart ? s->key : s->what);
        last = s->what;
    }
    fputs(*last ? "\n" : "", stdout);
}

/* A step is in the week in which its middle lies. */
void path_plan(const Path *p, int weeks)
{
    char begin[64];
    int all = 0;
    for (int i = 0; i < p->count; i++)
        all += p->steps[i].minutes;
    printf("# %s\n\n## A plan of %d weeks\n\n%.0f hours: about %.1f a week. Rows are those of "
           "lectures/README.md.\n",
           p->title, weeks, all / 60.0, all / 60.0 / weeks);
    for (int week = 1, end = 0, since = 0, minutes = 0; week <= weeks; week++) {
        const int first = end, before = minutes;
        while (end < p->count && (2 * minutes + p->steps[end].minutes) * weeks <= 2 * all * week)
            minutes += p->steps[end++].minutes;
        printf("\n### Week %d: %.1f hours\n\n", week, (minutes - before) / 60.0);
        print_steps(p, first, end, true, "- ", ", ");
        if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
            continue;
        snprintf(begin, sizeof begin,
                 p->name[1] ? "- exam on " : "- exam: ./gradus exam --course %s --rows ", p->name);
        print_steps(p, since, end, false, begin, ",");
        since = end;
    }
}
