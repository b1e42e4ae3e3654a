/* queries.h: questions asked about a picture, and what can be answered without it (row 51; the model: picture_gpt.c).
 *
 *   "picture c_1 .. c_32 ask shade the ring": the next word is the answer       Z "Vision and language transformers"
 *
 * What can be said without looking is computed from the rule that draws the pictures: p(answer | question), in which a
 * picture plays no part. */
#ifndef LECTURES_QUERIES_H
#define LECTURES_QUERIES_H

#include "lectures/07-vision/scenes.h"

/* p (value_count[asked]): the probability of each answer to a question about an object like this one, and 0 beyond. */
void prior_answers(const Query *q, const Object *like, double p[LARGEST_COUNT]);
double prior_likeliest(const double p[LARGEST_COUNT]); /* max p: the best that can be guessed   */
double prior_agreement(const double p[LARGEST_COUNT]); /* sum p^2: that two draws of it are equal */

/* What is done before the questions are asked: another picture in which the question makes sense; a quadrant of black
 * patches; the question about the first object in place of the second. */
typedef enum { WHOLE, SWAPPED, HIDE_ASKED, HIDE_OTHER, SAME_QUESTION, UNTRAINED } Damage;

typedef struct {
    Album album;
    Query query[SCENES];
    int prompt[SCENES][ASKED], answer[SCENES];
    bool right[SCENES];
} Exam;
bool exam_ask(PictureGpt *m, Exam *e, Damage damage); /* e->query of e->album: fills the rest */
double exam_right(const Exam *e);                     /* the share of right answers           */

#endif
