/* path.c: a path is read from its text file, and printed as weeks. See steps.h and README.md. */
#include "lectures/runner/text_stream.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

static void add_step(Path *p, const char *line, const char *section, const char *where)
{
    char kind[STEP_WHAT], what[STEP_WHAT], why[STEP_PATH];
    int minutes = 0, read = 0;
    Step *s = &p->steps[p->count++];
    if (p->count > PATH_STEPS)
        options_refuse("%s: expected at most %d steps", where, PATH_STEPS);
    if (sscanf(line, "%63s %63s %d %n", kind, what, &minutes, &read) != 3 || line[read] ||
        minutes < 1 || minutes > 600)
        options_refuse("%s: found '%s'; expected a kind of step, what it is about and minutes, as "
                       "in: predict 21 5",
                       where, line);
    if (!step_named(s, kind, what, why))
        options_refuse("%s: %s", where, why);
    s->minutes = minutes;
    s->section = section ? section : p->title;
}

/* The text stays in memory: titles are parts of it. */
void path_read(Path *p, const char *name)
{
    char file[STEP_PATH], where[STEP_PATH + 16];
    const char *section = NULL;
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
            p->title = line + 5;
        else if (strncmp(line, "section ", 8) == 0)
            section = line + 8;
        else if (*line && *line != '#')
            add_step(p, line, section, where);
    }
    if (!p->count)
        options_refuse("%s: found no step; expected at least one", file);
}

/* ---- as weeks -------------------------------------------------------------------------------- */

/* The minutes of the steps before step `end`. */
static int minutes_to(const Path *p, int end)
{
    int minutes = 0;
    for (int i = 0; i < end; i++)
        minutes += p->steps[i].minutes;
    return minutes;
}

/* The step with which the next week begins: the first whose middle lies beyond that share of all
 * minutes. */
static int end_of_week(const Path *p, int week, int weeks)
{
    int end = 0, all = minutes_to(p, p->count);
    while (end < p->count &&
           (minutes_to(p, end) + minutes_to(p, end + 1)) * weeks <= 2 * all * week)
        end++;
    return end;
}

/* Prints, after `begin`, what steps `first` to `end` - 1 of a column are about, each once; of a
 * homework without its function. */
static void print_column(FILE *out, const Path *p, int first, int end, const char *column,
                         const char *begin, const char *comma)
{
    int count = 0;
    for (int i = first; i < end; i++) {
        const char *what = p->steps[i].what;
        size_t n = strcspn(what, ":");
        bool again = strcmp(p->steps[i].kind->column, column) != 0;
        for (int k = first; k < i && !again; k++)
            again = strcmp(p->steps[k].kind->column, column) == 0 &&
                    strcspn(p->steps[k].what, ":") == n && strncmp(what, p->steps[k].what, n) == 0;
        if (!again)
            fprintf(out, "%s%.*s", count++ ? comma : begin, (int)n, what);
    }
    fprintf(out, count ? "\n" : "");
}

void path_plan(FILE *out, const Path *p, int weeks)
{
    static const char *const columns[] = {"rows", "exercises", "homework",
                                          "find", "walk",      "milestone"};
    char begin[64];
    double hours = minutes_to(p, p->count) / 60.0;
    const bool lecture = p->name[0] && !p->name[1];
    fprintf(out,
            "## A plan of %d weeks\n\n%.0f hours: about %.1f a week. Numbers are rows of "
            "lectures/README.md.\n",
            weeks, hours, hours / weeks);
    for (int week = 1, first = 0, since = 0, end; week <= weeks; week++, first = end) {
        end = end_of_week(p, week, weeks);
        fprintf(out, "\n### Week %d: %.1f hours\n\n", week,
                (minutes_to(p, end) - minutes_to(p, first)) / 60.0);
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            snprintf(begin, sizeof begin, "- %s: ", columns[k]);
            print_column(out, p, first, end, columns[k], begin, ", ");
        }
        if (weeks < 4 || (week != (weeks + 1) / 2 && week != weeks))
            continue;
        snprintf(begin, sizeof begin,
                 lecture ? "- exam: ./gradus exam --course %s --rows " : "- exam on: ", p->name);
        print_column(out, p, since, end, "rows", begin, ",");
        since = end;
    }
}
