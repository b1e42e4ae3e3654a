/* exercises.c: functions of chapter 3 to be changed, each with the claim that tells whether the change is right. */
#include "lectures/03-position/position.h"

const Claim *const position_exercises[] = {
    NULL,
};
