/* steps.h: a path through a course: an ordered list of steps, each checked by a program, and the
 * record of those that are done.
 *
 *   path.c        reads a path, a text file of paths/
 *   record.c      which steps are done: a text file under XDG_STATE_HOME
 *   kinds.c       the kinds of steps: what each is about, says and runs
 *   made.c        questions that are made from the ledger, READING.md and the guides
 *   milestones.c  programs in which homeworks run
 *   plan.c        a path as weeks
 *   steps.c       the command
 *
 * A step is its kind and what it is about: "predict 21". A row that two courses have is one step in
 * both, and the record says once that it is done. */
#ifndef LECTURES_STEPS_H
#define LECTURES_STEPS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/slides.h"

#include "tensor/system/system.h"

enum { STEP_WHAT = 64, STEP_KEY = 80, STEP_PATH = 1024, STEP_TITLE = 128 };
enum { PATH_STEPS = 512, PATH_SECTIONS = 128 };

typedef struct {
    const struct Kind *kind;
    char what[STEP_WHAT], key[STEP_KEY]; /* "21", "predict 21"                                    */
    int row;                             /* of read, predict, measure, break and change; else 0   */
    int minutes;                         /* an estimate                                           */
    int section;                         /* of the path                                           */
} Step;

typedef struct {
    char name[STEP_PATH]; /* "V", or the file */
    char title[STEP_TITLE], sections[PATH_SECTIONS][STEP_TITLE];
    int section_count, count;
    Step steps[PATH_STEPS];
} Path;

/* Reads lectures/steps/paths/NAME.txt, or the file of this name. Ends the program where there is
 * none, or at a line that is no step, with the line's number. */
void path_read(Path *p, const char *name);

/* ---- record.c -------------------------------------------------------------------------------- */

typedef struct {
    char file[STEP_PATH];   /* "": there is no memory     */
    char reason[STEP_PATH]; /* why not                    */
    char course[STEP_PATH]; /* "": none was chosen        */
    char folder[STEP_PATH]; /* of homeworks; "": none yet */
    char *lines;            /* of steps that are done, each after a newline and before one */
    bool open_line;         /* the file ends within a line */
} Record;

/* Reads $XDG_STATE_HOME/gradus/steps.txt, or that of ~/.local/state. A damaged one is renamed,
 * which is said; what can be read of it is kept. */
void record_open(Record *r);

bool record_has(const Record *r, const Step *s);

/* Notes "done" and a step's key, "course" and a path, or "folder" and one. False where that cannot
 * be written: r->reason says why. */
bool record_note(Record *r, const char *word, const char *text);

/* ---- kinds.c --------------------------------------------------------------------------------- */

/* What a check needs to know. */
typedef struct {
    Record *record;
    const char *launcher; /* the path of ./gradus       */
    uint64_t seed;        /* of choices and their order */
} Checking;

typedef struct Kind {
    const char *name, *expected;
    bool (*there)(const Step *s);
    bool (*check)(const Step *s, Checking *c); /* says what is asked for; true if it is done */
    const char *column;                        /* of a plan; NULL: it is not listed there    */
} Kind;

/* Fills *s from words such as "predict" and "21"; false, with the reason in `why`, where there is
 * no such step. */
bool step_named(Step *s, const char *kind, const char *what, char why[STEP_PATH]);

/* ---- milestones.c ---------------------------------------------------------------------------- */

enum { COMMAND_WORDS = 48 };
typedef struct {
    char text[1 << 14], *word[COMMAND_WORDS + 1]; /* closed by NULL */
    size_t used;
    int count;
} CommandLine;
void command_add(CommandLine *w, const char *format, ...) GRADUS_PRINTF(2, 3);

/* Prints the command line and runs it with the streams of this program: its status, or -1. */
int command_run(CommandLine *w, const char *launcher);

/* The parts of the program, from milestones/milestones.txt; false where there is none. */
bool milestone_parts(const char *name, CommandLine *parts);

/* Compiles the program with the homeworks in the record's folder, and runs it. */
bool check_milestone(const Step *s, Checking *c);

/* ---- made.c ---------------------------------------------------------------------------------- */

/* The first of the row's claims, which follow one another, and how many there are. */
const Claim *const *claims_of_row(int row, int *count);

/* Each makes a question about its matter and asks it; the choices and their order depend on the
 * seed. True if the answer is right. */
bool ask_of_row(int row, uint64_t seed, bool planted); /* which change makes a claim false? planted:
                                                        * it is shown without and with one */
bool ask_of_stop(int stop, uint64_t seed);             /* a stop of READING.md: which answer? */
bool ask_of_guide(const char *path, uint64_t seed);    /* what does gdb answer?               */
bool is_stop(int stop);

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* The path as so many weeks of about the same number of hours, in Markdown that is read as it
 * stands, too. */
void plan_print(FILE *out, const Path *p, int weeks);

#endif
