/* gzip.h: what is compressed by deflate. Internal to data/. */
#ifndef GRADUS_DATA_GZIP_H
#define GRADUS_DATA_GZIP_H

#include "tensor/io/input.h"

/* The largest ratio of data to compressed data: what declares more is refused before memory is
 * taken. */
enum { GZIP_RATIO = 1032 };

/* Inflates `packed` bytes of `from` into at most `size` bytes at `to`, or only counts them where
 * that is NULL; *got: how many there were. Where memory for more is given, checksum and end of the
 * data are checked, and that nothing follows. with_header: gzip's, else none. False, with an error
 * in the name of the file, where the bytes are damaged, or the build has no zlib. */
bool gzip_inflate(const Input *in, bool with_header, const unsigned char *from, int64_t packed,
                  unsigned char *to, int64_t size, int64_t *got);

#endif
