/* recurrence.h: what the files of this chapter share. */
#ifndef LECTURES_RECURRENCE_H
#define LECTURES_RECURRENCE_H

#include "lectures/runner/chapters.h"
#include "lectures/runner/values.h"

#endif
