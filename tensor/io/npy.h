/* npy.h: NumPy's files within the library (internal).
 * The formats are described in npy_write.c and npz_read.c; tensor_npy_write and
 * tensor_array_read are public (tensor.h). */
#ifndef GRADUS_TENSOR_NPY_H
#define GRADUS_TENSOR_NPY_H

#include "tensor/io/input.h"

/* Writes the header and the numbers of a tensor with data or ids. tensor_file_commit reports a
 * write that failed. */
void npy_put(FILE *out, const Tensor *t);

/* Reads NumPy's .npy, one array, from an open file into a contiguous tensor that lives until
 * tensor_free. Format: numpy.lib.format, versions 1 to 3, C or Fortran order, dtypes <f8 <f4 <f2
 * <i8 <i4 <i2 |i1 <u8 <u4 <u2 |u1 |b1, and big-endian >f8 to >u2. NULL, with an error, for any
 * other dtype (Python objects, '|O', among them), for a header longer than NumPy's limit of 10,000
 * bytes or in another form than NumPy writes, and for numbers that do not fill the rest of the file
 * exactly. */
Tensor *npy_take(const Input *in);

/* tensor_array_read (array_read.c), and where doubles is not NULL all numbers as they stand in the
 * file, which mem_free releases, also after an error. */
Tensor *array_read(const char *path, const char *name, double **doubles);

/* An array of an .npz archive: its name without ".npy", and where its bytes are. */
typedef struct {
    char name[TENSOR_NAME_MAX];
    int method; /* 0: as they stand; 8: deflated */
    uint32_t crc;
    int64_t at, packed, bytes; /* of its header in the archive; lengths there, and unpacked */
} NpzArray;

/* An open archive. */
typedef struct {
    Input in;
    int count;
    NpzArray *arrays; /* (count), in the archive's order */
} Npz;

/* Opens an archive and reads the list of its arrays. Error: no .npz archive. Call npz_close even
 * then. */
bool npz_open(Npz *z, const char *who, const char *path);
/* Reads an array, with the errors of npy_take; also where it is damaged, or is compressed
 * and the build lacks zlib. */
Tensor *npz_take(const Npz *z, const NpzArray *array);
void npz_close(Npz *z);

#endif
