/* array.c: an array out of a file of another program, whatever its format and type.
 *
 *   .npy           one array, as numpy.save writes it
 *   .npz           .npy files with names in an archive          data/npz.c
 *   .safetensors   arrays with names                            tensor/io/safetensors_read.c
 *
 * An .npy file (numpy.lib.format):
 *
 *   "\x93NUMPY" 1 0    magic and version; others than 1.0 are for arrays of fields
 *   2 bytes            N, the header's length, the lowest byte first
 *   N bytes            {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } and white space
 *   all the rest       the numbers in C order, or with the first axis fastest
 *
 * A file is not trusted: the numbers fill the rest of it exactly, before memory for them is taken.
 * Python objects ('|O'), which would be code, are never read. */
#include "data/array.h"

#include "data/data.h"
#include "tensor/io/safetensors.h"
#include "tensor/memory.h"
#include "tensor/strided_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "data_array_read";

enum { PREFIX = 10, NPY_HEADER_MAX = 10000 };

/* An array in memory as it stands in a file. */
typedef struct {
    const Input *in; /* for errors */
    const unsigned char *bytes;
    NumberType type;
    bool big;     /* of a number, the highest byte comes first */
    bool fortran; /* the first axis fastest */
    Shape shape;
} Array;

/* The numbers as doubles in C order. In Fortran order the file has the transpose, row by row: the
 * same memory, addressed with the axes reversed. */
static double *numbers_of(const Array *a)
{
    const int rank = a->shape.rank, width = number_bytes(a->type);
    Tensor c = {0}, walk = {.shape.rank = rank};
    tensor_set_contiguous(&c, a->shape);
    for (int i = 0; i < rank; i++) {
        walk.shape.dim[i] = c.shape.dim[a->fortran ? rank - 1 - i : i];
        walk.stride[i] = c.stride[a->fortran ? rank - 1 - i : i];
    }
    const int64_t count = tensor_size(&c);
    StridedElements e = strided_elements(&walk);
    double *numbers = NULL;
    if (count > PTRDIFF_MAX / (int64_t)sizeof *numbers)
        tensor_fail("out of memory: %s", shape_str(a->shape));
    else
        numbers = mem_alloc((size_t)count * sizeof *numbers);
    for (int64_t i = 0; numbers && i < count; i++, strided_elements_next(&e)) {
        unsigned char number[8];
        for (int k = 0; k < width; k++)
            number[k] = a->bytes[width * i + (a->big ? width - 1 - k : k)];
        numbers[e.at] = number_value(a->type, number);
    }
    return numbers;
}

/* ---- .npy ------------------------------------------------------------------------------------ */

/* The number type for NumPy's name of it: "<f4" is F32. */
static bool find_type(Array *a, const char *descr)
{
    char name[8];
    const bool sized = strlen(descr) == 3 && strchr("<>|", descr[0]) && strchr("fiu", descr[1]);
    snprintf(name, sizeof name, "%c%d", toupper(descr[1]), sized ? 8 * (descr[2] - '0') : 0);
    a->big = descr[0] == '>';
    a->type = number_named(strcmp(descr, "|b1") == 0 ? "BOOL" : name);
    if (a->type < NUMBER_TYPES)
        return true;
    return INPUT_FAIL(
        a->in,
        "the dtype '%s' is %s; expected <f8 to <f2, <i8 to |i1, <u8 to |u1, |b1, or >f8 to "
        ">u2",
        descr, strchr(descr, 'O') ? "Python objects, which are never read" : "not read");
}

/* The lengths of the axes, "2, 3)": false where there is something else, or too many. */
static bool take_shape(Shape *s, const char **text)
{
    char *at = (char *)*text;
    for (s->rank = 0; isdigit((unsigned char)*at) && s->rank < TENSOR_MAX_RANK; s->rank++) {
        s->dim[s->rank] = strtoll(at, &at, 10);
        at += *at == ',';
        at += *at == ' ';
    }
    *text = at + (*at == ')');
    return *at == ')';
}

/* Takes the header apart; it has the form in which NumPy writes it, with any white space. */
static bool take_fields(Array *a, const char *text, int length)
{
    char descr[16] = "", order[8] = "";
    int read = 0;
    sscanf(text, " { 'descr' : '%15[^']' , 'fortran_order' : %7[TrueFals] , 'shape' : (%n", descr,
           order, &read);
    const char *end = text + read;
    a->fortran = strcmp(order, "True") == 0;
    if (read == 0 || (!a->fortran && strcmp(order, "False") != 0) || !take_shape(&a->shape, &end) ||
        end + strspn(end, ", }\n") != text + length)
        return INPUT_FAIL(a->in,
                          "the header is %.*s; expected one as {'descr': '<f4', 'fortran_order': "
                          "False, 'shape': (2, 3), }, of at most %d axes",
                          (int)strcspn(text, "\n"), text, TENSOR_MAX_RANK);
    return find_type(a, descr);
}

/* Every length is compared with the file's before it is used. The magic tells a .npy file from an
 * .npz archive. */
static bool take_header(Array *a, int64_t count)
{
    const unsigned char *b = a->bytes;
    int64_t bytes;
    if (count < PREFIX || memcmp(b, "\x93NUMPY\x01", 8) != 0)
        return INPUT_FAIL(a->in, "%s",
                          "it does not begin as an .npy file does; expected 93, \"NUMPY\" and "
                          "version 1.0");
    const int length = b[8] | b[9] << 8;
    const int64_t have = count - PREFIX - length;
    if (length > NPY_HEADER_MAX || have < 0)
        return INPUT_FAIL(a->in,
                          "a header of %d bytes; expected at most %d, and the %lld that follow",
                          length, NPY_HEADER_MAX, (long long)(count - PREFIX));
    char text[NPY_HEADER_MAX + 1];
    memcpy(text, b + PREFIX, (size_t)length);
    text[length] = 0;
    if (!take_fields(a, text, length))
        return false;
    if (!numbers_size(a->type, a->shape, &bytes))
        return INPUT_FAIL(a->in, "the shape %s; expected fewer than 2^63 bytes",
                          shape_str(a->shape));
    a->bytes += PREFIX + length;
    return have == bytes ||
           INPUT_FAIL(a->in, "%lld bytes of numbers; expected %lld for shape %s in %s",
                      (long long)have, (long long)bytes, shape_str(a->shape), number_name(a->type));
}

/* The array of an .npy file in memory, which is released. */
static double *npy_numbers(const Input *in, unsigned char *bytes, int64_t count, Shape *shape)
{
    Array a = {.in = in, .bytes = bytes};
    double *numbers = bytes && take_header(&a, count) ? numbers_of(&a) : NULL;
    *shape = a.shape;
    mem_free(bytes);
    return numbers;
}

static double *read_npy(const char *path, const char *name, Shape *shape)
{
    const Input in = {.who = who, .path = path};
    size_t count;
    if (name) {
        INPUT_FAIL(&in, "it holds one array, which has no name; expected no name, found %s", name);
        return NULL;
    }
    unsigned char *bytes = (unsigned char *)input_whole(who, path, PTRDIFF_MAX - 1, &count);
    return npy_numbers(&in, bytes, (int64_t)count, shape);
}

/* ---- of several ------------------------------------------------------------------------------ */

/* The index of the array that is meant, the only one where no name is given; -1, with an error that
 * says what the file holds, with shapes where ranges has them. */
static int find(const char *path, const char *name, const char *const *names, const Range *ranges,
                int count)
{
    char list[512] = "";
    int i = 0;
    if (!name && count == 1)
        return 0;
    for (; name && i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    for (i = 0; i < count && strlen(list) + strlen(names[i]) + 120 < sizeof list; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s%s%s", i ? ", " : ": ",
                 names[i], ranges ? " " : "", ranges ? shape_str(ranges[i].tensor->shape) : "");
    if (i < count)
        snprintf(list + strlen(list), sizeof list - strlen(list), " and %d more", count - i);
    tensor_fail("%s: %s holds %d array%s%s; expected %s%.100s", who, path, count,
                count == 1 ? "" : "s", list, name ? "one with the name " : "the name of one",
                name ? name : "");
    return -1;
}

static double *read_npz(const char *path, const char *name, Shape *shape)
{
    Npz z;
    double *numbers = NULL;
    bool ok = npz_open(&z, who, path);
    const char **names = ok ? mem_alloc((size_t)z.count * sizeof *names) : NULL;
    for (int i = 0; names && i < z.count; i++)
        names[i] = z.arrays[i].name;
    int i = names ? find(path, name, names, NULL, z.count) : -1;
    if (i >= 0)
        numbers = npy_numbers(&z.in, npz_bytes(&z, &z.arrays[i]), z.arrays[i].bytes, shape);
    mem_free(names);
    npz_close(&z);
    return numbers;
}

static double *read_safetensors(const char *path, const char *name, Shape *shape)
{
    SafetensorsSource s;
    double *numbers = NULL;
    unsigned char *bytes = NULL;
    bool ok = safetensors_open(&s, who, path);
    const char **names = ok ? mem_alloc((size_t)s.header.count * sizeof *names) : NULL;
    for (int i = 0; names && i < s.header.count; i++)
        names[i] = s.ranges[i].tensor->name;
    int i = names ? find(path, name, names, s.ranges, s.header.count) : -1;
    if (i >= 0) {
        const Range *r = &s.ranges[i];
        const size_t count = (size_t)(r->end - r->begin);
        *shape = r->tensor->shape;
        bytes = mem_alloc(count);
        if (bytes && input_read(&s.in, s.data + r->begin, bytes, count))
            numbers = numbers_of(&(Array){.bytes = bytes, .type = r->type, .shape = *shape});
    }
    mem_free(bytes);
    mem_free(names);
    safetensors_close(&s);
    return numbers;
}

/* ---- any of them ----------------------------------------------------------------------------- */

double *array_read(const char *path, const char *name, Shape *shape)
{
    static const struct {
        const char *end;
        double *(*read)(const char *path, const char *name, Shape *shape);
    } formats[] = {{".npy", read_npy}, {".npz", read_npz}, {".safetensors", read_safetensors}};
    *shape = shape0();
    for (size_t i = 0; path && i < sizeof formats / sizeof *formats; i++) {
        const size_t n = strlen(path), m = strlen(formats[i].end);
        if (n > m && strcmp(path + n - m, formats[i].end) == 0)
            return formats[i].read(path, name, shape);
    }
    tensor_fail("%s: %s; expected a file that ends in .npy, .npz or .safetensors", who,
                path ? path : "path is NULL");
    return NULL;
}

Tensor *data_array_read(const char *path, const char *name)
{
    Shape shape;
    double *numbers = array_read(path, name, &shape);
    Tensor *t = numbers ? tensor_new(shape) : NULL;
    for (int64_t i = 0; t && i < tensor_size(t); i++) {
        t->data[i] = (real)numbers[i];
        if (isinf(t->data[i]) && !isinf(numbers[i])) {
            tensor_fail("%s: %s: element %lld is %g; expected numbers that a float can hold", who,
                        path, (long long)i, numbers[i]);
            tensor_free(t);
            t = NULL;
        }
    }
    mem_free(numbers);
    return t;
}
