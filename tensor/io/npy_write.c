/* npy_write.c: a tensor as NumPy's .npy file, as numpy.save would write it.
 *
 *   "\x93NUMPY" 1 0    magic and version
 *   2 bytes            N, the header's length, lowest byte first
 *   N bytes            {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *                      as a Python dict, padded with spaces to end, with a line feed, at a multiple
 *                      of 64
 *   all the rest       the numbers in C order
 *
 * Format: numpy.org/doc/stable/reference/generated/numpy.lib.format.html. data/array.c reads it. */
#include "tensor/files.h"
#include "tensor/io/numbers.h"
#include "tensor/memory.h"

/* "(2, 3)", "(3,)", "()": shape_str writes them as Python does. */
void npy_put(FILE *out, const Tensor *t)
{
    enum { PREFIX = 10, ALIGN = 64 };
    char dict[320];
    int n = snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                     t->ids ? "<i4" : sizeof(real) == 8 ? "<f8" : "<f4", shape_str(t->shape));
    int length = (PREFIX + n + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    fputc(length & 0xFF, out);
    fputc(length >> 8, out);
    fprintf(out, "%-*s\n", length - 1, dict);
    numbers_put(out, t);
}

bool tensor_npy_write(const char *path, const Tensor *t)
{
    if (tensor_is_poison(t) || (!t->data && !t->ids))
        return tensor_fail("tensor_npy_write: %s: t is NULL or poison, as an earlier call failed; "
                           "expected a tensor with numbers or ids",
                           path ? path : "(NULL)");
    AtomicFile *file = tensor_is_current(t, "tensor_npy_write") ? tensor_file_open(path) : NULL;
    if (!file)
        return false;
    npy_put(tensor_file_stream(file), t);
    return tensor_file_commit(file);
}
