/* steps.c: the command `./gradus steps`: where one is, one step, or a plan. See README.md. Status
 * of a step: 0 if it is done, 1 if not yet; 2: the command line cannot be read. */
#include "lectures/steps/steps.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/pages.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is noted --------------------------------------------------------------------------- */

/* A text file: README.md says which lines it has. Their order is free, but for the last course, so
 * that two files are merged by writing one after the other, and a new line is added to what another
 * program may have noted since. */
typedef struct {
    char file[STEP_PATH], reason[STEP_PATH]; /* file "": there is no memory; why not   */
    char *lines;                             /* of the file, each between two newlines */
} Record;

static void forget(Record *r, const char *reason)
{
    snprintf(r->reason, sizeof r->reason,
             "none, since %.500s%s%s: steps are checked, and nothing is noted", r->file,
             *r->file ? ": " : "", reason);
    r->file[0] = 0;
}

/* The specification of XDG ignores a folder that is not absolute. */
static void find_file(Record *r)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    home = home ? home : getenv("USERPROFILE"); /* of Windows */
    const bool given = state && system_is_absolute(state);
    if (given || (home && system_is_absolute(home)))
        snprintf(r->file, sizeof r->file, "%.500s%s/gradus/steps.txt", given ? state : home,
                 given ? "" : "/.local/state");
    else
        forget(r, "there is no home folder (neither HOME nor XDG_STATE_HOME)");
}

/* Adds a line. Another program may have changed the file, and may have left it within one. */
static void record_note(Record *r, const char *word, const char *text)
{
    char folder[STEP_PATH];
    if (!*r->file)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(r->file, '/') - r->file), r->file);
    tensor_on_error(NULL, NULL); /* a check may have left one that ends the program */
    FILE *file = tensor_make_directory(folder) ? fopen(r->file, "a+b") : NULL;
    bool within = file && fseek(file, -1, SEEK_END) == 0 && fgetc(file) != '\n';
    bool ok = file && fseek(file, 0, SEEK_END) == 0 &&
              fprintf(file, "%s%s%s\n", within ? "\n" : "", word, text) > 0;
    if (!file || fclose(file) != 0 || !ok)
        forget(r, strerror(errno));
}

/* A byte that no text has is passed over. */
static void record_open(Record *r)
{
    size_t bytes = 0, n = 1;
    find_file(r);
    char *text = *r->file ? text_read(r->file, &bytes) : NULL;
    r->lines = malloc(bytes + 3);
    if (!r->lines)
        options_refuse("no memory");
    r->lines[0] = '\n';
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)text[i] >= ' ' || text[i] == '\n')
            r->lines[n++] = text[i];
    strcpy(r->lines + n, "\n");
    free(text);
}

static bool record_has(const Record *r, const Step *s)
{
    char line[STEP_KEY + 16];
    snprintf(line, sizeof line, "\ndone %s\n", s->key);
    return strstr(r->lines, line) != NULL;
}

static void record_course(const Record *r, char path[STEP_PATH])
{
    strcpy(path, "gradus");
    for (const char *at = r->lines; (at = strstr(at, "\ncourse ")) != NULL; at += 8)
        snprintf(path, STEP_PATH, "%.*s", (int)strcspn(at + 8, "\n"), at + 8);
}

/* ---- steps ----------------------------------------------------------------------------------- */

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

static void print_step(const char *label, const Step *s)
{
    wrapped_say(label, 8, "%s (%d min)%s%s", s->key, s->minutes, s->row ? ": " : "",
                s->row ? row_with(s->row)->what : "");
}

/* A session is the steps of about this many minutes, one step at least. */
enum { SESSION = 25 };

/* The steps from the next one on that fit into a session, by name and with their minutes. */
static void print_session(const Path *p, const Record *r, const Step *next, const char *done)
{
    char text[1024] = "";
    int minutes = 0;
    for (const Step *s = next; s < p->steps + p->count && minutes < SESSION; s++) {
        if (s != next && (record_has(r, s) || strcmp(s->key, done) == 0))
            continue;
        if (minutes && minutes + s->minutes > SESSION + 10)
            break;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", minutes ? ", " : "",
                 s->key);
        minutes += s->minutes;
    }
    wrapped_say("today", 8, "%d minutes: %s", minutes, text);
}

/* What is next, when `done` is done, too, and where that is in the course. */
static int show(const Path *p, const Record *r, const char *done)
{
    const Step *next = next_step(p, r, done);
    int count = 0;
    for (int i = 0; i < p->count; i++)
        count += record_has(r, &p->steps[i]) || strcmp(p->steps[i].key, done) == 0;
    if (!count && strcmp(p->name, "gradus") == 0)
        wrapped_say("first", 8,
                    "run and read lectures/00-backprop/gpt.c, a GPT in 200 lines; see "
                    "./gradus example three-tokens");
    if (next) {
        print_session(p, r, next, done);
        print_step("next", next);
    } else {
        wrapped_say("next", 8, "all steps are done");
    }
    if (next && *r->file)
        wrapped_say("type", 8, "./gradus steps next");
    else if (next)
        wrapped_say("type", 8, "./gradus steps %s --course %s", next->key, p->name);
    wrapped_say("course", 8, "%s: %s%s", p->name, p->title,
                *done ? "" : " (another: --course V, B, H, Z, J or gradus)");
    wrapped_say("done", 8, "%d of %d steps", count, p->count);
    wrapped_say("record", 8, "%s", *r->file ? r->file : r->reason);
    return 0;
}

static int run_step(const Step *s, const Path *p, Record *r, int seed)
{
    print_step("step", s);
    putchar('\n');
    bool done = step_check(s, seed ? (uint64_t)seed : (uint64_t)system_clock());
    options_program("./gradus steps");
    if (!done) {
        wrapped_say("not yet", 8, "./gradus steps %s begins this step again", s->key);
        return 1;
    }
    record_note(r, "done ", s->key);
    wrapped_say("done", 8, "%s", s->key);
    return show(p, r, s->key);
}

/* Prints a plan, without line breaks of its own, so that commands can be copied; or writes a page,
 * beside its Markdown. */
static int plan(const Path *p, int weeks, bool page)
{
    const char *file = "out/steps/plan.md";
    if (page)
        options_need_file("html", file);
    FILE *out = page ? fopen(file, "w") : stdout;
    if (!out)
        options_refuse("--html: %s cannot be written", file);
    fprintf(out, "# %s\n\n", p->title);
    path_plan(out, p, weeks);
    if (!page)
        return 0;
    example_exit_on_error();
    fclose(out);
    const int status = text_pages(file);
    if (status == 0)
        printf("out/steps/plan.html\n");
    return status;
}

int lectures_steps(int argc, char **argv)
{
    static Path p;
    static Record r; /* begins empty */
    const char *kind = take_word(&argc, argv), *what = take_word(&argc, argv), *asked = NULL;
    int weeks = 0, seed = 0;
    bool html = false;
    char course[STEP_PATH];
    const Option table[] = {
        {"course", OPTION_TEXT, &asked, "NAME",
         "V, B, H, Z, J, gradus, or the file of a path; noted for the next time", 0, 0},
        {"weeks", OPTION_INT, &weeks, "N", "print the path as a plan of so many weeks", 1, 52},
        {"html", OPTION_FLAG, &html, NULL,
         "with --weeks: write the plan as a page, out/steps/plan.html", 0, 0},
        {"seed", OPTION_INT, &seed, "N",
         "of the choices in made questions; 0: other ones each time", 0, 1e9},
        {0},
    };
    options_parse(argc, argv, "Leads through a course, step by step: next starts the next step.",
                  table);
    if (kind && (strcmp(kind, "next") == 0) == (what != NULL))
        options_refuse("found '%s%s%s'; expected next, or a kind of step and what it is about, as "
                       "in: steps predict 21",
                       kind, what ? " " : "", what ? what : "");
    if ((html && !weeks) || (weeks && kind))
        options_refuse("expected --weeks with --html, and without a step");
    record_open(&r);
    record_course(&r, course);
    const bool other = asked && strcmp(asked, course) != 0;
    if (other && !(strpbrk(asked, "/\\.") ? system_full_path(asked, course, STEP_PATH)
                                          : snprintf(course, STEP_PATH, "%s", asked) > 0))
        options_refuse("--course: found '%s'; expected a path that exists", asked);
    path_read(&p, course);
    if (weeks)
        return plan(&p, weeks, html);
    if (other)
        record_note(&r, "course ", course);
    const Step *s = kind && !what ? next_step(&p, &r, "") : NULL;
    if (what) {
        snprintf(course, sizeof course, "%s %s", kind, what);
        if (!(s = path_step(&p, course)))
            options_refuse("course %s has no step '%s'; expected one of its path, or --course",
                           p.name, course);
    }
    return s ? run_step(s, &p, &r, seed) : show(&p, &r, "");
}
