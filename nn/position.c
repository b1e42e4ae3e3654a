/* position.c: where a token stands.
 *                   "Attention is all you need" (2017), section 3.5; V "Positional Encoding", Z "Positional
 *                   encoding", J "Augmenting the MHA with Positional Encoding"; learned: B "Encoding
 *                   Tokens with Sequential Order"
 *   P_(t,2i) = sin(t / 10000^(2i/C)),  P_(t,2i+1) = cos(t / 10000^(2i/C)),  i = 0 .. C/2 - 1
 * Attention by itself treats its input as a set; adding P to the embeddings makes order visible. */
#include "nn/internal.h"

#include <math.h>

void nn_sinusoids(real *table, int64_t positions, int64_t channels, double base)
{
    for (int64_t t = 0; t < positions; t++)
        for (int64_t c = 0; c < channels; c++) {
            double angle = (double)t / pow(base, (double)(c / 2 * 2) / (double)channels);
            table[t * channels + c] = (real)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
}

bool nn_position_init(PositionalEncoding *e, Params *p, const char *name, PositionKind kind,
                      int64_t longest, int64_t channels)
{
    *e = (PositionalEncoding){.kind = kind, .longest = longest};
    if (kind == POSITION_SINUSOIDAL) {
        e->weight = params_constant(p, shape2(longest, channels), "position");
        if (e->weight) {
            tensor_set_name(e->weight, "sinusoids");
            nn_sinusoids(e->weight->data, longest, channels, 10000);
        }
    } else if (kind == POSITION_LEARNED) {
        params_enter(p, name);
        e->weight = params_add(p, "weight", shape2(longest, channels), nn_normal(0.02));
        params_leave(p);
    } else if (kind != POSITION_NONE) {
        return tensor_fail("position: %d is no kind of positional encoding", (int)kind);
    }
    return e->weight || kind == POSITION_NONE;
}

/* Is there a table, and has x as many channels and at most as many tokens? */
static bool takes(const PositionalEncoding *e, Tensor *x, int64_t most)
{
    Shape s = x->shape, table = e->weight ? e->weight->shape : shape2(0, 0);
    if (e->weight && x->tape && s.rank >= 2 && shape_last(s) == table.dim[1] &&
        s.dim[s.rank - 2] <= most)
        return true;
    if (!e->weight)
        tape_error(x->tape, "position: the module has no table; its init failed");
    else
        tape_error(x->tape, "position: x is %s; need (B, T, %lld) with T <= %lld%s",
                   tensor_describe(x), (long long)table.dim[1], (long long)most,
                   x->tape ? "" : ", on a tape");
    return false;
}

Tensor *nn_position(const PositionalEncoding *e, Tensor *x)
{
    if (tensor_is_poison(x) || e->kind == POSITION_NONE)
        return x ? x : tensor_poison();
    if (!takes(e, x, e->longest))
        return tensor_poison();
    int64_t T = x->shape.dim[x->shape.rank - 2];
    return ag_add(x, ag_slice(tape_param(x->tape, e->weight), 0, 0, T));
}

Tensor *nn_position_at(const PositionalEncoding *e, Tensor *x, Tensor *places)
{
    if (tensor_is_poison(x) || e->kind == POSITION_NONE)
        return x ? x : tensor_poison();
    if (!takes(e, x, INT64_MAX))
        return tensor_poison();
    return ag_add(x, ag_embedding(e->weight, places));
}
