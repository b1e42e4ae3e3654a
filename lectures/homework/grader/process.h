/* process.h: other programs, above all the compiler (process.c), and the folder they work in. */
#ifndef GRADER_PROCESS_H
#define GRADER_PROCESS_H

#include "text.h"

#include <sys/types.h>

/* How a program ended. What was not the program's own doing is the machine's. */
typedef enum {
    ENDED,         /* by itself, with a status                          */
    ENDED_TIME,    /* it used more processor time than it may           */
    ENDED_OUTPUT,  /* it printed more than it may                       */
    MACHINE_START, /* there was no process, or the program is not there */
    MACHINE_HUNG,  /* it waited for something that never came           */
    MACHINE_KILLED /* somebody else ended it                            */
} Ending;

typedef struct {
    const char *folder; /* its current one; NULL: this one's                             */
    const char *empty;  /* if given, it stands behind the walls of walls.h               */
    int seconds;        /* of processor time, for each process that it starts            */
    int patience;       /* seconds until a program that does nothing is ended            */
    Text *output;       /* standard output, up to `most` bytes; NULL: it is in `said`    */
    size_t most;
} Run;

/* Runs a program. What it says (at most 64 KB) goes to `said`, which may be NULL. `status` is as of
 * waitpid. */
Ending process_wait(const char *const argv[], const Run *r, int *status, Text *said);

/* The same without walls, for what is trusted. Returns the status, or -1 where it did not end by
 * itself. */
int process_run(const char *const argv[], const char *folder, int seconds, Text *said);

/* The path of a program, as the shell finds it. */
bool program_find(char path[PATH_SIZE], const char *name);

/* Which line of a source is at an address (hexadecimal) of a library, where addr2line is there to
 * tell: "x.c:12". The library was made from a submission, so the program that reads it stands
 * behind walls. */
bool process_line(const char *library, const char *folder, const char *empty, const char *address,
                  char *place, size_t size);

/* As pipe; programs that are started later do not inherit its ends. */
int pipe_open(int ends[2]);

/* ---- scratch.c: a folder to work in that does not outlive the grader, however it ends -------- */

typedef struct {
    char path[PATH_SIZE];
    int alive;     /* the end of a pipe that the kernel closes when this process dies */
    pid_t remover; /* the process that waits for that; 0: there is none               */
} Scratch;

/* A new folder that nobody else can enter, under TMPDIR. False if none can be made. */
bool scratch_open(Scratch *s);
void scratch_close(Scratch *s);

/* Should this process die, the process group `group` is to be killed, too; with a minus it has
 * ended by itself. */
void scratch_tell(pid_t group);

#endif
