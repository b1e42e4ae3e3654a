/* tokens.h: what the files of this chapter share. */
#ifndef LECTURES_TOKENS_H
#define LECTURES_TOKENS_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

/* word2vec.c */
double skip_gram_shift(Trial *t); /* the mean of w.x - PMI */

/* merges.c */
double peter_tokens(Trial *t); /* of Peter Piper after three merges */

#endif
