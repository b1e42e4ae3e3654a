/* tensor.c: numbers with a shape.
 *
 * A tensor made here owns three blocks: the header, the numbers (or ids), and the gradient that
 * autograd may give it. Autograd makes the tensors on a tape; tape_reset releases those. */
#include "tensor/memory.h"
#include "tensor/strided_rows.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *gradus_version(void)
{
    return GRADUS_VERSION;
}

const char GRADUS_REAL_SYMBOL = 1;

/* The one poison tensor: rank 0, NaN, on no tape. It is never written. */
static real not_a_number = (real)NAN;
static Tensor poison = {.data = &not_a_number, .name = "poison"};

Tensor *tensor_poison(void)
{
    return &poison;
}

bool tensor_is_poison(const Tensor *t)
{
    return !t || t == &poison;
}

static const Tensor *given(const Tensor *t)
{
    return t ? t : &poison;
}

void tensor_set_contiguous(Tensor *t, Shape shape)
{
    if (tensor_is_poison(t) || !shape_check(shape, "tensor_set_contiguous"))
        return;
    t->shape = shape;
    int64_t stride = 1;
    for (int i = shape.rank - 1; i >= 0; i--) {
        t->stride[i] = stride;
        stride *=
            shape.dim[i] ? shape.dim[i] : 1; /* cannot overflow: shape_check counts 0 as 1, too */
    }
}

static Tensor *make(const char *who, Shape shape, bool ids)
{
    size_t each = ids ? sizeof(int32_t) : sizeof(real);
    if (!shape_check(shape, who))
        return NULL;
    Tensor *t = mem_alloc(sizeof *t);
    void *block = t ? mem_zeroed((size_t)shape_size(shape) * each) : NULL;
    if (!block) {
        mem_free(t);
        return NULL;
    }
    *t = (Tensor){.data = ids ? NULL : block, .ids = ids ? block : NULL};
    tensor_set_contiguous(t, shape);
    return t;
}

Tensor *tensor_new(Shape shape)
{
    return make("tensor_new", shape, false);
}

Tensor *tensor_from(const real *data, Shape shape)
{
    if (!data && shape_size(shape) > 0) {
        tensor_fail("tensor_from: data is NULL; expected %s numbers", shape_str(shape));
        return NULL;
    }
    Tensor *t = tensor_new(shape);
    if (t && data)
        memcpy(t->data, data, (size_t)shape_size(shape) * sizeof(real));
    return t;
}

void tensor_free(Tensor *t)
{
    if (tensor_is_poison(t))
        return;
    if (t->tape) {
        tensor_fail("tensor_free: %s is on a tape, which frees it; expected a tensor without one",
                    tensor_describe(t));
        return;
    }
    if (!t->base) { /* a view's numbers are its base's */
        mem_free(t->data);
        mem_free(t->grad);
        mem_free(t->ids);
    }
    mem_free(t);
}

Tensor *tensor_clone(const Tensor *t)
{
    if (tensor_is_poison(t)) {
        tensor_fail("tensor_clone: there is no tensor, as an earlier call failed; expected one");
        return NULL;
    }
    if (!tensor_is_current(t, "tensor_clone"))
        return NULL;
    Tensor *copy = make("tensor_clone", t->shape, t->ids != NULL);
    if (!copy)
        return NULL;
    if (t->ids)
        memcpy(copy->ids, t->ids, (size_t)shape_size(t->shape) * sizeof *copy->ids);
    else
        tensor_read(t, copy->data);
    memcpy(copy->name, t->name, sizeof copy->name);
    return copy;
}

int64_t tensor_size(const Tensor *t)
{
    return shape_size(given(t)->shape);
}

bool tensor_is_contiguous(const Tensor *t)
{
    t = given(t);
    if (t->ids || shape_size(t->shape) == 0)
        return true;
    int64_t expected = 1;
    for (int i = t->shape.rank - 1; i >= 0; i--) {
        /* The stride of an axis of length 1 is never used. */
        if (t->shape.dim[i] != 1 && t->stride[i] != expected)
            return false;
        expected *= t->shape.dim[i];
    }
    return true;
}

bool tensor_is_current(const Tensor *t, const char *who)
{
    char made[256] = "";
    if (!t->now || t->step == *t->now)
        return true;
    if (t->file)
        snprintf(made, sizeof made, " (it is the result of %s at %s:%d)", t->function, t->file,
                 t->line);
    return tensor_fail("%s: %s is of an earlier step, which tape_reset has ended%s; expected a "
                       "tensor of this step (tensor_clone keeps a copy of its numbers)",
                       who, tensor_describe(t), made);
}

/* The element at an offset, whatever the tensor holds; NaN where it holds nothing. */
static real element(const Tensor *t, int64_t at)
{
    return t->ids ? (real)t->ids[at] : t->data ? t->data[at] : (real)NAN;
}

real tensor_item(const Tensor *t)
{
    t = given(t);
    if (!tensor_is_current(t, "tensor_item"))
        return (real)NAN;
    if (shape_size(t->shape) == 1)
        return element(t, 0);
    tensor_fail("tensor_item: %s; expected one element", tensor_describe(t));
    return (real)NAN;
}

real tensor_get(const Tensor *t, const int64_t *index)
{
    t = given(t);
    int64_t at = 0;
    if (!tensor_is_current(t, "tensor_get"))
        return (real)NAN;
    if (!index && t->shape.rank > 0) {
        tensor_fail("tensor_get: index is NULL; expected %d numbers", t->shape.rank);
        return (real)NAN;
    }
    for (int i = 0; i < t->shape.rank; i++) {
        if (index[i] < 0 || index[i] >= t->shape.dim[i]) {
            tensor_fail("tensor_get: index %lld on axis %d of %s; expected 0 to %lld",
                        (long long)index[i], i, tensor_describe(t), (long long)t->shape.dim[i] - 1);
            return (real)NAN;
        }
        at += index[i] * t->stride[i];
    }
    return element(t, at);
}

void tensor_read(const Tensor *t, real *out)
{
    t = given(t);
    int64_t n = shape_size(t->shape);
    if (!tensor_is_current(t, "tensor_read"))
        return;
    if (!out && n > 0) {
        tensor_fail("tensor_read: out is NULL; expected memory for %lld numbers", (long long)n);
        return;
    }
    if (n > 0 && t->data && tensor_is_contiguous(t)) {
        memcpy(out, t->data, (size_t)n * sizeof(real));
        return;
    }
    StridedElements e = strided_elements(t);
    for (int64_t i = 0; i < n; i++, strided_elements_next(&e))
        out[i] = element(t, e.at);
}

void tensor_set_name(Tensor *t, const char *format, ...)
{
    if (!format) {
        tensor_fail("tensor_set_name: the format is NULL; expected a text");
        return;
    }
    if (tensor_is_poison(t))
        return;
    char name[4 * TENSOR_NAME_MAX]; /* not directly into t->name, which may be an argument */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    /* A name that is too long is cut before a UTF-8 character, never inside one. */
    size_t end = strlen(name);
    if (end >= TENSOR_NAME_MAX)
        for (end = TENSOR_NAME_MAX - 1; end > 0 && (name[end] & 0xC0) == 0x80; end--)
            ;
    memset(t->name, 0, sizeof t->name);
    memcpy(t->name, name, end);
}

const char *tensor_describe(const Tensor *t)
{
    enum { TEXTS = 8, TEXT_MAX = TENSOR_NAME_MAX + 168 };
    static _Thread_local char ring[TEXTS][TEXT_MAX];
    static _Thread_local unsigned next;
    t = given(t);
    if (!t->name[0])
        return shape_str(t->shape);
    char *text = ring[next++ % TEXTS];
    snprintf(text, TEXT_MAX, "'%s' %s", t->name, shape_str(t->shape));
    return text;
}
