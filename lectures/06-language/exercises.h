/* exercises.h: what the exercises of this chapter share. */
#ifndef LECTURES_LANGUAGE_EXERCISES_H
#define LECTURES_LANGUAGE_EXERCISES_H

#include "lectures/06-language/language.h"

#endif
