/* file.c: a whole file of text in memory, checked. */
#include "data/file.h"

#include "data/data.h"
#include "data/utf8.h"
#include "tensor/io/disk.h"
#include "tensor/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { FIRST_READ = 1 << 16 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads to the end, but no more than one byte over the limit. The caller frees *bytes, also on failure. */
static bool read_all(int in, const char *path, unsigned char **bytes, size_t *count)
{
    const size_t most = (size_t)DATA_TEXT_MAX_BYTES + 1;
    size_t capacity = 0;
    for (*count = 0; *count < most;) {
        if (*count == capacity) {
            const size_t larger = least(capacity ? 2 * capacity : FIRST_READ, most);
            unsigned char *grown =
                mem_grow(*bytes, capacity, larger + 1); /* and the 0 behind them */
            if (!grown)
                return false;
            *bytes = grown, capacity = larger;
        }
        const ssize_t got = disk_read(in, *bytes + *count, capacity - *count);
        if (got < 0)
            return tensor_fail("%s: reading: %s", path, strerror(errno));
        if (got == 0)
            break;
        *count += (size_t)got;
    }
    (*bytes)[*count] = 0;
    return true;
}

unsigned char *file_bytes(const char *path, size_t *count)
{
    unsigned char *bytes = NULL;
    const int in = disk_open(path, O_RDONLY, 0);
    if (in < 0) {
        tensor_fail("%s: opening: %s", path, strerror(errno));
        return NULL;
    }
    if (!read_all(in, path, &bytes, count)) {
        mem_free(bytes);
        bytes = NULL;
    }
    disk_close(in);
    return bytes;
}

/* ---- as text ------------------------------------------------------------------------------------------ */

/* Is it UTF-8 without a byte 0, and is there anything but white space? */
static bool is_text(const char *path, const unsigned char *bytes, size_t count)
{
    int32_t symbol;
    int64_t line = 1, marks = 0;
    for (size_t i = 0; i < count; i += utf8_read(bytes + i, count - i, &symbol)) {
        utf8_read(bytes + i, count - i, &symbol);
        if (symbol == 0 || symbol >= UTF8_BYTE)
            return tensor_fail("%s: line %lld: found the byte 0x%02X; expected text in UTF-8", path,
                               (long long)line, bytes[i]);
        line += symbol == '\n';
        marks += symbol > ' ';
    }
    return marks > 0 || tensor_fail("%s: found %s; expected text", path,
                                    count ? "nothing but white space" : "an empty file");
}

char *data_file_text(const char *path, size_t *count)
{
    size_t bytes;
    char *text = (char *)file_bytes(path, &bytes);
    if (!text)
        return NULL;
    const bool fits = bytes <= DATA_TEXT_MAX_BYTES ||
                      tensor_fail("%s: found more than %d bytes, the most that is read", path,
                                  DATA_TEXT_MAX_BYTES);
    if (!fits || !is_text(path, (unsigned char *)text, bytes)) {
        mem_free(text);
        return NULL;
    }
    if (count)
        *count = bytes;
    return text;
}

void data_file_free(char *text)
{
    mem_free(text);
}
