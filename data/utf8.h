/* utf8.h: UTF-8 (RFC 3629). Internal to data/. */
#ifndef GRADUS_DATA_UTF8_H
#define GRADUS_DATA_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* A symbol is a code point, or UTF8_BYTE + b for a byte b that is no part of well-formed UTF-8. */
enum { UTF8_BYTE = 0x110000, UTF8_SYMBOLS = UTF8_BYTE + 256, UTF8_MAX_BYTES = 4 };

/* Reads the first symbol of count >= 1 bytes; returns the number of its bytes. */
size_t utf8_read(const unsigned char *bytes, size_t count, int32_t *symbol);

/* Writes a symbol; returns the number of its bytes, 1 .. UTF8_MAX_BYTES. */
size_t utf8_write(int32_t symbol, unsigned char *bytes);

#endif
