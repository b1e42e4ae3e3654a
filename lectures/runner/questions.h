/* questions.h: what a chapter asks its reader, before it measures.
 *
 *    static const Question questions[] = {
 *        {.row = 21, .claim = "Var(q.k) = d",
 *         .question = "q and k have 256 independent entries of variance 1. What is the variance of q.k?",
 *         .measure = variance_at_256, .quantity = "the variance of 3,906 products",
 *         .within = 0.1,
 *         .answer = "256: each of the 256 products has variance 1, and variances of independent terms add.",
 *         .misconception = "16 = sqrt(256) is the standard deviation; ..."},
 *
 * `./gradus ask 4` poses them one at a time: the student predicts, the claim runs, and the answer,
 * the number that was measured and the reason of the usual wrong answer are shown. The notes quote
 * the questions (notes.py). */
#ifndef LECTURES_QUESTIONS_H
#define LECTURES_QUESTIONS_H

#include "lectures/runner/claims.h"

enum { QUESTION_CHOICES = 5 };

/* One of several answers, and a reason, which is shown to whoever chose it: of a wrong one the
 * misconception that leads to it, of the right one what is right about it. */
typedef struct {
    const char *text, *reason;
} QuestionChoice;

typedef struct {
    int row;
    const char *question;
    /* what the statement of one claim of the row begins with: that one is run, and its verdict
     * shown */
    const char *claim;

    /* Either two to five choices, one of which is right ... */
    QuestionChoice choices[QUESTION_CHOICES];
    int right; /* from 1 */

    /* ... or a number: right is what differs from the measured one by at most `within` of it. */
    double (*measure)(Trial *t); /* NULL: the claim's own value               */
    const char *quantity;        /* what is measured; NULL: the claim's own   */
    double within;

    const char *answer;        /* the right answer, with its reason, in a sentence or two */
    const char *misconception; /* of a number: what leads to the usual wrong one          */
} Question;

#endif
