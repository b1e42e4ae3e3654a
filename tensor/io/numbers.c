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

/* Numbers are read and written in blocks of AT_ONCE, in a buffer on the stack: conversion takes no
 * memory from the allocator. */
enum { AT_ONCE = 4096, WIDEST = 8 };

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

/* For errors and for the header of a safetensors file. */
const char *number_name(NumberType type)
{
    return types[type].name;
}

int number_bytes(NumberType type)
{
    return types[type].bytes;
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

/* The value of one number; exact, but for I64 and U64 beyond 2^53. */
static double value_at(NumberType type, const unsigned char *bytes)
{
    uint64_t bits = number_bits(bytes, types[type].bytes);
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
        return (double)(int64_t)bits;
    case NUMBER_I32:
        return (int32_t)(uint32_t)bits;
    case NUMBER_I16:
        return (int16_t)(uint16_t)bits;
    case NUMBER_I8:
        return (int8_t)(uint8_t)bits;
    default: /* U64 to U8, BOOL */
        return (double)bits;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Can memory hold this number? See numbers.h. */
static bool fits(const Input *in, NumberType type, double value)
{
    if (type == NUMBER_BOOL)
        return value <= 1;
    if (types[type].whole)
        return in->as_real || (value >= INT32_MIN && value <= INT32_MAX);
    return isinf(value) || !isinf((real)value);
}

/* Does each of these numbers fit, of which the first has this index in the array? Of most types
 * every one does. */
static bool check(const Input *in, const char *what, NumberType type, const unsigned char *bytes,
                  int64_t first, int64_t count)
{
    int width = types[type].bytes;
    bool large = type == NUMBER_I64 || type == NUMBER_U64 || type == NUMBER_U32;
    bool may_fail =
        (large && !in->as_real) || type == NUMBER_BOOL || (type == NUMBER_F64 && sizeof(real) < 8);
    for (int64_t k = 0; may_fail && k < count; k++) {
        double value = value_at(type, bytes + width * k);
        if (!fits(in, type, value))
            return INPUT_FAIL(in, "%s: element %lld is %.*g; expected %s", what,
                              (long long)(first + k), types[type].whole ? 19 : 6, value,
                              type == NUMBER_F64    ? "numbers that a float can hold"
                              : type == NUMBER_BOOL ? "0 or 1, as a BOOL is"
                                                    : "-2147483648 to 2147483647, as ids are");
    }
    return true;
}

/* Allocates data or ids; false, with an error, when memory is out.
 * The count of bytes is checked again, since real may be wider than the file's type. */
static bool give_memory(Tensor *t, bool ids, int64_t count)
{
    size_t each = ids ? sizeof *t->ids : sizeof *t->data;
    if (count > PTRDIFF_MAX / (int64_t)each)
        return tensor_fail("out of memory: %s", tensor_describe(t));
    void *block = mem_alloc((size_t)count * each);
    if (ids)
        t->ids = block;
    else
        t->data = block;
    return block != NULL;
}

bool numbers_take(const Input *in, const char *what, Tensor *t, NumberType type, int64_t at)
{
    unsigned char bytes[WIDEST * AT_ONCE];
    int64_t count = tensor_size(t);
    StridedElements e = strided_elements(t);
    int width = types[type].bytes;
    double *doubles = NULL;
    if (!give_memory(t, types[type].whole && !in->as_real, count) ||
        (in->doubles && !(doubles = *in->doubles = mem_alloc((size_t)count * sizeof *doubles))))
        return false;
    for (int64_t i = 0; i < count; i += AT_ONCE) {
        int64_t now = count - i < AT_ONCE ? count - i : AT_ONCE;
        if (!input_read(in, at + width * i, bytes, (size_t)(width * now)) ||
            !check(in, what, type, bytes, i, now))
            return false;
        for (int64_t k = 0; k < now; k++, strided_elements_next(&e)) {
            double value = value_at(type, bytes + width * k);
            if (doubles)
                doubles[e.at] = value;
            if (t->ids)
                t->ids[e.at] = (int32_t)value;
            else
                t->data[e.at] = (real)value;
        }
    }
    return true;
}

/* ---- many real numbers ----------------------------------------------------------------------- */

/* Does this machine store the lowest byte of a number first, as the file does? */
static bool lowest_byte_first(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

bool numbers_as_in_memory(NumberType type)
{
    return lowest_byte_first() && type == (sizeof(real) == 8 ? NUMBER_F64 : NUMBER_F32);
}

/* One block of the file, and where its numbers go. */
typedef struct {
    NumberType type;
    const unsigned char *bytes;
    real *out;
} Piece;

/* The body of parallel_for: the numbers begin to end - 1 of a block. Each is written by one
 * thread. */
static void convert(int64_t begin, int64_t end, void *context)
{
    const Piece *p = context;
    const NumberType type = p->type;
    const int width = types[type].bytes;
    for (int64_t i = begin; i < end; i++)
        p->out[i] = (real)value_at(type, p->bytes + i * width);
}

/* Reads block after block, of 512 KiB to 2 MiB, through a buffer: enough work for several
 * threads. */
static bool read_converted(const Input *in, const char *what, NumberType type, int64_t at,
                           int64_t count, real *out)
{
    enum { BLOCK = 1 << 18 };
    int width = types[type].bytes;
    int64_t most = count < BLOCK ? count : BLOCK;
    unsigned char *bytes = mem_alloc((size_t)(most * width));
    bool ok = bytes != NULL;
    for (int64_t i = 0; ok && i < count; i += most) {
        int64_t now = count - i < most ? count - i : most;
        Piece piece = {type, bytes, out + i};
        ok = input_read(in, at + i * width, bytes, (size_t)(now * width)) &&
             check(in, what, type, bytes, i, now);
        if (ok)
            parallel_for(now, parallel_grain(8), convert, &piece);
    }
    mem_free(bytes);
    return ok;
}

/* For a model's weights, which are hundreds of millions. What is in memory as in the file is read
 * directly into the result. */
bool numbers_read(const Input *in, const char *what, NumberType type, int64_t at, int64_t count,
                  real *out)
{
    if (types[type].whole)
        return INPUT_FAIL(in, "%s has dtype %s; expected real numbers: F64, F32, F16 or BF16", what,
                          number_name(type));
    if (count == 0)
        return true;
    if (numbers_as_in_memory(type))
        return input_read(in, at, out, (size_t)count * sizeof *out);
    return read_converted(in, what, type, at, count, out);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The bits of one element as they are written. */
static uint64_t bits_of(const Tensor *t, int64_t offset)
{
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (t->ids)
        return (uint32_t)t->ids[offset];
    if (sizeof(real) == sizeof narrow) {
        memcpy(&narrow, t->data + offset, sizeof(real));
        return narrow;
    }
    memcpy(&wide, t->data + offset, sizeof(real));
    return wide;
}

/* The bytes of a number are composed from the lowest to the highest, whatever the machine's own
 * order. Write errors stay in the stream, whose owner asks for them once, at the end. */
void numbers_put(FILE *out, const Tensor *t)
{
    unsigned char bytes[WIDEST * AT_ONCE];
    int64_t count = tensor_size(t);
    StridedElements e = strided_elements(t);
    size_t width = (size_t)types[numbers_type(t)].bytes, held = 0;
    for (int64_t i = 0; i < count; i++, strided_elements_next(&e)) {
        uint64_t bits = bits_of(t, t->ids ? i : e.at); /* ids are contiguous */
        for (size_t k = 0; k < width; k++)
            bytes[held++] = (unsigned char)(bits >> 8 * k);
        if (held == width * AT_ONCE || i == count - 1) {
            fwrite(bytes, 1, held, out);
            held = 0;
        }
    }
}
