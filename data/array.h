/* array.h: arrays in files of other programs. Internal to data/ and the command `plot`. */
#ifndef GRADUS_DATA_ARRAY_H
#define GRADUS_DATA_ARRAY_H

#include "tensor/io/input.h"

/* data_array_read as doubles, in C order, as they stand in the file; mem_free releases them. */
double *array_read(const char *path, const char *name, Shape *shape);

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
/* The array's bytes, unpacked: an .npy file in memory, which mem_free releases. NULL, with an
 * error, where it is damaged, or is compressed and the build lacks zlib. */
unsigned char *npz_bytes(const Npz *z, const NpzArray *array);
void npz_close(Npz *z);

#endif
