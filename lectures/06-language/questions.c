/* questions.c: what chapter 6 asks its reader before it measures. */
#include "lectures/06-language/language.h"

const Question language_questions[] = {
    {.row = 0},
};
