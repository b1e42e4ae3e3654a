/* params.c: the owner of all weights.
 *
 * Params owns every weight and its gradient until params_free; modules hold pointers to them. A
 * weight is identified by its path, such as blocks.0.attn.in_proj_weight, which also seeds its
 * initial values. */
#include "nn/internal.h"

#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

Params *params_new(uint64_t seed)
{
    struct {
        Params params;
        ParamsState own;
    } *both = mem_zeroed(sizeof *both);
    if (!both)
        return NULL;
    both->params = (Params){.seed = seed, .own = &both->own};
    return &both->params;
}

void params_free(Params *p)
{
    if (!p)
        return;
    arena_free(&p->own->arena);
    mem_free(p->weight);
    mem_free(p);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Leaves out the dots before and after empty parts: "" and "weight" are joined to "weight". */
static void drop_empty_parts(char *path)
{
    char *end = path;
    for (const char *c = path; *c; c++)
        if (*c != '.' || (end > path && end[-1] != '.'))
            *end++ = *c;
    *end = 0;
    if (end > path && end[-1] == '.')
        end[-1] = 0;
}

const char *params_path(Params *p, const char *format, ...)
{
    char path[TENSOR_NAME_MAX + 2]; /* with a dot that is dropped */
    if (!params_given(p, format, "format", "params_path"))
        return NULL;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, sizeof path, format, args);
    va_end(args);
    drop_empty_parts(path);
    if (length >= (int)sizeof path || strlen(path) >= TENSOR_NAME_MAX) {
        tensor_fail("params_path: the path '%.40s...' has %d characters; expected at most %d", path,
                    length, TENSOR_NAME_MAX - 1);
        return NULL;
    }
    return arena_copy(&p->own->arena, path, strlen(path) + 1);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* A weight, which is what p->weight points to, and the memory of its gradient, which a frozen one
 * has as well. */
typedef struct {
    Tensor tensor;
    real *grad; /* NULL: none so far */
} Weight;

static Weight *weight_of(const Params *p, int i)
{
    return (Weight *)(void *)p->weight[i];
}

typedef struct {
    Tensor *weight;
    uint64_t seed;
    Init init;
} Filling;

/* Elements begin .. end-1 of the weight. A random number is a function of its position in the
 * generator's sequence, so that threads fill parts of a weight independently. A uniform number
 * takes two positions, a normal one four (rng.c), a constant none. */
static void fill_part(int64_t begin, int64_t end, void *context)
{
    const Filling *f = context;
    real *x = f->weight->data;
    Rng r = {.seed = f->seed};
    r.position = (uint64_t)begin * (f->init.kind == INIT_NORMAL ? 4 : 2);
    for (int64_t i = begin; i < end; i++) {
        if (f->init.kind == INIT_NORMAL)
            x[i] = (real)(f->init.number * rng_normal(&r));
        else if (f->init.kind == INIT_UNIFORM)
            x[i] = (real)(f->init.number * (2 * rng_uniform(&r) - 1));
        else
            x[i] = (real)f->init.number;
    }
}

/* The path is hashed with the seed, so that two weights of one shape begin differently, whatever
 * was registered before them. */
static void fill(Tensor *t, uint64_t seed, Init init)
{
    Filling f = {t, rng_hash(seed, t->name), init};
    parallel_for(tensor_size(t), parallel_grain(32), fill_part, &f);
}

/* A tensor without numbers. */
static Tensor *new_tensor(Params *p, Shape shape, const char *who)
{
    Weight *w = shape_check(shape, who) ? arena_alloc(&p->own->arena, sizeof *w) : NULL;
    if (!w)
        return NULL;
    *w = (Weight){0};
    tensor_set_contiguous(&w->tensor, shape);
    return &w->tensor;
}

bool params_numbers(Params *p, Tensor *t)
{
    t->data = arena_alloc(&p->own->arena, (size_t)tensor_size(t) * sizeof *t->data);
    return t->data != NULL;
}

Tensor *params_constant(Params *p, Shape shape, const char *who)
{
    Tensor *t = new_tensor(p, shape, who);
    return t && params_numbers(p, t) ? t : NULL;
}

/* False, with an error, where the path is too long or taken. */
static bool new_path(const Params *p, const char *path)
{
    if (strlen(path) >= TENSOR_NAME_MAX)
        return tensor_fail(
            "params_add: the path '%.150s' is too long; expected at most %d characters", path,
            TENSOR_NAME_MAX - 1);
    return !params_find(p, path) ||
           tensor_fail("params_add: the path '%s' is taken; expected a new one", path);
}

/* Shows autograd and the optimisers the weight's gradient, which is zeros at first, or hides it.
 * False, with an error, when memory is out. */
static bool set_frozen(Params *p, Tensor *t, bool frozen)
{
    Weight *w = (Weight *)(void *)t;
    size_t bytes = (size_t)tensor_size(t) * sizeof *w->grad;
    if (!frozen && !w->grad && (w->grad = arena_alloc(&p->own->arena, bytes)))
        memset(w->grad, 0, bytes);
    t->grad = frozen ? NULL : w->grad;
    t->needs_grad = t->grad != NULL;
    return frozen || t->grad;
}

/* Memory for the weight's numbers and its gradient, and its first values. A model that is only run
 * has neither gradient nor values of its own. */
static bool give_memory(Params *p, Tensor *t, Init init)
{
    if (!p->own->without_numbers && !params_numbers(p, t))
        return false;
    if (p->only_run)
        return true;
    if (!set_frozen(p, t, false))
        return false;
    fill(t, p->seed, init);
    return true;
}

/* Invariant: weight[i] exists for every i < count. The count is incremented last, after everything
 * that can fail. */
Tensor *params_add(Params *p, const char *path, Shape shape, Init init)
{
    char who[TENSOR_NAME_MAX + 16];
    if (!p || !path || !isfinite(init.number)) {
        tensor_fail("params_add: %s; expected params, a path and a finite initial distribution",
                    !p      ? "params is NULL"
                    : !path ? "the path is NULL"
                            : "the initial distribution is NaN or infinite");
        return NULL;
    }
    if (!new_path(p, path) || !params_expected(p, path, shape))
        return NULL;
    snprintf(who, sizeof who, "params_add: '%s'", path);
    Tensor *t = new_tensor(p, shape, who);
    if (!t)
        return NULL;
    tensor_set_name(t, "%s", path);
    Tensor **list =
        give_memory(p, t, init) ? mem_list(p->weight, p->count, &p->own->capacity) : NULL;
    if (!list)
        return NULL;
    p->weight = list;
    return p->weight[p->count++] = t;
}

/* A linear search by path. Models have some hundred weights, and modules keep pointers. */
Tensor *params_find(const Params *p, const char *path)
{
    if (!params_given(p, path, "path", "params_find"))
        return NULL;
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->weight[i]->name, path) == 0)
            return p->weight[i];
    return NULL;
}

static int64_t size_of(const Params *p, bool frozen_too, const char *who)
{
    int64_t size = 0;
    if (!p)
        return tensor_fail("%s: params is NULL; expected params_new's result", who);
    for (int i = 0; i < p->count; i++)
        if (frozen_too || p->weight[i]->needs_grad)
            size += tensor_size(p->weight[i]);
    return size;
}

int64_t params_size(const Params *p)
{
    return size_of(p, true, "params_size");
}

int64_t params_trained(const Params *p)
{
    return size_of(p, false, "params_trained");
}

/* ---- gradients ------------------------------------------------------------------------------- */

/* Those of frozen weights, too. */
void params_zero_grad(Params *p)
{
    if (!p)
        tensor_fail("params_zero_grad: params is NULL; expected params_new's result");
    for (int i = 0; p && i < p->count; i++)
        if (weight_of(p, i)->grad)
            parallel_zero(weight_of(p, i)->grad, tensor_size(p->weight[i]));
}

/* Is path equal to `prefix` or below it? "blocks.10.norm1.weight" is not below "blocks.1". */
static bool below(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 && (n == 0 || path[n] == 0 || path[n] == '.');
}

int params_freeze(Params *p, const char *prefix, bool frozen)
{
    int found = 0;
    if (!params_given(p, prefix, "prefix", "params_freeze"))
        return -1;
    for (int i = 0; i < p->count; i++) {
        if (!below(p->weight[i]->name, prefix))
            continue;
        if (!set_frozen(p, p->weight[i], frozen))
            return found;
        found++;
    }
    return found;
}

/* The squares of floats do not overflow in double: an infinite sum has an infinite gradient. */
double params_grad_norm(const Params *p)
{
    double squares = 0;
    if (!p) {
        tensor_fail("params_grad_norm: params is NULL; expected params_new's result");
        return NAN;
    }
    for (int i = 0; i < p->count; i++)
        if (p->weight[i]->grad)
            squares += kernels->squares(p->weight[i]->grad, tensor_size(p->weight[i]));
    return isinf(squares) ? NAN : sqrt(squares);
}

/* A NaN norm compares as false and leaves the gradient as it is: the optimiser's caller decides
 * what a NaN means. All gradients are multiplied by one number, so that the direction of the step
 * stays. */
double params_clip_grad(Params *p, double longest)
{
    if (!p || !(longest >= 0)) {
        tensor_fail("params_clip_grad: %s, the longest norm is %g; expected params and 0 or more",
                    p ? "params" : "params is NULL", longest);
        return NAN;
    }
    double norm = params_grad_norm(p);
    if (!(norm > longest))
        return norm;
    const real share = (real)(longest / norm);
    for (int i = 0; i < p->count; i++) {
        Tensor *t = p->weight[i];
        if (t->grad)
            kernels->mul(t->grad, t->grad, 1, &share, 0, tensor_size(t));
    }
    return norm;
}
