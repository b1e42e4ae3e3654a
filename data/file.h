/* file.h: a whole file in memory. Private to data/. */
#ifndef GRADUS_DATA_FILE_H
#define GRADUS_DATA_FILE_H

#include <stddef.h>

/* The file's bytes and a 0 behind them, for mem_free; at most DATA_TEXT_MAX_BYTES + 1 of them are read, so that
 * a longer file can be told. NULL is an error. */
unsigned char *file_bytes(const char *path, size_t *count);

#endif
