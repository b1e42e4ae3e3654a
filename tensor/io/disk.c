/* disk.c: the functions through which the library uses files. See disk.h.
 *
 * The table is a plain variable, as the hook of memory.c is: a test sets it before it starts
 * threads. */
#include "tensor/io/disk.h"

#include <errno.h>

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

int disk_open(const char *path, OpenFor use, unsigned mode)
{
    return (int)AGAIN(disk->open(path, use, mode));
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
    return AGAIN(disk->pread(file, bytes, count, at));
}

void *disk_map(int file, size_t bytes)
{
    return disk->map(file, bytes);
}

void disk_unmap(void *map, size_t bytes)
{
    disk->unmap(map, bytes);
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

/* The functions of disk.h that return whether their call succeeded. */
#define SUCCEEDS(name, parameters, call) \
    bool name parameters                 \
    {                                    \
        return AGAIN(call) == 0;         \
    }
SUCCEEDS(disk_sync, (int file), disk->fsync(file))
SUCCEEDS(disk_chmod, (int file, unsigned mode), disk->fchmod(file, mode))
SUCCEEDS(disk_look, (const char *path, FileStatus *found), disk->stat(path, found))
SUCCEEDS(disk_look_at, (int file, FileStatus *found), disk->fstat(file, found))
SUCCEEDS(disk_rename, (const char *from, const char *to), disk->rename(from, to))
SUCCEEDS(disk_remove, (const char *path), disk->unlink(path))
SUCCEEDS(disk_make_directory, (const char *path), disk->mkdir(path))
