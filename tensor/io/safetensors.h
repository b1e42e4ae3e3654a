/* safetensors.h: a file that is being read (internal).
 *
 * safetensors_read.c opens it, weighs it and takes the numbers; safetensors_header.c understands
 * its header. */
#ifndef GRADUS_TENSOR_SAFETENSORS_H
#define GRADUS_TENSOR_SAFETENSORS_H

#include "json.h"
#include "numbers.h"

enum { SAFETENSORS_HEADER_MAX = 100000000 };

/* Where a tensor's numbers are, counted from the header's end. */
typedef struct {
    int64_t begin, end;
    NumberType type;
    Tensor *tensor;
} Range;

typedef struct {
    Input in;
    int64_t header_bytes, data_bytes;
    char *header;
    Json json;
    int count, pairs; /* tensors and metadata pairs so far, this time through */
    int64_t metadata_bytes;
    bool has_metadata;
    bool filling; /* the second time through: */
    Safetensors *s;
    Range *ranges; /* one a tensor */
} Reader;

#define READ_FAIL(r, format, ...) INPUT_FAIL(&(r)->in, format, __VA_ARGS__)

/* Goes through the header once. Checks and counts; filling, it also makes tensors without numbers,
 * their ranges and the metadata, in arrays of the sizes counted before. */
bool safetensors_header(Reader *r, bool filling);

#endif
