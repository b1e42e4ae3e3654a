/* all.h: what is kept of each submission of a class (all.c), and what is made of all of them. */
#ifndef GRADER_ALL_H
#define GRADER_ALL_H

#include "grader.h"

/* Where a submission came from, as far as its file's or folder's name tells. */
typedef enum { FROM_FOLDER, FROM_MOODLE, FROM_CANVAS, FROM_GRADESCOPE } Source_;

typedef struct {
    Source_ system;
    char student[160], id[64]; /* empty where the name has none                              */
    char email[96];            /* in Gradescope's metadata                                   */
    int attempt;               /* 1, 2, ... where the name or the system counts them, else 0 */
    int rank;                  /* of the file among a student's several, 0 first; or NO_C    */
    long time;                 /* of the submission, in seconds since 1970                   */
    bool marked_late;          /* by Canvas                                                  */
} Origin;

enum { NO_C = 3, NOTE_SIZE = 256, ZONE_SIZE = 48 };

/* One submission. Kept in a file of one line, so that an interrupted run can go on. */
typedef struct {
    char name[256];
    char key[HASH_BYTES];  /* of everything that was asked: text, homework, overlay, options */
    char text[HASH_BYTES]; /* of the submission's text alone                                 */
    bool there;
    Compiled compiled;
    double score, max_score, seconds;
    /* p, f, b or n for each test of the homework, l: passed with a leak, - if not asked for */
    char state[TESTS_MAX + 1];
    char mistakes[512]; /* ids with commas between, each once                             */
    int attempts;       /* different texts that were graded under this name               */
    Origin origin;
    char note[NOTE_SIZE]; /* which files were not graded */
    long due;             /* the student's own, by the roster; 0: that of all */
    int late_days;
    int from_solution;   /* percent of the text's passages that the solution has, too    */
    double points;       /* score, less what lateness costs                              */
    bool counts;         /* it is the student's last attempt                             */
    bool by_hand;        /* the points are an instructor's (by_hand.c)                   */
    const char *comment; /* an instructor's, or empty */
} Row;

typedef struct {
    char name[256], file[PATH_SIZE];
    Row row;
    const char *partners; /* where the metadata goes on with further submitters, or NULL */
    bool partner;         /* it repeats the submission of another one of a group         */
} Submission;

/* submissions.c: the submissions in a folder, as Moodle, Canvas, Gradescope or a person arranged
 * them. */
int submissions_list(const Assignment *a, const char *folder, Submission **all);

/* submissions.c: of a submission that is a folder, the file in it that is graded, its rank, and a
 * note of the others; where there is none, the folder stays, and source.c says so. */
int submission_file(char file[PATH_SIZE], char note[NOTE_SIZE], const Assignment *a);
void note_left_out(char note[NOTE_SIZE], const char *name);

/* submissions.c: the next of a group in Gradescope's metadata; NULL: there is none. */
const char *submitter_next(Origin *o, const char *from);

/* roster.c: a time such as 2026-11-20, which is its end, or 2026-11-20T23:59, with Z, +hh:mm or
 * -hh:mm after it, or in this machine's zone. `zone`: which it was. False: it is none. */
bool time_read(const char *text, long *at, char zone[ZONE_SIZE]);

/* by_hand.c: the next field of a CSV file; returns what follows it and its comma. `last`: it ends
 * its line. */
const char *csv_field(const char *p, Text *field, bool *last);

/* by_hand.c: what by_hand.csv in folder `out` says of these rows: points and comments. Writes an
 * empty one where there is none. */
void by_hand(Row *row, int count, const char *out);

/* summary.c: grades.csv and summary.txt in folder `out`; the summary on standard
 * output, too. */
typedef struct ClassOptions ClassOptions;
void write_summary(const Assignment *a, const Row *row, int count, const char *out,
                   const ClassOptions *class);
void put_field(Text *to, const char *words); /* a field of a CSV file (RFC 4180) */
/* The student, where that is known, and the submission. */
const char *shown_name(const Row *r, char name[512]);

/* class.c: what a class did, as charts: of the points, of the tests, of the mistakes. */
typedef struct {
    char label[64];
    int count, of; /* of: what the bar's whole length stands for */
    int place;     /* in the order in which the bars were made   */
} Bar;

typedef struct {
    char title[80];
    Bar *bar;
    int count;
} Chart;

enum { CHARTS = 3 };
void class_count(const Assignment *a, const Row *row, int count, Chart chart[CHARTS]);
void chart_words(const Chart *c, Text *to);

/* class_files.c: moodle.csv and canvas.csv where a submission came from there, and feedback.zip. */
void write_class_files(const Assignment *a, const Submission *all, int count, const char *out);

/* similar.c: similar.csv and similar.txt, the pairs of submissions with common passages; and which
 * share of each text is the published solution's. */
void write_similar(const Assignment *a, const Submission *all, Row *row, int count,
                   const char *out);

/* One machine's part of a class that several grade: every all-th submission, from the own-th on. */
typedef struct {
    int own, all;
} Shard;

struct ClassOptions {
    long due; /* seconds since 1970; 0: nothing is late         */
    char due_words[ZONE_SIZE + 80];
    const char *roster; /* the table of all students, or NULL */
    int free_days;      /* late days that cost nothing                    */
    int percent;        /* of the points, for each further late day begun */
    Shard shard;
    const char *merge; /* the folder in which shards have graded all: none is graded now */
};

/* roster.c: who is in the roster and handed in nothing becomes a row, who has an extension gets the
 * own due time, and a person's own arrangement gets names and ids. */
void roster_apply(const Assignment *a, Submission **all, int *count, const ClassOptions *class);

/* all.c: the seed of a class's hidden inputs, kept in the folder of results: the one there unless
 * another is `given`, which is not 0; a new one where there is none. */
uint64_t class_seed(const char *out, uint64_t given);

int grade_all(const Assignment *a, const char *folder, const char *out, const GradeOptions *o,
              const ClassOptions *class, int workers);

/* attempts.c: the late days of a row, and its points after them. */
void set_points(Row *r, const ClassOptions *o);
/* Of a student who handed in several files, the last attempt counts. */
void choose_attempts(Submission *all, int count);
/* Each student of a group gets a submission; they stand one after the other. Frees `all`. */
Submission *with_partners(Submission *all, int *count);

/* all.c: reads the results of s in a folder. False if it was not graded there, or not the same text
 * with the same question. */
bool row_read(Submission *s, const char *out);

/* NAME.kind in the folder of results. */
const char *result_path(char path[PATH_SIZE], const char *out, const char *name, const char *kind);

#endif
