/* plan.c: a path as weeks. See steps.h. */
#include "lectures/runner/wrapped.h"
#include "lectures/steps/steps.h"

#include <string.h>

enum { ROWS, EXERCISES, HOMEWORK, MILESTONES, ALSO, EXAM, COLUMNS };
static const char *const names[COLUMNS] = {"rows",      "exercises", "homework",
                                           "milestone", "also",      "exam"};
enum { LIST = 1024, ROW_MOST = 64 };

typedef struct {
    int number, minutes;
    char list[COLUMNS][LIST]; /* words, each once, separated by commas */
} Week;

static void add_word(char list[LIST], const char *word)
{
    size_t n = strlen(list), k = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (!at[k] || at[k] == ','))
            return;
    snprintf(list + n, LIST - n, "%s%s", n ? ", " : "", word);
}

static void add_step(Week *w, const Step *s)
{
    Homework h;
    w->minutes += s->minutes;
    if (s->row)
        add_word(w->list[s->kind == STEP_CHANGE ? EXERCISES : ROWS], s->what);
    else if (s->kind == STEP_MILESTONE)
        add_word(w->list[MILESTONES], s->what);
    else if (homework_named(&h, s->what))
        add_word(w->list[HOMEWORK], h.name);
    else
        add_word(w->list[ALSO], s->kind == STEP_READ ? "READING.md" : s->what);
}

static int minutes_of(const Path *p)
{
    int minutes = 0;
    for (int i = 0; i < p->count; i++)
        minutes += p->steps[i].minutes;
    return minutes;
}

/* The step with which the week after `week` begins: it has, with what is before it, that share of
 * all minutes, and at least one step is left for each week that follows. */
static int end_of_week(const Path *p, int first, int week, int weeks)
{
    int minutes = 0, i = 0, all = minutes_of(p), most = p->count - (weeks - week);
    for (; i < p->count &&
           (i <= first || 2 * minutes + p->steps[i].minutes <= 2 * all * week / weeks);
         i++)
        minutes += p->steps[i].minutes;
    return week == weeks ? p->count : i < most ? i : most;
}

/* An exam on the path's rows from step `first` to before `end`, as the command exam takes them:
 * "16-19,21". */
static void add_exam(Week *w, const Path *p, int first, int end)
{
    bool has[ROW_MOST + 1] = {false};
    char *text = w->list[EXAM];
    size_t n = 0;
    if (p->name[0] && !p->name[1]) /* one of the lectures */
        n = (size_t)snprintf(text, LIST, "./gradus exam --course %s --rows ", p->name);
    else
        n = (size_t)snprintf(text, LIST, "on rows ");
    for (int i = first; i < end; i++)
        has[p->steps[i].row < ROW_MOST ? p->steps[i].row : 0] = true;
    const char *comma = "";
    for (int row = 1, last; row < ROW_MOST; row = last + 1) {
        for (last = row; has[row] && has[last + 1];)
            last++;
        if (!has[row])
            continue;
        n +=
            (size_t)snprintf(text + n, LIST - n, last > row ? "%s%d-%d" : "%s%d", comma, row, last);
        comma = ",";
    }
}

static void print_week(FILE *out, const Week *w, bool markdown)
{
    fprintf(out, markdown ? "| %d | %.1f |" : "\nweek %d, %.1f hours\n", w->number,
            w->minutes / 60.0);
    for (int k = 0; k < COLUMNS; k++)
        if (markdown) {
            fprintf(out, " %s |", w->list[k]);
        } else if (*w->list[k]) {
            fprintf(out, "  %-11s", names[k]);
            wrapped_print(w->list[k], 13);
        }
    if (markdown)
        fputc('\n', out);
}

void plan_print(FILE *out, const Path *p, int weeks, bool markdown)
{
    double hours = minutes_of(p) / 60.0;
    int since = 0;
    fprintf(out,
            "%d weeks, %.0f hours: about %.1f a week. Numbers are rows of lectures/README.md.\n",
            weeks, hours, hours / weeks);
    if (markdown) {
        fprintf(out, "\n| week | hours |");
        for (int k = 0; k < COLUMNS; k++)
            fprintf(out, " %s |", names[k]);
        fprintf(out, "\n|---|---|---|---|---|---|---|---|\n");
    }
    for (int week = 1, first = 0, end; week <= weeks; week++, first = end) {
        Week w = {.number = week};
        end = end_of_week(p, first, week, weeks);
        for (int i = first; i < end; i++)
            add_step(&w, &p->steps[i]);
        if (weeks >= 4 && (week == (weeks + 1) / 2 || week == weeks)) {
            add_exam(&w, p, since, end);
            since = end;
        }
        print_week(out, &w, markdown);
    }
}
