/* numbers.c: conversion between the bytes of a file and numbers.
 *
 *   F64, F32   IEEE 754: 1 bit sign, 11 or 8 of exponent, 52 or 23 of fraction
 *   F16        IEEE 754: 1, 5, 10.   2^(e-15) (1 + f/1024);  e = 0: 2^-14 f/1024;  e = 31: inf, NaN
 *   BF16       the upper half of an F32
 *   I64 to I8  two's complement;  U64 to U8  without a sign;  BOOL  one byte
 *
 * Numbers are composed byte by byte: they need not be aligned, and the machine's byte order does
 * not matter. */
#include "tensor/io/numbers.h"
#include "tensor/strided_rows.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <string.h>

/* Each type by its NumberType: its name in safetensors, the bytes of a number, whether it holds
 * whole numbers. */
static const struct {
    const char *name;
    int bytes;
    bool whole;
} types[NUMBER_TYPES] = {
    [NUMBER_F64] = {"F64", 8, false},  [NUMBER_F32] = {"F32", 4, false},
    [NUMBER_F16] = {"F16", 2, false},  [NUMBER_BF16] = {"BF16", 2, false},
    [NUMBER_I64] = {"I64", 8, true},   [NUMBER_I32] = {"I32", 4, true},
    [NUMBER_I16] = {"I16", 2, true},   [NUMBER_I8] = {"I8", 1, true},
    [NUMBER_U64] = {"U64", 8, true},   [NUMBER_U32] = {"U32", 4, true},
    [NUMBER_U16] = {"U16", 2, true},   [NUMBER_U8] = {"U8", 1, true},
    [NUMBER_BOOL] = {"BOOL", 1, true},
};

const char *number_name(NumberType type)
{
    return types[type].name;
}

NumberType number_named(const char *name)
{
    NumberType type = 0;
    while (type < NUMBER_TYPES && strcmp(types[type].name, name) != 0)
        type++;
    return type;
}

int number_bytes(NumberType type)
{
    return types[type].bytes;
}

bool number_is_whole(NumberType type)
{
    return types[type].whole;
}

bool numbers_size(NumberType type, Shape shape, int64_t *bytes)
{
    bool empty = false;
    *bytes = number_bytes(type);
    for (int i = 0; i < shape.rank; i++) {
        empty |= shape.dim[i] == 0;
        if (!tensor_checked_mul(*bytes, shape.dim[i] ? shape.dim[i] : 1, bytes))
            return false;
    }
    *bytes = empty ? 0 : *bytes;
    return true;
}

NumberType numbers_type(const Tensor *t)
{
    return t->ids ? NUMBER_I32 : sizeof(real) == 8 ? NUMBER_F64 : NUMBER_F32;
}

/* ---- one number ------------------------------------------------------------------------------ */

/* Does this machine store the lowest byte of a number first, as files do? */
static bool lowest_byte_first(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

uint64_t number_bits(const unsigned char *bytes, int count)
{
    uint64_t bits = 0;
    for (int i = count - 1; i >= 0; i--)
        bits = bits << 8 | bytes[i];
    return bits;
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Exact, since every F16 is a float. The exponent's bias is 15, a float's 127; exponent 0 is
 * f 2^-24, and 31 is infinity or NaN. */
static float float_of_half(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 0)
        return (sign ? -1 : 1) * (float)fraction * 0x1p-24F;
    exponent = exponent == 31 ? 255 : exponent + 112;
    return float_of_bits(sign | exponent << 23 | fraction << 13);
}

double number_value(NumberType type, const unsigned char *bytes)
{
    const int above = 64 - 8 * types[type].bytes; /* bits that the number does not have */
    const uint64_t bits = number_bits(bytes, types[type].bytes);
    double value;
    switch (type) {
    case NUMBER_F32:
        return float_of_bits((uint32_t)bits);
    case NUMBER_F16:
        return float_of_half((uint32_t)bits);
    case NUMBER_BF16:
        return float_of_bits((uint32_t)bits << 16);
    case NUMBER_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case NUMBER_I64:
    case NUMBER_I32:
    case NUMBER_I16:
    case NUMBER_I8: /* shifted back, its sign fills them */
        return (double)((int64_t)(bits << above) >> above);
    default: /* U64 to U8, BOOL */
        return (double)bits;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One block of the file, and where its numbers go. */
typedef struct {
    NumberType type;
    const unsigned char *bytes;
    void *out;
} Piece;

/* The body of parallel_for: the numbers begin to end - 1 of a block. Each is written by one
 * thread. */
static void convert(int64_t begin, int64_t end, void *context)
{
    const Piece *p = context;
    const NumberType type = p->type;
    const int width = types[type].bytes;
    if (types[type].whole)
        for (int64_t i = begin; i < end; i++)
            ((int32_t *)p->out)[i] = (int32_t)number_value(type, p->bytes + i * width);
    else
        for (int64_t i = begin; i < end; i++)
            ((real *)p->out)[i] = (real)number_value(type, p->bytes + i * width);
}

/* Can memory hold each of these numbers, of which the first has this index in the tensor? */
static bool check(const Input *in, const char *name, NumberType type, const unsigned char *bytes,
                  int64_t first, int64_t count)
{
    const bool wide = type == NUMBER_F64 && sizeof(real) < 8, truth = type == NUMBER_BOOL,
               large = type == NUMBER_I64 || type == NUMBER_U64 || type == NUMBER_U32;
    for (int64_t k = 0; (wide || truth || large) && k < count; k++) {
        double value = number_value(type, bytes + types[type].bytes * k);
        if (wide    ? isinf((real)value) && !isinf(value)
            : truth ? value > 1
                    : value < INT32_MIN || value > INT32_MAX)
            return INPUT_FAIL(in, "tensor '%s': element %lld is %.*g; expected %s", name,
                              (long long)(first + k), wide ? 6 : 19, value,
                              wide    ? "numbers that a float can hold"
                              : truth ? "0 or 1, as a BOOL is"
                                      : "-2147483648 to 2147483647, as ids are");
    }
    return true;
}

/* What is in memory as in the file is read directly into the result; everything else block after
 * block, of 256 KiB to 2 MiB, through a buffer: enough work for several threads. */
bool numbers_read(const Input *in, const char *name, NumberType type, int64_t at, int64_t count,
                  void *out)
{
    enum { BLOCK = 1 << 18 };
    const int64_t width = types[type].bytes, most = count < BLOCK ? count : BLOCK,
                  each = types[type].whole ? sizeof(int32_t) : sizeof(real);
    if (numbers_as_in_memory(type))
        return input_read(in, at, out, (size_t)(count * width));
    unsigned char *bytes = mem_alloc((size_t)(most * width));
    bool ok = bytes != NULL;
    for (int64_t i = 0; ok && i < count; i += most) {
        int64_t now = count - i < most ? count - i : most;
        Piece piece = {type, bytes, (char *)out + i * each};
        ok = input_read(in, at + i * width, bytes, (size_t)(now * width)) &&
             check(in, name, type, bytes, i, now);
        if (ok)
            parallel_for(now, parallel_grain(8), convert, &piece);
    }
    mem_free(bytes);
    return ok;
}

bool numbers_as_in_memory(NumberType type)
{
    return lowest_byte_first() && type == (sizeof(real) == 8 ? NUMBER_F64 : NUMBER_F32);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* In blocks, in a buffer on the stack: writing takes no memory from the allocator. Write errors
 * stay in the stream, whose owner asks for them once, at the end. */
void numbers_put(FILE *out, const Tensor *t)
{
    enum { AT_ONCE = 4096, WIDEST = 8 };
    unsigned char bytes[WIDEST * AT_ONCE];
    int64_t count = tensor_size(t);
    StridedElements e = strided_elements(t);
    size_t width = (size_t)types[numbers_type(t)].bytes, held = 0;
    for (int64_t i = 0; i < count; i++, strided_elements_next(&e)) {
        const unsigned char *from = t->ids ? (const unsigned char *)(t->ids + i) /* contiguous */
                                           : (const unsigned char *)(t->data + e.at);
        for (size_t k = 0; k < width; k++)
            bytes[held++] = from[lowest_byte_first() ? k : width - 1 - k];
        if (held == width * AT_ONCE || i == count - 1) {
            fwrite(bytes, 1, held, out);
            held = 0;
        }
    }
}
