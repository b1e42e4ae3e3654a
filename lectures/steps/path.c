/* path.c: reads a path. See steps.h and README.md. */
#include "lectures/runner/text_stream.h"
#include "lectures/steps/steps.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

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
