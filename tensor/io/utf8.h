/* utf8.h: UTF-8 (RFC 3629), for all folders of the library (internal). */
#ifndef GRADUS_TENSOR_UTF8_H
#define GRADUS_TENSOR_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* A symbol is a code point, or UTF8_BYTE + b for a byte b that is no part of well-formed UTF-8. */
enum { UTF8_BYTE = 0x110000, UTF8_SYMBOLS = UTF8_BYTE + 256, UTF8_MAX_BYTES = 4 };

/* Reads the first symbol of count >= 1 bytes; returns the number of its bytes. */
size_t utf8_read(const unsigned char *bytes, size_t count, int32_t *symbol);

/* The number of bytes of the first character of count bytes; 0 where there is no well-formed
 * one. */
size_t utf8_length(const void *bytes, size_t count);

/* Writes a symbol; returns the number of its bytes, 1 .. UTF8_MAX_BYTES. */
size_t utf8_write(int32_t symbol, unsigned char *bytes);

#endif
