/* exam.h: paper exams: kinds of questions, whose numbers are drawn, worked out by hand and checked
 * by the library; sheets of them; and the grading of a class. README.md says what each file does.
 * False is returned with an error. */
#ifndef LECTURES_EXAM_H
#define LECTURES_EXAM_H

#include "gradus.h"

#include <stdio.h>

/* ---- expressions.c, library.c ---------------------------------------------------------------- */

enum { VALUE_MOST = 64, NAME_BYTES = 32, NAMES_MOST = 48, ARGUMENTS_MOST = 8 };

/* A matrix of rows and columns; a number is (1, 1). */
typedef struct {
    int rows, columns;
    double x[VALUE_MOST];
} Value;

static inline int value_size(const Value *v)
{
    return v->rows * v->columns;
}

typedef struct {
    char name[NAME_BYTES];
    Value value;
    bool tokens; /* its rows are tokens: transposed where a course writes tokens as columns */
} Named;

typedef struct {
    Named list[NAMES_MOST];
    int count;
} Names;

/* The name of the letters, digits and _ at `at`, which are *bytes; NULL: there is none. */
const Named *names_find(const Names *names, const char *at, size_t *bytes);

/* How an expression uses the library. */
typedef struct {
    Tape *tape;
    int calls;
} Library;

/* Computes an expression, which README.md describes. library NULL: by arithmetic alone. False also
 * where it is not finite. */
bool expression(const char *text, const Names *names, Library *library, Value *result);

/* Calls a function of library.c; library NULL: one of arithmetic. grad_NAME(x, ..., g) is the
 * gradient with respect to x of the sum of g times NAME(x, ...). */
bool library_call(Library *l, const char *name, const Value *argument, int count, Value *result);

/* ---- kinds.c --------------------------------------------------------------------------------- */

enum { ANSWERS_MOST = 8, EXAM_PATH = 1024, KIND_FILES = 9, KINDS_MOST = 128 };

/* A kind of question, as a file of questions/ describes it. */
typedef struct {
    char name[NAME_BYTES], courses[8];
    const char *file, *text, *end; /* text: the first of its lines, each with a 0 */
    int line, row, chapter, level, minutes, points;
    bool left_out; /* of the sheets, by the user */
} Kind;

typedef struct {
    Kind list[KINDS_MOST];
    int count;
    struct {
        char path[EXAM_PATH], *text;
    } file[KIND_FILES];
    char *symbols; /* the text of symbols.txt */
} Kinds;

/* Reads lectures/exams/questions, and `more` (NULL: none). Call kinds_free even after an error. */
bool kinds_read(Kinds *kinds, const char *more);
void kinds_free(Kinds *kinds);

const Kind *kind_named(const Kinds *kinds, const char *name); /* NULL: there is none */

/* Does the course teach it: has one of its slides the kind's row? */
bool kind_taught(const Kind *kind, char course);

/* What is asked for, (a), (b), ...; the last one is the question's result. */
typedef struct {
    int points;
    double value;
    char *symbol, *worked; /* its name, and the step of the solution */
} Answer;

typedef struct {
    const Kind *kind;
    char *asked;
    Answer answer[ANSWERS_MOST];
    int count;
} ExamQuestion;

/* Draws a question; the texts are Markdown in the course's symbols. False also where the library
 * computes another number than the solution. Call question_free even then. */
bool question_draw(ExamQuestion *q, const Kinds *kinds, const Kind *kind, char course,
                   uint64_t seed);
void question_free(ExamQuestion *q);

/* ---- texts.c --------------------------------------------------------------------------------- */

/* A number as LaTeX: 7087872 as 7\,087\,872, 0.25, \frac{1}{3}, 1.234. Is it exact? */
enum { NUMBER_BYTES = 64 };
bool number_text(char text[NUMBER_BYTES], double x);

/* Writes a line, whose @NAME are values of the names or symbols of the course, as Markdown: its
 * formulas, which stand between $, become $`...`$. */
bool text_put(FILE *out, const char *line, const Names *names, const char *symbols, char course);

/* ---- sheet.c --------------------------------------------------------------------------------- */

enum { QUESTIONS_MOST = 96, SEED_MOST = 1000000 };

typedef struct {
    char course;
    uint64_t seed;
    int code; /* of its questions, four digits: a sheet that other options made has another one */
    int minutes, points, count;
    ExamQuestion question[QUESTIONS_MOST];
} Sheet;

/* Questions of at most so many minutes. Call sheet_free even after an error. */
bool sheet_draw(Sheet *sheet, const Kinds *kinds, char course, int minutes, uint64_t seed);
void sheet_free(Sheet *sheet);

/* print.c: writes FOLDER/sheet-SEED and FOLDER/solution-SEED as .md, .tex and .html, and as .pdf
 * where LaTeX is (*pdf: are they there?), and FOLDER/key-SEED.csv, the right answers as grade_class
 * reads them. */
bool sheet_write(const Sheet *sheet, const char *folder, bool *pdf);

/* grade.c: grades the answers of a class: writes FOLDER/grades.csv, and prints the mean. */
bool grade_class(const char *path, const Kinds *kinds, char course, int minutes,
                 const char *folder);

#endif
