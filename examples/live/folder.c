/* folder.c: the files of a folder in memory, in place of the system's. See folder.h. */
#include "examples/live/folder.h"

#include "tensor/io/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MAX = 64 };

static struct {
    char *path;
    unsigned char *bytes;
    size_t size, at; /* at: where disk_read goes on */
} files[FILES_MAX];
static int count;

static int folder_open(const char *path, OpenFor use, unsigned mode)
{
    (void)mode;
    errno = use == OPEN_READ || use == OPEN_REGULAR ? ENOENT : EROFS;
    for (int i = 0; i < count && errno == ENOENT; i++)
        if (strcmp(files[i].path, path) == 0) {
            files[i].at = 0;
            return i;
        }
    return -1;
}

static int folder_close(int file)
{
    return file < count ? 0 : -1;
}

static ssize_t folder_pread(int file, void *bytes, size_t wanted, int64_t at)
{
    const size_t size = files[file].size, from = at < (int64_t)size ? (size_t)at : size;
    const size_t taken = wanted < size - from ? wanted : size - from;
    memcpy(bytes, files[file].bytes + from, taken);
    return (ssize_t)taken;
}

static ssize_t folder_read(int file, void *bytes, size_t wanted)
{
    const ssize_t taken = folder_pread(file, bytes, wanted, (int64_t)files[file].at);
    files[file].at += (size_t)taken;
    return taken;
}

static int folder_fstat(int file, FileStatus *found)
{
    *found = (FileStatus){.kind = FILE_REGULAR, .bytes = (int64_t)files[file].size};
    return 0;
}

static int folder_stat(const char *path, FileStatus *found)
{
    const int file = folder_open(path, OPEN_READ, 0);
    return file < 0 ? -1 : folder_fstat(file, found);
}

/* The file is in memory already. */
static void *folder_map(int file, size_t bytes)
{
    return bytes <= files[file].size ? files[file].bytes : NULL;
}

static int folder_unmap(void *map, size_t bytes)
{
    (void)map, (void)bytes;
    return 0;
}

unsigned char *live_file(size_t bytes)
{
    static Disk disk;
    disk = disk_system; /* what the library never does with a model that it reads */
    disk.open = folder_open, disk.close = folder_close, disk.read = folder_read;
    disk.pread = folder_pread, disk.fstat = folder_fstat, disk.stat = folder_stat;
    disk.map = folder_map, disk.unmap = folder_unmap;
    disk_use(&disk);
    int i = folder_open(live_text(), OPEN_READ, 0); /* again: a picture */
    i = i < 0 ? count : i;
    if (i == FILES_MAX) {
        tensor_fail("live_file: more than %d files; expected the folder of one model", FILES_MAX);
        live_error();
        return NULL;
    }
    char *path = i < count ? files[i].path : strdup(live_text());
    unsigned char *memory = path ? realloc(files[i].bytes, bytes ? bytes : 1) : NULL;
    if (!memory) {
        tensor_fail("live_file: %s has %zu bytes, for which there is no memory; expected a "
                    "smaller model",
                    live_text(), bytes);
        live_error();
        return NULL;
    }
    files[i].path = path, files[i].bytes = memory, files[i].size = bytes;
    count += i == count;
    return memory;
}

const unsigned char *folder_find(const char *end, size_t *bytes)
{
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(files[i].path), tail = strlen(end);
        if (length < tail || strcmp(files[i].path + length - tail, end) != 0)
            continue;
        *bytes = files[i].size;
        return files[i].bytes;
    }
    return NULL;
}
