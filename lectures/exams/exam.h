/* exam.h: paper exams: kinds of questions, whose numbers are drawn, worked out by hand and checked
 * by the library; sheets of them; and the grading of a class.
 *
 *   expressions.c   arithmetic on small matrices, as the files of questions/ write it
 *   library.c       the library's functions under the names that these files use
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

enum { VALUE_MOST = 64, NAME_BYTES = 32, NAMES_MOST = 48, ARGUMENTS_MOST = 8 };

/* A matrix of rows and columns; a number is (1, 1). */
typedef struct {
    int rows, columns;
    double x[VALUE_MOST];
} Value;

typedef struct {
    char name[NAME_BYTES];
    Value value;
    bool tokens; /* its rows are tokens: transposed where a course writes tokens as columns */
} Named;

typedef struct {
    Named list[NAMES_MOST];
    int count;
    Tape *tape; /* of the library's operations */
} Names;

/* The name of the letters, digits and _ at `at`, which are *bytes; NULL: there is none. */
const Named *names_find(const Names *names, const char *at, size_t *bytes);

/* Computes an expression: + - * / ^ of each pair of elements, == != < <= (1 or 0), names, [a, b; c,
 * d], x[i], x[i, j] counted from 1, x' (transposed), "text" as its bytes, sqrt, ln, exp, min, max,
 * floor, abs, sin, cos, asin, and, where `library` is set, the functions of library.c, at least one
 * of which it must then call. False, with an error, where it cannot be read, or is not finite. */
bool expression(const char *text, const Names *names, bool library, Value *result);

/* library.c. 0: no such function; -1: an error; 1: done. grad_NAME(x, ..., g) is the gradient with
 * respect to x of the sum of g times NAME(x, ...). */
int library_call(Tape *tape, const char *name, const Value *argument, int count, Value *result);

/* ---- kinds.c --------------------------------------------------------------------------------- */

enum { ANSWERS_MOST = 8, EXAM_PATH = 1024, KIND_FILES = 9 };

/* A kind of question, as a file of questions/ describes it. */
typedef struct {
    const char *name, *file, *courses, *text; /* text: the first of its lines, each with a 0 */
    int line, lines, row, chapter, level, minutes, points;
} Kind;

typedef struct {
    Kind *list;
    int count;
    struct {
        char path[EXAM_PATH];
        char *text;
    } file[KIND_FILES];
    char *symbols; /* the text of symbols.txt */
} Kinds;

/* Reads the files 1.txt to 8.txt and symbols.txt of lectures/exams/questions, and `more` (NULL:
 * none). False, with an error that has the file and the line; call kinds_free even then. */
bool kinds_read(Kinds *kinds, const char *more);
void kinds_free(Kinds *kinds);

/* Does the course teach it: has one of its slides the kind's row? */
bool kind_taught(const Kind *kind, char course);

/* What is asked for, (a), (b), ...; the last one is the question's result. */
typedef struct {
    int points;
    double value;
    bool checked;          /* by the library                             */
    char *symbol, *worked; /* its name, and the step of the solution     */
} Answer;

typedef struct {
    const Kind *kind;
    char *asked;
    Answer answer[ANSWERS_MOST];
    int count;
} ExamQuestion;

/* Draws a question; the texts are in the course's symbols, with formulas between $. False, with an
 * error, also where the library computes another number than the solution. Call question_free even
 * then. */
bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed);
void question_free(ExamQuestion *q);

/* ---- texts.c --------------------------------------------------------------------------------- */

/* A number as LaTeX: 7087872 as 7\,087\,872, 0.25, \frac{1}{3}, 1.234. Returns whether it is
 * exact. */
enum { NUMBER_BYTES = 64 };
bool number_text(char text[NUMBER_BYTES], double x);

/* Writes a line whose @NAME are values of the names, or symbols of the course. False after an
 * error. */
bool text_put(FILE *out, const char *line, const Names *names, const char *symbols, char course);

/* ---- sheet.c --------------------------------------------------------------------------------- */

enum { QUESTIONS_MOST = 96, ROWS_END = 64 };

typedef struct {
    char course;
    int minutes, level; /* level 0: all */
    const char *only;   /* names of kinds, separated by commas; NULL: chosen */
    bool some_rows;     /* only those that are set */
    bool rows[ROWS_END];
} Choice;

typedef struct {
    const Choice *choice;
    uint64_t seed;
    char code[8]; /* of its questions: a sheet that other options made has another one */
    int minutes, points, count;
    ExamQuestion question[QUESTIONS_MOST];
} Sheet;

/* May the choice have this kind? */
bool choice_allows(const Choice *choice, const Kind *kind);

/* False, with an error. Call sheet_free even then. */
bool sheet_draw(Sheet *sheet, const Kinds *kinds, const Choice *choice, uint64_t seed);
void sheet_free(Sheet *sheet);

/* print.c: writes FOLDER/sheet-SEED and FOLDER/solution-SEED as .md, .tex and .html, and as .pdf
 * where LaTeX is (*pdf: are they there?), and FOLDER/key-SEED.csv, the right answers as grade_class
 * reads them. */
bool sheet_write(const Sheet *sheet, const char *folder, const char *command, bool *pdf);

/* grade.c: grades the answers of a class; prints a table and a summary, and writes
 * FOLDER/grades.csv. The number of rows that could not be graded, each of which is named on
 * standard error; -1: nothing could be read. */
int grade_class(const char *path, const Kinds *kinds, const Choice *choice, const char *folder);

#endif
