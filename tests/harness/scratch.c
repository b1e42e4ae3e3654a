/* scratch.c: the files of a test: those of the project, and those in a temporary directory. */
#define _GNU_SOURCE /* nftw */
#include "tests/harness/runner.h"

#include <dirent.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *source_path(const char *format, ...)
{
    static char ring[4][2048];
    static unsigned next;
    char *path = ring[next++ % 4];
    const char *source = getenv("GRADUS_SOURCE");
    int length = snprintf(path, sizeof ring[0], "%s/", source && *source ? source : "..");
    size_t used = length < (int)sizeof ring[0] ? (size_t)length : sizeof ring[0] - 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + used, sizeof ring[0] - used, format, arguments);
    va_end(arguments);
    return path;
}

static char directory[512];

const char *scratch_path(const char *name)
{
    static char ring[4][1024];
    static unsigned next;
    char *path = ring[next++ % 4];
    if (!directory[0]) {
        const char *parent = getenv("TMPDIR");
        if (!parent || !*parent)
            parent = getenv("TEMP"); /* Windows' name for it */
        /* mkdtemp replaces the last six letters. */
        snprintf(directory, sizeof directory,
                 "%s/gradus-test-"
                 "XX"
                 "XX"
                 "XX",
                 parent && *parent ? parent : "/tmp");
        if (!mkdtemp(directory))
            perror(directory); /* every use of the directory will fail with a message */
    }
    snprintf(path, sizeof ring[0], "%s/%s", directory, name);
    return path;
}

bool scratch_write(const char *path, const void *bytes, size_t count)
{
    remove(path); /* of a file that is written anew, ext4 waits for the disk */
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && written;
}

long scratch_read(const char *path, void *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    long length = (long)fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

const char *scratch_text(const char *path)
{
    static char text[(4 << 20) + 1];
    long length = scratch_read(path, text, sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    return text;
}

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *where)
{
    (void)found;
    (void)kind;
    (void)where;
    return remove(path) == 0 ? 0 : rmdir(path); /* Windows' remove takes files alone */
}

void scratch_clear(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int scratch_files(const char *path)
{
    int count = 0;
    DIR *opened = opendir(path);
    if (!opened)
        return -1;
    for (struct dirent *entry; (entry = readdir(opened));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(opened);
    return count;
}

void scratch_remove(void)
{
    if (directory[0])
        scratch_clear(directory);
    directory[0] = 0;
}
