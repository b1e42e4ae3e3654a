/* module_checks.c: see module_checks.h. */
#include "tests/nn/module_checks.h"
#include "tests/harness/oracle.h"
#include "tests/harness/runner.h"
#include "tests/autograd/samples.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool setting_open(Setting *s, const char *golden)
{
    *s = (Setting){.params = params_new(1), .tape = tape_new(1)};
    return CHECK(oracle_open(&s->golden, golden), "%s", tensor_error());
}

void setting_close(Setting *s)
{
    CHECK_NO_ERROR();
    safetensors_free(&s->golden);
    tape_free(s->tape);
    params_free(s->params);
}

/* The rest of a path after "SCOPE.", or all for ""; NULL for a path of another scope. */
static const char *after_scope(const char *path, const char *scope)
{
    size_t n = strlen(scope);
    if (n == 0)
        return path;
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
        real *upstream = malloc((size_t)tensor_size(y[k]) * sizeof *upstream);
        for (int64_t i = 0; i < tensor_size(y[k]); i++)
            upstream[i] = sample_upstream(i);
        Tensor *part = ag_sum(ag_mul(y[k], tape_input(s->tape, upstream, y[k]->shape)));
        free(upstream);
        loss = loss ? ag_add(loss, part) : part;
    }
    return ag_backward(loss);
}

/* The numbers `data`, in t's shape, are the oracle's of that name. */
static void compare(const Setting *s, const Tensor *t, real *data, const char *format,
                    va_list names)
{
    char name[TENSOR_NAME_MAX];
    vsnprintf(name, sizeof name, format, names);
    const Tensor *want = oracle_find(&s->golden, "%s", name);
    REQUIRE(want && data, "%s: there is none", name);
    Tensor got = *t;
    got.data = data;
    const char *difference = tensor_difference(&got, want, ORACLE_CLOSE, ORACLE_CLOSE);
    CHECK(!difference, "%s: %s", name, difference);
}

void is_oracle(const Setting *s, const Tensor *t, const char *format, ...)
{
    va_list names;
    va_start(names, format);
    compare(s, t, t->data, format, names);
    va_end(names);
}

void gradient_is_oracle(const Setting *s, const Tensor *t, const char *format, ...)
{
    va_list names;
    va_start(names, format);
    compare(s, t, t->grad, format, names);
    va_end(names);
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
