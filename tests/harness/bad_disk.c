/* bad_disk.c: see bad_disk.h. */
#include "tests/harness/bad_disk.h"

#include "tensor/io/disk.h"

#include <errno.h>
#include <string.h>

static BadDisk *bad;
static const int reasons[] = {EIO, ENOSPC, 0, EINTR};

/* Does this call fail? If so, errno is set. */
static bool strikes(bool needs_room, bool moves_bytes)
{
    if ((bad->trouble == DISK_FULL && !needs_room) || (bad->trouble == DISK_PART && !moves_bytes))
        return false;
    long past = ++bad->calls - bad->fail_at;
    bool every_second = bad->trouble == DISK_INTERRUPTED;
    if (bad->fail_at == 0 || past < 0 ||
        (past > 0 && (!bad->fail_on || (every_second && past % 2))))
        return false;
    errno = reasons[bad->trouble];
    return true;
}

static int bad_open(const char *path, OpenFor use, unsigned mode)
{
    if (strikes(use == OPEN_NEW, false))
        return -1;
    int file = disk_system.open(path, use, mode);
    bad->open += file >= 0;
    return file;
}

/* As with the system's close: the descriptor is closed even if an error is returned. */
static int bad_close(int file)
{
    bool fails = strikes(true, false);
    disk_system.close(file);
    bad->open--;
    errno = reasons[bad->trouble];
    return fails ? -1 : 0;
}

static ssize_t bad_read(int file, void *bytes, size_t count)
{
    if (!strikes(false, true))
        return disk_system.read(file, bytes, count);
    return bad->trouble == DISK_PART ? disk_system.read(file, bytes, (count + 1) / 2) : -1;
}

static ssize_t bad_pread(int file, void *bytes, size_t count, int64_t at)
{
    if (!strikes(false, true))
        return disk_system.pread(file, bytes, count, at);
    return bad->trouble == DISK_PART ? disk_system.pread(file, bytes, (count + 1) / 2, at) : -1;
}

static ssize_t bad_write(int file, const void *bytes, size_t count)
{
    bad->unsynced = true;
    if (!strikes(true, true))
        return disk_system.write(file, bytes, count);
    if (bad->trouble == DISK_PART)
        return disk_system.write(file, bytes, (count + 1) / 2);
    bad->lost += bad->trouble != DISK_INTERRUPTED;
    if (bad->trouble == DISK_FULL && disk_system.write(file, bytes, count / 2) < 0)
        return -1;
    errno = reasons[bad->trouble];
    return -1;
}

/* A call that does not fail does nothing: the test has no power failure, and there are thousands of
 * rounds. */
static int bad_fsync(int file)
{
    (void)file;
    if (!strikes(true, false)) {
        bad->unsynced = false;
        return 0;
    }
    bad->lost += bad->trouble != DISK_INTERRUPTED;
    return -1;
}

static int bad_fchmod(int file, unsigned mode)
{
    return strikes(false, false) ? -1 : disk_system.fchmod(file, mode);
}

static int bad_fstat(int file, FileStatus *found)
{
    return strikes(false, false) ? -1 : disk_system.fstat(file, found);
}

static int bad_stat(const char *path, FileStatus *found)
{
    return strikes(false, false) ? -1 : disk_system.stat(path, found);
}

/* A part is what the library writes beside a file (tensor/io/atomic.c). */
static int bad_rename(const char *from, const char *to)
{
    bad->early += bad->unsynced && strstr(from, ".part-");
    if (!strikes(true, false))
        return disk_system.rename(from, to);
    bad->lost += bad->trouble != DISK_INTERRUPTED;
    return -1;
}

static int bad_unlink(const char *path)
{
    if (!strikes(false, false))
        return disk_system.unlink(path);
    bad->kept += bad->trouble == DISK_ERROR;
    return -1;
}

static int bad_mkdir(const char *path)
{
    return strikes(true, false) ? -1 : disk_system.mkdir(path);
}

static void *bad_map(int file, size_t bytes)
{
    return strikes(false, false) ? NULL : disk_system.map(file, bytes);
}

void bad_disk_watch(BadDisk *d)
{
    static Disk calls;
    calls = disk_system;
    calls.open = bad_open, calls.close = bad_close, calls.read = bad_read, calls.pread = bad_pread;
    calls.write = bad_write, calls.fsync = bad_fsync, calls.fchmod = bad_fchmod;
    calls.fstat = bad_fstat, calls.stat = bad_stat, calls.rename = bad_rename;
    calls.unlink = bad_unlink, calls.mkdir = bad_mkdir, calls.map = bad_map;
    bad = d;
    disk_use(&calls);
}

void bad_disk_unwatch(void)
{
    disk_use(NULL);
    bad = NULL;
}
