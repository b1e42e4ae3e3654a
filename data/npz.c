/* npz.c: NumPy's .npz, a ZIP archive of .npy files, as numpy.savez and numpy.savez_compressed write
 * it.
 *
 *   each file:     a header of 30 bytes, its name, other fields, its bytes
 *   the list:      an entry of 46 bytes for each file, its name, other fields
 *   the end:       22 bytes, with where the list is
 *
 * Format: PKWARE, APPNOTE.TXT (4.3). Numbers are little-endian. The list at the end is what counts;
 * of a file's own header only its length is used. An archive is not trusted: each place is compared
 * with the archive's length, an unpacked length with what deflate can reach, and the bytes with
 * their checksum. */
#include "data/array.h"
#include "data/gzip.h"
#include "tensor/io/numbers.h"
#include "tensor/memory.h"

#include <string.h>

enum { HEADER = 30, ENTRY = 46, END = 22 };

/* ---- the list -------------------------------------------------------------------------------- */

/* Takes the entry at *at of the list, and moves *at behind it. */
static bool take_entry(Npz *z, const unsigned char *list, int64_t bytes, int64_t *at)
{
    const int64_t beyond = 0xFFFFFFFF; /* a length that only 64-bit fields hold */
    const unsigned char *e = list + *at;
    if (bytes - *at < ENTRY || memcmp(e, "PK\1\2", 4) != 0)
        return INPUT_FAIL(&z->in, "%s", "the archive's list of files is damaged");
    NpzArray a = {.method = (int)number_bits(e + 10, 2),
                  .crc = (uint32_t)number_bits(e + 16, 4),
                  .packed = (int64_t)number_bits(e + 20, 4),
                  .bytes = (int64_t)number_bits(e + 24, 4),
                  .at = (int64_t)number_bits(e + 42, 4)};
    const int64_t name = (int64_t)number_bits(e + 28, 2), stem = name - 4;
    *at += ENTRY + name + (int64_t)(number_bits(e + 30, 2) + number_bits(e + 32, 2));
    if (*at > bytes || stem < 0 || stem >= TENSOR_NAME_MAX ||
        memcmp(e + ENTRY + stem, ".npy", 4) != 0 || memchr(e + ENTRY, 0, (size_t)stem))
        return INPUT_FAIL(&z->in,
                          "the archive's list of files is damaged, or has one that is no .npy or "
                          "has a name of more than %d bytes",
                          TENSOR_NAME_MAX - 1);
    memcpy(a.name, e + ENTRY, (size_t)stem);
    if (a.packed == beyond || a.bytes == beyond || a.at == beyond)
        return INPUT_FAIL(&z->in, "array '%s' takes 4 GiB or more; expected less", a.name);
    z->arrays[z->count++] = a;
    return true;
}

static bool take_list(Npz *z)
{
    unsigned char end[END];
    const int64_t last = z->in.bytes - END;
    if (last >= 0 && !input_read(&z->in, last, end, END))
        return false;
    if (last < 0 || memcmp(end, "PK\5\6", 4) != 0)
        return INPUT_FAIL(
            &z->in, "%s",
            "it does not end as a ZIP archive does; expected what numpy.savez writes");
    int64_t files = (int64_t)number_bits(end + 10, 2), bytes = (int64_t)number_bits(end + 12, 4),
            begin = (int64_t)number_bits(end + 16, 4), at = 0;
    if (begin + bytes > last || files * ENTRY > bytes)
        return INPUT_FAIL(&z->in, "a list of %lld files in %lld bytes; expected it in the archive",
                          (long long)files, (long long)bytes);
    unsigned char *list = mem_alloc((size_t)bytes);
    z->arrays = mem_alloc((size_t)files * sizeof *z->arrays);
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
        a->bytes > (a->method ? GZIP_RATIO * a->packed : a->packed)) {
        INPUT_FAIL(&z->in, "array '%s': its place or length in the archive is damaged", a->name);
        return NULL;
    }
    unsigned char *bytes = mem_alloc((size_t)a->packed);
    if (bytes && input_read(&z->in, begin, bytes, (size_t)a->packed))
        return bytes;
    mem_free(bytes);
    return NULL;
}

/* The bytes as they are unpacked, and memory for one more, which shows that there are more. */
static unsigned char *unpack(const Npz *z, const NpzArray *a, unsigned char *packed)
{
    int64_t got = 0;
    unsigned char *bytes = mem_alloc((size_t)a->bytes + 1);
    bool ok = bytes && gzip_inflate(&z->in, false, packed, a->packed, bytes, a->bytes + 1, &got);
    mem_free(packed);
    if (ok && got == a->bytes)
        return bytes;
    if (ok)
        INPUT_FAIL(&z->in, "array '%s' is damaged: it has another length", a->name);
    mem_free(bytes);
    return NULL;
}

unsigned char *npz_bytes(const Npz *z, const NpzArray *a)
{
    if (a->method != 0 && a->method != 8) {
        INPUT_FAIL(&z->in, "array '%s' is compressed by method %d; expected 0 or 8", a->name,
                   a->method);
        return NULL;
    }
    unsigned char *bytes = packed_bytes(z, a);
    if (bytes && a->method)
        bytes = unpack(z, a, bytes);
    if (!bytes || checksum(bytes, a->bytes) == a->crc)
        return bytes;
    INPUT_FAIL(&z->in, "array '%s' is damaged: its checksum is another one", a->name);
    mem_free(bytes);
    return NULL;
}
