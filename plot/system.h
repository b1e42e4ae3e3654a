/* system.h: what pictures, and the programs above them, use of the operating system beyond what
 * tensor/system has: other programs, decimal points, the terminal (internal).
 *
 *   process.c          other programs, the same on every system
 *   system_posix.c     Linux, macOS, the BSDs, WebAssembly (WASI)
 *   system_windows.c   Windows */
#ifndef GRADUS_PLOT_SYSTEM_H
#define GRADUS_PLOT_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- other programs ----------------------------------------------------------- process.c -- */

enum { PROGRAM_MAX = 4096 };

/* On PATH; false, without an error, where it is not there. */
bool plot_program_find(const char *name, char path[PROGRAM_MAX]);

typedef struct {
    intptr_t child;
    int stream; /* what it writes; -1: not read */
    int why;    /* errno, where reading broke off */
    int status; /* after its end: the exit status, or 128 and a signal's number; -1: unknown */
} Program;

/* Starts argv[0], a path, without a shell. What it writes to descriptor read_from (1 or 2) can be
 * read, to the end (0 bytes) or not; its other streams are empty. With read_from 0 it has the
 * streams of this program. False, with an error that begins with `who`, where it does not start. */
bool plot_program_start(Program *p, char *const argv[], int read_from, const char *who);
size_t plot_program_read(Program *p, char *buffer, size_t size);
/* Waits for its end: was it a good one, and was all read? An unknown status, where the host ignores
 * the ends of its children, counts as good: its files tell. */
bool plot_program_end(Program *p);

/* What differs between systems: PATH, or NULL, its separator, and the end of a program's name;
 * starting, 0 or the reason; and waiting, -1 where the exit status is unknown. */
const char *system_search_path(void);
extern const char system_path_separator[], system_program_suffix[];
int system_start(Program *p, char *const argv[], int read_from);
int system_wait(intptr_t child);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Calls write(out, what), which writes numbers with a decimal point, whatever the locale of the
 * program is. False, without a call, when memory is out. */
bool system_write_with_points(FILE *out, void (*write)(FILE *out, const void *what),
                              const void *what);

/* ---- memory, terminal ------------------------------------------------------------------------ */

/* The most memory that the process had, in bytes; not on WASI. */
int64_t system_peak_memory(void);

/* Is it a terminal that understands escape sequences, for colours and progress bars? */
bool system_has_escapes(FILE *stream);

/* Called by a program as it begins. On Windows its console then shows UTF-8, and the lines that it
 * writes end in one byte, as elsewhere. */
void system_program_begin(void);

int system_terminal_width(FILE *stream); /* in columns; 0: unknown, or no terminal */

#endif
