/* steps.c: the command `./gradus steps`.
 *
 *   lectures steps                    where one is, and the next step
 *   lectures steps next               starts the next step
 *   lectures steps predict 21         starts this one
 *   lectures steps --course J         another path from now on
 *   lectures steps --course J --weeks 12 [--html]   a plan
 *
 * Status of a step: 0 if it is done, 1 if not yet; 2: the command line cannot be read. */
#include "lectures/steps/steps.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 2, SECTIONS = 6 };

typedef struct {
    char *words[WORDS]; /* "next", or a step such as "predict" "21"; NULL: none */
    const char *course, *folder;
    int weeks, seed;
    bool html;
} Settings;

/* ---- where one is ---------------------------------------------------------------------------- */

/* A paragraph after a label. */
static void print_text(const char *label, const char *format, ...) GRADUS_PRINTF(2, 3);
static void print_text(const char *label, const char *format, ...)
{
    char text[3 * STEP_PATH];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%-8s", label);
    wrapped_print(text, 8);
}

/* The step, its section and its minutes, which a step of another path does not have. */
static void print_step(const char *label, const Path *p, const Step *s)
{
    if (s->minutes)
        print_text(label, "%s, of \"%s\" (%d min)", s->key, p->sections[s->section], s->minutes);
    else
        print_text(label, "%s", s->key);
}

/* The first step that is not done; NULL: all are. */
static const Step *next_step(const Path *p, const Record *r)
{
    for (int i = 0; i < p->count; i++)
        if (!record_has(r, &p->steps[i]))
            return &p->steps[i];
    return NULL;
}

static void print_next(const Path *p, const Record *r)
{
    const Step *s = next_step(p, r);
    if (!s) {
        print_text("next", "all steps are done");
        return;
    }
    print_step("next", p, s);
    if (*r->file)
        print_text("type", "./gradus steps next");
    else
        print_text("type", "./gradus steps %s --course %s", s->key, p->name);
}

/* The section of the next step, and those that follow it. */
static void print_sections(const Path *p, const Record *r)
{
    const Step *next = next_step(p, r);
    int first = next ? next->section : p->section_count, end = first + SECTIONS;
    char label[32];
    for (int k = first; k < p->section_count && k < end; k++) {
        int done = 0, count = 0;
        for (int i = 0; i < p->count; i++)
            if (p->steps[i].section == k) {
                count++;
                done += record_has(r, &p->steps[i]);
            }
        snprintf(label, sizeof label, "%c%3d/%-2d", k == first ? '>' : ' ', done, count);
        print_text(label, "%s", p->sections[k]);
    }
    if (end < p->section_count)
        print_text("", "and %d more sections", p->section_count - end);
}

static void print_memory(const Record *r)
{
    print_text("record",
               *r->file ? "%s" : "none, since %s: steps are checked, and nothing is noted",
               *r->file ? r->file : r->reason);
}

static int show(const Path *p, const Record *r)
{
    int done = 0, minutes = 0, milestones = 0, reached = 0;
    for (int i = 0; i < p->count; i++) {
        bool has = record_has(r, &p->steps[i]);
        bool milestone = strcmp(p->steps[i].kind->name, "milestone") == 0;
        done += has;
        milestones += milestone;
        reached += milestone && has;
        minutes += has ? 0 : p->steps[i].minutes;
    }
    print_text("course", "%s: %s", p->name, p->title);
    print_text("done", "%d of %d steps, %d of %d milestones; about %d h %d min left", done,
               p->count, reached, milestones, minutes / 60, minutes % 60);
    print_memory(r);
    putchar('\n');
    print_sections(p, r);
    putchar('\n');
    print_next(p, r);
    print_text("other", "./gradus steps --course V (or B, H, Z, J, gradus); --weeks 12: a plan");
    return 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* The step that the words name, as the path has it; NULL: next, and all are done. */
static const Step *chosen_step(const Settings *set, const Path *p, const Record *r)
{
    static Step s;
    char why[STEP_PATH];
    if (!set->words[1])
        return next_step(p, r);
    if (!step_named(&s, set->words[0], set->words[1], why))
        options_refuse("%s", why);
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->steps[i].key, s.key) == 0)
            return &p->steps[i];
    return &s;
}

static int run_step(const Settings *set, const Path *p, Record *r)
{
    const char *launcher = getenv("GRADUS_LAUNCHER");
    const Step *s = chosen_step(set, p, r);
    Checking c = {r, launcher && *launcher ? launcher : LECTURES_FOLDER "/../gradus",
                  set->seed ? (uint64_t)set->seed : (uint64_t)system_clock()};
    if (!s) {
        print_next(p, r);
        return 0;
    }
    print_step("step", p, s);
    putchar('\n');
    bool done = s->kind->check(s, &c);
    options_program("./gradus steps");
    if (!done) {
        print_text("not yet", "./gradus steps %s begins this step again", s->key);
        return 1;
    }
    bool noted = record_note(r, "done", s->key);
    for (int i = 0; !noted && i < p->count && strcmp(p->steps[i].key, s->key) != 0; i++)
        record_note(r, "done", p->steps[i].key); /* without memory: on from here */
    print_text("done", "%s", s->key);
    if (!noted)
        print_memory(r);
    print_next(p, r);
    return 0;
}

/* ---- a plan ---------------------------------------------------------------------------------- */

static int plan(const Path *p, const Settings *set)
{
    TextStream text;
    char path[STEP_PATH];
    const char *slash = system_last_slash(p->name), *name = slash ? slash + 1 : p->name;
    if (set->weeks > p->count)
        options_refuse("--weeks: found %d; expected at most the path's %d steps", set->weeks,
                       p->count);
    if (set->html)
        options_need_folder("html", "out/steps");
    FILE *file = text_open(&text);
    if (file) {
        fprintf(file, "# %s\n\n", p->title);
        plan_print(file, p, set->weeks);
    }
    char *markdown = file ? text_close(&text, NULL) : NULL;
    snprintf(path, sizeof path, "out/steps/plan-%.*s.html", (int)strcspn(name, "."), name);
    bool ok = markdown && (!set->html || markdown_page(path, p->title, markdown));
    for (char *line = ok && !set->html ? markdown : NULL, *next; line; line = next) {
        next = text_cut(line);
        wrapped_print(line, 2);
    }
    free(markdown);
    if (set->html || !ok)
        fprintf(ok ? stdout : stderr, "%s\n", ok ? path : tensor_error());
    return !ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Takes up to two words before the options out of the command line. */
static void take_words(int *argc, char **argv, Settings *set)
{
    int n = 0;
    for (; n < WORDS && n + 1 < *argc && argv[n + 1][0] != '-'; n++)
        set->words[n] = argv[n + 1];
    memmove(argv + 1, argv + 1 + n, sizeof *argv * (size_t)(*argc - n));
    *argc -= n;
    if (n && (strcmp(set->words[0], "next") == 0) != (n == 1))
        options_refuse("found '%s%s%s'; expected next, or a kind of step and what it is about, as "
                       "in: steps predict 21",
                       set->words[0], n > 1 ? " " : "", n > 1 ? set->words[1] : "");
}

static void read_settings(int argc, char **argv, Settings *set)
{
    take_words(&argc, argv, set);
    const Option table[] = {
        {"course", OPTION_TEXT, &set->course, "NAME",
         "V, B, H, Z, J, gradus, or the file of a path; noted for the next time", 0, 0},
        {"folder", OPTION_TEXT, &set->folder, "DIR",
         "where homeworks are; noted (default: homework, here)", 0, 0},
        {"weeks", OPTION_INT, &set->weeks, "N", "print the path as a plan of so many weeks", 1, 52},
        {"html", OPTION_FLAG, &set->html, NULL, "with --weeks: write the plan as a page, out/steps",
         0, 0},
        {"seed", OPTION_INT, &set->seed, "N",
         "of the choices in made questions; 0: other ones each time", 0, 1e9},
        {0},
    };
    options_parse(argc, argv, "Leads through a course, step by step: next starts the next step.",
                  table);
    if (set->html && !set->weeks)
        options_refuse("--html: expected --weeks as well");
    if (set->weeks && set->words[0])
        options_refuse("--weeks: found '%s', too; expected one of them", set->words[0]);
}

/* A text that is a path becomes absolute, so that it is found from everywhere. */
static const char *full(const char *option, const char *given, char path[STEP_PATH])
{
    bool file = strpbrk(given, "/\\.") || strcmp(option, "folder") == 0;
    if (file && !system_full_path(given, path, STEP_PATH))
        options_refuse("--%s: found '%s'; expected a path that exists", option, given);
    return file ? path : given;
}

int lectures_steps(int argc, char **argv)
{
    static Path p;
    static Record r; /* for as long as the program runs */
    Settings set = {0};
    char path[STEP_PATH];
    read_settings(argc, argv, &set);
    record_open(&r);
    const char *course = set.course ? full("course", set.course, path) : r.course;
    path_read(&p, *course ? course : "gradus");
    if (set.weeks)
        return plan(&p, &set);
    if (set.course && strcmp(course, r.course) != 0)
        record_note(&r, "course", course);
    if (set.folder)
        record_note(&r, "folder", full("folder", set.folder, path));
    return set.words[0] ? run_step(&set, &p, &r) : show(&p, &r);
}
