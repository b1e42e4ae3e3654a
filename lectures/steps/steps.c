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
#include "lectures/runner/values.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 2, TEXT = 2 * STEP_PATH, SECTIONS = 6 };

typedef struct {
    char *words[WORDS]; /* "next", or a step such as "predict" "21"; NULL: none */
    const char *course, *folder, *out;
    int weeks, seed;
    bool html;
} Settings;

/* ---- where one is ---------------------------------------------------------------------------- */

/* The first step that is not done; NULL: all are. */
static const Step *next_step(const Path *p, const Record *r)
{
    for (int i = 0; i < p->count; i++)
        if (!record_has(r, &p->steps[i]))
            return &p->steps[i];
    return NULL;
}

static void print_text(const char *label, const char *text)
{
    printf("%-8s", label);
    wrapped_print(text, 8);
}

static void print_step(const char *label, const Step *s, const Record *r)
{
    char text[TEXT], title[STEP_PATH];
    snprintf(text, sizeof text, "%s, %s (%d min)", step_kinds[s->kind],
             step_title(s, title, sizeof title), s->minutes);
    print_text(label, text);
    print_text("", step_commands(s, r->folder, text, sizeof text));
}

/* The section of the next step, and those that follow it. */
static void print_sections(const Path *p, const Record *r, const Step *next)
{
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
        print_text(label, p->sections[k]);
    }
    snprintf(label, sizeof label, "and %d more sections", p->section_count - end);
    if (end < p->section_count)
        print_text("", label);
}

static void print_memory(const Record *r)
{
    char text[TEXT];
    if (*r->file)
        snprintf(text, sizeof text, "%s", r->file);
    else
        snprintf(text, sizeof text, "none, since %s: steps are checked, and nothing is noted",
                 r->reason);
    print_text("record", text);
}

static void show(const Path *p, const Record *r)
{
    int done = 0, minutes = 0, milestones = 0, passed = 0;
    char text[TEXT];
    const Step *next = next_step(p, r);
    for (int i = 0; i < p->count; i++) {
        bool has = record_has(r, &p->steps[i]);
        bool milestone = p->steps[i].kind == STEP_MILESTONE;
        done += has;
        milestones += milestone;
        passed += milestone && has;
        minutes += has ? 0 : p->steps[i].minutes;
    }
    snprintf(text, sizeof text, "%s: %s", p->name, p->title);
    print_text("course", text);
    snprintf(text, sizeof text, "%d of %d steps, %d of %d milestones; about %d h %d min left", done,
             p->count, passed, milestones, minutes / 60, minutes % 60);
    print_text("done", text);
    print_memory(r);
    putchar('\n');
    print_sections(p, r, next);
    putchar('\n');
    if (next) {
        print_step("next", next, r);
        print_text("type", "./gradus steps next");
    } else {
        print_text("next", "all steps are done");
    }
    print_text("other", "./gradus steps --course V (or B, H, Z, J, gradus); --weeks 12: a plan");
}

/* ---- one step -------------------------------------------------------------------------------- */

static const char *launcher_path(void)
{
    const char *given = getenv("GRADUS_LAUNCHER");
    return given && *given ? given : LECTURES_FOLDER "/../gradus";
}

static void take_step(const Settings *set, const Path *p, const Record *r, Step *s)
{
    char why[STEP_WHY];
    const Step *next = next_step(p, r);
    if (!set->words[1] && !next) {
        print_text("next", "all steps are done");
        exit(0);
    }
    if (set->words[1] && !step_named(s, set->words[0], set->words[1], why))
        options_refuse("%s", why);
    if (!set->words[1])
        *s = *next;
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].kind == s->kind && strcmp(p->steps[i].what, s->what) == 0)
            s->minutes = p->steps[i].minutes;
}

static int run_step(const Settings *set, const Path *p, Record *r)
{
    Step s;
    char text[TEXT], title[STEP_PATH];
    take_step(set, p, r, &s);
    snprintf(text, sizeof text, "%s, %s", step_kinds[s.kind], step_title(&s, title, sizeof title));
    print_text("step", text);
    if (s.minutes) {
        snprintf(text, sizeof text, "about %d minutes", s.minutes);
        print_text("time", text);
    }
    putchar('\n');
    Checking c = {r, launcher_path(), set->seed ? (uint64_t)set->seed : (uint64_t)system_clock()};
    bool done = step_check(&s, &c);
    options_program("./gradus steps");
    if (!done) {
        snprintf(text, sizeof text, "./gradus steps %s begins this step again",
                 step_key(&s, title));
        print_text("not yet", text);
        return 1;
    }
    bool noted = record_add(r, &s);
    print_text("done", step_key(&s, text));
    if (!noted)
        print_memory(r);
    const Step *next = next_step(p, r);
    if (next)
        print_step("next", next, r);
    return 0;
}

/* ---- a plan ---------------------------------------------------------------------------------- */

static bool write_page(const Path *p, const Settings *set)
{
    TextStream plan;
    char path[STEP_PATH];
    const char *slash = system_last_slash(p->name), *name = slash ? slash + 1 : p->name;
    FILE *file = text_open(&plan);
    if (file)
        plan_print(file, p, set->weeks, true);
    char *markdown = file ? text_close(&plan, NULL) : NULL;
    snprintf(path, sizeof path, "%s/plan-%.*s.html", set->out, (int)strcspn(name, "."), name);
    bool ok = markdown && markdown_page(path, p->title, markdown);
    free(markdown);
    if (ok)
        printf("%s\n", path);
    return ok;
}

static int plan(const Path *p, const Settings *set)
{
    if (set->weeks > p->count)
        options_refuse("--weeks: found %d; expected at most the path's %d steps", set->weeks,
                       p->count);
    if (!set->html) {
        plan_print(stdout, p, set->weeks, false);
        return 0;
    }
    options_need_folder("out", set->out);
    if (write_page(p, set))
        return 0;
    fprintf(stderr, "%s\n", tensor_error());
    return 1;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Takes up to two words before the options out of the command line. */
static void take_words(int *argc, char **argv, Settings *set)
{
    int n = 0;
    while (n < WORDS && n + 1 < *argc && argv[n + 1][0] != '-') {
        set->words[n] = argv[n + 1];
        n++;
    }
    memmove(argv + 1, argv + 1 + n, sizeof *argv * (size_t)(*argc - n));
    *argc -= n;
    if (set->words[0] && !set->words[1] && strcmp(set->words[0], "next") != 0)
        options_refuse("found '%s'; expected next, or a kind of step and what it is about, as in: "
                       "steps predict 21",
                       set->words[0]);
    if (set->words[1] && strcmp(set->words[0], "next") == 0)
        options_refuse("found 'next %s'; expected next alone", set->words[1]);
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
        {"html", OPTION_FLAG, &set->html, NULL, "with --weeks: write the plan as a page", 0, 0},
        {"out", OPTION_TEXT, &set->out, "DIR", "the folder of --html", 0, 0},
        {"seed", OPTION_INT, &set->seed, "N",
         "of the choices in made questions; 0: other ones each time", 0, 1e9},
        {0},
    };
    options_parse(argc, argv, "Leads through a course, step by step: next starts the next step.",
                  table);
    if (set->html && !set->weeks)
        options_refuse("--html: expected --weeks as well");
    if (options_given("out") && !set->html)
        options_refuse("--out: expected --html as well");
    if (set->weeks && set->words[0])
        options_refuse("--weeks: found '%s', too; expected one of them", set->words[0]);
}

/* A text that is a path becomes absolute, so that it is found from everywhere. */
static void take_path(const char *option, const char *given, char kept[STEP_PATH])
{
    bool file = strpbrk(given, "/\\.") || strcmp(option, "folder") == 0;
    if (!file)
        snprintf(kept, STEP_PATH, "%s", given);
    else if (!system_full_path(given, kept, STEP_PATH))
        options_refuse("--%s: found '%s'; expected a path that exists", option, given);
}

int lectures_steps(int argc, char **argv)
{
    Settings set = {.out = "out/steps"};
    Record r;
    Path p;
    char aside[STEP_PATH];
    read_settings(argc, argv, &set);
    record_open(&r, aside);
    if (*aside)
        fprintf(stderr,
                "./gradus steps: the record was damaged; it is kept as %s, and what could be "
                "read of it goes on\n",
                aside);
    if (set.course)
        take_path("course", set.course, r.course);
    if (set.folder)
        take_path("folder", set.folder, r.folder);
    path_read(&p, *r.course ? r.course : "gradus");
    if (!set.weeks && (set.course || set.folder))
        record_save(&r);
    int status = 0;
    if (set.weeks)
        status = plan(&p, &set);
    else if (set.words[0])
        status = run_step(&set, &p, &r);
    else
        show(&p, &r);
    path_free(&p);
    record_close(&r);
    return status;
}
