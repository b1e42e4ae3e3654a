/* questions.c: what chapter 3 asks its reader before it measures. */
#include "lectures/03-position/position.h"

const Question position_questions[] = {
    {.row = 0},
};
