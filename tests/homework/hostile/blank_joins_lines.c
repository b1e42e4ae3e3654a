/* Hides an include behind a string that goes on after a backslash and a blank.
 * whole: yes
 * gets: 0
 * allowed: 0
 */
#include "hw1.h"
static const char s[] = "abc\ 
 /* ";
#include <hw1.c>
static const char t[] = "*/";
