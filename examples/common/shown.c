/* shown.c: see shown.h. */
#include "examples/common/shown.h"

#include "tensor/io/utf8.h"
#include "tensor/io/disk.h"

#include <string.h>

static bool is_file(FILE *to)
{
    FileStatus found;
    return disk_look_at(fileno(to), &found) && found.kind == FILE_REGULAR;
}

/* The control characters are U+0000 to U+001F, U+007F, and U+0080 to U+009F (ISO/IEC 6429). */
static bool is_shown(int32_t symbol)
{
    return symbol == '\n' || symbol == '\t' ||
           (symbol >= 0x20 && symbol != 0x7f && !(symbol >= 0x80 && symbol < 0xa0) &&
            symbol < UTF8_BYTE);
}

void shown_text(FILE *to, const char *text)
{
    size_t left = strlen(text);
    bool raw = is_file(to);
    while (left > 0) {
        int32_t symbol;
        size_t n = utf8_read((const unsigned char *)text, left, &symbol);
        if (raw || is_shown(symbol))
            fwrite(text, 1, n, to);
        else
            for (size_t i = 0; i < n; i++)
                fprintf(to, "\\x%02x", (unsigned char)text[i]);
        text += n;
        left -= n;
    }
}
