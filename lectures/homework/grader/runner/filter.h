/* filter.h: which system calls a process that runs a submission may make (filter.c). */
#ifndef GRADER_FILTER_H
#define GRADER_FILTER_H

#include <stdbool.h>

/* What becomes of a call that is not on the list. */
typedef enum {
    DENY_STOP,  /* the signal SIGSYS, which ends the test           */
    DENY_ERROR, /* the call fails: for a library that tries and goes on without */
} Denial;

/* From now on this process may make only the calls on the list: computing, memory, and writing to
 * what is open. While `loading`, the loader's calls are on it, too. A later call can only narrow
 * what an earlier one allowed. False if the system has no such filters. */
bool filter_calls(Denial denial, bool loading);

#endif
