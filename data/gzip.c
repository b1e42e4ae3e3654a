/* gzip.c: what is compressed by deflate, alone or with gzip, read by zlib.       RFC 1952, RFC 1951
 *
 * A file has one member, whose checksum and length zlib verifies at its end, and nothing after it.
 * The memory is that of zlib's window, whatever the file declares. In a build
 * without zlib (no GRADUS_ZLIB) stream_open refuses compressed files. */
#include "data/array.h"
#include "data/stream.h"
#include "tensor/memory.h"

#ifdef GRADUS_ZLIB
#include <zlib.h>

const bool gzip_there = true;

enum { AT_ONCE = 1 << 14 };

struct Inflater {
    z_stream z;
    bool ended;
    unsigned char in[AT_ONCE], skipped[AT_ONCE];
};

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

static bool no_memory(const Input *in)
{
    return INPUT_FAIL(in, "%s", "found no memory for zlib's window; expected some 40 KB");
}

static bool failed(const Stream *s, int status)
{
    if (status == Z_MEM_ERROR)
        return no_memory(&s->in);
    const char *why = s->inflater->z.msg;
    return INPUT_FAIL(&s->in,
                      "found damaged gzip data before byte %lld (%s); expected a valid file",
                      (long long)s->at, why ? why : "a wrong header");
}

enum { WINDOW = 15, GZIP_ONLY = 16 };

static bool begin(Stream *s)
{
    Inflater *f = mem_alloc(sizeof *f);
    if (!f)
        return false;
    f->z = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    f->ended = false;
    s->inflater = f;
    int status = inflateInit2(&f->z, WINDOW + GZIP_ONLY);
    if (status == Z_OK)
        return true;
    failed(s, status);
    mem_free(f);
    s->inflater = NULL;
    return false;
}

/* Gives zlib the next bytes of the file. */
static bool feed(Stream *s)
{
    Inflater *f = s->inflater;
    int64_t left = s->in.bytes - s->at, now = left < AT_ONCE ? left : AT_ONCE;
    if (now == 0)
        return INPUT_FAIL(&s->in, "%s", "found the end of the gzip data; expected its checksum");
    f->z.next_in = f->in;
    f->z.avail_in = (unsigned)now;
    s->at += now;
    return input_read(&s->in, s->at - now, f->in, (size_t)now);
}

/* One step of zlib towards at most `capacity` further bytes. */
static bool step(Stream *s, unsigned char *to, int64_t capacity, int64_t *made)
{
    Inflater *f = s->inflater;
    if (f->z.avail_in == 0 && !feed(s))
        return false;
    f->z.next_out = to ? to : f->skipped;
    f->z.avail_out = (unsigned)(capacity < AT_ONCE ? capacity : AT_ONCE);
    unsigned before = f->z.avail_out;
    int status = inflate(&f->z, Z_NO_FLUSH);
    *made = before - f->z.avail_out;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return failed(s, status);
    f->ended = status == Z_STREAM_END;
    int64_t after = f->z.avail_in + s->in.bytes - s->at;
    return !f->ended || after == 0 ||
           INPUT_FAIL(&s->in, "found %lld bytes after the gzip data; expected the end of the file",
                      (long long)after);
}

bool gzip_read(Stream *s, void *bytes, int64_t size, int64_t *got)
{
    *got = 0;
    if (!s->inflater && !begin(s))
        return false;
    while (*got < size && !s->inflater->ended) {
        int64_t made;
        if (!step(s, bytes ? (unsigned char *)bytes + *got : NULL, size - *got, &made))
            return false;
        *got += made;
    }
    return true;
}

void gzip_end(Stream *s)
{
    if (s->inflater)
        inflateEnd(&s->inflater->z);
    mem_free(s->inflater);
    s->inflater = NULL;
}

/* A negative window: no header, since the archive has its own. */
bool gzip_inflate(const Input *in, const unsigned char *from, int64_t packed, unsigned char *to,
                  int64_t bytes)
{
    z_stream z = {.next_in = (unsigned char *)from,
                  .avail_in = (unsigned)packed,
                  .next_out = to,
                  .avail_out = (unsigned)bytes,
                  .zalloc = zlib_alloc,
                  .zfree = zlib_free};
    int status = inflateInit2(&z, -WINDOW);
    if (status == Z_OK) {
        status = inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    if (status == Z_MEM_ERROR)
        return no_memory(in);
    return (status == Z_STREAM_END && z.avail_out == 0) ||
           INPUT_FAIL(in, "%s", "an array is damaged: it cannot be unpacked");
}

#else

const bool gzip_there = false;

bool gzip_inflate(const Input *in, const unsigned char *from, int64_t packed, unsigned char *to,
                  int64_t bytes)
{
    (void)in, (void)from, (void)packed, (void)to, (void)bytes;
    return false; /* npz_bytes does not call it */
}

bool gzip_read(Stream *s, void *bytes, int64_t size, int64_t *got)
{
    (void)bytes;
    (void)size;
    *got = 0;
    return INPUT_FAIL(&s->in, "%s", "found gzip data in a build without zlib; expected plain data");
}

void gzip_end(Stream *s)
{
    (void)s;
}

#endif
