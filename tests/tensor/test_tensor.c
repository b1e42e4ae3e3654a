/* test_tensor.c: shapes and tensors.
 *
 * Expected values are definitions (row-major order, NumPy's broadcasting rule) worked out by
 * hand. */
#include "tests/harness/test.h"

#include "autograd/autograd.h"
#include "tensor/memory.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

TEST(shape_counts)
{
    static const Shape constant = SHAPE(2, 3, 4);
    static const struct {
        Shape s;
        int64_t size, last, rows;
        const char *text;
    } table[] = {
        {{0}, 1, 1, 1, "()"},
        {SHAPE(5), 5, 5, 1, "(5,)"},
        {SHAPE(2, 3), 6, 3, 2, "(2, 3)"},
        {SHAPE(2, 3, 4), 24, 4, 6, "(2, 3, 4)"},
        {SHAPE(4, 0), 0, 0, 4, "(4, 0)"},
        {SHAPE(0, 4), 0, 4, 0, "(0, 4)"},
        {SHAPE(1, 2, 3, 4, 5, 6), 720, 6, 120, "(1, 2, 3, 4, 5, 6)"},
        {SHAPE(INT64_MAX, 2), INT64_MAX, 2, INT64_MAX, "(9223372036854775807, 2)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        Shape s = table[i].s;
        CHECK_TEXT(shape_str(s), table[i].text);
        CHECK(shape_size(s) == table[i].size, "%s: size %lld", table[i].text,
              (long long)shape_size(s));
        CHECK(shape_last(s) == table[i].last, "%s: last %lld", table[i].text,
              (long long)shape_last(s));
        CHECK(shape_rows(s) == table[i].rows, "%s: rows %lld", table[i].text,
              (long long)shape_rows(s));
    }
    CHECK(shape_equal(shape3(2, 3, 4), constant), "%s", shape_str(shape3(2, 3, 4)));
    CHECK(!shape_equal(shape2(2, 3), constant) && !shape_equal(shape3(2, 4, 4), constant) &&
              !shape_equal(shape2(1, 1), shape3(1, 1, 1)),
          "different shapes are equal");
    CHECK_TEXT(shape_str(shape0()), "()");
    CHECK_TEXT(shape_str(shape1(7)), "(7,)");
    CHECK_TEXT(shape_str(shape4(1, 2, 3, 4)), "(1, 2, 3, 4)");
    CHECK_TEXT(shape_str(shape5(1, 2, 3, 4, 5)), "(1, 2, 3, 4, 5)");
}

/* A text lives until eight further calls, so that one message can name eight shapes. */
TEST(shape_texts_live)
{
    const char *text[8];
    for (int i = 0; i < 8; i++)
        text[i] = shape_str(shape1(i));
    for (int i = 0; i < 8; i++)
        CHECK(text[i][1] == '0' + i, "text %d has become \"%s\"", i, text[i]);
}

TEST(shape_check_refuses)
{
    static const Shape lowest = SHAPE(INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN);
    CHECK(shape_check(shape2(0, 5), "op") && shape_check(shape0(), "op"), "%s", tensor_error());
    const int64_t limit = SIZE_MAX > UINT32_MAX ? INT64_C(1) << 60 : 1 << 28;
    CHECK(shape_check(shape3(limit - 1, 1, 1), "op"), "%s", tensor_error());
    CHECK(!shape_check(shape3(limit / 4, 0, 4), "op"), "%lld doubles passed", (long long)limit);
    CHECK_ERROR("expected one that fits into memory");
    CHECK(!shape_check(shape2(2, -1), "op"), "a negative axis passed");
    CHECK_ERROR("op: shape (2, -1); expected no negative axis");
    CHECK(!shape_check(shape2(INT64_MAX / 2, 3), "op"), "an overflow passed");
    CHECK_ERROR("op: shape (4611686018427387903, 3); expected one that fits into memory");
    /* A stride is the product of the later axes, so a 0 before them must not hide an overflow. */
    CHECK(!shape_check(shape3(0, INT64_MAX, 2), "op"), "an overflow after a 0 passed");
    CHECK_ERROR("expected one that fits into memory");
    CHECK(!shape_check((Shape){.rank = 7}, "op") && !shape_check((Shape){.rank = -1}, "op"),
          "a rank outside 0 to 6 passed");
    CHECK_ERROR("op: rank 7; expected 0 to 6");
    CHECK(shape_size((Shape){.rank = 99}) == 0, "rank 99 was followed beyond the shape");
    CHECK(strlen(shape_str(lowest)) == 5 * 20 + 4 * 2 + 2, "%s", shape_str(lowest));
}

TEST(broadcast_table)
{
    static const struct {
        Shape a, b;
        const char *both; /* NULL: they do not fit */
    } table[] = {
        {{0}, {0}, "()"},
        {SHAPE(3), {0}, "(3,)"},
        {SHAPE(2, 3), SHAPE(3), "(2, 3)"},
        {SHAPE(2, 1), SHAPE(3), "(2, 3)"},
        {SHAPE(2, 1), SHAPE(1, 3), "(2, 3)"},
        {SHAPE(4, 1, 3), SHAPE(2, 1), "(4, 2, 3)"},
        {SHAPE(1), SHAPE(0), "(0,)"},
        {SHAPE(2, 0), SHAPE(2, 1), "(2, 0)"},
        {SHAPE(1, 1, 1, 1, 1, 6), SHAPE(5, 1), "(1, 1, 1, 1, 5, 6)"},
        {SHAPE(2), SHAPE(3), NULL},
        {SHAPE(2, 3), SHAPE(2), NULL},
        {SHAPE(0), SHAPE(3), NULL},
        {SHAPE(2, 3), SHAPE(2, 1, 4), NULL},
    };
    for (size_t i = 0; i < 2 * sizeof table / sizeof table[0]; i++) {
        Shape a = table[i / 2].a, b = table[i / 2].b, both = shape1(-77);
        bool fits = i % 2 ? shape_broadcast(b, a, &both) : shape_broadcast(a, b, &both);
        const char *want = table[i / 2].both;
        CHECK(fits == (want != NULL), "%s and %s", shape_str(a), shape_str(b));
        CHECK_TEXT(shape_str(both), want ? want : "(-77,)");
    }
    CHECK_NO_ERROR();
}

TEST(axes_count_from_both_ends)
{
    Shape s = shape3(5, 6, 7);
    for (int axis = 0; axis < 3; axis++)
        CHECK(shape_axis(s, axis, "op") == axis && shape_axis(s, axis - 3, "op") == axis,
              "axis %d is %d and %d", axis, shape_axis(s, axis, "op"),
              shape_axis(s, axis - 3, "op"));
    CHECK_NO_ERROR();
    CHECK(shape_axis(s, 3, "op") == -1, "axis 3 of 3 passed");
    CHECK_ERROR("op: axis 3; expected -3 to 2 for shape (5, 6, 7)");
    CHECK(shape_axis(s, -4, "op") == -1, "axis -4 of 3 passed");
    CHECK_ERROR("op: axis -4");
    CHECK(shape_axis(shape0(), 0, "op") == -1, "axis 0 of none passed");
    CHECK_ERROR("op: axis 0; expected none, as the shape is ()");
}

TEST(counts_multiply_or_say_no)
{
    int64_t p = -5;
    CHECK(tensor_checked_mul(1 << 20, 1 << 20, &p) && p == (int64_t)1 << 40, "%lld", (long long)p);
    CHECK(tensor_checked_mul(INT64_MAX, 1, &p) && p == INT64_MAX, "%lld", (long long)p);
    CHECK(tensor_checked_mul(INT64_MAX, 0, &p) && p == 0, "%lld", (long long)p);
    p = 42;
    CHECK(!tensor_checked_mul((int64_t)1 << 32, (int64_t)1 << 31, &p), "2^63 fits");
    CHECK(!tensor_checked_mul(-1, 1, &p) && !tensor_checked_mul(1, -1, &p), "a negative count");
    CHECK(p == 42, "written without a product: %lld", (long long)p);
}

/* ---- tensors --------------------------------------------------------------------------------- */

TEST(new_is_zero_and_row_major)
{
    Memory m = {0};
    memory_watch(&m); /* its memory begins as junk */
    Tensor *t = tensor_new(shape3(2, 3, 4));
    REQUIRE(t, "%s", tensor_error());
    for (int i = 0; i < 24; i++)
        CHECK(t->data[i] == 0, "element %d is %g", i, (double)t->data[i]);
    CHECK(t->stride[0] == 12 && t->stride[1] == 4 && t->stride[2] == 1, "strides %lld %lld %lld",
          (long long)t->stride[0], (long long)t->stride[1], (long long)t->stride[2]);
    CHECK(!t->grad && !t->ids && !t->tape && !t->node && !t->base && !t->name[0], "not bare");
    CHECK(tensor_size(t) == 24 && tensor_is_contiguous(t), "size %lld", (long long)tensor_size(t));
    tensor_free(t);
    Tensor *empty = tensor_new(shape2(0, 3));
    CHECK(empty && empty->data && tensor_size(empty) == 0, "%s", tensor_error());
    tensor_free(empty);
    tensor_free(NULL);
    tensor_free(tensor_poison());
    CHECK(m.blocks == 0, "%ld blocks are left", m.blocks);
    memory_unwatch();
    CHECK_NO_ERROR();
}

TEST(too_large_is_an_error)
{
    CHECK(!tensor_new(shape1(INT64_MAX)), "2^63 numbers were made");
    CHECK_ERROR("tensor_new: shape (9223372036854775807,); expected one that fits into memory");
    CHECK(!tensor_from(NULL, shape1(2)), "made from nothing");
    CHECK_ERROR("tensor_from: data is NULL; expected (2,) numbers");
}

/* 2^32 floats have 2^34 bytes, of which 32 bits keep none. */
TEST(beyond_32_bits_is_an_error)
{
    if (SIZE_MAX > UINT32_MAX)
        SKIP("this processor has 64 bits");
    const Shape large = shape2(65536, 65536);
    const real one = 1;
    Tape *tape = tape_new(1);
    CHECK(!tensor_new(large), "2^32 numbers were made");
    CHECK_ERROR("tensor_new: shape (65536, 65536); expected one that fits into memory");
    CHECK(tensor_is_poison(ag_expand(tape_input(tape, &one, shape2(1, 1)), large)), "expanded");
    CHECK_ERROR("ag_expand: shape (65536, 65536); expected one that fits into memory");
    tape_free(tape);
}

static const real six[] = {0, 1, 2, 3, 4, 5};

/* A (3, 2) view that reads six as its columns. */
static Tensor transposed(Tensor *of)
{
    Tensor view = {.base = of, .data = of->data};
    view.shape = shape2(3, 2);
    view.stride[0] = 1;
    view.stride[1] = 3;
    return view;
}

TEST(views_read_by_their_strides)
{
    Tensor *t = tensor_from(six, shape2(2, 3));
    REQUIRE(t, "%s", tensor_error());
    Tensor view = transposed(t);
    static const real columns[] = {0, 3, 1, 4, 2, 5};
    real got[6];
    CHECK(!tensor_is_contiguous(&view), "a transposed view is contiguous");
    tensor_read(&view, got);
    tensor_set_name(&view, "view");
    Tensor *copy = tensor_clone(&view);
    REQUIRE(copy, "%s", tensor_error());
    CHECK_TEXT(copy->name, "view");
    CHECK(tensor_is_contiguous(copy) && copy->data != t->data && !copy->base, "not a copy");
    for (int i = 0; i < 6; i++) {
        const int64_t index[] = {i / 2, i % 2};
        CHECK(got[i] == columns[i] && copy->data[i] == columns[i] &&
                  tensor_get(&view, index) == columns[i],
              "element %d: read %g, cloned %g, got %g; expected %g", i, (double)got[i],
              (double)copy->data[i], (double)tensor_get(&view, index), (double)columns[i]);
    }
    tensor_free(copy);
    tensor_free(t);
    CHECK_NO_ERROR();
}

TEST(contiguous_is_about_order_only)
{
    real numbers[4] = {0};
    Tensor t = {.data = numbers};
    t.shape = shape2(1, 4);
    t.stride[0] = 99; /* never used: the axis has one element */
    t.stride[1] = 1;
    CHECK(tensor_is_contiguous(&t), "the stride of an axis of length 1 counts");
    t.stride[1] = 2;
    CHECK(!tensor_is_contiguous(&t), "every second element is contiguous");
    t.shape = shape2(0, 4);
    CHECK(tensor_is_contiguous(&t), "no element is out of order");
    tensor_set_contiguous(&t, shape3(2, 0, 5));
    CHECK(t.stride[0] == 5 && t.stride[1] == 5 && t.stride[2] == 1, "%lld %lld %lld",
          (long long)t.stride[0], (long long)t.stride[1], (long long)t.stride[2]);
}

TEST(items_and_indices_are_checked)
{
    Tensor *t = tensor_from(six, shape2(2, 3)), *one = tensor_from(six + 5, shape2(1, 1));
    REQUIRE(t && one, "%s", tensor_error());
    static const int64_t inside[] = {1, 2}, beyond[] = {1, 3}, below[] = {-1, 0};
    CHECK(tensor_item(one) == 5, "%g", (double)tensor_item(one));
    CHECK(tensor_get(t, inside) == 5, "%g", (double)tensor_get(t, inside));
    CHECK_NO_ERROR();
    tensor_set_name(t, "x");
    CHECK(isnan(tensor_item(t)), "item of six is %g", (double)tensor_item(t));
    CHECK_ERROR("tensor_item: 'x' (2, 3); expected one element");
    CHECK(isnan(tensor_get(t, beyond)), "%g", (double)tensor_get(t, beyond));
    CHECK_ERROR("tensor_get: index 3 on axis 1 of 'x' (2, 3); expected 0 to 2");
    CHECK(isnan(tensor_get(t, below)), "%g", (double)tensor_get(t, below));
    CHECK_ERROR("tensor_get: index -1 on axis 0");
    tensor_free(one);
    tensor_free(t);
}

TEST(ids_are_whole_numbers)
{
    int32_t ids[] = {7, -1, 30522};
    real got[3];
    Tensor t = {.ids = ids};
    tensor_set_contiguous(&t, shape1(3));
    tensor_read(&t, got);
    CHECK(got[0] == 7 && got[1] == -1 && got[2] == 30522, "read %g %g %g", (double)got[0],
          (double)got[1], (double)got[2]);
    Tensor *copy = tensor_clone(&t);
    REQUIRE(copy, "%s", tensor_error());
    CHECK(copy->ids && copy->ids != ids && !copy->data && copy->ids[2] == 30522, "not a copy");
    CHECK(tensor_get(copy, (const int64_t[]){1}) == -1, "id 1 is not -1");
    tensor_free(copy);
}

TEST(poison_is_harmless)
{
    Tensor *p = tensor_poison();
    CHECK(p == tensor_poison() && tensor_is_poison(p) && tensor_is_poison(NULL), "two poisons");
    CHECK(p->shape.rank == 0 && isnan(tensor_item(p)) && isnan(tensor_item(NULL)), "not a NaN");
    tensor_set_name(p, "mine");
    tensor_set_contiguous(p, shape1(1000));
    CHECK_TEXT(p->name, "poison");
    CHECK(tensor_size(p) == 1 && tensor_size(NULL) == 1, "it was given a shape");
    CHECK_NO_ERROR();
    CHECK(!tensor_clone(NULL), "cloned nothing");
    CHECK_ERROR("tensor_clone: there is no tensor, as an earlier call failed; expected one");
    CHECK_TEXT(tensor_describe(NULL), "'poison' ()");
}

TEST(names_fit_or_are_cut)
{
    Tensor t = {.shape = shape1(2)};
    CHECK_TEXT(tensor_describe(&t), "(2,)");
    tensor_set_name(&t, "blocks.%d.attn", 3);
    CHECK_TEXT(tensor_describe(&t), "'blocks.3.attn' (2,)");
    tensor_set_name(&t, "%s#2", t.name); /* from itself */
    CHECK_TEXT(t.name, "blocks.3.attn#2");
    /* One byte is left for a character of two bytes: it is left out, not cut in its middle. */
    enum { LONGEST = TENSOR_NAME_MAX - 1 };
    tensor_set_name(&t, "%0*d\xc3\xa9", LONGEST - 1, 0);
    CHECK(strlen(t.name) == LONGEST - 1, "%zu bytes: %s", strlen(t.name), t.name);
    tensor_set_name(&t, "%0*d\xc3\xa9", LONGEST - 2, 0);
    CHECK(strlen(t.name) == LONGEST, "%zu bytes: %s", strlen(t.name), t.name);
    tensor_set_name(&t, "%0*d", 2 * LONGEST, 0);
    CHECK(strlen(t.name) == LONGEST, "%zu bytes: %s", strlen(t.name), t.name);
    CHECK_NO_ERROR();
}

static bool make_and_clone(void *context)
{
    (void)context;
    Tensor *t = tensor_from(six, shape2(2, 3)), *copy = tensor_clone(t);
    bool ok = t && copy && copy->data[5] == 5;
    tensor_free(copy);
    tensor_free(t);
    return ok;
}

TEST(out_of_memory_is_an_error)
{
    CHECK_OUT_OF_MEMORY(make_and_clone, NULL);
    Memory m = {.fail_at = 2};
    memory_watch(&m);
    CHECK(!tensor_new(shape1(1000)), "made without memory");
    char want[64];
    snprintf(want, sizeof want, "out of memory: %zu bytes", 1000 * sizeof(real));
    CHECK_ERROR(want);
    memory_unwatch();
}

/* A tensor owns numbers, ids and gradient; a view (a header of its own here) owns none of them. */
TEST(what_a_tensor_owns)
{
    Memory m = {0};
    int32_t numbers[] = {1, 2};
    Tensor ids = {.ids = numbers};
    tensor_set_contiguous(&ids, shape1(2));
    memory_watch(&m);
    Tensor *t = tensor_from(six, shape2(2, 3)), *view = tensor_new(shape2(2, 3)),
           *labels = tensor_clone(&ids);
    REQUIRE(t && view && labels, "%s", tensor_error());
    t->grad = view->data;
    view->data = t->data;
    view->base = t;
    CHECK(m.blocks == 6, "%ld blocks", m.blocks);
    tensor_free(labels);
    CHECK(m.blocks == 4, "%ld blocks after the ids", m.blocks);
    tensor_free(view);
    CHECK(m.blocks == 3, "%ld blocks after the view", m.blocks);
    CHECK(t->data[5] == 5, "the view took its base's numbers with it");
    tensor_free(t);
    CHECK(m.blocks == 0, "%ld blocks are left", m.blocks);
    memory_unwatch();
}

TEST(tape_tensors_are_not_freed)
{
    char nothing;
    Tensor t = {.shape = shape1(2), .tape = (Tape *)&nothing, .name = "h"};
    tensor_free(&t);
    CHECK_ERROR("tensor_free: 'h' (2,) is on a tape, which frees it");
}
