/* lab-module-other.c: a right answer in another style: a loop over heads that slices channels, and
 * joins what it computed; a single sequence becomes a batch of one. */
#include "lab-module.h"

#include <math.h>
#include <string.h>

bool grouped_attention_init(GroupedAttention *a, Params *p, const char *path, int64_t channels,
                            int heads, int kv_heads)
{
    if (kv_heads <= 0 || heads <= 0 || heads % kv_heads || channels % heads)
        return tensor_fail("grouped_attention_init: found %d, %d and %d; expected numbers that "
                           "divide each other",
                           (int)channels, heads, kv_heads);
    memset(a, 0, sizeof *a);
    a->path = params_path(p, "%s", path);
    struct {
        Linear *layer;
        const char *name;
        int64_t in, out;
    } part[] = {{&a->value, "value", channels, channels / heads * kv_heads},
                {&a->out, "out", channels, channels},
                {&a->query, "query", channels, channels},
                {&a->key, "key", channels, channels / heads * kv_heads}};
    bool good = a->path != NULL;
    for (int i = 0; good && i < 4; i++)
        good = nn_linear_init(part[i].layer, p, params_path(p, "%s.%s", path, part[i].name),
                              part[i].in, part[i].out, false);
    a->heads = heads;
    a->kv_heads = kv_heads;
    return good;
}

Tensor *grouped_attention(const GroupedAttention *a, Tensor *x, Mask mask)
{
    int64_t channels = a->query.weight->shape.dim[1], d = channels / a->heads;
    Tensor *one[64], *maps[64];
    if (tensor_is_poison(x))
        return x;
    if (x->shape.rank == 2 && x->shape.dim[1] == channels) {
        Tensor *y = grouped_attention(a, ag_reshape(x, shape3(1, x->shape.dim[0], channels)), mask);
        return ag_reshape(y, x->shape);
    }
    if (x->shape.rank != 3 || x->shape.dim[2] != channels) {
        tensor_fail("grouped_attention: x is %s; expected (.., .., %d)", shape_str(x->shape),
                    (int)channels);
        return tensor_poison();
    }
    Tensor *q = nn_linear(&a->query, x), *k = nn_linear(&a->key, x), *v = nn_linear(&a->value, x);
    for (int h = 0; h < a->heads; h++) {
        int64_t g = (int64_t)h * a->kv_heads / a->heads;
        Tensor *qh = ag_slice(q, 2, h * d, (h + 1) * d);
        Tensor *kh = ag_slice(k, 2, g * d, (g + 1) * d);
        Tensor *vh = ag_slice(v, 2, g * d, (g + 1) * d);
        Tensor *s = ag_matmul(ag_scale(qh, (real)pow((double)d, -0.5)), ag_transpose(kh, 1, 2));
        maps[h] = ag_masked_softmax(s, mask);
        one[h] = ag_matmul(maps[h], vh);
    }
    if (x->tape->keep_maps)
        ag_name(ag_stack(maps, a->heads, 1), "%s.A", a->path);
    return ag_linear(ag_concat(one, a->heads, -1), a->out.weight, NULL);
}
