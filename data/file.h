/* file.h: a whole file in memory. Internal to data/. */
#ifndef GRADUS_DATA_FILE_H
#define GRADUS_DATA_FILE_H

#include <stddef.h>

/* Reads the bytes of a file, closed by a 0, which mem_free releases. At most DATA_TEXT_MAX_BYTES +
 * 1 of them are read, so that the caller can reject a longer file. NULL is an error, which begins
 * with `who`. */
unsigned char *file_bytes(const char *path, size_t *count, const char *who);

/* data_file_text for another public function `who`. */
char *file_text(const char *path, size_t *count, const char *who);

#endif
