/* system.h: all that differs between operating systems (internal).
 *
 *   posix.c     Linux, macOS, the BSDs, WebAssembly (WASI)
 *   windows.c   Windows, through its own functions and MinGW-w64's
 *
 * The build compiles one of the two. No other file of the library, the examples and the lectures
 * asks which system it is compiled for. Paths are UTF-8 on every system, and '/' separates their
 * parts; on Windows '\' does so, too. A call that fails leaves its reason in errno. */
#ifndef GRADUS_SYSTEM_H
#define GRADUS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- files ----------------------------------------------------------------------------------- */

/* What a file is opened for. A program that is started later does not inherit it. */
typedef enum {
    OPEN_READ,    /* to read; a pipe is waited for                        */
    OPEN_REGULAR, /* to read, without waiting for the other end of a pipe */
    OPEN_NEW,     /* to write a file that does not exist yet              */
} OpenFor;

typedef enum { FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER } FileKind;

/* Two paths name one file where device and number are equal. */
typedef struct {
    FileKind kind;
    unsigned mode; /* the permissions, as chmod takes them */
    int64_t bytes;
    uint64_t device, number;
} FileStatus;

/* The system's calls for files, each as the POSIX call of its name; on Windows, too, `to` may be
 * open in other programs when it is replaced. The descriptors are those of read and write. mkdir
 * gives the permissions of the umask. map: the file's first `bytes` bytes as memory that can be
 * written without changing the file, which may be closed afterwards; NULL on a failure. The library
 * calls them through tensor/io/disk.h. */
typedef struct {
    int (*open)(const char *path, OpenFor use, unsigned mode);
    int (*close)(int file);
    ssize_t (*read)(int file, void *bytes, size_t count);
    ssize_t (*pread)(int file, void *bytes, size_t count, int64_t at);
    ssize_t (*write)(int file, const void *bytes, size_t count);
    int (*fsync)(int file);
    int (*fchmod)(int file, unsigned mode);
    int (*fstat)(int file, FileStatus *found);
    int (*stat)(const char *path, FileStatus *found);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path);
    void *(*map)(int file, size_t bytes);
    int (*unmap)(void *map, size_t bytes);
} Disk;
extern const Disk disk_system;

/* The absolute path of a file that exists, with '/' alone. */
bool system_full_path(const char *path, char *full, size_t size);

/* The first and the last separator of a path, or NULL. */
char *system_first_slash(const char *path);
char *system_last_slash(const char *path);
bool system_is_absolute(const char *path);

/* ---- streams --------------------------------------------------------------------------------- */

/* Takes all bytes that it is given, or returns false. */
typedef struct {
    bool (*put)(void *context, const void *bytes, size_t count);
    void *context;
    bool failed; /* set where put has returned false */
} ByteSink;

/* A stream whose bytes go to the sink, the last ones in system_stream_close. It cannot seek. The
 * sink must outlive it. NULL when memory is out. system_stream_close returns false where a write
 * has failed. */
FILE *system_stream(ByteSink *sink);
bool system_stream_close(FILE *stream, ByteSink *sink);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Between the two calls this thread reads and writes numbers with a decimal point, whatever the
 * locale of the program is. False when memory is out. */
bool system_points_begin(uintptr_t *before);
void system_points_end(uintptr_t before);

/* ---- memory, processors, threads, clock ------------------------------------------------------ */

/* Requests large pages for the block, where the system has them. */
void system_advise_large_pages(void *block, size_t bytes);

/* The processors that the process may run on, or all that are online. At least 1. */
int system_processors(void);

/* Called around the creation of a thread that runs `function`. It blocks all signals, which are for
 * the program's own threads. On Windows the library stays loaded from then on. */
void system_before_thread(const void *function);
void system_after_thread(void);

/* Called in a process that fork has made. Does nothing where there is no fork. */
void system_after_fork(void (*handler)(void));

/* False where the system has already ended the other threads: on Windows, when a library is
 * unloaded because its process ends. */
bool system_has_threads(void);

/* Nanoseconds of a clock that never goes backwards. */
int64_t system_clock(void);

/* The most memory that the process had, in bytes; -1 where unknown. */
int64_t system_peak_memory(void);

/* ---- processes ------------------------------------------------------------------------------- */

long system_process_id(void);

/* The path of a program on PATH; false, without an error, where there is none. */
bool system_find_program(const char *name, char *path, size_t size);

typedef struct {
    intptr_t child;
    int stream; /* what the program writes, to be read with disk_read; -1: not read */
} SystemProcess;

/* Starts argv[0], a path, without a shell. What it writes to descriptor read_from (1 or 2) can be
 * read; its other streams are empty. With read_from 0 it has the streams of this program. Returns 0
 * or the reason. */
int system_start(SystemProcess *p, char *const argv[], int read_from);

/* Waits for the end and closes the stream: the exit status, 128 and the signal's number, or -1,
 * where the status is unknown since the host ignores the ends of its children. */
int system_wait(SystemProcess *p);

/* The first SIGINT (Ctrl-C) or SIGTERM calls the handler, the second one ends the program. NULL:
 * each of them ends it. */
void system_on_interrupt(void (*handler)(int signal));

/* ---- terminal -------------------------------------------------------------------------------- */

bool system_is_terminal(FILE *stream);

/* Is it a terminal that understands escape sequences, for colours and progress bars? */
bool system_has_escapes(FILE *stream);

/* Called by a program as it begins. On Windows its console then shows UTF-8, and the lines that it
 * writes end in one byte, as elsewhere. */
void system_program_begin(void);

int system_terminal_width(FILE *stream); /* in columns; 0: unknown, or no terminal */

#endif
