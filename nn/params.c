/* params.c: who owns the weights.
 *
 * Params owns every weight and its gradient until params_free. Modules hold pointers to them. A weight
 * is known by its path, such as blocks.0.attn.in_proj_weight; the path also seeds its first numbers. */
#include "nn/internal.h"

#include "tensor/kernels/kernels.h"
#include "tensor/memory.h"
#include "tensor/threads/parallel.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

Params *params_new(uint64_t seed)
{
    Params *p = mem_zeroed(sizeof *p);
    if (p)
        p->seed = seed;
    return p;
}

void params_free(Params *p)
{
    if (!p)
        return;
    arena_free(&p->arena);
    mem_free(p->weight);
    mem_free(p->grad);
    mem_free(p);
}

/* ---- paths ----------------------------------------------------------------------------------------- */

/* A name may hold dots itself ("blocks.0"), so leaving goes back to a length that was noted, not to a
 * dot. A scope that does not fit is cut to a full buffer, and params_add then refuses. */
void params_enter(Params *p, const char *name)
{
    if (!p)
        return;
    size_t used = strlen(p->scope);
    if (p->depth < TENSOR_NAME_MAX) /* deeper, the scope has long been full */
        p->outer[p->depth] = (unsigned char)used;
    p->depth++;
    snprintf(p->scope + used, sizeof p->scope - used, "%s%s", used ? "." : "", name);
}

void params_leave(Params *p)
{
    if (p && p->depth > 0 && --p->depth < TENSOR_NAME_MAX)
        p->scope[p->outer[p->depth]] = 0;
}

const char *params_format(Params *p, const char *format, ...)
{
    if (!p)
        return "";
    va_list args;
    va_start(args, format);
    vsnprintf(p->formatted, sizeof p->formatted, format, args);
    va_end(args);
    return p->formatted;
}

const char *params_scope(Params *p)
{
    if (!p)
        return NULL;
    return arena_copy(&p->arena, p->scope, strlen(p->scope) + 1);
}

/* ---- weights --------------------------------------------------------------------------------------- */

static bool reserve(Params *p)
{
    int capacity = p->capacity;
    Tensor **weight = mem_list(p->weight, p->count, &capacity);
    if (!weight)
        return false;
    p->weight = weight;
    real **grad = mem_list(p->grad, p->count, &p->capacity);
    if (!grad)
        return false;
    p->grad = grad;
    return true;
}

typedef struct {
    Tensor *weight;
    uint64_t seed;
    Init init;
} Filling;

/* Numbers begin .. end-1 of the weight: a random number is a function of its place in the sequence, so
 * each part is made on its own. A uniform number takes two places, a normal one four (rng.c). */
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

static void fill(Tensor *t, uint64_t seed, Init init)
{
    Filling f = {t, rng_hash(seed, t->name), init};
    parallel_for(tensor_size(t), parallel_grain(32), fill_part, &f);
}

Tensor *params_constant(Params *p, Shape shape, const char *who)
{
    int64_t bytes;
    if (!p) {
        tensor_fail("params: there are none; params_new failed or was not called");
        return NULL;
    }
    if (!shape_check(shape, who))
        return NULL;
    if (!tensor_checked_mul(shape_size(shape), sizeof(real), &bytes)) {
        tensor_fail("%s: %s is more than memory can hold", who, shape_str(shape));
        return NULL;
    }
    Tensor *t = arena_alloc(&p->arena, sizeof *t);
    real *numbers = arena_alloc(&p->arena, (size_t)bytes);
    if (!t || !numbers)
        return NULL;
    *t = (Tensor){.data = numbers};
    tensor_set_contiguous(t, shape);
    return t;
}

/* The path of a new weight. False, with an error, where it is too long or taken. */
static bool new_path(const Params *p, const char *name, char path[2 * TENSOR_NAME_MAX])
{
    int length =
        snprintf(path, 2 * TENSOR_NAME_MAX, "%s%s%s", p->scope, *p->scope ? "." : "", name);
    if (strlen(p->scope) == sizeof p->scope - 1 || length >= TENSOR_NAME_MAX)
        return tensor_fail("params: the path '%s' is too long; at most %d characters", path,
                           TENSOR_NAME_MAX - 1);
    return !params_find(p, path) || tensor_fail("params: there is a weight '%s' already", path);
}

Tensor *params_add(Params *p, const char *name, Shape shape, Init init)
{
    char path[2 * TENSOR_NAME_MAX] = "params";
    if (p && !new_path(p, name, path))
        return NULL;
    Tensor *t = params_constant(p, shape, path);
    if (!t || !reserve(p))
        return NULL;
    size_t bytes = (size_t)tensor_size(t) * sizeof *t->grad;
    t->grad = arena_alloc(&p->arena, bytes);
    if (!t->grad)
        return NULL;
    memset(t->grad, 0, bytes);
    t->needs_grad = t->keep_grad = true;
    tensor_set_name(t, "%s", path);
    fill(t, p->seed, init);
    p->grad[p->count] = t->grad;
    return p->weight[p->count++] = t;
}

Tensor *params_find(const Params *p, const char *path)
{
    for (int i = 0; p && i < p->count; i++)
        if (strcmp(p->weight[i]->name, path) == 0)
            return p->weight[i];
    return NULL;
}

int64_t params_size(const Params *p)
{
    int64_t size = 0;
    for (int i = 0; p && i < p->count; i++)
        size += tensor_size(p->weight[i]);
    return size;
}

/* ---- gradients --------------------------------------------------------------------------------------- */

void params_zero_grad(Params *p)
{
    for (int i = 0; p && i < p->count; i++)
        parallel_zero(p->grad[i], tensor_size(p->weight[i]));
}

/* Is path `prefix` itself, or below it? "blocks.1" is not above "blocks.10.norm1.weight". */
static bool below(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 && (n == 0 || path[n] == 0 || path[n] == '.');
}

int params_freeze(Params *p, const char *prefix, bool frozen)
{
    int found = 0;
    for (int i = 0; p && i < p->count; i++) {
        Tensor *t = p->weight[i];
        if (!below(t->name, prefix))
            continue;
        t->needs_grad = !frozen;
        t->grad = frozen ? NULL : p->grad[i];
        found++;
    }
    return found;
}

double params_grad_norm(const Params *p)
{
    double squares = 0;
    for (int i = 0; p && i < p->count; i++)
        if (p->weight[i]->grad)
            squares += kernels->squares(p->weight[i]->grad, tensor_size(p->weight[i]));
    return sqrt(squares);
}

double params_clip_grad(Params *p, double longest)
{
    double norm = params_grad_norm(p);
    if (!(norm > longest))
        return norm;
    for (int i = 0; p && i < p->count; i++) {
        Tensor *t = p->weight[i];
        if (t->grad)
            kernels->scale(t->grad, t->grad, (real)(longest / norm), tensor_size(t));
    }
    return norm;
}
