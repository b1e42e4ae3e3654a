/* questions.c: what chapter 2 asks its reader before it measures. */
#include "lectures/02-tokens/tokens.h"

const Question tokens_questions[] = {
    {.row = 0},
};
