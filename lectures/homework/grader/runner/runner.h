/* runner.h: what the parts of the runner share. */
#ifndef GRADER_RUNNER_H
#define GRADER_RUNNER_H

#include "case.h"
#include "homework.h"

#include <stdbool.h>
#include <sys/types.h>

bool write_all(int to, const void *bytes, size_t count);

/* The test of this index, the hidden ones after the others; NULL beyond the last. */
const Test *test_at(int index);

/* Trusted answers: the table; all that is known of each case, finite differences included. */
void judge_list(int to, const Test *const tables[2]);
void judge_cases(int to, const Test *test, const Request *q);

/* ---- sandbox.c, filter.c: the walls around a process that runs a submission ------------------ */

/* Limits on processor time, files, processes and core dumps; and on memory, beyond what the process
 * has mapped already. */
void sandbox_limits(int cpu_seconds, int memory_mb);

/* No further descriptor can be opened, of whatever kind. Those that are open stay. */
void sandbox_no_files(void);

/* Root becomes this user for good, or nobody where the system does not know so large a number. True
 * for a process without privileges, which stays what it is. */
bool sandbox_user(unsigned user);

/* From now on only the file behind this descriptor (-1: none) can be opened, to read it. False
 * without Landlock. */
bool sandbox_files(int library);

/* Enters the walls for q in a process of its own, and tries in vain, one hopes, what they forbid.
 * Returns the HELD_ bits of what could not be done. */
int sandbox_measure(const Request *q);

/* What becomes of a call that is not on the list. */
typedef enum {
    DENY_STOP,  /* the signal SIGSYS, which ends the test           */
    DENY_ERROR, /* the call fails: for a library that tries and goes on without */
} Denial;

/* From now on this process may make only the calls on the list: computing, memory, and writing to
 * what is open. While `loading`, the loader's calls are on it, too. A later call can only narrow
 * what an earlier one allowed. False if the system has no such filters. */
bool filter_calls(Denial denial, bool loading);

/* ---- watcher.c: the server's eye on the process that runs a test ----------------------------- */

/* To be called once, before the first test. */
void watch_begin(void);

/* In a process that was forked, before anything else: undoes watch_begin. */
void watch_leave(void);

/* Waits for the end of `test`, and ends it itself if it holds more memory than q allows. */
void watch_test(pid_t test, const Request *q, Status *s);

/* ---- heap.c: what a submission has taken of memory ------------------------------------------- */

void heap_limit(size_t bytes);
void heap_state(int *blocks, long *bytes);

#endif
