/* table_text.c: the texts that table.h reads, in UTF-8 whatever they were written in; labels. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 26 };

bool ends_in(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* UTF-16 with a mark, as Excel and PowerShell write it, as UTF-8 in new memory. */
static char *from_utf16(const unsigned char *bytes, size_t n)
{
    bool big = bytes[0] == 0xFE;
    char *text = malloc(3 * n + 1), *to = text;
    for (size_t i = 2; text && i + 1 < n; i += 2) {
        uint32_t c = bytes[i + !big] << 8 | bytes[i + big], low = 0;
        if (c >= 0xD800 && c < 0xDC00 && i + 3 < n)
            low = bytes[i + 2 + !big] << 8 | bytes[i + 2 + big];
        if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            i += 2;
        }
        if (c < 0x80) {
            *to++ = (char)c;
            continue;
        }
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
        *to++ = (char)(first[more] | c >> 6 * more);
        while (more-- > 0)
            *to++ = (char)(0x80 | (c >> 6 * more & 63));
    }
    if (text)
        *to = 0;
    return text;
}

char *table_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0;
    if (!file) {
        tensor_fail("%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    if ((text = malloc(FILE_MOST + 1))) {
        n = fread(text, 1, FILE_MOST, file);
        text[n] = 0;
    }
    bool read = text && !ferror(file) && feof(file);
    fclose(file);
    if (read && n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        char *converted = from_utf16((const unsigned char *)text, n);
        free(text);
        text = converted;
        n = text ? strlen(text) : 0;
    }
    bool whole = read && text && memchr(text, 0, n) == NULL;
    if (!whole) {
        free(text);
        tensor_fail("%s: found no text of at most %d MiB; expected one", path, FILE_MOST >> 20);
        return NULL;
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark, as Excel writes one */
        memmove(text, text + 3, n - 2);
    return text;
}

/* ---- labels: a line each --------------------------------------------------------------------- */

bool labels_read(LabelFile *l, const char *path)
{
    *l = (LabelFile){.text = table_text(path)};
    if (!l->text)
        return false;
    int lines = 1;
    for (char *c = l->text; *c; c++)
        lines += *c == '\n';
    if (!(l->label = calloc((size_t)lines, sizeof *l->label)))
        return tensor_fail("%s: no memory for %d labels", path, lines);
    for (char *line = l->text; *line;) {
        size_t n = strcspn(line, "\n");
        bool last = !line[n];
        line[n] = 0;
        if (n > 0 && line[n - 1] == '\r')
            line[n - 1] = 0;
        l->label[l->count++] = line;
        line += n + !last;
    }
    return true;
}

void labels_free(LabelFile *l)
{
    free(l->text);
    free(l->label);
}

bool labels_fit(const LabelFile *l, const char *path, int64_t expected, const char *what)
{
    return l->count == expected ||
           tensor_fail("%s: found %d labels; expected %lld, one for each %s", path, l->count,
                       (long long)expected, what);
}
