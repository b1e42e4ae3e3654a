/* npy_read.c: reads a tensor from NumPy's .npy file (format: npy_write.c).
 *
 * Versions 1, 2 and 3: the header's length has two bytes in the first and four in the others; the
 * third may hold UTF-8, which only the names of record fields need. The header is a Python literal,
 * but nothing is evaluated: exactly one dict with the keys 'descr', 'fortran_order' and 'shape',
 * each once, in any order, is accepted. A file is not trusted: the header has at most 10,000
 * bytes, as NumPy allows, the numbers fill the rest of the file exactly, and memory for them is
 * taken after the last check. Python objects ('|O'), which would be code, are never read. */
#include "tensor/memory.h"
#include "tensor/io/npy.h"
#include "tensor/io/numbers.h"

#include <string.h>

enum { NPY_HEADER_MAX = 10000, DESCR_MAX = 16 };

/* The reader: the file, a cursor over its header, and what the header said so far. It owns
 * `header`. */
typedef struct {
    Input in;
    int64_t begin; /* where the numbers begin */
    char *header;
    const char *at, *end; /* in the header */
    bool has_descr, has_order, has_shape;
    char descr[DESCR_MAX];
    NumberType type;
    bool fortran; /* the first axis fastest */
    Shape shape;
} Npy;

/* ---- the header's grammar -------------------------------------------------------------------- */

/* Records what was found at the cursor and what was expected there. Always false.
 * The character is shown only where it is printable. */
static bool bad(Npy *f, const char *expected)
{
    long long byte = (long long)(f->at - f->header);
    if (f->at == f->end)
        return INPUT_FAIL(&f->in, "header, byte %lld: it ends; expected %s", byte, expected);
    return INPUT_FAIL(&f->in, "header, byte %lld: found '%.*s'; expected %s", byte,
                      *f->at >= ' ' && *f->at < 127 ? 1 : 0, f->at, expected);
}

/* Skips spaces and takes the character c. False, which is no failure, where another one comes. */
static bool accept(Npy *f, char c)
{
    while (f->at < f->end && (*f->at == ' ' || *f->at == '\t' || *f->at == '\n' || *f->at == '\r'))
        f->at++;
    if (f->at == f->end || *f->at != c)
        return false;
    f->at++;
    return true;
}

/* The same for a word, such as True. */
static bool accept_word(Npy *f, const char *word)
{
    size_t length = strlen(word);
    accept(f, 0); /* white space only: the header holds no zero, as was checked */
    if ((size_t)(f->end - f->at) < length || memcmp(f->at, word, length) != 0)
        return false;
    f->at += length;
    return true;
}

/* Characters without escapes between single or double quotes. */
static bool take_string(Npy *f, char *text, size_t size, const char *expected)
{
    size_t length = 0;
    char quote = accept(f, '\'') ? '\'' : accept(f, '"') ? '"' : 0;
    if (!quote)
        return bad(f, expected);
    for (; f->at < f->end && *f->at != quote; f->at++) {
        if (*f->at < ' ' || *f->at > '~' || *f->at == '\\' || length + 1 == size)
            return bad(f, "the end of a short string");
        text[length++] = *f->at;
    }
    text[length] = 0;
    return accept(f, quote) || bad(f, "a closing quote");
}

/* Takes the length of an axis: digits, without a leading zero, below 2^63.
 * Overflow is checked at each digit. */
static bool take_length(Npy *f, int64_t *length)
{
    const char *begin = f->at;
    for (*length = 0; f->at < f->end && *f->at >= '0' && *f->at <= '9'; f->at++) {
        int digit = *f->at - '0';
        if (*length > (INT64_MAX - digit) / 10)
            return bad(f, "the length of an axis to be less than 2^63");
        *length = 10 * *length + digit;
    }
    if (f->at == begin || (*begin == '0' && f->at > begin + 1))
        return bad(f, "the length of an axis: a whole number, 0 or more");
    if (f->at < f->end && *f->at == 'L') /* the suffix of Python 2's long integers */
        f->at++;
    return true;
}

/* A tuple: (), (3,), (2, 3) or (2, 3,). In Python (3) is a number. */
static bool take_shape(Npy *f)
{
    if (!accept(f, '('))
        return bad(f, "'(' of the shape");
    for (bool comma = true; !accept(f, ')'); comma = accept(f, ',')) {
        int64_t length;
        if (!comma)
            return bad(f, "')' or ','");
        if (!take_length(f, &length))
            return false;
        if (f->shape.rank == TENSOR_MAX_RANK)
            return INPUT_FAIL(&f->in, "the shape has more than %d axes; expected at most that",
                              TENSOR_MAX_RANK);
        f->shape.dim[f->shape.rank++] = length;
        if (accept(f, ')')) {
            if (f->shape.rank > 1)
                return true;
            f->at--;
            return bad(f, "',' after the only length of a tuple");
        }
    }
    return true;
}

/* ---- the fields of the header ---------------------------------------------------------------- */

/* The number type for the dtype in f->descr, of either byte order. False, with an error that says
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

/* Takes the value of 'descr'. */
static bool take_descr(Npy *f)
{
    if (accept(f, '['))
        return INPUT_FAIL(&f->in, "%s", "the dtype is a list of fields; expected one number type");
    return take_string(f, f->descr, sizeof f->descr, "a string that names the dtype") &&
           find_type(f);
}

/* Takes the value of 'fortran_order', True or False. */
static bool take_order(Npy *f)
{
    f->fortran = accept_word(f, "True");
    return f->fortran || accept_word(f, "False") || bad(f, "True or False");
}

/* Takes one key and its value. A key occurs once.
 * A key that is none of the three is refused, since nobody would know what it changes. */
static bool take_field(Npy *f)
{
    char key[DESCR_MAX];
    if (!take_string(f, key, sizeof key, "a key in quotes, or '}'"))
        return false;
    bool descr = strcmp(key, "descr") == 0, order = strcmp(key, "fortran_order") == 0;
    if (!descr && !order && strcmp(key, "shape") != 0)
        return INPUT_FAIL(&f->in, "the header has a key '%s'; expected descr, fortran_order, shape",
                          key);
    bool *has = descr ? &f->has_descr : order ? &f->has_order : &f->has_shape;
    if (*has)
        return INPUT_FAIL(&f->in, "the header has two keys '%s'; expected one", key);
    *has = true;
    if (!accept(f, ':'))
        return bad(f, "':'");
    return descr ? take_descr(f) : order ? take_order(f) : take_shape(f);
}

/* Parses the whole header. False, with an error, unless it is a dict with exactly the three
 * keys. */
static bool parse(Npy *f)
{
    if (memchr(f->header, 0, (size_t)(f->end - f->header)))
        return INPUT_FAIL(&f->in, "%s", "the header holds a zero byte; expected text");
    if (!accept(f, '{'))
        return bad(f, "'{'");
    for (bool comma = true; !accept(f, '}'); comma = accept(f, ',')) {
        if (!comma)
            return bad(f, "'}' or ','");
        if (!take_field(f))
            return false;
    }
    accept(f, 0);
    if (f->at < f->end)
        return bad(f, "nothing after the '}'");
    if (f->has_descr && f->has_order && f->has_shape)
        return true;
    return INPUT_FAIL(&f->in, "the header has no key '%s'; expected descr, fortran_order and shape",
                      !f->has_descr   ? "descr"
                      : !f->has_order ? "fortran_order"
                                      : "shape");
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
    f->at = f->header;
    f->end = f->header + length;
    return input_read(in, prefix, f->header, (size_t)length);
}

/* The numbers of the shape must take exactly the rest of the file.
 * Axes of length 0 count as 1 in the product, so that (0, 2^62, 2^62) is refused, too. */
static bool check_size(const Npy *f)
{
    int64_t bytes = number_bytes(f->type), have = f->in.bytes - f->begin;
    bool empty = false;
    for (int i = 0; i < f->shape.rank; i++) {
        int64_t length = f->shape.dim[i];
        empty |= length == 0;
        if (!tensor_checked_mul(bytes, length ? length : 1, &bytes))
            return INPUT_FAIL(&f->in, "the shape %s; expected fewer than 2^63 bytes",
                              shape_str(f->shape));
    }
    bytes = empty ? 0 : bytes;
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
    bool ok = numbers_take(&f->in, &walk, f->type, f->begin);
    t->data = walk.data;
    t->ids = walk.ids;
    return ok;
}

/* All checks of the open file, and then the tensor. NULL, with an error, where one fails.
 * The tensor's header comes last, when nothing but memory can be missing. */
static Tensor *read_array(Npy *f)
{
    int64_t count;
    if (!take_header(f) || !parse(f) || !check_size(f))
        return NULL;
    count = shape_size(f->shape);
    if (!numbers_check(&f->in, "the array", f->type, f->begin, count))
        return NULL;
    Tensor *t = mem_alloc(sizeof *t);
    if (!t)
        return NULL;
    *t = (Tensor){0};
    if (take_numbers(f, t))
        return t;
    tensor_free(t);
    return NULL;
}

Tensor *npy_take(const Input *in)
{
    Npy f = {.in = *in};
    Tensor *t = read_array(&f);
    mem_free(f.header);
    return t;
}

Tensor *tensor_npy_read(const char *path)
{
    Input in;
    if (!path) {
        tensor_fail("tensor_npy_read: path is NULL; expected a file's name");
        return NULL;
    }
    Tensor *t = input_open(&in, "tensor_npy_read", path) ? npy_take(&in) : NULL;
    input_close(&in);
    return t;
}
