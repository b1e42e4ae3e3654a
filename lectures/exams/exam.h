/* exam.h: paper exams: kinds of questions, whose numbers are drawn, worked out by hand and checked
 * by the library; sheets of them; and the grading of a class.
 *
 *   expressions.c   arithmetic on small matrices, as the files of questions/ write it
 *   library.c       the library's operations under the names that these files use
 *   counts.c        what the library's modules count: weights, products, sizes
 *   kinds.c         reads the files of questions/, draws the numbers of a question
 *   texts.c         its texts, in the symbols of a course
 *   sheet.c         chooses the questions of a sheet
 *   print.c         a sheet as Markdown, LaTeX, PDF and a page
 *   grade.c         points of a class from its answers
 *   exam.c          the command `./gradus exam` */
#ifndef LECTURES_EXAM_H
#define LECTURES_EXAM_H

#include "gradus.h"

#include <stdio.h>

/* ---- expressions.c --------------------------------------------------------------------------- */

enum { VALUE_MOST = 64, NAME_BYTES = 32, NAMES_MOST = 48 };

/* A matrix of rows and columns; a number is (1, 1). */
typedef struct {
    int rows, columns;
    double x[VALUE_MOST];
} Value;

typedef struct {
    char name[NAME_BYTES];
    Value value;
    bool
        tokens; /* its rows are tokens: where a course writes tokens as columns, it is transposed */
} Named;

typedef struct {
    Named list[NAMES_MOST];
    int count;
    Tape *tape; /* of the library's operations */
} Names;

const Named *names_find(const Names *names, const char *name, size_t bytes);

/* Computes an expression: + - * / ^ of each pair of elements, == != < <= (1 or 0), names, [a, b; c,
 * d], x[i], x[i, j] counted from 1, x' (transposed), "text" as its bytes, sqrt, ln, exp, min, max,
 * floor, sin, cos, and, where `library` is set, the functions of library.c, at least one of which
 * it must then call. False, with an error, where it cannot be read, or is not finite. */
bool expression(const char *text, const Names *names, bool library, Value *result);

/* ---- library.c ------------------------------------------------------------------------------- */

enum { ARGUMENTS_MOST = 8 };

/* 0: no such function; -1: an error; 1: done. grad_NAME(x, ..., g) is the gradient with respect to
 * x of the sum of g times NAME(x, ...). */
int library_call(Tape *tape, const char *name, const Value *argument, int count, Value *result);

/* ---- kinds.c --------------------------------------------------------------------------------- */

enum { ANSWERS_MOST = 8, SYMBOL_BYTES = 96, EXAM_PATH = 1024, EXAM_LINE = 512 };

/* A kind of question, as a file of questions/ describes it. */
typedef struct {
    char name[NAME_BYTES];
    char file[EXAM_PATH]; /* for messages */
    int line;
    int row, chapter, level, minutes, points;
    char courses[8];
    char *text; /* its lines */
} Kind;

typedef struct {
    Kind *list;
    int count;
    char *symbols; /* the text of symbols.txt */
} Kinds;

/* Reads the files 1.txt to 8.txt and symbols.txt of lectures/exams/questions, and `more` (NULL:
 * none). False, with an error that has the file and the line. */
bool kinds_read(Kinds *kinds, const char *more);
void kinds_free(Kinds *kinds);

/* Does the course teach it: has one of its slides the kind's row? */
bool kind_taught(const Kind *kind, char course);

/* What is asked for, (a), (b), ...; the last one is the question's result. */
typedef struct {
    int points;
    char symbol[SYMBOL_BYTES];
    double value;
    bool checked; /* by the library           */
    char *worked; /* the step of the solution */
} Answer;

typedef struct {
    const Kind *kind;
    char *asked;
    Answer answer[ANSWERS_MOST];
    int count;
} ExamQuestion;

/* Writes the texts of a question whose numbers are drawn (texts.c). False, with an error, at line
 * *line_number of the kind's file. */
bool question_texts(ExamQuestion *q, const Names *names, const char *symbols, char course,
                    int *line_number);

/* Draws a question; the texts are in the course's symbols, with formulas between $. False, with an
 * error, also where the library computes another number than the solution. */
bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed);
void question_free(ExamQuestion *q);

/* ---- texts.c --------------------------------------------------------------------------------- */

/* The line at `at` without its end; returns the next one. */
const char *exam_line(const char *at, char line[EXAM_LINE]);

/* The rest of a line that begins with this word; NULL: with another one. */
const char *exam_after(const char *line, const char *word);

/* The numbers of a value, as LaTeX: 7087872 as 7\,087\,872, 0.25, \frac{1}{3}, 1.234. Returns
 * whether it is exact. */
bool number_print(FILE *out, double x);

/* ---- sheet.c --------------------------------------------------------------------------------- */

enum { QUESTIONS_MOST = 128, ROWS_END = 64, KINDS_TEXT = 512 };

typedef struct {
    char course;
    int minutes, level;      /* level 0: all */
    bool chapters[ROWS_END]; /* which are asked, likewise rows */
    bool rows[ROWS_END];
    const char *only; /* names of kinds, separated by commas; NULL: chosen */
} Choice;

typedef struct {
    const Choice *choice;
    uint64_t seed, mixed; /* mixed: with the course, so that two courses' sheets differ, too */
    char code[8];         /* of its answers: another sheet has another one */
    int minutes, points, count;
    ExamQuestion question[QUESTIONS_MOST];
} Sheet;

/* May the choice have this kind? */
bool choice_allows(const Choice *choice, const Kind *kind);

/* False, with an error. Call sheet_free even then. */
bool sheet_draw(Sheet *sheet, const Kinds *kinds, const Choice *choice, uint64_t seed);
void sheet_free(Sheet *sheet);

/* ---- print.c --------------------------------------------------------------------------------- */

/* Writes FOLDER/sheet-SEED and FOLDER/solution-SEED as .md, .tex and .html, and as .pdf where
 * LaTeX is (*pdf: are they there?), and FOLDER/key-SEED.csv, the right answers as grade_class reads
 * them. */
bool sheet_write(const Sheet *sheet, const char *folder, const char *command, bool *pdf);

/* ---- grade.c --------------------------------------------------------------------------------- */

/* Grades the answers of a class; prints a table and a summary, and writes FOLDER/grades.csv. The
 * number of rows that could not be graded, each of which is named on standard error; -1: nothing
 * could be read. */
int grade_class(const char *path, const Kinds *kinds, const Choice *choice, double tolerance,
                const char *folder);

#endif
