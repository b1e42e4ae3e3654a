/* gzip.c: what is compressed by deflate, alone or with gzip, read by zlib.      RFC 1951, RFC 1952
 *
 * A file has one member, whose checksum and length zlib verifies at its end, and nothing after
 * it. */
#include "data/gzip.h"

#ifdef GRADUS_ZLIB
#include "tensor/memory.h"

#include <limits.h>
#include <zlib.h>

/* zlib's memory, through the library's hook. */
static void *zlib_alloc(void *context, unsigned count, unsigned size)
{
    (void)context;
    return mem_try((size_t)count * size);
}

static void zlib_free(void *context, void *block)
{
    (void)context;
    mem_free(block);
}

/* Do the data end here, or is the memory for them full? status: what inflate returned. */
static bool check(const Input *in, const z_stream *z, int status)
{
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return INPUT_FAIL(in, "found damaged gzip data before byte %lu (%s); expected a valid file",
                          z->total_in, z->msg ? z->msg : "a wrong header");
    if (status != Z_STREAM_END)
        return z->avail_out == 0 ||
               INPUT_FAIL(in, "%s", "found the end of the gzip data; expected its checksum");
    return z->avail_in == 0 ||
           INPUT_FAIL(in, "found %u bytes after the gzip data; expected the end of the file",
                      z->avail_in);
}

bool gzip_inflate(const Input *in, bool with_header, const unsigned char *from, int64_t packed,
                  unsigned char *to, int64_t size, int64_t *got)
{
    enum { WINDOW = 15, GZIP_ONLY = 16, AT_ONCE = 1 << 14 };
    unsigned char skipped[AT_ONCE];
    z_stream z = {.next_in = (unsigned char *)from,
                  .avail_in = (unsigned)packed,
                  .zalloc = zlib_alloc,
                  .zfree = zlib_free};
    if (packed > UINT_MAX || size > UINT_MAX)
        return INPUT_FAIL(in, "%s", "found 4 GB or more of compressed data; expected less");
    int status = inflateInit2(&z, with_header ? WINDOW + GZIP_ONLY : -WINDOW);
    for (*got = 0; status == Z_OK && z.avail_out == 0 && *got < size; *got -= z.avail_out) {
        const int64_t now = !to && size - *got > AT_ONCE ? AT_ONCE : size - *got;
        z.next_out = to ? to : skipped;
        z.avail_out = (unsigned)now;
        *got += now;
        status = inflate(&z, Z_NO_FLUSH);
    }
    bool ok = status == Z_MEM_ERROR
                  ? INPUT_FAIL(in, "%s", "found no memory for zlib's window; expected some 40 KB")
                  : check(in, &z, status);
    inflateEnd(&z); /* of a stream that was not begun does nothing */
    return ok;
}

#else

bool gzip_inflate(const Input *in, bool with_header, const unsigned char *from, int64_t packed,
                  unsigned char *to, int64_t size, int64_t *got)
{
    (void)with_header, (void)from, (void)packed, (void)to, (void)size, (void)got;
    return INPUT_FAIL(in, "%s",
                      "found compressed data, which this build cannot read without zlib; expected "
                      "the output of `gunzip`, or of numpy.savez");
}

#endif
