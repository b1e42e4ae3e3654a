/* disk.h: the functions through which the library uses files (internal); memory.h has those for
 * memory.
 *
 * Every call that opens, reads, writes, renames or removes goes through one table. It holds the
 * system's own calls until disk_use sets another table, as a test does that makes the n-th call
 * fail. Streams that a program passes (tensor_print, terminal pictures) are not concerned.
 *
 * This is the only place that handles what a call may legally do: a call that a signal interrupted
 * is repeated, and of a write that took only a part the rest is written. A failed call leaves its
 * reason in errno, and the caller reports it with the file's name. */
#ifndef GRADUS_TENSOR_DISK_H
#define GRADUS_TENSOR_DISK_H

#include "tensor/system/system.h"

/* Sets the table for the whole process; NULL sets the system's. */
void disk_use(const Disk *disk);

/* A descriptor that programs started later do not inherit, or -1. `mode` counts for OPEN_NEW. */
int disk_open(const char *path, OpenFor use, unsigned mode);

/* The descriptor is closed even where this returns false. */
bool disk_close(int file);

/* Reads up to `count` bytes, at least one unless the file ends: from the file's position, or from
 * the byte `at`. Returns how many; 0 at the end, -1 on a failure. */
ssize_t disk_read(int file, void *bytes, size_t count);
ssize_t disk_read_at(int file, void *bytes, size_t count, int64_t at);

/* The file's first `bytes` bytes as memory, read from the disk page by page when they are first
 * used. What is written there changes a copy of the page and never the file. The file may be
 * closed, but must not become shorter: the system ends a process that uses a page that is gone
 * (SIGBUS). NULL on a failure, with the reason in errno. */
void *disk_map(int file, size_t bytes);
void disk_unmap(void *map, size_t bytes);

/* Each returns false on a failure, with the reason in errno. disk_write writes all bytes; disk_sync
 * waits until they are on the disk; disk_chmod sets the permissions of an open file. disk_look and
 * disk_look_at fill *found as stat and fstat do. disk_rename replaces `to` in one step where it
 * exists. disk_remove removes a file's name, and disk_make_directory makes one directory. */
bool disk_write(int file, const void *bytes, size_t count); /* all of them */
bool disk_sync(int file);
bool disk_chmod(int file, unsigned mode);
bool disk_look(const char *path, FileStatus *found);
bool disk_look_at(int file, FileStatus *found);
bool disk_rename(const char *from, const char *to);
bool disk_remove(const char *path);
bool disk_make_directory(const char *path);

#endif
