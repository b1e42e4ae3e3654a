/* disk.h: the library's only way to files (internal). The twin of memory.h.
 *
 * Every call that opens, reads, writes, renames or removes goes through one table, which is the
 * system's own calls until disk_use puts another in its place: a test that lets the n-th of them
 * fail. Streams that a program hands in (tensor_print, terminal pictures) stay the program's.
 *
 * What is legal is dealt with here and nowhere else: a call that a signal interrupted is made again,
 * and of a write that took only a part the rest is written. Whatever fails leaves its reason in errno,
 * for the caller to report with the file's name. */
#ifndef GRADUS_TENSOR_DISK_H
#define GRADUS_TENSOR_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Each as the system call of its name. */
typedef struct {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*close)(int file);
    ssize_t (*read)(int file, void *bytes, size_t count);
    ssize_t (*pread)(int file, void *bytes, size_t count, off_t at);
    ssize_t (*write)(int file, const void *bytes, size_t count);
    int (*fsync)(int file);
    int (*fchmod)(int file, mode_t mode);
    int (*fstat)(int file, struct stat *found);
    int (*stat)(const char *path, struct stat *found);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*mkdir)(const char *path, mode_t mode);
} Disk;

extern const Disk disk_system; /* the system's own calls */

/* One for the whole process; NULL goes back to the system's. */
void disk_use(const Disk *disk);

/* A descriptor that no program started later inherits, or -1. */
int disk_open(const char *path, int flags, mode_t mode);

/* The descriptor is gone even where this is false. */
bool disk_close(int file);

/* Some bytes, at least one of those there are: from where the file stands, or from the byte `at`.
 * How many; 0 at the end, -1 on a failure. */
ssize_t disk_read(int file, void *bytes, size_t count);
ssize_t disk_read_at(int file, void *bytes, size_t count, int64_t at);

bool disk_write(int file, const void *bytes, size_t count); /* all of them */
bool disk_sync(int file);
bool disk_chmod(int file, mode_t mode);
bool disk_look(const char *path, struct stat *found);
bool disk_look_at(int file, struct stat *found);
bool disk_rename(const char *from, const char *to);
bool disk_remove(const char *path);
bool disk_make_directory(const char *path);

/* A stream into put, which takes all the bytes it is given, or returns false. No seeking, nothing behind
 * it to close; NULL when there is no memory for one. */
typedef bool (*DiskPut)(void *context, const void *bytes, size_t count);
typedef struct {
    DiskPut put;
    void *context;
} DiskStream;
FILE *disk_stream(DiskStream *stream); /* must outlive the FILE */

#endif
