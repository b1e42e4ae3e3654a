/* test_rnn.c: recurrent layers against torch.nn.RNN, LSTM and GRU of two layers with a state: every
 * output, the last state, the gradients of the input, the first state and every weight. A cell
 * against the layer. */
#include "tests/nn/module_checks.h"
#include "tests/harness/oracle.h"
#include "tests/harness/test.h"

enum { B = 3, T = 6, IN = 5, C = 4, LAYERS = 2 };

static const char *const kinds[] = {"tanh", "lstm", "gru"}; /* in RNNKind's order */

static bool open_layer(Setting *s, RNN *r, RNNKind kind)
{
    if (!setting_open(s, "modules.safetensors"))
        return false;
    char prefix[16];
    snprintf(prefix, sizeof prefix, "rnn.%s", kinds[kind]);
    return CHECK(nn_rnn_init(r, s->params, "rnn", kind, IN, C, LAYERS), "%s", tensor_error()) &&
           CHECK(s->params->count == 4 * LAYERS, "%d weights", s->params->count) &&
           setting_weights(s, "rnn", prefix);
}

TEST(layers_are_pytorch)
{
    for (int kind = RNN_TANH; kind <= RNN_GRU; kind++) {
        Setting s;
        RNN r;
        const char *name = kinds[kind];
        bool lstm = kind == RNN_LSTM;
        REQUIRE(open_layer(&s, &r, (RNNKind)kind), "no %s", name);
        Tensor *x = setting_leaf(&s, "rnn.x"), *h = setting_leaf(&s, "rnn.h");
        Tensor *c = lstm ? setting_leaf(&s, "rnn.c") : NULL;
        RNNState state = {h, c};
        Tensor *y[3] = {nn_rnn(&r, x, &state)};
        y[1] = state.h;
        y[2] = state.c;
        CHECK(setting_back(&s, y, lstm ? 3 : 2), "%s: %s", name, tensor_error());
        CHECK(lstm == (state.c != NULL), "%s and its c", name);
        is_oracle(&s, y[0], "rnn.%s.y", name);
        is_oracle(&s, y[1], "rnn.%s.h", name);
        gradient_is_oracle(&s, x, "rnn.%s.grad.x", name);
        gradient_is_oracle(&s, h, "rnn.%s.grad.h", name);
        if (lstm) {
            is_oracle(&s, y[2], "rnn.%s.c", name);
            gradient_is_oracle(&s, c, "rnn.%s.grad.c", name);
        }
        char prefix[16];
        snprintf(prefix, sizeof prefix, "rnn.%s", name);
        weights_are_oracle(&s, "rnn", prefix);
        setting_close(&s);
    }
}

/* The same over a reset of the tape, as in training on a long text piece by piece. */
TEST(the_state_outlives_a_reset)
{
    for (int kind = RNN_TANH; kind <= RNN_GRU; kind++) {
        Setting s;
        RNN r;
        RNNState state = {0};
        REQUIRE(open_layer(&s, &r, (RNNKind)kind), "no %s", kinds[kind]);
        Tensor *first = nn_rnn(&r, ag_slice(setting_leaf(&s, "rnn.x"), 1, 0, 2), &state);
        Tensor *kept[3] = {tensor_clone(first), tensor_clone(state.h)};
        kept[2] = state.c ? tensor_clone(state.c) : NULL;
        tape_reset(s.tape);
        state = (RNNState){kept[1], kept[2]};
        Tensor *y[2] = {kept[0]};
        y[1] = nn_rnn(&r, ag_slice(setting_leaf(&s, "rnn.x"), 1, 2, T), &state);
        is_oracle(&s, ag_concat(y, 2, 1), "rnn.%s.from_zeros", kinds[kind]);
        for (int i = 0; i < 3; i++)
            if (kept[i])
                tensor_free(kept[i]);
        setting_close(&s);
    }
}

/* A cell with a layer's weights, token by token, is the layer. */
TEST(cells_are_layers)
{
    for (int kind = RNN_TANH; kind <= RNN_GRU; kind++) {
        Setting s;
        RNN r;
        RNNCell cell;
        REQUIRE(setting_open(&s, "modules.safetensors"), "no setting");
        CHECK(nn_rnn_init(&r, s.params, "layer", (RNNKind)kind, IN, C, 1) &&
                  nn_rnn_cell_init(&cell, s.params, "cell", (RNNKind)kind, IN, C),
              "%s", tensor_error());
        static const char *const names[] = {"cell.weight_ih", "cell.weight_hh", "cell.bias_ih",
                                            "cell.bias_hh"};
        for (int i = 0; i < 4; i++) {
            Tensor *to = params_find(s.params, names[i]);
            REQUIRE(to && shape_equal(to->shape, s.params->weight[i]->shape), "no %s", names[i]);
            tensor_read(s.params->weight[i], to->data);
        }
        Tensor *x = setting_leaf(&s, "rnn.x"), *y[T];
        RNNState state = {0};
        for (int t = 0; t < T; t++)
            y[t] = nn_rnn_cell(&cell, ag_reshape(ag_slice(x, 1, t, t + 1), shape2(B, IN)), &state);
        /* The same numbers in another order of additions at most. */
        CHECK_TENSOR(ag_stack(y, T, 1), nn_rnn(&r, x, NULL), 1e-6, 1e-6);
        CHECK(state.h == y[T - 1] && (state.c != NULL) == (kind == RNN_LSTM), "the last state");
        setting_close(&s);
    }
}

TEST(refusals)
{
    Setting s;
    RNN r;
    RNNCell cell;
    REQUIRE(setting_open(&s, "modules.safetensors"), "no setting");
    REFUSES(nn_rnn_init, "9 layers; expected 1 to 8", &r, s.params, "a", RNN_GRU, 2, 3, 9);
    REFUSES(nn_rnn, "the module is NULL or has no weights; expected one whose init succeeded", &r,
            tape_full(s.tape, 0, shape3(1, 2, 0)), NULL);
    REFUSES(nn_rnn_init, "0 channels in and 3 out; expected 1 or more of each", &r, s.params, "b",
            RNN_GRU, 0, 3, 1);
    REFUSES(nn_rnn_cell_init, "the kind is 7; expected RNN_TANH, RNN_LSTM or RNN_GRU", &cell,
            s.params, "c", (RNNKind)7, 2, 3);
    CHECK(nn_rnn_init(&r, s.params, "d", RNN_GRU, 2, 3, 2), "%s", tensor_error());
    REFUSES_ON(s.tape, nn_rnn, "x is (4, 0, 2); expected at least one token", &r,
               tape_full(s.tape, 0, shape3(4, 0, 2)), NULL);
    CHECK(s.tape->failed, "the tape goes on");
    REFUSES_ON(s.tape, nn_rnn, "x is (4, 5, 3); expected (B, T, in) with 2 channels", &r,
               tape_full(s.tape, 0, shape3(4, 5, 3)), NULL);
    tape_reset(s.tape);
    Tensor *x = tape_full(s.tape, 0, shape3(4, 5, 2));
    RNNState state = {.h = tape_full(s.tape, 0, shape3(1, 4, 3))};
    REFUSES(nn_rnn, "state h is (1, 4, 3); expected (2, 4, 3), or NULL for zeros", &r, x, &state);
    tape_reset(s.tape);
    x = tape_full(s.tape, 0, shape3(4, 5, 2));
    state = (RNNState){.c = tape_full(s.tape, 0, shape3(2, 4, 3))};
    REFUSES(nn_rnn, "only an LSTM has", &r, x, &state);
    REFUSES(nn_rnn_cell, "the module is NULL or has no weights; expected one whose init succeeded",
            &cell, NULL, NULL);
    setting_close(&s);
}

/* ---- no memory ------------------------------------------------------------------------------- */

static bool one_step(void *context)
{
    static const real numbers[B * T * IN] = {1, 2, 3};
    const RNNKind *kind = context;
    RNN r;
    RNNState state = {0};
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    bool ok = nn_rnn_init(&r, p, "rnn", *kind, IN, C, LAYERS) &&
              ag_backward(ag_sum(nn_rnn(&r, tape_leaf(tape, numbers, shape3(B, T, IN)), &state)));
    tape_free(tape);
    params_free(p);
    return ok;
}

TEST(out_of_memory)
{
    for (RNNKind kind = RNN_TANH; kind <= RNN_GRU; kind++)
        CHECK_OUT_OF_MEMORY(one_step, &kind);
}
