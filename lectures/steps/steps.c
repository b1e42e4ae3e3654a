/* steps.c: the command `./gradus steps`: where one is, one step, or a plan. See README.md. Status
 * of a step: 0 if it is done, 1 if not yet; 2: the command line cannot be read. */
#include "lectures/steps/steps.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/page.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *kind, *what; /* "predict" "21"; "next" alone; NULL: no step is to be begun */
    const char *course, *folder;
    int weeks, seed;
    bool html;
} Settings;

/* ---- where one is ---------------------------------------------------------------------------- */

/* The step, its section and its minutes, which a step of another path does not have. */
static void print_step(const char *label, const Step *s)
{
    if (s->minutes)
        wrapped_say(label, 8, "%s, of \"%s\" (%d min)", s->key, s->section, s->minutes);
    else
        wrapped_say(label, 8, "%s", s->key);
}

/* The first step that is not done, when `done` is, too; without memory the one after that. NULL:
 * all are done. */
static const Step *next_step(const Path *p, const Record *r, const char *done)
{
    const Step *next = NULL;
    for (int i = p->count - 1; i >= 0; i--) {
        bool now = strcmp(p->steps[i].key, done) == 0;
        if (now && !*r->file)
            return next;
        if (!now && !record_has(r, &p->steps[i]))
            next = &p->steps[i];
    }
    return next;
}

/* What is next, when `done` is, too. */
static void print_next(const Path *p, const Record *r, const char *done)
{
    const Step *s = next_step(p, r, done);
    if (!s)
        wrapped_say("next", 8, "all steps are done");
    else
        print_step("next", s);
    if (s && *r->file)
        wrapped_say("type", 8, "./gradus steps next");
    else if (s)
        wrapped_say("type", 8, "./gradus steps %s --course %s", s->key, p->name);
}

static void print_memory(const Record *r)
{
    wrapped_say("record", 8,
                *r->file ? "%s" : "none, since %s: steps are checked, and nothing is noted",
                *r->file ? r->file : r->reason);
}

static int show(const Path *p, const Record *r)
{
    int done = 0, minutes = 0;
    for (int i = 0; i < p->count; i++) {
        bool has = record_has(r, &p->steps[i]);
        done += has;
        minutes += has ? 0 : p->steps[i].minutes;
    }
    wrapped_say("course", 8, "%s: %s", p->name, p->title);
    wrapped_say("done", 8, "%d of %d steps; about %d h %d min left", done, p->count, minutes / 60,
                minutes % 60);
    print_memory(r);
    print_next(p, r, "");
    wrapped_say("other", 8,
                "./gradus steps --course V (or B, H, Z, J, gradus); --weeks 12: a plan");
    return 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* The step that the words name, as the path has it; NULL: next, and all are done. */
static const Step *chosen_step(const Settings *set, const Path *p, const Record *r)
{
    static Step s;
    char why[STEP_PATH];
    if (!set->what)
        return next_step(p, r, "");
    if (!step_named(&s, set->kind, set->what, why))
        options_refuse("%s", why);
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->steps[i].key, s.key) == 0)
            return &p->steps[i];
    return &s;
}

static int run_step(const Settings *set, const Path *p, Record *r, const char *folder)
{
    const Step *s = chosen_step(set, p, r);
    Checking c = {r, folder, set->seed ? (uint64_t)set->seed : (uint64_t)system_clock()};
    if (!s) {
        print_next(p, r, "");
        return 0;
    }
    print_step("step", s);
    putchar('\n');
    bool done = s->kind->check(s, &c);
    options_program("./gradus steps");
    if (!done) {
        wrapped_say("not yet", 8, "./gradus steps %s begins this step again", s->key);
        return 1;
    }
    bool noted = record_note(r, "done", s->key);
    wrapped_say("done", 8, "%s", s->key);
    if (!noted)
        print_memory(r);
    print_next(p, r, s->key);
    return 0;
}

/* ---- a plan ---------------------------------------------------------------------------------- */

/* Prints it without line breaks of its own, so that commands can be copied; or writes a page. */
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
    FILE *file = set->html ? text_open(&text) : stdout;
    if (file) {
        fprintf(file, "# %s\n\n", p->title);
        path_plan(file, p, set->weeks);
    }
    if (!set->html)
        return 0;
    char *markdown = file ? text_close(&text, NULL) : NULL;
    snprintf(path, sizeof path, "out/steps/plan-%.*s.html", (int)strcspn(name, "."), name);
    bool ok = markdown && markdown_page(path, p->title, markdown);
    free(markdown);
    fprintf(ok ? stdout : stderr, "%s\n", ok ? path : tensor_error());
    return !ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void read_settings(int argc, char **argv, Settings *set)
{
    set->kind = take_word(&argc, argv);
    set->what = take_word(&argc, argv);
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
    if (set->kind && (strcmp(set->kind, "next") == 0) == (set->what != NULL))
        options_refuse("found '%s%s%s'; expected next, or a kind of step and what it is about, as "
                       "in: steps predict 21",
                       set->kind, set->what ? " " : "", set->what ? set->what : "");
    if (set->html && !set->weeks)
        options_refuse("--html: expected --weeks as well");
    if (set->weeks && set->kind)
        options_refuse("--weeks: found '%s', too; expected one of them", set->kind);
}

/* Copies what an option gives, or what the record says of it: was something new given? A path
 * becomes absolute, so that it is found from everywhere. */
static bool choose(const Record *r, const char *word, const char *given, bool path,
                   char chosen[STEP_PATH])
{
    char before[STEP_PATH];
    record_last(r, word, before);
    snprintf(chosen, STEP_PATH, "%s", given ? given : before);
    if (given && path && !system_full_path(given, chosen, STEP_PATH))
        options_refuse("--%s: found '%s'; expected a path that exists", word, given);
    return strcmp(chosen, before) != 0;
}

int lectures_steps(int argc, char **argv)
{
    static Path p;
    static Record r; /* for as long as the program runs */
    Settings set = {0};
    char course[STEP_PATH], folder[STEP_PATH];
    read_settings(argc, argv, &set);
    record_open(&r);
    bool other =
        choose(&r, "course", set.course, set.course && strpbrk(set.course, "/\\."), course);
    path_read(&p, *course ? course : "gradus");
    if (set.weeks)
        return plan(&p, &set);
    if (other)
        record_note(&r, "course", course);
    if (choose(&r, "folder", set.folder, true, folder))
        record_note(&r, "folder", folder);
    return set.kind ? run_step(&set, &p, &r, folder) : show(&p, &r);
}
