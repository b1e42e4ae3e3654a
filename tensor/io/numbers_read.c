/* numbers_read.c: many real numbers out of a file at once, converted by all threads.
 *
 * numbers.c takes numbers one by one, for files of any type and size; a model's weights are
 * hundreds of millions. F32 is what a float is in memory, so on a machine that holds the lowest
 * byte first the file is read directly into the result. */
#include "../memory.h"
#include "tensor/threads/parallel.h"
#include "numbers.h"

#include <string.h>

/* Numbers in a block: 512 KiB to 2 MiB of the file, enough work for several threads. */
enum { AT_ONCE = 1 << 18 };

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
    int width = number_bytes(p->type);
    for (int64_t i = begin; i < end; i++) {
        uint64_t bits = number_bits(p->bytes + i * width, width);
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        p->out[i] = p->type == NUMBER_F64    ? (real)wide
                    : p->type == NUMBER_F32  ? (real)float_of_bits((uint32_t)bits)
                    : p->type == NUMBER_BF16 ? (real)float_of_bits((uint32_t)bits << 16)
                                             : (real)float_of_half((uint32_t)bits);
    }
}

/* Reads block after block through a buffer, and converts each with all threads. */
static bool read_converted(const Input *in, NumberType type, int64_t at, int64_t count, real *out)
{
    int width = number_bytes(type);
    int64_t most = count < AT_ONCE ? count : AT_ONCE;
    unsigned char *bytes = mem_alloc((size_t)(most * width));
    bool ok = bytes != NULL;
    for (int64_t i = 0; ok && i < count; i += most) {
        int64_t now = count - i < most ? count - i : most;
        Piece piece = {type, bytes, out + i};
        ok = input_read(in, at + i * width, bytes, (size_t)(now * width));
        if (ok)
            parallel_for(now, parallel_grain(8), convert, &piece);
    }
    mem_free(bytes);
    return ok;
}

/* Only an F64 read as float can fail to fit; numbers_check then reads the file once before the
 * conversion reads it again. */
bool numbers_read(const Input *in, const char *what, NumberType type, int64_t at, int64_t count,
                  real *out)
{
    if (type != NUMBER_F64 && type != NUMBER_F32 && type != NUMBER_F16 && type != NUMBER_BF16)
        return INPUT_FAIL(in, "%s has dtype %s; expected real numbers: F64, F32, F16 or BF16", what,
                          number_name(type));
    if (count == 0)
        return true;
    if (numbers_as_in_memory(type))
        return input_read(in, at, out, (size_t)count * sizeof *out);
    return numbers_check(in, what, type, at, count) && read_converted(in, type, at, count, out);
}
