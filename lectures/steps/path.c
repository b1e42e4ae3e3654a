/* path.c: a path is read from its text file, and printed as weeks. See steps.h and README.md. */
#include "lectures/runner/text_stream.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <string.h>

static void add_step(Path *p, const char *line, const char *where)
{
    char kind[STEP_WHAT], what[STEP_WHAT];
    int minutes = 0, read = 0;
    Step *s = &p->steps[p->count++];
    if (p->count > PATH_STEPS)
        options_refuse("%sexpected at most %d steps", where, PATH_STEPS);
    if (sscanf(line, "%63s %63s %d %n", kind, what, &minutes, &read) != 3 || line[read] ||
        minutes < 1 || minutes > 600)
        options_refuse("%sfound '%s'; expected a kind of step, what it is about and minutes, as "
                       "in: predict 21 5",
                       where, line);
    step_named(s, kind, what, where);
    s->minutes = minutes;
}

/* The text stays in memory: the title is a part of it. */
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
        snprintf(where, sizeof where, "%s:%d: ", file, ++number);
        if (strncmp(line, "path ", 5) == 0)
            p->title = line + 5;
        else if (*line && *line != '#')
            add_step(p, line, where);
    }
    if (!p->count)
        options_refuse("%s: found no step; expected at least one", file);
}

/* Prints, after `begin`, what steps `first` to `end` - 1 of a kind are about, or the rows of those
 * that are about one; of a homework without its function. What follows itself is printed once. */
static void print_steps(FILE *out, const Path *p, int first, int end, const char *kind,
                        const char *begin, const char *comma)
{
    const char *last = "";
    for (int i = first; i < end; i++) {
        const Step *s = &p->steps[i];
        const size_t n = strcspn(s->what, ":");
        if (strncmp(s->row ? "row" : s->key, kind, strlen(kind)) != 0 ||
            (strcspn(last, ":") == n && strncmp(last, s->what, n) == 0))
            continue;
        fprintf(out, "%s%.*s", *last ? comma : begin, (int)n, s->what);
        last = s->what;
    }
    fprintf(out, *last ? "\n" : "");
}

/* A step is in the week in which its middle lies. */
void path_plan(FILE *out, const Path *p, int weeks)
{
    static const char *const kinds[] = {"row", "write", "find", "walk", "milestone"};
    char begin[64];
    int all = 0;
    for (int i = 0; i < p->count; i++)
        all += p->steps[i].minutes;
    fprintf(out,
            "## A plan of %d weeks\n\n%.0f hours: about %.1f a week. Numbers are rows of "
            "lectures/README.md.\n",
            weeks, all / 60.0, all / 60.0 / weeks);
    for (int week = 1, end = 0, since = 0, minutes = 0; week <= weeks; week++) {
        const int first = end, before = minutes;
        while (end < p->count && (2 * minutes + p->steps[end].minutes) * weeks <= 2 * all * week)
            minutes += p->steps[end++].minutes;
        fprintf(out, "\n### Week %d: %.1f hours\n\n", week, (minutes - before) / 60.0);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            snprintf(begin, sizeof begin, "- %s ", kinds[k]);
            print_steps(out, p, first, end, kinds[k], begin, ", ");
        }
        if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
            continue;
        snprintf(begin, sizeof begin,
                 p->name[1] ? "- exam on " : "- exam: ./gradus exam --course %s --rows ", p->name);
        print_steps(out, p, since, end, "row", begin, ",");
        since = end;
    }
}
