/* steps.c: the command `./gradus steps`: where one is, one step, or a plan. See README.md. Status
 * of a step: 0 if it is done, 1 if not yet; 2: the command line cannot be read. */
#include "lectures/steps/steps.h"

#include "lectures/runner/commands.h"
#include "lectures/runner/slides.h"
#include "lectures/runner/text_stream.h"
#include "lectures/runner/wrapped.h"

#include "examples/common/options.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is noted --------------------------------------------------------------------------- */

/* A text file: README.md says which lines it has. Their order is free, but for the last course, so
 * that two files are merged by writing one after the other, and a new line is added to what another
 * program may have noted since. It is in XDG_STATE_HOME, in the home folder, or else in the current
 * one. The specification of XDG ignores a folder that is not absolute. */
static void find_record(char file[STEP_PATH])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    home = home ? home : getenv("USERPROFILE"); /* of Windows */
    if (state && system_is_absolute(state))
        snprintf(file, STEP_PATH, "%.500s/gradus/steps.txt", state);
    else
        snprintf(file, STEP_PATH, "%.500s/.local/state/gradus/steps.txt",
                 home && system_is_absolute(home) ? home : ".");
}

/* Adds a line. Another program may have changed the file, and may have left it within one. */
static void note(const char *record, const char *word, const char *text)
{
    char folder[STEP_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(record, '/') - record), record);
    tensor_on_error(NULL, NULL); /* a check may have left one that ends the program */
    FILE *file = tensor_make_directory(folder) ? fopen(record, "a+b") : NULL;
    bool within = file && fseek(file, -1, SEEK_END) == 0 && fgetc(file) != '\n';
    bool ok = file && fseek(file, 0, SEEK_END) == 0 &&
              fprintf(file, "%s%s%s\n", within ? "\n" : "", word, text) > 0;
    if (!file || fclose(file) != 0 || !ok)
        wrapped_say("record", 8, "%s cannot be written: nothing is noted", record);
}

/* The last course of the record, if it has one; with a path, marks its steps that are done. */
static void read_record(const char *record, Path *p, char course[STEP_PATH])
{
    char *text = text_read(record, NULL);
    for (char *line = text, *next; line; line = next) {
        next = text_cut(line);
        Step *s = p && strncmp(line, "done ", 5) == 0 ? path_step(p, line + 5) : NULL;
        if (s)
            s->done = true;
        if (!p && strncmp(line, "course ", 7) == 0)
            snprintf(course, STEP_PATH, "%s", line + 7);
    }
    free(text);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The first step that is not done; NULL: all are. */
static Step *next_step(Path *p)
{
    for (int i = 0; i < p->count; i++)
        if (!p->steps[i].done)
            return &p->steps[i];
    return NULL;
}

static void print_step(const char *label, const Step *s)
{
    wrapped_say(label, 8, "%s (%d min)%s%s", s->key, s->minutes, s->row ? ": " : "",
                s->row ? row_with(s->row)->what : "");
}

/* A session is the steps of about this many minutes, one step at least. */
enum { SESSION = 25 };

/* The steps from the next one on that fit into a session, by name and with their minutes. */
static void print_session(const Path *p, const Step *next)
{
    char text[1024] = "";
    int minutes = 0;
    for (const Step *s = next; s < p->steps + p->count && minutes < SESSION; s++) {
        if (s->done)
            continue;
        if (minutes && minutes + s->minutes > SESSION + 10)
            break;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", minutes ? ", " : "",
                 s->key);
        minutes += s->minutes;
    }
    wrapped_say("today", 8, "%d minutes: %s", minutes, text);
}

/* What is next, and where that is in the course. */
static int show(Path *p, const char *record)
{
    const Step *next = next_step(p);
    int count = 0;
    for (int i = 0; i < p->count; i++)
        count += p->steps[i].done;
    if (!count && strcmp(p->name, "gradus") == 0)
        wrapped_say("first", 8,
                    "run and read lectures/00-backprop/gpt.c, a GPT in 200 lines; see "
                    "./gradus example three-tokens");
    if (next) {
        print_session(p, next);
        print_step("next", next);
        wrapped_say("type", 8, "./gradus steps next");
    } else {
        wrapped_say("next", 8, "all steps are done");
    }
    wrapped_say("course", 8, "%s: %s (another: --course V, B, H, Z, J or gradus)", p->name,
                p->title);
    wrapped_say("done", 8, "%d of %d steps", count, p->count);
    wrapped_say("record", 8, "%s", record);
    return 0;
}

static int run_step(Step *s, Path *p, const char *record, int seed)
{
    print_step("step", s);
    putchar('\n');
    s->done = step_check(s, seed ? (uint64_t)seed : (uint64_t)system_clock());
    options_program("./gradus steps");
    if (!s->done) {
        wrapped_say("not yet", 8, "./gradus steps %s begins this step again", s->key);
        return 1;
    }
    note(record, "done ", s->key);
    wrapped_say("done", 8, "%s", s->key);
    return show(p, record);
}

int lectures_steps(int argc, char **argv)
{
    static Path p;
    const char *kind = take_word(&argc, argv), *what = take_word(&argc, argv), *asked = NULL;
    int weeks = 0, seed = 0;
    char course[STEP_PATH] = "gradus", record[STEP_PATH];
    const Option table[] = {
        {"course", OPTION_TEXT, &asked, "NAME",
         "V, B, H, Z, J, gradus, or the file of a path; noted for the next time", 0, 0},
        {"weeks", OPTION_INT, &weeks, "N", "print the path as a plan of so many weeks, in Markdown",
         1, 52},
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
    if (weeks && kind)
        options_refuse("found --weeks and '%s'; expected one of both", kind);
    find_record(record);
    read_record(record, NULL, course);
    const bool other = asked && strcmp(asked, course) != 0;
    if (other && !(strpbrk(asked, "/\\.") ? system_full_path(asked, course, STEP_PATH)
                                          : snprintf(course, STEP_PATH, "%s", asked) > 0))
        options_refuse("--course: found '%s'; expected a path that exists", asked);
    path_read(&p, course);
    if (weeks) {
        path_plan(&p, weeks);
        return 0;
    }
    if (other)
        note(record, "course ", course);
    read_record(record, &p, NULL);
    Step *s = kind && !what ? next_step(&p) : NULL;
    if (what) {
        snprintf(course, sizeof course, "%s %s", kind, what);
        if (!(s = path_step(&p, course)))
            options_refuse("course %s has no step '%s'; expected one of its path, or --course",
                           p.name, course);
    }
    return s ? run_step(s, &p, record, seed) : show(&p, record);
}
