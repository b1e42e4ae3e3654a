/* steps.h: a path through a course: an ordered list of steps, each checked by a program, and the
 * record of those that are done.
 *
 *   path.c       reads a path, a text file of paths/
 *   record.c     which steps are done: a text file under XDG_STATE_HOME
 *   material.c   what a step is about: rows, stops of READING.md, guides, homeworks
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
    STEP_FIND,      /* the wrong line of a program (debug1)                             */
    STEP_MILESTONE, /* a program in which homeworks run (head) */
    STEP_KINDS
} StepKind;
extern const char *const step_kinds[STEP_KINDS + 1]; /* closed by NULL */

enum { STEP_WHAT = 64, STEP_KEY = 80, STEP_PATH = 1024 };

typedef struct {
    StepKind kind;
    char what[STEP_WHAT];
    int row;     /* of read, predict, measure, break and change; 0: none */
    int minutes; /* an estimate                                          */
    int section; /* of the path                                          */
} Step;

typedef struct {
    char name[STEP_PATH]; /* "V", or the file                 */
    char title[128];
    char **sections;
    int section_count;
    Step *steps;
    int count;
} Path;

/* Reads lectures/steps/paths/NAME.txt, or the file of this name. Ends the program where there is
 * none, or at a line that is no step, with the line's number. */
void path_read(Path *p, const char *name);
void path_free(Path *p);

/* Fills *s from words such as "predict" and "21"; false, with the reason in `why`, where there is
 * no such step. minutes: as given. */
enum { STEP_WHY = 256 };
bool step_named(Step *s, const char *kind, const char *what, char why[STEP_WHY]);

/* "predict 21": returns key. */
const char *step_key(const Step *s, char key[STEP_KEY]);

/* ---- material.c ------------------------------------------------------------------------------ */

const Row *row_with(int number);             /* NULL: there is none */
const Chapter *chapter_with_row(int number); /* NULL: there is none */

/* What the step is about, in words, such as "why sqrt(d)". */
const char *step_title(const Step *s, char *text, size_t size);

/* The n-th stop of READING.md: its title, its question and its answer, each a line, in
 * text[STOP_TITLE], ...; to be freed by free(*whole). False where there is none. */
typedef enum { STOP_TITLE, STOP_QUESTION, STOP_ANSWER, STOP_TEXTS } StopText;
bool reading_stop(int number, char *text[STOP_TEXTS], char **whole);

/* "04-attention/stepping.md", the guide of `./gradus gdb stepping`, in lectures/; false where there
 * is none. */
bool guide_of(const char *name, char *path, size_t size);

/* A homework of the guide's tables. */
typedef struct {
    char folder[STEP_WHAT]; /* "hw1-tensor-ops"                    */
    char what[128];         /* the table's second column           */
    char tests[1024];       /* those of one function, "a b c", or of all */
} Homework;

/* function: one of the homework's, or NULL for all. False where there is none of this name. */
bool homework_named(const char *name, const char *function, Homework *h);

/* "hw1:softmax" in its two parts; the second is "" where there is none. */
void split_task(const char *what, char homework[STEP_WHAT], char function[STEP_WHAT]);

/* ---- record.c -------------------------------------------------------------------------------- */

typedef struct {
    char file[STEP_PATH];   /* "": there is no memory     */
    char reason[STEP_PATH]; /* why not                    */
    char course[STEP_PATH]; /* "": none was chosen        */
    char folder[STEP_PATH]; /* of homeworks; "": none yet */
    char **done;
    int count;
} Record;

/* Reads $XDG_STATE_HOME/gradus/steps.txt, or that of ~/.local/state. A damaged one is renamed, and
 * *aside becomes its new name; what can be read of it is kept. aside is "" otherwise. */
void record_open(Record *r, char aside[STEP_PATH]);
void record_close(Record *r);

bool record_has(const Record *r, const Step *s);

/* Notes the step, with what other programs have noted since. False where that cannot be written:
 * r->reason says why. */
bool record_add(Record *r, const Step *s);

/* Writes course and folder as they are in r. */
bool record_save(Record *r);

/* ---- checks.c -------------------------------------------------------------------------------- */

/* What a check needs to know. */
typedef struct {
    Record *record;
    const char *launcher; /* the path of ./gradus     */
    uint64_t seed;        /* of choices and their order */
} Checking;

/* Says what the step asks for and runs its check: true if it is done. */
bool step_check(const Step *s, Checking *c);

/* milestones.c: compiles the program with the homeworks in the record's folder, and runs it. */
bool check_milestone(const Step *s, const Checking *c);

/* The commands that belong to the step, as they are typed, a line each; returns text. */
const char *step_commands(const Step *s, const char *folder, char *text, size_t size);

/* ---- made.c ---------------------------------------------------------------------------------- */

enum { MADE_TEXT = 640 };
typedef struct {
    Question question;
    char asked[MADE_TEXT], text[QUESTION_CHOICES][MADE_TEXT], reason[QUESTION_CHOICES][MADE_TEXT];
    char answer[MADE_TEXT];
} Made;

/* Each makes a question about its matter; the choices and their order depend on the seed. */
void made_of_row(Made *m, int row, uint64_t seed);            /* what would make a claim false? */
bool made_of_stop(Made *m, int stop, uint64_t seed);          /* which answer is right?         */
bool made_of_guide(Made *m, const char *path, uint64_t seed); /* what does gdb answer?          */
/* Plants a fault in a claim of the row, shows what the claim measures without and with it, and asks
 * which one it is. */
void made_of_fault(Made *m, int row, uint64_t seed);

/* ---- plan.c ---------------------------------------------------------------------------------- */

/* The path as so many weeks of about the same number of hours, as text, or with `markdown` as a
 * table. */
void plan_print(FILE *out, const Path *p, int weeks, bool markdown);

#endif
