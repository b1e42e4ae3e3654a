/* mailboxes.h: a group whose processes are threads of this program, for tests without MPI. */
#ifndef GRADUS_TESTS_MAILBOXES_H
#define GRADUS_TESTS_MAILBOXES_H

#include "nn/slices.h"

enum { MAILBOX_PROCESSES = 8 };

/* What a process of the group does; it may check nothing, since CUnit is for one thread. */
typedef void (*ProcessBody)(const Group *group, void *context);

/* Calls body as each of `size` processes, every one in a thread of its own, and waits for them.
 * context: a list of `size` elements of so many bytes, one for each. fail_after: the process of the
 * last rank cannot begin another exchange after so many; -1: it always can. False when threads
 * cannot be had. */
bool mailboxes_run(int size, ProcessBody body, void *contexts, size_t bytes, int fail_after);

#endif
