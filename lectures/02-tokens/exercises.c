/* exercises.c: functions of chapter 2 to be changed, each with the claim that tells whether the change is right. */
#include "lectures/02-tokens/tokens.h"

const Claim *const tokens_exercises[] = {
    NULL,
};
