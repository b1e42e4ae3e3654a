/* sandbox.h: the walls around a process that runs a submission (sandbox.c, filter.c). */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include "case.h"
#include "filter.h"

#include <stdbool.h>

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

#endif
