/* file.h: a whole file in memory. Internal to data/. */
#ifndef GRADUS_DATA_FILE_H
#define GRADUS_DATA_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Reads the bytes of a file, closed by a 0, which mem_free releases. At most DATA_TEXT_MAX_BYTES +
 * 1 of them are read, so that the caller can reject a longer file. NULL is an error, which begins
 * with `who`. */
unsigned char *file_bytes(const char *path, size_t *count, const char *who);

/* data_file_text for another public function `who`. */
char *file_text(const char *path, size_t *count, const char *who);

/* How many lines there are. */
int32_t file_lines(const char *text, size_t count);
/* The line at *rest and its length; its end, "\n" or "\r\n", becomes a 0, and *rest the next line.
 * NULL: no line is left. The text has a byte at `end`, which the last line may need. */
char *file_line(char **rest, char *end, size_t *length);

#endif
