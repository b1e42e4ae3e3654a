/* exercises.c: functions of chapter 1 to be changed, each with the claim that tells whether the change is right. */
#include "lectures/01-recurrence/recurrence.h"

const Claim *const recurrence_exercises[] = {
    NULL,
};
