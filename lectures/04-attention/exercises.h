/* exercises.h: what the exercises of this chapter share. */
#ifndef LECTURES_ATTENTION_EXERCISES_H
#define LECTURES_ATTENTION_EXERCISES_H

#include "lectures/04-attention/attention.h"

#endif
