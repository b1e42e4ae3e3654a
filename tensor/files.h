/* files.h: files that appear as a whole or not at all. It is not in gradus.h: a program that writes
 * files of its own so includes it by this name. */
#ifndef GRADUS_TENSOR_FILES_H
#define GRADUS_TENSOR_FILES_H

#include "tensor/tensor.h"

GRADUS_BEGIN

/* A file that appears as a whole or not at all: it is written beside its final path, flushed to the
 * disk, and then renamed. Its permissions are those of the file that it replaces. */
typedef struct AtomicFile AtomicFile;
/* Begins a file. NULL, with an error, where none can be made beside `path`, or something else than
 * a regular file has that path. */
GRADUS_API AtomicFile *tensor_file_open(const char *path);
/* The stream to write to, from beginning to end, without seeking. NULL for NULL. */
GRADUS_API FILE *tensor_file_stream(AtomicFile *f);
/* Flushes, closes and renames. False, with an error, where that or an earlier write failed: then
 * the old file is as it was. f is gone either way. */
GRADUS_API bool tensor_file_commit(AtomicFile *f);
/* Gives up: the old file is as it was, and f is gone. Does nothing for NULL. */
GRADUS_API void tensor_file_discard(AtomicFile *f);

GRADUS_END

#include "placed/files.h" /* macros: an error names the program's line */
#endif
