/* stream.h: the bytes of a file one after the other, whether it is compressed with gzip or not.
 * Private to data/. */
#ifndef GRADUS_DATA_STREAM_H
#define GRADUS_DATA_STREAM_H

#include "tensor/io/input.h"

typedef struct Inflater Inflater; /* gzip.c */

typedef struct {
    Input in;
    int64_t at;         /* the next byte of the file       */
    bool gzip;          /* the file begins 1F 8B           */
    Inflater *inflater; /* NULL until the first read of it */
} Stream;

enum { STREAM_GZIP_RATIO = 1032 }; /* deflate makes at most so many bytes of one */

/* Errors as input_open's; a compressed file where the build has no zlib. Close it even then. */
bool stream_open(Stream *s, const char *who, const char *path);

/* The next `size` bytes; *got is less only where they end. bytes may be NULL: they are passed over. */
bool stream_read(Stream *s, void *bytes, int64_t size, int64_t *got);

void stream_rewind(Stream *s);
void stream_close(Stream *s);

/* gzip.c: as stream_read, of a compressed file. */
bool gzip_read(Stream *s, void *bytes, int64_t size, int64_t *got);
void gzip_end(Stream *s);
extern const bool gzip_there; /* the build has zlib */

#endif
