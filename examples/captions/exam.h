/* exam.h: questions about pictures, asked in several ways, and what can be answered without the
 * picture.
 *
 *   "picture c_1 .. c_32 ask shade the ring": the next word is the answer
 *
 * What can be said without looking follows from the rule that draws the pictures: p(answer |
 * question). */
#ifndef CAPTIONS_EXAM_H
#define CAPTIONS_EXAM_H

#include "examples/captions/model.h"

/* p: the probability of each answer to a question about an object like this one, and 0 beyond
 * value_count[asked]. */
void prior_answers(const Query *q, const Object *like, double p[MOST_VALUES]);
double prior_likeliest(const double p[MOST_VALUES]); /* max p: the best that can be guessed */

/* What is shown: the picture; another picture in which the question makes sense; the picture with
 * the object that is asked about, or the other one, painted black. */
typedef enum { WHOLE, SWAPPED, HIDE_ASKED, HIDE_OTHER } Shown;

typedef struct {
    Album album;
    Query query[SCENES];
    int prompt[SCENES][ASKED], answer[SCENES];
    bool right[SCENES];
} Exam;

/* Draws pictures without held-out pairs and a question about each, all kinds in turn. */
void exam_draw(PictureGpt *m, Exam *e);
/* Pictures with one held-out pair each, and a question of one of HELD_OUT_KINDS about the object
 * that has it. */
enum { HELD_OUT_KINDS = 4 };
extern const char *const held_out_names[HELD_OUT_KINDS];
void exam_draw_held_out(PictureGpt *m, Exam *e, int kind);

/* Asks e->query of e->album and fills the rest. False after an error. */
bool exam_ask(PictureGpt *m, Exam *e, Shown shown);
/* The share of right answers; and of answers that would be right for the other object. */
double exam_right(const Exam *e);
double exam_others(const Exam *e);

#endif
