/* utf8.c: UTF-8 (RFC 3629): code points as bytes.
 *
 *   0 .. 7F          0bbbbbbb
 *   80 .. 7FF        110bbbbb 10bbbbbb
 *   800 .. FFFF      1110bbbb 10bbbbbb 10bbbbbb
 *   10000 .. 10FFFF  11110bbb 10bbbbbb 10bbbbbb 10bbbbbb
 *
 * A form that is longer than needed, a surrogate (D800 .. DFFF) and a code point above 10FFFF are
 * not well formed: each of their bytes is a symbol of its own. Hence utf8_write reproduces every
 * byte that utf8_read read. */
#include "tensor/io/utf8.h"

size_t utf8_read(const unsigned char *bytes, size_t count, int32_t *symbol)
{
    static const int32_t least[UTF8_MAX_BYTES + 1] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char b = *bytes;
    const size_t length = b < 0x80   ? 1
                          : b < 0xC0 ? 0
                          : b < 0xE0 ? 2
                          : b < 0xF0 ? 3
                          : b < 0xF8 ? 4
                                     : 0;
    int32_t code = length > 1 ? b & 0x7F >> length : b;
    *symbol = UTF8_BYTE + b;
    if (length == 0 || length > count)
        return 1;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 1;
        code = code << 6 | (bytes[i] & 0x3F);
    }
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return 1;
    *symbol = code;
    return length;
}

size_t utf8_length(const void *bytes, size_t count)
{
    int32_t symbol = UTF8_BYTE;
    size_t length = count > 0 ? utf8_read(bytes, count, &symbol) : 0;
    return symbol < UTF8_BYTE ? length : 0;
}

size_t utf8_write(int32_t symbol, unsigned char *bytes)
{
    static const unsigned char mark[UTF8_MAX_BYTES + 1] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    if (symbol >= UTF8_BYTE) {
        bytes[0] = (unsigned char)(symbol - UTF8_BYTE);
        return 1;
    }
    const size_t length = symbol < 0x80 ? 1 : symbol < 0x800 ? 2 : symbol < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, symbol >>= 6)
        bytes[i] = (unsigned char)(0x80 | (symbol & 0x3F));
    bytes[0] = (unsigned char)(mark[length] | symbol);
    return length;
}
