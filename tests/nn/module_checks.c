/* module_checks.c: see module_checks.h. */
#include "tests/nn/module_checks.h"
#include "tests/harness/oracle.h"
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEAVES = 32, MOST_WORDS = 128 };

bool setting_open(Setting *s)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    return CHECK(oracle_open(&s->golden, "modules.safetensors"), "%s", tensor_error());
}

void setting_close(Setting *s)
{
    CHECK_NO_ERROR();
    safetensors_free(&s->golden);
    tape_free(s->tape);
    params_free(s->params);
}

/* The rest of a path after "SCOPE."; NULL for a path of another scope. */
static const char *after_scope(const char *path, const char *scope)
{
    size_t n = strlen(scope);
    return strncmp(path, scope, n) == 0 && path[n] == '.' ? path + n + 1 : NULL;
}

bool setting_weights(Setting *s, const char *scope, const char *prefix)
{
    for (int i = 0; i < s->params->count; i++) {
        Tensor *w = s->params->weight[i];
        const char *path = after_scope(w->name, scope);
        if (!path)
            continue;
        const Tensor *from = oracle_find(&s->golden, "%s.%s", prefix, path);
        if (!CHECK(from && shape_equal(from->shape, w->shape), "the oracle has no %s.%s", prefix,
                   path))
            return false;
        tensor_read(from, w->data);
    }
    return true;
}

Tensor *setting_leaf(Setting *s, const char *name)
{
    const Tensor *t = oracle_find(&s->golden, "%s", name);
    CHECK(t != NULL, "the oracle has no %s", name);
    return t ? tape_leaf(s->tape, t->data, t->shape) : tensor_poison();
}

bool setting_back(Setting *s, Tensor *const *y, int count)
{
    Tensor *loss = NULL;
    for (int k = 0; k < count; k++) {
        if (tensor_is_poison(y[k]))
            return false;
        int64_t n = tensor_size(y[k]);
        real *upstream = malloc((size_t)n * sizeof *upstream);
        for (int64_t i = 0; i < n; i++)
            upstream[i] = sample_upstream(i);
        Tensor *part = ag_sum(ag_mul(y[k], tape_input(s->tape, upstream, y[k]->shape)));
        free(upstream);
        loss = loss ? ag_add(loss, part) : part;
    }
    return ag_backward(loss);
}

static void compare(const Setting *s, const Tensor *t, const char *name)
{
    const Tensor *want = oracle_find(&s->golden, "%s", name);
    const char *difference =
        want ? tensor_difference(t, want, ORACLE_CLOSE, ORACLE_CLOSE) : "no oracle";
    CHECK(!difference, "%s: %s", name, difference);
}

void is_oracle(const Setting *s, const Tensor *t, const char *format, ...)
{
    char name[TENSOR_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    compare(s, t, name);
}

void gradient_is_oracle(const Setting *s, const Tensor *t, const char *format, ...)
{
    char name[TENSOR_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (!CHECK(t->grad != NULL, "%s: there is none", name))
        return;
    Tensor gradient = *t;
    gradient.data = t->grad;
    compare(s, &gradient, name);
}

void weights_are_oracle(const Setting *s, const char *scope, const char *prefix)
{
    for (int i = 0; i < s->params->count; i++) {
        const Tensor *w = s->params->weight[i];
        const char *path = after_scope(w->name, scope);
        if (path)
            gradient_is_oracle(s, w, "%s.grad.%s", prefix, path);
    }
}

/* ---- finite differences ---------------------------------------------------------------------- */

typedef struct {
    const void *module;
    size_t size;
    ModuleForward forward;
    Tensor *const *weights;
    int weight_count, count;
} Checked;

/* A copy of the module, in which each pointer to a weight is one to its leaf. */
static Tensor *with_leaves(Tensor **x, void *context)
{
    const Checked *c = context;
    void *words[MOST_WORDS];
    memcpy(words, c->module, c->size);
    for (size_t k = 0; k < c->size / sizeof *words; k++)
        for (int i = 0; i < c->weight_count; i++)
            if (words[k] == (void *)c->weights[i])
                words[k] = x[c->count + i];
    return c->forward(words, x);
}

void module_gradcheck(Setting *s, void *module, size_t size, ModuleForward forward,
                      Tensor *const *x, int count, const char *what)
{
    Tensor *all[MOST_LEAVES];
    Checked c = {module, size, forward, s->params->weight, s->params->count, count};
    if (!CHECK(count + c.weight_count <= MOST_LEAVES && size <= sizeof(void *[MOST_WORDS]),
               "%s: more weights than the check can hold", what))
        return;
    memcpy(all, x, (size_t)count * sizeof *all);
    memcpy(all + count, c.weights, (size_t)c.weight_count * sizeof *all);
    CHECK(ag_gradcheck(s->tape, with_leaves, &c, all, count + c.weight_count, (GradCheck){0}),
          "%s: %s", what, tensor_error());
    tensor_clear_error();
}
