/* search.h: the small changes of a function, all in one text (variants.c, search.c). */
#ifndef GRADER_SEARCH_H
#define GRADER_SEARCH_H

#include "grader.h"

enum { CHANGES_MAX = 2000 };

typedef struct {
    int line, place;  /* in the submission; in the text below  */
    const char *kind; /* "another sign"                        */
    bool left_out;    /* it does not compile                   */
} Change;

typedef struct {
    Text text; /* the submission with all changes; the number _homework_variant chooses one */
    int count; /* change 0 is none */
    Change change[CHANGES_MAX];
} Variants;

/* The changes of a function and of the functions of the student's own that it calls, but those that
 * are marked as left out by an earlier call. False where the text has no such function. */
bool variants_make(Variants *v, const Assignment *a, const char *submission, const char *function);

#endif
