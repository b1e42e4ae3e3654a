/* safetensors.h: safetensors files whose numbers are read on request, and what the two halves of
 * the reader share (internal).
 *
 * safetensors_read.c opens the file, checks the entries against each other and reads the numbers;
 * safetensors_header.c parses the header; safetensors_open.c leaves the numbers in the file. */
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

typedef struct {
    Input in;
    int64_t header_bytes, data_bytes;
    char *header;
    Safetensors *s;
    Range *ranges; /* one for each tensor */
    int count;     /* of them */
} Reader;

/* INPUT_FAIL for the file of a reader. */
#define READ_FAIL(r, format, ...) INPUT_FAIL(&(r)->in, format, __VA_ARGS__)

/* Makes of the header the tensors without numbers, their ranges and the metadata. False, with an
 * error, where it is wrong. */
bool safetensors_header(Reader *r);

/* A name that occurs twice in the list, or NULL. Sorts the list. */
const char *safetensors_repeated(const char **names, int count);

/* Opens the file and checks all but its numbers: r->s then has the tensors' names and shapes,
 * r->ranges where their numbers are, in the file's order. Close r->in and free r->ranges and r->s,
 * also after an error. */
bool safetensors_begin(Reader *r, const char *who, const char *path);

/* A safetensors file whose numbers are read on request, directly into the caller's memory: for
 * models whose weights should not be in memory twice. */
typedef struct {
    Safetensors header;           /* names, shapes and metadata; data and ids are NULL */
    struct SafetensorsFile *file; /* open until safetensors_close                      */
} SafetensorsSource;
/* Everything is checked but the numbers themselves.
 * Errors are those of safetensors_read; *s is then empty and needs no safetensors_close. */
bool safetensors_open(SafetensorsSource *s, const char *path);
void safetensors_close(SafetensorsSource *s);
/* Rows first to first + count - 1 of a tensor (along axis 0; a vector's rows are numbers) into out.
 * t is one of s->header.tensors. Errors: rows that are not there, whole numbers, what cannot be
 * read or held. */
bool safetensors_rows(const SafetensorsSource *s, const Tensor *t, int64_t first, int64_t count,
                      real *out);
/* A matrix (n, m), transposed, into out (m, n). */
bool safetensors_transposed(const SafetensorsSource *s, const Tensor *t, real *out);

/* The numbers of t, one of s->header.tensors, as real ones, whatever their type: a new tensor,
 * which tensor_free releases. */
Tensor *safetensors_take(const SafetensorsSource *s, const Tensor *t, double **doubles);

/* The numbers of a tensor of an open file as they stand in the file, which is mapped at the first
 * call (disk_map) until safetensors_close. NULL, without an error, where they cannot be used as
 * they stand: they have another type than real, are not aligned to their size, or the file cannot
 * be mapped. safetensors_rows reads them then. */
real *safetensors_mapped(const SafetensorsSource *s, const Tensor *t);

#endif
