/* posix.c: see system.h. Linux, macOS, the BSDs, and WebAssembly with WASI, which has neither
 * threads nor processes here. */
#define _GNU_SOURCE /* fopencookie, sched_getaffinity, madvise */
#include "tensor/system/system.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif
#ifdef GRADUS_THREADS
#include <signal.h>
#endif

/* ---- files ----------------------------------------------------------------------------------- */

/* O_CLOEXEC: a program that the host starts must not inherit the library's files. */
static int open_file(const char *path, OpenFor use, unsigned mode)
{
    static const int flags[] = {
        [OPEN_READ] = O_RDONLY,
        [OPEN_REGULAR] = O_RDONLY | O_NONBLOCK,
        [OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL,
    };
    return open(path, flags[use] | O_CLOEXEC, (mode_t)mode);
}

static ssize_t read_at(int file, void *bytes, size_t count, int64_t at)
{
    return pread(file, bytes, count, (off_t)at);
}

static int set_mode(int file, unsigned mode)
{
#ifdef __wasi__
    (void)file, (void)mode; /* files have no permissions there */
    return 0;
#else
    return fchmod(file, (mode_t)mode);
#endif
}

/* The status that stat or fstat returned with `result`. */
static int status_of(int result, const struct stat *s, FileStatus *found)
{
    if (result != 0)
        return result;
    *found = (FileStatus){
        .kind = S_ISREG(s->st_mode)   ? FILE_REGULAR
                : S_ISDIR(s->st_mode) ? FILE_DIRECTORY
                                      : FILE_OTHER,
        .mode = s->st_mode & 07777,
        .bytes = s->st_size,
    };
    return 0;
}

static int file_status(int file, FileStatus *found)
{
    struct stat s;
    return status_of(fstat(file, &s), &s, found);
}

static int path_status(const char *path, FileStatus *found)
{
    struct stat s;
    return status_of(stat(path, &s), &s, found);
}

static int make_directory(const char *path)
{
    return mkdir(path, 0777);
}

/* MAP_PRIVATE with PROT_WRITE: the program may write to the pages, and the file stays as it is. */
static void *map_file(int file, size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    return map == MAP_FAILED ? NULL : map;
}

const Disk disk_system = {
    .open = open_file,
    .close = close,
    .read = read,
    .pread = read_at,
    .write = write,
    .fsync = fsync,
    .fchmod = set_mode,
    .fstat = file_status,
    .stat = path_status,
    .rename = rename,
    .unlink = unlink,
    .mkdir = make_directory,
    .map = map_file,
    .unmap = munmap,
};

char *system_first_slash(const char *path)
{
    return strchr(path, '/');
}

char *system_last_slash(const char *path)
{
    return strrchr(path, '/');
}

bool system_is_absolute(const char *path)
{
    return *path == '/';
}

/* ---- streams --------------------------------------------------------------------------------- */

/* False, and the sink knows it, if these bytes were not taken. */
static bool put_all(ByteSink *s, const void *bytes, size_t count)
{
    bool taken = s->put(s->context, bytes, count);
    s->failed |= !taken;
    return taken;
}

/* The BSDs and macOS call it funopen, glibc and musl fopencookie; the two callbacks report a
 * failure differently, by -1 and by 0, which musl takes for a short write. */
#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || \
    defined(__DragonFly__)
static int put(void *cookie, const char *bytes, int count)
{
    return put_all(cookie, bytes, (size_t)count) ? count : -1;
}

FILE *system_stream(ByteSink *sink)
{
    return funopen(sink, NULL, put, NULL, NULL);
}
#else
static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    return put_all(cookie, bytes, count) ? (ssize_t)count : 0;
}

FILE *system_stream(ByteSink *sink)
{
    return fopencookie(sink, "wb", (cookie_io_functions_t){.write = put});
}
#endif

/* fclose hands the buffer's bytes to the sink. */
bool system_stream_close(FILE *stream, ByteSink *sink)
{
    bool failed = ferror(stream) != 0;
    return fclose(stream) == 0 && !failed && !sink->failed;
}

/* ---- memory, processors, threads, clock ------------------------------------------------------ */

void system_advise_large_pages(void *block, size_t bytes)
{
#ifdef __linux__ /* WASI's headers name MADV_HUGEPAGE, too, but its libraries have no madvise */
    madvise(block, bytes, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* The kernel refuses a set that has fewer bits than it has processors: these are 16,384. */
int system_processors(void)
{
#ifdef __linux__
    cpu_set_t set[16];
    if (sched_getaffinity(0, sizeof set, set) == 0)
        return CPU_COUNT_S(sizeof set, set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

#ifdef GRADUS_THREADS
int system_start_thread(pthread_t *thread, const pthread_attr_t *how, void *(*function)(void *))
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int e = pthread_create(thread, how, function, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e;
}

void system_after_fork(void (*handler)(void))
{
    pthread_atfork(NULL, NULL, handler);
}

bool system_stops_threads(void)
{
    return true;
}
#endif

int64_t system_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

long system_process_id(void)
{
#ifdef __wasi__
    return 1;
#else
    return (long)getpid();
#endif
}
