/* Hides an include behind a comment that begins in a raw string.
 * whole: yes
 * gets: 0
 * allowed: 0
 */
#include "hw1.h"
static const char s[] = R"(" /* )";
#include <hw1.c>
static const char t[] = "*/";
