/* file.c: a whole text file in memory, checked to be text. */
#include "data/file.h"

#include "data/data.h"
#include "data/null.h"
#include "tensor/io/utf8.h"
#include "tensor/io/disk.h"
#include "tensor/memory.h"

#include <errno.h>
#include <string.h>

enum { FIRST_READ = 1 << 16 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Reads to the end, but at most one byte more than the limit. The caller frees *bytes, also after a
 * failure. */
static bool read_all(int in, const char *path, unsigned char **bytes, size_t *count,
                     const char *who)
{
    const size_t most = (size_t)DATA_TEXT_MAX_BYTES + 1;
    size_t capacity = 0;
    for (*count = 0; *count < most;) {
        if (*count == capacity) {
            const size_t larger = least(capacity ? 2 * capacity : FIRST_READ, most);
            unsigned char *grown = mem_grow(*bytes, capacity, larger + 1); /* and the closing 0 */
            if (!grown)
                return false;
            *bytes = grown, capacity = larger;
        }
        const ssize_t got = disk_read(in, *bytes + *count, capacity - *count);
        if (got < 0)
            return tensor_fail("%s: %s: reading failed with \"%s\"; expected a readable file", who,
                               path, strerror(errno));
        if (got == 0)
            break;
        *count += (size_t)got;
    }
    (*bytes)[*count] = 0;
    return true;
}

unsigned char *file_bytes(const char *path, size_t *count, const char *who)
{
    unsigned char *bytes = NULL;
    const int in = disk_open(path, OPEN_READ, 0);
    if (in < 0) {
        tensor_fail("%s: %s: opening failed with \"%s\"; expected a readable file", who, path,
                    strerror(errno));
        return NULL;
    }
    if (!read_all(in, path, &bytes, count, who)) {
        mem_free(bytes);
        bytes = NULL;
    }
    disk_close(in);
    return bytes;
}

/* ---- as text --------------------------------------------------------------------------------- */

/* The encoding that the text most likely has, which is not UTF-8, as iconv names it: UTF-16 has a
 * mark or a 0 beside each Latin letter, and of a single byte's encodings Latin-1 is the
 * commonest. */
static const char *encoding_of(const unsigned char *bytes, size_t count, size_t at)
{
    bool marked = count >= 2 && ((bytes[0] == 0xFF && bytes[1] == 0xFE) ||
                                 (bytes[0] == 0xFE && bytes[1] == 0xFF));
    return marked ? "UTF-16" : bytes[at] ? "LATIN1" : at % 2 ? "UTF-16LE" : "UTF-16BE";
}

/* Is it UTF-8 without a byte 0, and is there anything but white space? */
static bool is_text(const char *path, const unsigned char *bytes, size_t count, const char *who)
{
    int32_t symbol;
    int64_t line = 1, visible = 0;
    for (size_t i = 0; i < count; i += utf8_read(bytes + i, count - i, &symbol)) {
        utf8_read(bytes + i, count - i, &symbol);
        if (symbol == 0 || symbol >= UTF8_BYTE)
            return tensor_fail("%s: %s: line %lld, byte %zu: found 0x%02X; expected text in UTF-8 "
                               "(iconv -f %s -t UTF-8 '%s' >NEW)",
                               who, path, (long long)line, i, bytes[i],
                               encoding_of(bytes, count, i), path);
        line += symbol == '\n';
        visible += symbol > ' ';
    }
    return visible > 0 || tensor_fail("%s: %s: found %s; expected text", who, path,
                                      count ? "only white space" : "an empty file");
}

char *file_text(const char *path, size_t *count, const char *who)
{
    size_t bytes;
    char *text = (char *)file_bytes(path, &bytes, who);
    if (!text)
        return NULL;
    const bool fits = bytes <= DATA_TEXT_MAX_BYTES ||
                      tensor_fail("%s: %s: found more than %d bytes; expected at most as many", who,
                                  path, DATA_TEXT_MAX_BYTES);
    if (!fits || !is_text(path, (unsigned char *)text, bytes, who)) {
        mem_free(text);
        return NULL;
    }
    if (count)
        *count = bytes;
    return text;
}

char *data_file_text(const char *path, size_t *count)
{
    if (!path)
        return null_fail("data_file_text", "a path"), NULL;
    return file_text(path, count, "data_file_text");
}

void data_file_free(char *text)
{
    mem_free(text);
}

/* ---- its lines ------------------------------------------------------------------------------- */

int32_t file_lines(const char *text, size_t count)
{
    int32_t lines = 0;
    for (size_t i = 0; i < count; i++)
        lines += text[i] == '\n' || i + 1 == count;
    return lines;
}

char *file_line(char **rest, char *end, size_t *length)
{
    char *line = *rest;
    if (line >= end)
        return NULL;
    char *stop = memchr(line, '\n', (size_t)(end - line));
    stop = stop ? stop : end;
    *rest = stop + 1;
    *length = (size_t)(stop - line);
    *length -= *length > 0 && line[*length - 1] == '\r';
    line[*length] = 0;
    return line;
}
