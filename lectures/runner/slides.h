/* slides.h: the slides of the five lectures in their order, and the rows that rebuild them.
 *
 * A row is one thing that the slides show; a chapter has some of them (chapters.h), each with its
 * claims. Rows 58 to 60, of chapter 0, are on no slide. The letters V, B, H, Z and J are those of
 * lectures/README.md. Titles are the slides' own; all else is ours. */
#ifndef LECTURES_SLIDES_H
#define LECTURES_SLIDES_H

#include <stdbool.h>

enum { SLIDE_ROWS = 6 };

/* One slide, or several in succession under one title. */
typedef struct {
    char lecture; /* a letter            */
    const char *title;
    int pages;
    int rows[SLIDE_ROWS]; /* closed by 0; none: nothing on it is computed */
} Slide;

typedef struct {
    int number;
    int chapter;
    const char *what;    /* in our words                                           */
    const char *program; /* an example that has it ("examples/gpt"); NULL for none */
} Row;

typedef struct {
    char letter;
    const char *name;
} Lecture;

extern const Slide slides[];     /* closed by a title of NULL  */
extern const Row rows[];         /* closed by number 0         */
extern const Lecture lectures[]; /* closed by letter 0         */

const Row *row_with(int number); /* NULL: there is none        */

/* The lecture of this letter, such as "J"; NULL: there is none. */
const Lecture *lecture_with(const char *letter);

bool slide_shows(const Slide *s, int row);

/* The first slide of the lecture that shows the row; NULL: none does. */
const Slide *slide_of_row(char lecture, int row);

#endif
