/* system.h: all that differs between operating systems (internal), but for what pictures and
 * programs alone need (plot/system.h).
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
#ifdef GRADUS_THREADS
#include <pthread.h>
#endif

/* ---- files ----------------------------------------------------------------------------------- */

/* What a file is opened for. A program that is started later does not inherit it. */
typedef enum {
    OPEN_READ,    /* to read; a pipe is waited for                        */
    OPEN_REGULAR, /* to read, without waiting for the other end of a pipe */
    OPEN_NEW,     /* to write a file that does not exist yet              */
} OpenFor;

typedef enum { FILE_REGULAR, FILE_DIRECTORY, FILE_OTHER } FileKind;

typedef struct {
    FileKind kind;
    unsigned mode; /* the permissions, as chmod takes them */
    int64_t bytes;
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

/* ---- memory, processors, threads, clock ------------------------------------------------------ */

/* Requests large pages for the block, where the system has them. */
void system_advise_large_pages(void *block, size_t bytes);

/* The processors that the process may run on, or all that are online. At least 1. */
int system_processors(void);

#ifdef GRADUS_THREADS
/* pthread_create of a thread that has all signals blocked, which are for the program's own threads.
 * On Windows the library stays loaded from then on. */
int system_start_thread(pthread_t *thread, const pthread_attr_t *how, void *(*function)(void *));
#endif

/* Called in a process that fork has made. Does nothing where there is no fork. */
void system_after_fork(void (*handler)(void));

/* Are threads to be ended before the process ends or unloads the library? Not on Windows, which
 * never unloads it and has ended its threads by then. */
bool system_stops_threads(void);

/* Nanoseconds of a clock that never goes backwards. */
int64_t system_clock(void);

long system_process_id(void);

#endif
