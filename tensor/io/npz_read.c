/* npz_read.c: reads the arrays of NumPy's .npz, a ZIP archive of .npy files.
 *
 *   each file:     a header of 30 bytes, its name, other fields, its bytes
 *   the list:      an entry of 46 bytes for each file, its name, other fields
 *   the end:       22 bytes, with where the list is; and a comment
 *
 * Format: PKWARE, APPNOTE.TXT (4.3); RFC 1951 for what is deflated, which zlib inflates. Numbers
 * are little-endian. The list at the end is what counts; of a file's own header only its length is
 * used. An archive is not trusted: each place is compared with the archive's length, an unpacked
 * length with what deflate can reach, and the bytes with their checksum. */
#include "tensor/io/npy.h"
#include "tensor/io/numbers.h"
#include "tensor/memory.h"

#include <string.h>
#ifdef GRADUS_ZLIB
#include <zlib.h>
#endif

enum { HEADER = 30, ENTRY = 46, END = 22, COMMENT_MAX = 65535, DEFLATE_MOST = 1032 };
static const uint32_t beyond = 0xFFFFFFFF; /* a length that only the 64-bit fields hold */

/* ---- the list -------------------------------------------------------------------------------- */

/* Finds the end record, which a comment of any length may follow: the last that has its mark. */
static bool find_end(const Input *in, unsigned char end[END])
{
    int64_t most = in->bytes < END + COMMENT_MAX ? in->bytes : END + COMMENT_MAX;
    unsigned char *tail = mem_alloc((size_t)(most > 0 ? most : 1));
    bool found = false, ok = tail && input_read(in, in->bytes - most, tail, (size_t)most);
    for (int64_t i = most - END; ok && !found && i >= 0; i--)
        if ((found = memcmp(tail + i, "PK\5\6", 4) == 0))
            memcpy(end, tail + i, END);
    mem_free(tail);
    return found || (ok && INPUT_FAIL(in, "%s",
                                      "it does not end as a ZIP archive does; expected "
                                      "what numpy.savez writes"));
}

/* Takes the entry at *at of the list, and moves *at behind it. A file that is no .npy is passed
 * over. */
static bool take_entry(Npz *z, const unsigned char *list, int64_t bytes, int64_t *at)
{
    const unsigned char *e = list + *at;
    if (bytes - *at < ENTRY || memcmp(e, "PK\1\2", 4) != 0)
        return INPUT_FAIL(&z->in, "%s", "the archive's list of files is damaged");
    NpzArray a = {.method = (int)number_bits(e + 10, 2),
                  .crc = (uint32_t)number_bits(e + 16, 4),
                  .packed = (int64_t)number_bits(e + 20, 4),
                  .bytes = (int64_t)number_bits(e + 24, 4),
                  .at = (int64_t)number_bits(e + 42, 4)};
    int64_t name = (int64_t)number_bits(e + 28, 2), stem = name - 4;
    *at += ENTRY + name + (int64_t)(number_bits(e + 30, 2) + number_bits(e + 32, 2));
    if (*at > bytes)
        return INPUT_FAIL(&z->in, "%s", "the archive's list of files is damaged");
    if (stem < 0 || memcmp(e + ENTRY + stem, ".npy", 4) != 0)
        return true;
    if (stem >= TENSOR_NAME_MAX || memchr(e + ENTRY, 0, (size_t)stem))
        return INPUT_FAIL(&z->in, "an array's name of %lld bytes; expected at most %d, and no zero",
                          (long long)stem, TENSOR_NAME_MAX - 1);
    memcpy(a.name, e + ENTRY, (size_t)stem);
    if (a.packed == beyond || a.bytes == beyond || a.at == beyond)
        return INPUT_FAIL(&z->in, "array '%s' takes 4 GiB or more; expected less", a.name);
    z->arrays[z->count++] = a;
    return true;
}

static bool take_list(Npz *z)
{
    unsigned char end[END];
    if (!find_end(&z->in, end))
        return false;
    int64_t files = (int64_t)number_bits(end + 10, 2), bytes = (int64_t)number_bits(end + 12, 4),
            begin = (int64_t)number_bits(end + 16, 4), at = 0;
    if (begin + bytes > z->in.bytes || files * ENTRY > bytes)
        return INPUT_FAIL(&z->in, "a list of %lld files in %lld bytes; expected it in the archive",
                          (long long)files, (long long)bytes);
    unsigned char *list = mem_alloc((size_t)(bytes > 0 ? bytes : 1));
    z->arrays = mem_alloc((size_t)(files > 0 ? files : 1) * sizeof *z->arrays);
    bool ok = list && z->arrays && input_read(&z->in, begin, list, (size_t)bytes);
    for (int64_t i = 0; ok && i < files; i++)
        ok = take_entry(z, list, bytes, &at);
    mem_free(list);
    return ok;
}

bool npz_open(Npz *z, const char *who, const char *path)
{
    *z = (Npz){0};
    return input_open(&z->in, who, path) && take_list(z);
}

void npz_close(Npz *z)
{
    input_close(&z->in);
    mem_free(z->arrays);
}

/* ---- an array -------------------------------------------------------------------------------- */

/* CRC-32 of ISO 3309, bit by bit. */
static uint32_t checksum(const unsigned char *bytes, int64_t count)
{
    uint32_t crc = ~0u;
    for (int64_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

#ifdef GRADUS_ZLIB
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

/* Inflates the whole array; false, with an error, where its bytes are damaged or do not fill `to`
 * exactly. */
static bool unpack(const Npz *z, const unsigned char *from, const NpzArray *a, unsigned char *to)
{
    z_stream s = {.next_in = (unsigned char *)from,
                  .avail_in = (unsigned)a->packed,
                  .next_out = to,
                  .avail_out = (unsigned)a->bytes,
                  .zalloc = zlib_alloc,
                  .zfree = zlib_free};
    int status = inflateInit2(&s, -15); /* no header: the archive has its own */
    if (status == Z_OK) {
        status = inflate(&s, Z_FINISH);
        inflateEnd(&s);
    }
    if (status == Z_MEM_ERROR)
        return INPUT_FAIL(&z->in, "%s", "found no memory for zlib's window; expected some 40 KB");
    return (status == Z_STREAM_END && s.avail_out == 0) ||
           INPUT_FAIL(&z->in, "array '%s' is damaged: it cannot be unpacked", a->name);
}

static bool can_unpack(const Npz *z, const NpzArray *a)
{
    return a->method == 0 || a->method == 8 ||
           INPUT_FAIL(&z->in, "array '%s' is compressed by method %d; expected 0 or 8", a->name,
                      a->method);
}
#else
static bool unpack(const Npz *z, const unsigned char *from, const NpzArray *a, unsigned char *to)
{
    (void)z, (void)from, (void)a, (void)to;
    return false;
}

static bool can_unpack(const Npz *z, const NpzArray *a)
{
    return a->method == 0 ||
           INPUT_FAIL(&z->in,
                      "array '%s' is compressed, and this build lacks zlib; expected "
                      "numpy.savez, not numpy.savez_compressed",
                      a->name);
}
#endif

/* The array's bytes as they are in the archive, without its header there. */
static unsigned char *packed_bytes(const Npz *z, const NpzArray *a)
{
    unsigned char head[HEADER];
    bool inside = a->at + HEADER <= z->in.bytes && input_read(&z->in, a->at, head, HEADER) &&
                  memcmp(head, "PK\3\4", 4) == 0;
    int64_t begin =
        inside ? a->at + HEADER + (int64_t)(number_bits(head + 26, 2) + number_bits(head + 28, 2))
               : 0;
    if (!inside || begin + a->packed > z->in.bytes || a->bytes >= PTRDIFF_MAX ||
        a->bytes > (a->method ? DEFLATE_MOST * a->packed : a->packed)) {
        INPUT_FAIL(&z->in, "array '%s': its place or length in the archive is damaged", a->name);
        return NULL;
    }
    unsigned char *bytes = mem_alloc((size_t)a->packed + 1);
    if (bytes && input_read(&z->in, begin, bytes, (size_t)a->packed))
        return bytes;
    mem_free(bytes);
    return NULL;
}

static Tensor *read_unpacked(const Npz *z, const NpzArray *a, const unsigned char *bytes)
{
    if (checksum(bytes, a->bytes) != a->crc) {
        INPUT_FAIL(&z->in, "array '%s' is damaged: its checksum is another one", a->name);
        return NULL;
    }
    Input part = z->in;
    part.descriptor = -1;
    part.memory = bytes;
    part.bytes = a->bytes;
    return npy_take(&part);
}

Tensor *npz_take(const Npz *z, const NpzArray *a)
{
    Tensor *t = NULL;
    unsigned char *packed = can_unpack(z, a) ? packed_bytes(z, a) : NULL, *bytes = packed;
    if (packed && a->method && (bytes = mem_alloc((size_t)a->bytes + 1)) &&
        !unpack(z, packed, a, bytes)) {
        mem_free(bytes);
        bytes = NULL;
    }
    if (bytes)
        t = read_unpacked(z, a, bytes);
    if (bytes != packed)
        mem_free(bytes);
    mem_free(packed);
    return t;
}
