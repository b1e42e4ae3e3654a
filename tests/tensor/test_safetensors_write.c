/* test_safetensors_write.c: the bytes of a written file, and what is not written.
 *
 * Expected bytes are put together by hand from the format's description. */
#include "tensor/files.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

enum { FILE_MAX = 4096 };

/* A tensor on the stack, contiguous. */
static Tensor tensor_of(real *numbers, Shape shape, const char *name)
{
    Tensor t = {.data = numbers};
    tensor_set_contiguous(&t, shape);
    tensor_set_name(&t, "%s", name);
    return t;
}

/* 1, -2 and 3.140625 in IEEE 754, the lowest byte first, and where they end in the data; after them
 * two ids of 4 bytes. */
#ifdef GRADUS_F64
#define REAL  "F64"
#define TWO   "16"
#define THREE "24"
#define ALL   "32"
#define NUMBERS \
    0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0x20, 0x09, 0x40
#else
#define REAL    "F32"
#define TWO     "8"
#define THREE   "12"
#define ALL     "20"
#define NUMBERS 0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0, 0, 0x49, 0x40
#endif

/* Order, offsets, escapes, padding and numbers. */
TEST(bytes_of_a_file)
{
    static const char header[] =
        "{\"__metadata__\":{\"format\":\"pt\",\"a\\\\b\":\"\\u000a\"},"
        "\"z\\\"\\u0001\xc3\xa9\":{\"dtype\":\"" REAL "\",\"shape\":[2,1],\"data_offsets\":[0," TWO
        "]},"
        "\"a\":{\"dtype\":\"" REAL "\",\"shape\":[],\"data_offsets\":[" TWO "," THREE "]},"
        "\"i\":{\"dtype\":\"I32\",\"shape\":[2],\"data_offsets\":[" THREE "," ALL "]},"
        "\"e\":{\"dtype\":\"" REAL "\",\"shape\":[0],\"data_offsets\":[" ALL "," ALL "]}}";
    static const unsigned char data[] = {NUMBERS, 5, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF};
    static const char *const metadata[] = {"format", "pt", "a\\b", "\n"};
    real first[] = {1, -2}, second[] = {(real)3.140625};
    Tensor z = tensor_of(first, shape2(2, 1), "z\"\x01\xc3\xa9"),
           a = tensor_of(second, shape0(), "a"), e = tensor_of(first, shape1(0), "e");
    int32_t ids[] = {5, -2};
    Tensor i2 = {.ids = ids};
    tensor_set_contiguous(&i2, shape1(2));
    tensor_set_name(&i2, "i");
    unsigned char want[FILE_MAX] = {0}, got[FILE_MAX];
    size_t text = strlen(header), padded = (text + 7) / 8 * 8;
    CHECK(padded > text, "nothing is padded");
    want[0] = (unsigned char)padded;
    want[1] = (unsigned char)(padded >> 8);
    memset(want + 8, ' ', padded);
    memcpy(want + 8, header, text);
    memcpy(want + 8 + padded, data, sizeof data);
    const char *path = scratch_path("bytes");
    CHECK(safetensors_write(path, (Tensor *[]){&z, &a, &i2, &e}, 4, metadata, 2), "%s",
          tensor_error());
    long length = scratch_read(path, got, sizeof got);
    CHECK(length == (long)(8 + padded + sizeof data), "%ld bytes", length);
    for (long i = 0; i < length; i++)
        CHECK(got[i] == want[i], "byte %ld is 0x%02X '%c'; expected 0x%02X '%c'", i, got[i], got[i],
              want[i], want[i]);
}

TEST(no_tensors_at_all)
{
    char got[64] = "";
    const char *path = scratch_path("none");
    CHECK(safetensors_write(path, NULL, 0, NULL, 0), "%s", tensor_error());
    long length = scratch_read(path, got, sizeof got);
    CHECK(length == 16 && memcmp(got, "\x08\0\0\0\0\0\0\0{}      ", 16) == 0, "%ld bytes", length);
}

/* Whatever real can hold comes back with the same bits, also from a view, and more than fits into
 * one buffer of the writer or the reader. */
TEST(comes_back_the_same)
{
    enum { ROWS = 70, COLUMNS = 130 };
    static real numbers[ROWS * COLUMNS];
    Rng r = {.seed = 11};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        numbers[i] = (real)rng_normal(&r);
    const float special[] = {NAN, INFINITY, -INFINITY, -0.0f, 0x1p-149f, -0x1.fffffep127f};
    for (int i = 0; i < 6; i++)
        numbers[i] = (real)special[i];
    Tensor view = {.data = numbers, .shape = shape2(COLUMNS, ROWS), .stride = {1, COLUMNS}};
    tensor_set_name(&view, "view");
    Tensor plain = tensor_of(numbers, shape2(ROWS, COLUMNS), "plain");
    const char *path = scratch_path("same");
    Safetensors s;
    REQUIRE(safetensors_write(path, (Tensor *[]){&view, &plain}, 2, NULL, 0), "%s", tensor_error());
    REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
    CHECK_TENSOR(safetensors_find(&s, "view"), &view, 0, 0);
    CHECK_TENSOR(safetensors_find(&s, "plain"), &plain, 0, 0);
    const Tensor *back = safetensors_find(&s, "plain");
    for (int i = 0; back && i < 6; i++)
        CHECK(signbit(back->data[i]) == signbit(numbers[i]), "sign of special %d", i);
    CHECK(s.count == 2 && s.metadata_count == 0, "%d tensors", s.count);
    safetensors_free(&s);
}

/* Each of these is refused before a file is touched. */
TEST(refuses_what_it_could_not_read)
{
    const char *path = scratch_path("kept");
    char kept[8] = "";
    real one[] = {1};
    Tensor good = tensor_of(one, shape1(1), "good"), unnamed = tensor_of(one, shape1(1), ""),
           reserved = tensor_of(one, shape1(1), "__metadata__"),
           garbled = tensor_of(one, shape1(1), "\xff"), bare = {0};
    tensor_set_name(&bare, "bare");
    static const char *const twice[] = {"k", "1", "k", "2"}, *const hole[] = {"k", NULL},
                             *const noise[] = {"k", "\xc3"};
    const struct {
        Tensor *tensors[2];
        int count;
        const char *const *metadata;
        int pairs;
        const char *error;
    } table[] = {
        {{&good, NULL}, 2, NULL, 0, "tensor 1 is NULL or poison"},
        {{&good, tensor_poison()}, 2, NULL, 0, "tensor 1 is NULL or poison"},
        {{&unnamed}, 1, NULL, 0, "tensor 0 is named ''; expected a name of its own"},
        {{&reserved}, 1, NULL, 0, "tensor 0 is named '__metadata__'; expected a name of its own"},
        {{&garbled}, 1, NULL, 0, "expected a name of its own, in UTF-8"},
        {{&bare}, 1, NULL, 0, "'bare' () holds no numbers; expected data or ids"},
        {{&good, &good}, 2, NULL, 0, "tensor 'good' occurs twice"},
        {{&good}, 1, twice, 2, "metadata key 'k' occurs twice"},
        {{&good}, 1, hole, 1, "metadata text 1 is NULL; expected UTF-8 text"},
        {{&good}, 1, noise, 1, "metadata text 1 is not valid UTF-8; expected UTF-8 text"},
        {{&good}, -1, NULL, 0, "-1 tensors and 0 metadata pairs; expected lists"},
        {{&good}, 1, NULL, 1, "1 tensors and 1 metadata pairs; expected lists"},
    };
    REQUIRE(scratch_write(path, "old", 4), "no file");
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK(!safetensors_write(path, table[i].tensors, table[i].count, table[i].metadata,
                                 table[i].pairs),
              "written; expected: %s", table[i].error);
        CHECK_ERROR(table[i].error);
    }
    scratch_read(path, kept, sizeof kept);
    CHECK_TEXT(kept, "old");
}

TEST(says_why_it_cannot_write)
{
    real one[] = {1};
    Tensor t = tensor_of(one, shape1(1), "t");
    Tensor *const list[] = {&t};
    const char *path = scratch_path("nowhere/file");
    bool ok = safetensors_write(path, list, 1, NULL, 0);
    int line = __LINE__ - 1;
    CHECK(!ok, "written to no directory");
    char want[1200];
    snprintf(want, sizeof want,
             "%s:%d: safetensors_write: tensor_file_open: %s: cannot create a file beside it: No "
             "such file",
             __FILE__, line, scratch_path("nowhere/file"));
    CHECK_ERROR(want);
    CHECK(!safetensors_write(NULL, list, 1, NULL, 0), "written to no file");
    CHECK_ERROR("the path is empty");
}

enum { MANY = 40 };

/* The header has to grow several times. */
static bool write_many(void *path)
{
    static const char *const metadata[] = {"key", "value"};
    static real numbers[MANY + 2];
    Tensor tensor[MANY], *list[MANY];
    for (int i = 0; i < MANY; i++) {
        numbers[i + 2] = (real)(i + 2);
        tensor[i] = tensor_of(numbers + i, shape1(3), "");
        tensor_set_name(&tensor[i], "blocks.%d.weight", i);
        list[i] = &tensor[i];
    }
    return safetensors_write(path, list, MANY, metadata, 1);
}

TEST(many_come_back)
{
    char path[1024], name[32];
    snprintf(path, sizeof path, "%s", scratch_path("many"));
    Safetensors s;
    REQUIRE(write_many(path), "%s", tensor_error());
    REQUIRE(safetensors_read(path, &s), "%s", tensor_error());
    CHECK(s.count == MANY && s.metadata_count == 1, "%d tensors", s.count);
    for (int i = 0; i < s.count; i++) {
        snprintf(name, sizeof name, "blocks.%d.weight", i);
        CHECK_TEXT(s.tensors[i]->name, name);
        CHECK(s.tensors[i]->data[2] == i + 2, "tensor %d ends with %g", i,
              (double)s.tensors[i]->data[2]);
    }
    safetensors_free(&s);
}
