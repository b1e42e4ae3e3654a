/* tokens.h: what the files of this chapter share. */
#ifndef LECTURES_TOKENS_H
#define LECTURES_TOKENS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* rare.c */
double rare_distance(Trial *t); /* in learning rates, of a word seen once */

/* word2vec.c */
double skip_gram_shift(Trial *t); /* the mean of w.x - PMI */

/* merges.c */
double peter_tokens(Trial *t); /* of Peter Piper after three merges */

#endif
