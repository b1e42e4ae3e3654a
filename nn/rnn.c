/* rnn.c: recurrent layers: a state h is updated from token to token.
 *              tanh: Elman (1990); LSTM: Hochreiter and Schmidhuber (1997), with the forget gate of
 *              Gers et al. (2000); GRU: Cho et al. (2014), in the form of PyTorch and cuDNN
 * With a = W_ih x + b_ih and b = W_hh h + b_hh, split into one part for each gate, and s the
 * sigmoid:
 *   tanh:  h' = tanh(a + b)
 *   LSTM:  i, f, o = s(a + b);  g = tanh(a + b);   c' = f c + i g;   h' = o tanh(c')  order i f g o
 *   GRU:   r, z = s(a + b);     n = tanh(a + r b); h' = (1 - z) n + z h               order r z n
 * a of all tokens is one matrix product; only b depends on the state after the token before. */
#include "nn/internal.h"

static bool sizes_check(RNNKind kind, int64_t in, int64_t hidden, const char *who)
{
    if (kind != RNN_TANH && kind != RNN_LSTM && kind != RNN_GRU)
        return tensor_fail("%s: the kind is %d; expected RNN_TANH, RNN_LSTM or RNN_GRU", who,
                           (int)kind);
    return (in >= 1 && hidden >= 1 && hidden <= INT32_MAX) ||
           tensor_fail("%s: %lld channels in and %lld out; expected 1 or more of each", who,
                       (long long)in, (long long)hidden);
}

/* Registers the weights of one layer. Their names end in `end`: "_l0", "_l1", ... as PyTorch's, ""
 * for a cell. A layer of which one weight is missing keeps none, so that the forward pass refuses
 * it. */
static bool init_layer(RNNCell *r, Params *p, const char *path, const char *end, RNNKind kind,
                       int64_t in, int64_t hidden)
{
    *r = (RNNCell){.kind = kind, .in = in, .hidden = hidden};
    Init start = nn_torch_linear(hidden);
    int64_t rows = (kind == RNN_LSTM ? 4 : kind == RNN_GRU ? 3 : 1) * hidden;
    r->weight_ih =
        params_add(p, params_path(p, "%s.weight_ih%s", path, end), shape2(rows, in), start);
    r->weight_hh =
        params_add(p, params_path(p, "%s.weight_hh%s", path, end), shape2(rows, hidden), start);
    r->bias_ih = params_add(p, params_path(p, "%s.bias_ih%s", path, end), shape1(rows), start);
    r->bias_hh = params_add(p, params_path(p, "%s.bias_hh%s", path, end), shape1(rows), start);
    bool ok = r->weight_ih && r->weight_hh && r->bias_ih && r->bias_hh;
    if (!ok)
        *r = (RNNCell){0};
    return ok;
}

bool nn_rnn_cell_init(RNNCell *r, Params *p, const char *path, RNNKind kind, int64_t in,
                      int64_t hidden)
{
    if (!(path = init_path(r, sizeof *r, p, path, "nn_rnn_cell_init")) ||
        !sizes_check(kind, in, hidden, "nn_rnn_cell_init"))
        return false;
    const int first = p->count;
    bool ok = init_layer(r, p, path, "", kind, in, hidden);
    r->path = path;
    return init_done(p, first, ok);
}

bool nn_rnn_init(RNN *r, Params *p, const char *path, RNNKind kind, int64_t in, int64_t hidden,
                 int layers)
{
    if (!(path = init_path(r, sizeof *r, p, path, "nn_rnn_init")))
        return false;
    if (layers < 1 || layers > RNN_MAX_LAYERS)
        return tensor_fail("nn_rnn_init: %d layers; expected 1 to %d", layers, RNN_MAX_LAYERS);
    if (!sizes_check(kind, in, hidden, "nn_rnn_init"))
        return false;
    r->layers = layers;
    r->path = path;
    const int first = p->count;
    bool ok = true;
    for (int l = 0; ok && l < layers; l++) {
        char end[16];
        snprintf(end, sizeof end, "_l%d", l);
        ok = init_layer(&r->layer[l], p, path, end, kind, l ? hidden : in, hidden);
    }
    return init_done(p, first, ok);
}

/* ---- one step -------------------------------------------------------------------------------- */

/* One step of an LSTM; sum = a + b is (B, 4C), the gates in the order i f g o. c is the cell state:
 * it is only scaled by f and added to, which lets gradients pass many steps. h is what other layers
 * see. */
static void lstm_step(Tensor *sum, RNNState *s)
{
    Tensor *gate[4]; /* i, f, g, o */
    ag_split(sum, 1, gate, 4);
    Tensor *kept = ag_mul(ag_sigmoid(gate[1]), s->c);
    s->c = ag_add(kept, ag_mul(ag_sigmoid(gate[0]), ag_tanh(gate[2])));
    s->h = ag_mul(ag_sigmoid(gate[3]), ag_tanh(s->c));
}

/* One step of a GRU. a and b stay apart, because the reset gate r multiplies only the part of b
 * that belongs to n. z near 1 keeps the old state, r near 0 ignores it in the proposal n. */
static void gru_step(Tensor *a, Tensor *b, RNNState *s)
{
    Tensor *in[3], *state[3]; /* r, z, n */
    ag_split(a, 1, in, 3);
    ag_split(b, 1, state, 3);
    Tensor *reset = ag_sigmoid(ag_add(in[0], state[0]));
    Tensor *keep = ag_sigmoid(ag_add(in[1], state[1]));
    Tensor *fresh = ag_tanh(ag_add(in[2], ag_mul(reset, state[2])));
    s->h = ag_add(fresh, ag_mul(keep, ag_sub(s->h, fresh))); /* (1 - z) n + z h */
}

/* Replaces the state by the one after a token, whose input part is a (B, gates C). */
static void step(const RNNCell *r, Tensor *a, RNNState *s)
{
    Tensor *b = ag_linear(s->h, r->weight_hh, r->bias_hh);
    if (r->kind == RNN_GRU)
        gru_step(a, b, s);
    else if (r->kind == RNN_LSTM)
        lstm_step(ag_add(a, b), s);
    else
        s->h = ag_tanh(ag_add(a, b));
}

/* ---- the state ------------------------------------------------------------------------------- */

/* Have the parts of a state, which may be NULL, this shape? Only an LSTM has a c. A state on
 * another tape, or of an earlier step, is found by the first op that reads it. */
static bool state_check(const RNNCell *r, const RNNState *s, Shape shape, Tensor *x,
                        const char *who)
{
    for (int i = 0; s && i < 2; i++) {
        Tensor *part = i ? s->c : s->h;
        if (!part || (i < 1 + (r->kind == RNN_LSTM) && !tensor_is_poison(part) && part->data &&
                      shape_equal(part->shape, shape)))
            continue;
        if (!tensor_is_poison(part))
            tensor_fail("%s: state %c is %s; expected %s, or NULL for zeros; only an LSTM has a c",
                        who, i ? 'c' : 'h', tensor_describe(part), shape_str(shape));
        tape_fail(x->tape);
        return false;
    }
    return true;
}

/* The part (B, C) of layer l in a part (L, B, C) of the state; zeros where that is NULL. */
static Tensor *layer_of(Tensor *part, int l, Tape *tape, int64_t B, int64_t hidden)
{
    if (!part)
        return tape_full(tape, 0, shape2(B, hidden));
    return ag_reshape(ag_slice(tape_param(tape, part), 0, l, l + 1), shape2(B, hidden));
}

/* ---- forward --------------------------------------------------------------------------------- */

Tensor *nn_rnn_cell(const RNNCell *r, Tensor *x, RNNState *state)
{
    const char *who = "nn_rnn_cell";
    if (!check_module(r ? r->bias_hh : NULL, x, who) ||
        !check_operand(x, 2, r->in, who, NULL, "x", "(B, in)"))
        return tensor_poison();
    Shape shape = shape2(x->shape.dim[0], r->hidden);
    if (!state_check(r, state, shape, x, who))
        return tensor_poison();
    RNNState now = state ? *state : (RNNState){0};
    if (!now.h)
        now.h = tape_full(x->tape, 0, shape);
    if (!now.c && r->kind == RNN_LSTM)
        now.c = tape_full(x->tape, 0, shape);
    step(r, ag_linear(x, r->weight_ih, r->bias_ih), &now);
    if (state)
        *state = now;
    return given_name(now.h, r->path, "");
}

/* One layer over all tokens: x (B, T, in) -> the states h after each token (B, T, C); s becomes the
 * last state. T steps, each with one product of h and W_hh: each waits for the state before it,
 * where attention computes all tokens at once. */
static Tensor *unroll(const RNNCell *r, Tensor *x, RNNState *s)
{
    Tensor *a = ag_linear(x, r->weight_ih, r->bias_ih);
    if (tensor_is_poison(a))
        return a;
    int64_t B = a->shape.dim[0], T = a->shape.dim[1];
    Tensor **h = tape_memory(a->tape, (size_t)T * sizeof *h);
    if (!h)
        return tape_fail(a->tape);
    for (int64_t t = 0; t < T; t++) {
        Tensor *token = ag_reshape(ag_slice(a, 1, t, t + 1), shape2(B, shape_last(a->shape)));
        step(r, token, s);
        h[t] = s->h;
    }
    return ag_stack(h, (int)T, 1);
}

static const char *const layer_name[RNN_MAX_LAYERS] = {"l0", "l1", "l2", "l3",
                                                       "l4", "l5", "l6", "l7"};

Tensor *nn_rnn(const RNN *r, Tensor *x, RNNState *state)
{
    const char *who = "nn_rnn";
    if (!check_module(r ? r->layer[0].bias_hh : NULL, x, who) ||
        !check_operand(x, 3, r->layer[0].in, who, NULL, "x", "(B, T, in)"))
        return tensor_poison();
    const RNNCell *first = &r->layer[0];
    Tape *tape = x->tape;
    int64_t B = x->shape.dim[0], T = x->shape.dim[1];
    if (T < 1 || T > INT32_MAX)
        return tape_error(tape, "nn_rnn: x is %s; expected at least one token", tensor_describe(x));
    if (!state_check(first, state, shape3(r->layers, B, first->hidden), x, who))
        return tensor_poison();
    Tensor *h[RNN_MAX_LAYERS], *c[RNN_MAX_LAYERS];
    bool lstm = first->kind == RNN_LSTM;
    for (int l = 0; l < r->layers; l++) {
        RNNState now = {.h = layer_of(state ? state->h : NULL, l, tape, B, first->hidden)};
        if (lstm)
            now.c = layer_of(state ? state->c : NULL, l, tape, B, first->hidden);
        x = given_name(unroll(&r->layer[l], x, &now), r->path, layer_name[l]);
        h[l] = now.h;
        c[l] = now.c;
    }
    if (state) {
        state->h = ag_stack(h, r->layers, 0);
        state->c = lstm ? ag_stack(c, r->layers, 0) : NULL;
    }
    return x;
}
