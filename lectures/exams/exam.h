/* exam.h: paper exams: kinds of questions, whose numbers are drawn, worked out by hand and checked
 * by the library; sheets of them; and the grading of a class. README.md says what each file does.
 * False is returned with an error. */
#ifndef LECTURES_EXAM_H
#define LECTURES_EXAM_H

#include "gradus.h"

#include <stdio.h>

#define EXAM_COURSES "VBHZJ"
#define ANSWER       "............" /* the line that a student fills */
enum { EXAM_PATH = 1024, KINDS_MOST = 96, NAMES_MOST = 48, NAME_BYTES = 32, NUMBER_BYTES = 64 };
enum { VALUE_MOST = 256, ARGUMENTS_MOST = 4 };

/* A matrix of rows and columns; a number is (1, 1). */
typedef struct {
    int rows, columns;
    double x[VALUE_MOST];
} Value;

static inline int value_size(const Value *v)
{
    return v->rows * v->columns;
}

#define NAME_FORMAT "%31[A-Za-z0-9_]" /* for sscanf */
typedef struct {
    char name[NAME_BYTES];
    Value value;
    bool tokens; /* its rows are tokens: transposed where a course writes tokens as columns */
} Named;

typedef struct {
    Named list[NAMES_MOST];
    int count;
} Names;

const Named *names_find(const Names *names, const char *name); /* NULL: there is none */

/* Computes an expression, which README.md describes, and adds the calls of the library to *calls;
 * NULL: by arithmetic alone. False also where it is not finite. */
bool expression(const char *text, const Names *names, int *calls, Value *result);

/* Calls a function of library.c. grad_NAME(x, ..., g) is the gradient with respect to x of the sum
 * of g times NAME(x, ...). */
bool library_call(const char *name, const Value *argument, int count, Value *result);

/* A kind of question, as questions.txt describes it. */
typedef struct {
    char name[NAME_BYTES], courses[8];
    const char *text; /* the lines below its head, each closed by a 0, up to an empty one */
    int line, row, chapter, level, minutes, points;
    bool reasons; /* it asks why */
} Kind;

typedef struct {
    const char *path;
    char *text; /* of the file: symbols, then kinds */
    Kind list[KINDS_MOST];
    int count;
} Kinds;

/* Reads a file; its path must stay. The caller frees kinds->text, even after an error. */
bool kinds_read(Kinds *kinds, const char *path);

/* Does the course teach it: has one of its slides the kind's row? */
bool kind_taught(const Kind *kind, char course);

typedef struct {
    const Kinds *kinds;
    const Kind *kind;
    char course;
    uint64_t seed; /* of its numbers */
    int number;    /* on the sheet */
} ExamQuestion;

/* Writes a question as Markdown in the course's symbols; where there is a key, with its solution,
 * and to the key a line NUMBER LETTER,RESULT,POINTS for each answer, without a result if it is in
 * words; the last result is the question's. False also where the library computes another number
 * than the solution. */
bool question_write(const ExamQuestion *q, FILE *out, FILE *key);

/* A number as LaTeX: 0.25, \frac{1}{3}, 1.234. Is it exact? */
bool number_text(char text[NUMBER_BYTES], double x);

/* Grades a class by the keys in the folder: writes FOLDER/grades.csv, and prints the mean. */
bool grade_class(const char *path, const char *folder);

#endif
