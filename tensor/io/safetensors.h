/* safetensors.h: safetensors files whose numbers are read on request (internal). */
#ifndef GRADUS_TENSOR_SAFETENSORS_H
#define GRADUS_TENSOR_SAFETENSORS_H

#include "tensor/io/numbers.h"

enum { SAFETENSORS_HEADER_MAX = 100000000 };

/* The bytes of a tensor's numbers, counted from the end of the header. */
typedef struct {
    int64_t begin, end;
    NumberType type;
    Tensor *tensor;
} Range;

/* An open file, for models whose weights should not be in memory twice: the numbers are read
 * directly into the caller's memory. Reading needs no lock: positions are absolute, and nothing but
 * the caller's memory is written. */
typedef struct {
    Safetensors header; /* names, shapes and metadata; data and ids are NULL */
    Range *ranges;      /* one for each tensor, in the file's order           */
    int64_t data;       /* the byte of the file at which the numbers begin    */
    Input in;
    char *map; /* all of the file, or NULL (safetensors_mapped) */
} SafetensorsSource;

/* Everything is checked but the numbers themselves. who and path, which begin every error, must
 * outlive the source. After an error call safetensors_close, too. */
bool safetensors_open(SafetensorsSource *s, const char *who, const char *path);
void safetensors_close(SafetensorsSource *s);
/* Rows first to first + count - 1 of a tensor (along axis 0; a vector's rows are numbers) into out.
 * t is one of s->header.tensors. Errors: rows that are not there, whole numbers, what cannot be
 * read or held. */
bool safetensors_rows(const SafetensorsSource *s, const Tensor *t, int64_t first, int64_t count,
                      real *out);

/* The numbers of a tensor of an open file as they stand in the file, which is mapped at the first
 * call (disk_map) until safetensors_close. NULL, without an error, where they cannot be used as
 * they stand: they have another type than real, are not aligned to their size, or the file cannot
 * be mapped. safetensors_rows reads them then. */
real *safetensors_mapped(SafetensorsSource *s, const Tensor *t);

/* A name that occurs twice in the list, or NULL. Sorts the list. */
const char *safetensors_repeated(const char **names, int count);

#endif
