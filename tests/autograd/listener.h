/* listener.h: what a program learns of a failure: the calls of its handler, and the source location
 * in the message. */
#ifndef GRADUS_TESTS_LISTENER_H
#define GRADUS_TESTS_LISTENER_H

#include "tests/harness/runner.h"

/* The calls of the handler since start_listening, and the last message. */
typedef struct {
    int calls;
    char last[512];
} Heard;
extern Heard heard;

/* Sets a handler that only listens. */
void start_listening(void);

/* Checks that the pending error begins with `file` and one of its lines from first to last, and
 * contains the part. */
void check_location(const char *file, int first, int last, const char *part);

/* The same for the file that contains the call: some of its lines, or one. */
#define TOLD_WITHIN(first, last, part) check_location(__FILE__, first, last, part)
#define TOLD(line, part)               check_location(__FILE__, line, line, part)

#endif
