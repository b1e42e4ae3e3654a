/* sandbox.h: what a process that runs a submission may still do (sandbox.c). */
#ifndef GRADER_SANDBOX_H
#define GRADER_SANDBOX_H

#include <stdbool.h>

/* Limits that hold everywhere: processor time, memory (0: no limit), files, processes, core dumps. */
void sandbox_limits(int cpu_seconds, int memory_mb);

/* No further descriptor can be opened, of whatever kind. Those that are open stay. */
void sandbox_no_files(void);

/* From now on only computing, memory and writing to open descriptors (strict), or everything except
 * processes, signals to others, the network and changing files. A call that is stopped raises SIGSYS.
 * False if the system has no such thing. */
bool sandbox_calls(bool strict);

/* Would sandbox_calls work? */
bool sandbox_has_calls(void);

#endif
