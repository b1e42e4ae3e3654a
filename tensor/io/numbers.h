/* numbers.h: the number types of files, and their conversion from and to tensors (internal).
 *
 *   in a file              in memory
 *   F64 F32 F16 BF16       real (Tensor.data)
 *   I64 I32 I16 I8, U64    ids  (Tensor.ids, 32 bits)
 *   U32 U16 U8, BOOL
 *
 * A number that the type in memory cannot hold (a large I64 or U32, a large F64 where real is
 * float, a BOOL that is neither 0 nor 1) is an error, never a wrong number. Files are
 * little-endian. */
#ifndef GRADUS_TENSOR_NUMBERS_H
#define GRADUS_TENSOR_NUMBERS_H

#include "tensor/io/input.h"
#include <stdint.h>
#include <string.h>

typedef enum {
    NUMBER_F64,
    NUMBER_F32,
    NUMBER_F16,
    NUMBER_BF16,
    NUMBER_I64,
    NUMBER_I32,
    NUMBER_I16,
    NUMBER_I8,
    NUMBER_U64,
    NUMBER_U32,
    NUMBER_U16,
    NUMBER_U8,
    NUMBER_BOOL,
    NUMBER_TYPES
} NumberType;

const char *number_name(NumberType type); /* as safetensors writes it: "F32" */
int number_bytes(NumberType type);        /* of one number: 1, 2, 4 or 8 */

/* The bytes of the numbers of a tensor; false, without an error, where the product overflows. Axes
 * of length 0 count as 1 in it, so that (0, 2^62, 2^62) is refused, too. */
bool numbers_size(NumberType type, Shape shape, int64_t *bytes);

/* The type in which a tensor is written: I32 for ids, else that of real, F32 or F64. */
NumberType numbers_type(const Tensor *t);

/* Allocates the data or ids of a tensor, whose shape and strides are set, and fills them in
 * row-major order from byte `at` of the file on. False, with an error in which `what` names the
 * array: "tensor 'a'"; the tensor keeps the memory that it got. */
bool numbers_take(const Input *in, const char *what, Tensor *t, NumberType type, int64_t at);

/* The `count` real numbers from byte `at` of the file on, as real, into out. F32 are read directly
 * into out where real is float. Errors: a type of whole numbers, an F64 that a float cannot hold,
 * the file cannot be read. */
bool numbers_read(const Input *in, const char *what, NumberType type, int64_t at, int64_t count,
                  real *out);

/* Are numbers of this type in a file what they are in memory, so that a file that is mapped
 * (disk_map) needs no conversion? */
bool numbers_as_in_memory(NumberType type);

/* Writes a tensor's numbers in row-major order. tensor_file_commit reports a write that failed. */
void numbers_put(FILE *out, const Tensor *t);

/* The little-endian unsigned integer of `count` bytes. */
static inline uint64_t number_bits(const unsigned char *bytes, int count)
{
    uint64_t bits = 0;
    for (int i = count - 1; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    return bits;
}

/* The float with these bits. */
static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of an F16 with these bits; exact, since every F16 is a float. The exponent's bias is
 * 15, a float's 127; exponent 0 is f 2^-24, and 31 is infinity or NaN. */
static inline float float_of_half(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 0)
        return (sign ? -1 : 1) * (float)fraction * 0x1p-24F;
    exponent = exponent == 31 ? 255 : exponent + 112;
    return float_of_bits(sign | exponent << 23 | fraction << 13);
}

#endif
