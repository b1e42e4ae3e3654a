/* steps.h: a path through a course: an ordered list of steps, each checked by a program, and the
 * record of those that are done.
 *
 * A step is its kind and what it is about: "predict 21". A row that two courses have is one step in
 * both, and the record says once that it is done. */
#ifndef LECTURES_STEPS_H
#define LECTURES_STEPS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/slides.h"

#include "tensor/system/system.h"

enum { STEP_WHAT = 64, STEP_KEY = 80, STEP_PATH = 1024 };

typedef struct {
    const struct Kind *kind;
    char what[STEP_WHAT], key[STEP_KEY]; /* "21", "predict 21"                                    */
    int row;                             /* of read, predict, measure, break and change; else 0   */
    int minutes;                         /* an estimate                                           */
    const char *section;                 /* of the path                                           */
} Step;

/* ---- path.c: reads a path, a text file of paths/, and prints it as weeks --------------------- */

enum { PATH_STEPS = 512 };

typedef struct {
    char name[STEP_PATH]; /* "V", or the file */
    const char *title;
    int count;
    Step steps[PATH_STEPS];
} Path;

/* Reads lectures/steps/paths/NAME.txt, or the file of this name. Ends the program where there is
 * none, or at a line that is no step, with the line's number. */
void path_read(Path *p, const char *name);

/* The path as so many weeks of about the same number of hours, in Markdown that is read as it
 * stands, too. */
void path_plan(FILE *out, const Path *p, int weeks);

/* ---- record.c: what is noted, a text file under XDG_STATE_HOME ------------------------------- */

typedef struct {
    char file[STEP_PATH];   /* "": there is no memory                           */
    char reason[STEP_PATH]; /* why not                                          */
    const char *lines;      /* what could be read, each line between two newlines */
} Record;

/* Reads $XDG_STATE_HOME/gradus/steps.txt, or that of ~/.local/state. A damaged one is renamed,
 * which is said; what can be read of it is kept. */
void record_open(Record *r);

bool record_has(const Record *r, const Step *s);

/* What the last line with this word says, "course" or "folder"; "" where none does. */
void record_last(const Record *r, const char *word, char text[STEP_PATH]);

/* Adds a line to the file: "done" and a step's key, "course" and a path, or "folder" and one. False
 * where that cannot be written: r->reason says why. */
bool record_note(Record *r, const char *word, const char *text);

/* ---- kinds.c: the kinds of steps ------------------------------------------------------------- */

/* What a check needs to know. */
typedef struct {
    Record *record;
    const char *folder; /* of homeworks; "": none was chosen */
    uint64_t seed;      /* of choices and their order        */
} Checking;

typedef struct Kind {
    const char *name, *expected;
    /* c NULL: is there such a step? Else says what is asked for; true if it is done. */
    bool (*check)(const Step *s, Checking *c);
    const char *column; /* of a plan */
} Kind;

/* Fills *s from words such as "predict" and "21"; false, with the reason in `why`, where there is
 * no such step. */
bool step_named(Step *s, const char *kind, const char *what, char why[STEP_PATH]);

/* ---- made.c: questions that are made from the ledger, READING.md and the guides -------------- */

/* Each makes a question about its matter and asks it; the choices and their order depend on the
 * seed. True if the answer is right. */
bool ask_of_row(int row, uint64_t seed, bool planted); /* which change makes a claim false? planted:
                                                        * it is shown without and with one */
bool ask_of_stop(int stop, uint64_t seed);             /* a stop of READING.md: which answer? */
bool ask_of_guide(const char *path, uint64_t seed);    /* what does gdb answer?               */

enum { READING_STOPS = 12 };

#endif
