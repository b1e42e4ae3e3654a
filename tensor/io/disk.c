/* disk.c: the functions through which the library uses files. See disk.h.
 *
 * The table is a plain variable, as the hook of memory.c is: a test sets it before it starts
 * threads. */
#define _GNU_SOURCE /* fopencookie */
#include "tensor/io/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* open is variadic; the table needs a function with three parameters.
 * The others are the system's own functions. */
static int system_open(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

/* MAP_PRIVATE with PROT_WRITE: the program may write to the pages, and the file stays as it is. */
static void *system_map(int file, size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    return map == MAP_FAILED ? NULL : map;
}

const Disk disk_system = {
    system_open, close, read,   pread,  write, fsync,      fchmod,
    fstat,       stat,  rename, unlink, mkdir, system_map,
};
static const Disk *disk = &disk_system;

/* The table must outlive its use; it is not copied. */
void disk_use(const Disk *other)
{
    disk = other ? other : &disk_system;
}

/* The value of a call, which is repeated whenever a signal interrupted it. */
#define AGAIN(call)                           \
    __extension__({                           \
        ssize_t value_;                       \
        do                                    \
            value_ = (call);                  \
        while (value_ < 0 && errno == EINTR); \
        value_;                               \
    })

/* O_CLOEXEC: a program that the host starts must not inherit the library's files. */
int disk_open(const char *path, int flags, mode_t mode)
{
    return (int)AGAIN(disk->open(path, flags | O_CLOEXEC, mode));
}

/* Never repeated, unlike the other calls. */
bool disk_close(int file)
{
    /* An interrupted close has closed the descriptor; a repetition could close another file's. */
    return disk->close(file) == 0 || errno == EINTR;
}

/* Fewer bytes than asked for are no failure; callers that need all of them repeat the call. */
ssize_t disk_read(int file, void *bytes, size_t count)
{
    return AGAIN(disk->read(file, bytes, count));
}

ssize_t disk_read_at(int file, void *bytes, size_t count, int64_t at)
{
    return AGAIN(disk->pread(file, bytes, count, (off_t)at));
}

void *disk_map(int file, size_t bytes)
{
    return disk->map(file, bytes);
}

void disk_unmap(void *map, size_t bytes)
{
    munmap(map, bytes);
}

/* A write may take only a part: the rest is written by further calls. */
bool disk_write(int file, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t n = AGAIN(disk->write(file, from, count));
        if (n == 0)
            errno = EIO; /* the call wrote nothing and gave no reason */
        if (n <= 0)
            return false;
        from += n;
        count -= (size_t)n;
    }
    return true;
}

/* fsync: the file's bytes and its length are on the disk when it returns true. */
bool disk_sync(int file)
{
    return AGAIN(disk->fsync(file)) == 0;
}

bool disk_chmod(int file, mode_t mode)
{
    return AGAIN(disk->fchmod(file, mode)) == 0;
}

bool disk_look(const char *path, struct stat *found)
{
    return AGAIN(disk->stat(path, found)) == 0;
}

bool disk_look_at(int file, struct stat *found)
{
    return AGAIN(disk->fstat(file, found)) == 0;
}

bool disk_rename(const char *from, const char *to)
{
    return AGAIN(disk->rename(from, to)) == 0;
}

bool disk_remove(const char *path)
{
    return AGAIN(disk->unlink(path)) == 0;
}

bool disk_make_directory(const char *path)
{
    return AGAIN(disk->mkdir(path, 0777)) == 0;
}

/* ---- streams --------------------------------------------------------------------------------- */

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || \
    defined(__DragonFly__)
static int put(void *cookie, const char *bytes, int count)
{
    const DiskStream *s = cookie;
    return s->put(s->context, bytes, (size_t)count) ? count : -1;
}

/* The BSDs and macOS call it funopen, glibc and musl fopencookie; the two callbacks report a
 * failure differently, by -1 and by 0. */
FILE *disk_stream(DiskStream *stream)
{
    return funopen(stream, NULL, put, NULL, NULL);
}
#else
static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    const DiskStream *s = cookie;
    return s->put(s->context, bytes, count) ? (ssize_t)count : 0;
}

FILE *disk_stream(DiskStream *stream)
{
    return fopencookie(stream, "wb", (cookie_io_functions_t){.write = put});
}
#endif
