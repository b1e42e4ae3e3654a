/* watcher.h: the server's eye on the process that runs a test (watcher.c). */
#ifndef GRADER_WATCHER_H
#define GRADER_WATCHER_H

#include "case.h"

#include <sys/types.h>

/* To be called once, before the first test. */
void watch_begin(void);

/* In a process that was forked, before anything else: undoes watch_begin. */
void watch_leave(void);

/* Waits for the end of `test`, and ends it itself if it sleeps longer or holds more memory than q
 * allows. */
void watch_test(pid_t test, const Request *q, Status *s);

#endif
