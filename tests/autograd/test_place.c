/* test_place.c: a mistake in a program is one message with the program's own file and line: of the
 * call that the program wrote, however deep in the library it failed. */
#include "tests/autograd/listener.h"
#include "tests/autograd/on_tape.h"

#include "nn/nn.h"

#include <string.h>

static Tensor *ones(Tape *tape, Shape shape)
{
    return tape_full(tape, 1, shape);
}

TEST_ON_TAPE(the_line_of_the_call)
{
    Tensor *a = ones(tape, shape2(2, 4)), *b = ones(tape, shape2(2, 16));
    ag_name(b, "logits");
    start_listening();
    Tensor *y = ag_matmul(a, b);
    const int line = __LINE__ - 1;
    char want[512];
    snprintf(want, sizeof want,
             "%s:%d: ag_matmul: a is (2, 4), b is 'logits' (2, 16); expected a (m, k) times b (k, "
             "n), and "
             "leading axes that are equal or 1",
             __FILE__, line);
    CHECK(tensor_is_poison(y), "a wrong product has a result");
    CHECK_TEXT(tensor_error(), want);
    CHECK_TEXT(heard.last, want);
    CHECK(heard.calls == 1, "told %d times", heard.calls);
    tensor_clear_error();
}

/* A student's function, two calls above the op that does not fit. */
static Tensor *student_forward(const TransformerBlock *block, Tensor *x)
{
    return nn_transformer_block(block, x, (Mask){.causal = true});
}

enum { STUDENT_LINE = __LINE__ - 3 };

TEST_OF_WEIGHTS(three_calls_deep)
{
    TransformerBlock pre, post;
    const BlockConfig c = {.channels = 8, .heads = 2},
                      d = {.channels = 8, .heads = 2, .post_norm = true};
    CHECK(nn_transformer_block_init(&pre, p, "pre", c) &&
              nn_transformer_block_init(&post, p, "post", d),
          "%s", tensor_error());
    CHECK(tensor_is_poison(student_forward(&pre, ones(tape, shape3(2, 3, 6)))), "it fits");
    TOLD(STUDENT_LINE,
         "nn_transformer_block: ag_layernorm: x is (2, 3, 6), gain 'pre.norm1.weight' (8,)");
    tape_reset(tape);
    CHECK(tensor_is_poison(student_forward(&post, ones(tape, shape3(2, 3, 6)))), "it fits");
    TOLD(STUDENT_LINE,
         "nn_attention: post.attn: x is (2, 3, 6); expected (B, T, C) with 8 channels");
}

TEST_ON_TAPE(a_call_of_several_lines)
{
    const int first = __LINE__ + 1;
    Tensor *y = ag_add(ones(tape, shape2(2, 3)), ag_scale(ones(tape, shape2(2, 4)), 2));
    TOLD_WITHIN(first, __LINE__ - 1, "ag_add: a is (2, 3), b is (2, 4)");
    CHECK(tensor_is_poison(y), "it fits");
}

/* Nodes carry the place too: for the watch, and for whoever looks at a tape in the debugger. */
TEST_OF_WEIGHTS(nodes_know_their_line)
{
    FeedForward f;
    CHECK(nn_feedforward_init(&f, p, "ff", 4, 8, ACTIVATION_RELU, 0), "%s", tensor_error());
    Tensor *x = ag_scale(ones(tape, shape2(2, 4)), 2);
    int scale = __LINE__ - 1;
    x = nn_feedforward(&f, x);
    CHECK(tape->nodes == 4, "%d nodes", tape->nodes);
    for (int i = 0; i < tape->nodes; i++) {
        const Node *n = tape->node[i];
        int want = i == 0 ? scale : scale + 2;
        CHECK(n->out->file && strcmp(n->out->file, __FILE__) == 0 && n->out->line == want,
              "%s: line %d, not %d", n->op->name, n->out->line, want);
    }
}

/* A call that succeeds did not record the failure of the program itself. */
TEST_OF_WEIGHTS(a_success_is_not_blamed)
{
    Adam adam;
    start_listening();
    tensor_fail("mine: no file; expected one");
    CHECK(params_add(p, "w", shape1(2), nn_constant(0)) && adam_init(&adam, p, 0.1), "%s",
          tensor_error());
    CHECK_TEXT(tensor_error(), "mine: no file; expected one");
    tensor_clear_error();
    adam_free(&adam);
}

/* An op of a program's own, as autograd.h says at ag_apply. */
static bool odd_shape(const Node *n, Shape *y)
{
    return y->dim[0] % 2 == 1 || tensor_fail("odd: x is %s", tensor_describe(n->in[0]));
}

static void odd_forward(Node *n)
{
    n->out->data[0] = 1;
}

static const Op op_odd = {.name = "odd", .shape = odd_shape, .forward = odd_forward};

static Tensor *odd(Tensor *x)
{
    return (ag_apply)(&op_odd, &x, 1, NULL, 0);
}
#define odd(...) AG_PLACED(odd, __VA_ARGS__)

TEST_ON_TAPE(an_op_of_ones_own)
{
    Tensor *y = odd(ones(tape, shape1(2)));
    TOLD(__LINE__ - 1, "odd: x is (2,)");
    CHECK(tensor_is_poison(y), "two is odd");
    tape_reset(tape);
    CHECK(odd(ones(tape, shape1(1)))->line == __LINE__, "another line");
}
