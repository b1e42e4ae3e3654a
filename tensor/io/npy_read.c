/* npy_read.c: reads a tensor from NumPy's .npy file (format: npy_write.c).
 *
 * Versions 1, 2 and 3: the header's length has two bytes in the first and four in the others; the
 * third may hold UTF-8, which only the names of record fields need. The header is a Python literal,
 * but nothing is evaluated: it is spelt as JSON, and then exactly one object with the keys 'descr',
 * 'fortran_order' and 'shape', in any order, is accepted. A file is not trusted: the header has at
 * most 10,000 bytes, as NumPy allows, and the numbers fill the rest of the file exactly, before
 * memory for them is taken. Python objects ('|O'), which would be code, are never read. */
#include "tensor/memory.h"
#include "tensor/io/json.h"
#include "tensor/io/npy.h"
#include "tensor/io/numbers.h"

#include <string.h>

enum { NPY_HEADER_MAX = 10000 };

/* The reader: the file, its header, which it owns, and what that said. */
typedef struct {
    Input in;
    int64_t begin; /* where the numbers begin */
    char *header;
    size_t length;     /* of the header */
    const char *descr; /* in the values of the header */
    NumberType type;
    bool fortran; /* the first axis fastest */
    Shape shape;
} Npy;

/* ---- the header ------------------------------------------------------------------------------ */

/* Spells a Python literal as JSON, in place: {'shape': (2, 3), 'a': True, } becomes
 * {"shape": [2, 3] , "a": true  }. The last comma of a dict or a tuple becomes a space, and so does
 * the suffix of Python 2's long integers, 3L. (3), which is a number, and (,) keep their ')', which
 * JSON refuses. Strings stay as they are; none that is accepted has a quote or a backslash. */
static void as_json(char *text, size_t length)
{
    char quote = 0, *comma = NULL;
    bool items = false, commas = false; /* since the last '(' */
    for (char *c = text; c < text + length; c++) {
        if (quote ? *c == quote : *c == '\'' || *c == '"') {
            quote = quote ? 0 : *c;
            *c = '"';
        }
        if (quote)
            continue;
        if (comma && (*c == '}' || *c == ')'))
            *comma = ' ';
        if (!strchr(" \t\r\n", *c))
            comma = *c == ',' ? c : NULL;
        if (*c == '(')
            items = commas = false;
        else if (*c == ',')
            commas = true;
        else if (*c != ')' && *c > ' ')
            items = true;
        if (*c == '(' || (*c == ')' && items == commas))
            *c = *c == '(' ? '[' : ']';
        else if (*c == 'T' || *c == 'F')
            *c = *c == 'T' ? 't' : 'f';
        else if (*c == 'L')
            *c = ' ';
    }
}

/* The number type for the dtype, of either byte order. False, with an error that says
 * what to do, for any other. */
static bool find_type(Npy *f)
{
    static const struct {
        const char *descr;
        NumberType type;
    } known[] = {{"<f8", NUMBER_F64}, {"<f4", NUMBER_F32}, {"<f2", NUMBER_F16},
                 {"<i8", NUMBER_I64}, {"<i4", NUMBER_I32}, {"<i2", NUMBER_I16},
                 {"|i1", NUMBER_I8},  {"<u8", NUMBER_U64}, {"<u4", NUMBER_U32},
                 {"<u2", NUMBER_U16}, {"|u1", NUMBER_U8},  {"|b1", NUMBER_BOOL}};
    const bool big = f->descr[0] == '>';
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((big ? '<' : f->descr[0]) == known[i].descr[0] &&
            strcmp(f->descr + 1, known[i].descr + 1) == 0) {
            f->type = known[i].type;
            f->in.reversed = big ? number_bytes(f->type) : 0; /* from the numbers on */
            return true;
        }
    if (strchr(f->descr, 'O'))
        return INPUT_FAIL(&f->in,
                          "the dtype '%s' is Python objects, which are never read; expected "
                          "numbers",
                          f->descr);
    return INPUT_FAIL(&f->in,
                      "the dtype '%s' is not read; expected <f8 to <f2, <i8 to |i1, <u8 to |u1 or "
                      "|b1, or >f8 to >u2",
                      f->descr);
}

/* The three fields. A key that is none of them is refused, since nobody would know what it
 * changes. */
static bool take_fields(Npy *f, const JsonValue *root)
{
    const JsonValue *descr = json_get(root, "descr"), *order = json_get(root, "fortran_order"),
                    *shape = json_get(root, "shape");
    if (!descr || !order || !shape || root->count > 3)
        return INPUT_FAIL(&f->in, "%s",
                          "the header has other keys; expected descr, fortran_order and shape");
    if (descr->kind == JSON_LIST)
        return INPUT_FAIL(&f->in, "%s", "the dtype is a list of fields; expected one number type");
    if (descr->kind != JSON_STRING || (order->kind != JSON_TRUE && order->kind != JSON_FALSE))
        return INPUT_FAIL(&f->in, "%s",
                          "descr is no string, or fortran_order neither True nor False; expected "
                          "the name of a dtype, and one of them");
    if (!json_shape(shape, &f->shape))
        return INPUT_FAIL(&f->in,
                          "the shape is no tuple of at most %d axes; expected the length of each, "
                          "a whole number, 0 or more",
                          TENSOR_MAX_RANK);
    f->descr = descr->text;
    f->fortran = order->kind == JSON_TRUE;
    return find_type(f);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Magic, version and the header's length, and then the header itself.
 * Every length is compared with the file's before it is used; the magic tells a .npy file from an
 * .npz archive. */
static bool take_header(Npy *f)
{
    unsigned char b[12];
    const Input *in = &f->in;
    if (in->bytes < 10)
        return INPUT_FAIL(in, "%lld bytes; expected at least 10 of an .npy file",
                          (long long)in->bytes);
    if (!input_read(in, 0, b, 10))
        return false;
    if (memcmp(b, "\x93NUMPY", 6) != 0)
        return INPUT_FAIL(in, "it begins %02X %02X %02X %02X %02X %02X; expected 93 and \"NUMPY\"",
                          b[0], b[1], b[2], b[3], b[4], b[5]);
    if (b[6] < 1 || b[6] > 3 || b[7] != 0)
        return INPUT_FAIL(in, "version %d.%d; expected 1.0, 2.0 or 3.0", b[6], b[7]);
    int64_t length = b[8] | b[9] << 8, prefix = b[6] == 1 ? 10 : 12;
    if (in->bytes < prefix)
        return INPUT_FAIL(in, "%lld bytes; expected at least 12 in version %d",
                          (long long)in->bytes, b[6]);
    if (prefix == 12 && !input_read(in, 10, b + 10, 2))
        return false;
    if (prefix == 12)
        length |= (int64_t)b[10] << 16 | (int64_t)b[11] << 24;
    if (length > NPY_HEADER_MAX)
        return INPUT_FAIL(in, "a header of %lld bytes; expected at most %d", (long long)length,
                          NPY_HEADER_MAX);
    f->begin = prefix + length;
    if (f->begin > in->bytes)
        return INPUT_FAIL(in, "a header of %lld bytes; expected at most the %lld that follow",
                          (long long)length, (long long)(in->bytes - prefix));
    f->header = mem_alloc((size_t)length);
    if (!f->header)
        return false;
    f->length = (size_t)length;
    return input_read(in, prefix, f->header, (size_t)length);
}

/* The numbers of the shape must take exactly the rest of the file. */
static bool check_size(const Npy *f)
{
    int64_t bytes, have = f->in.bytes - f->begin;
    if (!numbers_size(f->type, f->shape, &bytes))
        return INPUT_FAIL(&f->in, "the shape %s; expected fewer than 2^63 bytes",
                          shape_str(f->shape));
    return have == bytes ||
           INPUT_FAIL(&f->in, "%lld bytes of numbers; expected %lld for shape %s of '%s'",
                      (long long)have, (long long)bytes, shape_str(f->shape), f->descr);
}

/* In Fortran order the file holds the transpose, row by row: the same memory, addressed with the
 * axes reversed. */
static bool take_numbers(const Npy *f, Tensor *t)
{
    Tensor walk = {0};
    int rank = f->shape.rank;
    tensor_set_contiguous(t, f->shape);
    walk.shape.rank = rank;
    for (int i = 0; i < rank; i++) {
        int from = f->fortran ? rank - 1 - i : i;
        walk.shape.dim[i] = t->shape.dim[from];
        walk.stride[i] = t->stride[from];
    }
    bool ok = numbers_take(&f->in, "the array", &walk, f->type, f->begin);
    t->data = walk.data;
    t->ids = walk.ids;
    return ok;
}

/* The header says what the numbers are, and fits the file. */
static bool check_header(Npy *f)
{
    JsonTree t = {0};
    bool ok = take_header(f);
    if (ok)
        as_json(f->header, f->length);
    ok = ok && json_tree_parse(&t, &f->in, "header, ", f->header, f->length) &&
         take_fields(f, t.root) && check_size(f);
    json_tree_free(&t);
    mem_free(f->header);
    return ok;
}

/* All checks of the open file, and then the tensor.
 * The tensor's header comes last, when nothing but memory can be missing. */
Tensor *npy_take(const Input *in)
{
    Npy f = {.in = *in};
    Tensor *t = check_header(&f) ? mem_zeroed(sizeof *t) : NULL;
    if (!t || take_numbers(&f, t))
        return t;
    tensor_free(t);
    return NULL;
}
