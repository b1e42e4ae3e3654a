/* stream.h: sequential reading of a file that may be compressed with gzip. Internal to data/. */
#ifndef GRADUS_DATA_STREAM_H
#define GRADUS_DATA_STREAM_H

#include "tensor/io/input.h"

typedef struct Inflater Inflater; /* gzip.c */

typedef struct {
    Input in;
    int64_t at;         /* the position in the file             */
    bool gzip;          /* the file begins with 1F 8B           */
    Inflater *inflater; /* NULL before the first read           */
} Stream;

enum { STREAM_GZIP_RATIO = 1032 }; /* the largest ratio of data to compressed data */

/* Errors: those of input_open; a compressed file where the build has no zlib. Call stream_close
 * even then. */
bool stream_open(Stream *s, const char *who, const char *path);

/* Reads the next `size` bytes; *got is smaller only at the end. bytes NULL: they are skipped. */
bool stream_read(Stream *s, void *bytes, int64_t size, int64_t *got);

void stream_rewind(Stream *s);
void stream_close(Stream *s);

/* gzip.c: stream_read for a compressed file. */
bool gzip_read(Stream *s, void *bytes, int64_t size, int64_t *got);
void gzip_end(Stream *s);
extern const bool gzip_there; /* the build has zlib */

#endif
