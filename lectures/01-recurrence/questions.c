/* questions.c: what chapter 1 asks its reader before it measures. */
#include "lectures/01-recurrence/recurrence.h"

const Question recurrence_questions[] = {
    {.row = 0},
};
