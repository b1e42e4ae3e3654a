/* position.c: positional encodings.
 *                   "Attention is all you need" (2017), section 3.5; V "Positional Encoding", Z "Positional
 *                   encoding", J "Augmenting the MHA with Positional Encoding"; learned: B "Encoding
 *                   Tokens with Sequential Order" (lectures/README.md)
 *   P_(t,2i) = sin(t / 10000^(2i/C)),  P_(t,2i+1) = cos(t / 10000^(2i/C)),  i = 0 .. C/2 - 1
 * Attention by itself is equivariant to permutations of its input; adding P to the embeddings makes
 * its output depend on the order. */
#include "nn/internal.h"

#include "tensor/memory.h"

#include <math.h>

enum { ROTARY_PAIRS = 1 << 20 };

/* table (positions, channels). Channels 2i and 2i + 1 have one frequency; the wave lengths grow
 * from 2 pi to nearly 2 pi base. */
void nn_sinusoids(real *table, int64_t positions, int64_t channels, double base)
{
    if (!table || positions < 0 || channels < 0 || !(base > 0)) {
        tensor_fail("nn_sinusoids: %s, %lld positions, %lld channels, base %g; expected a table, 0 "
                    "or more positions and channels, and a base above 0",
                    table ? "a table" : "the table is NULL", (long long)positions,
                    (long long)channels, base);
        return;
    }
    for (int64_t t = 0; t < positions; t++)
        for (int64_t c = 0; c < channels; c++) {
            double angle = (double)t / pow(base, (double)(c / 2 * 2) / (double)channels);
            table[t * channels + c] = (real)(c % 2 == 0 ? sin(angle) : cos(angle));
        }
}

bool nn_position_init(PositionalEncoding *e, Params *p, const char *path, PositionKind kind,
                      int64_t longest, int64_t channels)
{
    if (!(path = init_path(e, sizeof *e, p, path, "nn_position_init")))
        return false;
    e->kind = kind;
    e->longest = longest;
    e->path = path;
    if (kind == POSITION_SINUSOIDAL) {
        e->weight = params_constant(p, shape2(longest, channels), "nn_position_init");
        if (e->weight) {
            tensor_set_name(e->weight, "%s.sinusoids", path);
            nn_sinusoids(e->weight->data, longest, channels, 10000);
        }
    } else if (kind == POSITION_LEARNED) {
        e->weight = params_add(p, params_path(p, "%s.weight", path), shape2(longest, channels),
                               nn_normal(0.02));
    }
    if (kind != POSITION_SINUSOIDAL && kind != POSITION_LEARNED && kind != POSITION_NONE)
        return tensor_fail("nn_position_init: the kind is %d; expected POSITION_SINUSOIDAL, "
                           "POSITION_LEARNED or POSITION_NONE",
                           (int)kind);
    return e->weight || kind == POSITION_NONE;
}

/* The first T rows of the table, a view, are added to every sequence of the batch by broadcasting;
 * or the rows at these positions. An encoding without positions returns x as it is. */
static Tensor *add_rows(const PositionalEncoding *e, Tensor *x, Tensor *positions, const char *who)
{
    if (!check_module(e && e->kind != POSITION_NONE ? e->weight : (const void *)e, x, who))
        return tensor_poison();
    if (!x)
        tensor_fail("%s: x is NULL; expected (B, T, C)", who);
    if (tensor_is_poison(x) || e->kind == POSITION_NONE)
        return x ? x : tensor_poison();
    Shape s = x->shape;
    int64_t C = e->weight->shape.dim[1], left = positions ? INT64_MAX : e->longest - e->offset;
    int64_t T = s.rank >= 2 ? s.dim[s.rank - 2] : 0;
    if (!x->tape || s.rank < 2 || shape_last(s) != C || T > left)
        return tape_error(x->tape, "%s: x is %s; expected (B, T, %lld) with T <= %lld, on a tape",
                          who, tensor_describe(x), (long long)C, (long long)left);
    Tensor *rows = ag_slice(tape_param(x->tape, e->weight), 0, e->offset,
                            positions ? e->longest : e->offset + T);
    return given_name(ag_add(x, positions ? ag_embedding(rows, positions) : rows), e->path, "");
}

Tensor *nn_position(const PositionalEncoding *e, Tensor *x)
{
    return add_rows(e, x, NULL, "nn_position");
}

Tensor *nn_position_at(const PositionalEncoding *e, Tensor *x, Tensor *positions)
{
    if (!positions) {
        tensor_fail("nn_position_at: positions is NULL; expected ids (B, T)");
        return tensor_poison();
    }
    return add_rows(e, x, positions, "nn_position_at");
}

/* Row t of the table: the cosines and then the sines of t f_i for all pairs i, in double until they
 * are stored. */
static bool fill_rotary(Rotary *r, Params *p, int64_t longest, const double *frequency,
                        int64_t pairs, const char *who)
{
    if (r)
        *r = (Rotary){0};
    if (!r || !p || !frequency || longest < 1 || pairs < 1 || pairs > ROTARY_PAIRS)
        return tensor_fail("%s: %s, texts of %lld tokens, %lld pairs; expected a Rotary to fill, "
                           "params, frequencies of 1 to %d pairs, and 1 token or more",
                           who,
                           !r           ? "r is NULL"
                           : !p         ? "p is NULL"
                           : !frequency ? "frequency is NULL"
                                        : "frequencies",
                           (long long)longest, (long long)pairs, ROTARY_PAIRS);
    r->table = params_constant(p, shape2(longest, 2 * pairs), who);
    for (int64_t t = 0; r->table && t < longest; t++)
        for (int64_t i = 0; i < pairs; i++) {
            double angle = (double)t * frequency[i];
            r->table->data[t * 2 * pairs + i] = (real)cos(angle);
            r->table->data[t * 2 * pairs + pairs + i] = (real)sin(angle);
        }
    return r->table != NULL;
}

bool nn_rotary_from(Rotary *r, Params *p, int64_t longest, const double *frequency, int64_t pairs)
{
    return fill_rotary(r, p, longest, frequency, pairs, "nn_rotary_from");
}

bool nn_rotary_init(Rotary *r, Params *p, int64_t longest, int64_t channels, double base)
{
    if (r)
        *r = (Rotary){0};
    if (channels < 2 || channels % 2 != 0 || channels > ROTARY_PAIRS || !(base > 0))
        return tensor_fail(
            "nn_rotary_init: %lld channels, base %g; expected an even number from 2 to 2^20, "
            "and a base above 0",
            (long long)channels, base);
    double *frequency = mem_alloc((size_t)channels / 2 * sizeof *frequency);
    for (int64_t i = 0; frequency && i < channels / 2; i++)
        frequency[i] = pow(base, -2 * (double)i / (double)channels);
    bool ok = frequency && fill_rotary(r, p, longest, frequency, channels / 2, "nn_rotary_init");
    mem_free(frequency);
    return ok;
}

Tensor *rotary_turn(const Rotary *r, Tensor *heads, Tensor *positions)
{
    return r ? ag_rotary(heads, r->table, positions) : heads;
}
