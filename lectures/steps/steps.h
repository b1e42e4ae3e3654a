/* steps.h: a path through a course: an ordered list of steps, each checked by a program, and the
 * record of those that are done.
 *
 *   path.c       reads a path, a text file of paths/
 *   record.c     which steps are done: a text file under XDG_STATE_HOME
 *   material.c   what a step is about: stops of READING.md, guides, homeworks
 *   checks.c     runs a step's check
 *   made.c       questions that are made from the ledger, READING.md and the guides
 *   milestones.h programs in which homeworks run
 *   plan.c       a path as weeks
 *   steps.c      the command
 *
 * A step is its kind and what it is about: "predict 21". A row that two courses have is one step in
 * both, and the record says once that it is done. */
#ifndef LECTURES_STEPS_H
#define LECTURES_STEPS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/slides.h"

typedef enum {
    STEP_READ,      /* a section of the notes (21), or a stop of READING.md (READING:3) */
    STEP_PREDICT,   /* the questions of a row                                           */
    STEP_MEASURE,   /* a row's claims in words                                          */
    STEP_BREAK,     /* name the fault that was planted in a claim of a row              */
    STEP_CHANGE,    /* the exercises of a row                                           */
    STEP_WALK,      /* a guide for gdb (stepping)                                       */
    STEP_WRITE,     /* a function of a homework (hw1:softmax)                           */
    STEP_FIND,      /* the wrong line of a program (debug1), or a mystery (mystery4)    */
    STEP_MILESTONE, /* a program in which homeworks run (head)                          */
    STEP_KINDS
} StepKind;

enum { STEP_WHAT = 64, STEP_KEY = 80, STEP_PATH = 1024, STEP_TITLE = 128 };
enum { PATH_STEPS = 512, PATH_SECTIONS = 128 };

typedef struct {
    StepKind kind;
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

/* Fills *s from words such as "predict" and "21"; false, with the reason in `why`, where there is
 * no such step. */
bool step_named(Step *s, const char *kind, const char *what, char why[STEP_PATH]);

/* ---- material.c ------------------------------------------------------------------------------ */

/* What the step is about, in words, such as "row 21: why sqrt(d)". */
const char *step_title(const Step *s, char text[STEP_PATH]);

/* The n-th stop of READING.md: its title, its question and its answer. False where there is
 * none. */
enum { STOPS = 12, STOP_TEXT = 640 };
typedef struct {
    char title[STOP_TEXT], question[STOP_TEXT], answer[STOP_TEXT];
} Stop;
bool reading_stop(Stop *s, int number);

/* "04-attention/stepping.md", the guide of `./gradus gdb stepping`, in lectures/; false where there
 * is none. */
bool guide_of(const char *name, char path[STEP_PATH]);

/* "hw1" or "hw1:softmax"; false where there is no such homework, or function of it. */
typedef struct {
    char name[STEP_WHAT];   /* "hw1"                                                  */
    char title[STEP_TITLE]; /* of its README.md                                       */
    char tests[STEP_PATH];  /* the names of the function's tests, "a b c", or of all  */
    const char *function;   /* "softmax", within what was asked for; NULL: all of them */
} Homework;
bool homework_named(Homework *h, const char *what);

/* ---- record.c -------------------------------------------------------------------------------- */

typedef struct {
    char file[STEP_PATH];   /* "": there is no memory     */
    char reason[STEP_PATH]; /* why not                    */
    char course[STEP_PATH]; /* "": none was chosen        */
    char folder[STEP_PATH]; /* of homeworks; "": none yet */
    char *lines;            /* of steps that are done, each after a newline and before one */
    bool open_line;         /* the file ends within a line */
} Record;

/* Reads $XDG_STATE_HOME/gradus/steps.txt, or that of ~/.local/state. A damaged one is renamed, and
 * *aside becomes its new name; what can be read of it is kept. aside is "" otherwise. */
void record_open(Record *r, char aside[STEP_PATH]);

bool record_has(const Record *r, const Step *s);

/* Notes "done" and a step's key, "course" and a path, or "folder" and one. False where that cannot
 * be written: r->reason says why. */
bool record_note(Record *r, const char *word, const char *text);

/* ---- checks.c -------------------------------------------------------------------------------- */

/* What a check needs to know. */
typedef struct {
    Record *record;
    const char *launcher; /* the path of ./gradus       */
    uint64_t seed;        /* of choices and their order */
} Checking;

/* Says what the step asks for and runs its check: true if it is done. */
bool step_check(const Step *s, Checking *c);

/* ---- milestones.c ---------------------------------------------------------------------------- */

/* Compiles the program with the homeworks in the record's folder, and runs it. */
bool check_milestone(const Step *s, Checking *c);

enum { COMMAND_WORDS = 40 };
typedef struct {
    char text[1 << 14], *word[COMMAND_WORDS + 1]; /* closed by NULL */
    size_t used;
    int count;
} CommandLine;
void command_add(CommandLine *w, const char *format, ...) GRADUS_PRINTF(2, 3);

/* Prints the command line and runs it with the streams of this program: its status, or -1. */
int command_run(CommandLine *w, const char *launcher);

/* ---- made.c ---------------------------------------------------------------------------------- */

/* Each makes a question about its matter and asks it; the choices and their order depend on the
 * seed. True if the answer is right. */
bool ask_of_row(int row, uint64_t seed);            /* what would make a claim false?           */
bool ask_of_stop(int stop, uint64_t seed);          /* which answer is right?                   */
bool ask_of_guide(const char *path, uint64_t seed); /* what does gdb answer?                    */
bool ask_of_fault(int row, uint64_t seed);          /* a claim without and with a fault: which? */

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* The path as so many weeks of about the same number of hours, as text, or with `markdown` as a
 * table. */
void plan_print(FILE *out, const Path *p, int weeks, bool markdown);

#endif
