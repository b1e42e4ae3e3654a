/* exercises.c: functions of chapter 6 to be changed, each with the claim that tells whether the change is right. */
#include "lectures/06-language/language.h"

const Claim *const language_exercises[] = {
    NULL,
};
