/* text_stream.h: a text that grows while a stream writes it. */
#ifndef LECTURES_TEXT_STREAM_H
#define LECTURES_TEXT_STREAM_H

#include "tensor/system/system.h"

typedef struct {
    char *text;
    size_t length, capacity;
    ByteSink sink;
    FILE *stream;
} TextStream;

/* A stream to write to, or NULL when memory is out. *s must stay where it is until text_close. */
FILE *text_open(TextStream *s);

/* What was written, to be freed, and its length in *length where that is not NULL; NULL when memory
 * ran out. */
char *text_close(TextStream *s, size_t *length);

/* The bytes of a file, with a 0 after them, to be freed, and their number in *length where that is
 * not NULL; NULL where it cannot be read, or memory is out. */
char *text_read(const char *path, size_t *length);

/* Ends the text at its first line, without the blanks after it, and returns the next line, or
 * NULL. */
char *text_cut(char *line);

#endif
