/* scratch.h: a folder to work in that does not outlive the grader, however the grader ends
 * (scratch.c). */
#ifndef GRADER_SCRATCH_H
#define GRADER_SCRATCH_H

#include "text.h"

#include <sys/types.h>

typedef struct {
    char path[PATH_SIZE];
    int alive;     /* the end of a pipe that the kernel closes when this process dies */
    pid_t remover; /* the process that waits for that; 0: there is none               */
} Scratch;

/* A new folder that nobody else can enter, under TMPDIR. False if none can be made. */
bool scratch_open(Scratch *s);
void scratch_close(Scratch *s);

/* Should this process die, the process group `group` is to be killed, too; with a minus it has ended
 * by itself. */
void scratch_tell(pid_t group);

#endif
