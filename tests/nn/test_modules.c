/* test_modules.c: the gradients of whole modules by finite differences, in the input and in every
 * weight, and those of a weight that two modules share. */
#include "tests/harness/runner.h"
#include "tests/nn/sequences.h"

#include "nn/nn.h"

#include <string.h>

enum { C = 6, H = 3 };

enum { WEIGHTS = 12 };

typedef struct {
    TransformerBlock block; /* its weights are the leaves 1 to 12 of the check */
    bool cross;
    Mask mask;
    Tape *tape;
} Checked;

/* A module is an open struct: the leaves of the gradient check stand in for its weights. */
static Tensor *block_of_leaves(Tensor **x, void *context)
{
    Checked *c = context;
    TransformerBlock *b = &c->block;
    Tensor **weight[WEIGHTS] = {&b->norm1.weight,         &b->norm1.bias,
                                &b->attn.in_proj_weight,  &b->attn.in_proj_bias,
                                &b->attn.out_proj.weight, &b->attn.out_proj.bias,
                                &b->norm2.weight,         &b->norm2.bias,
                                &b->ff.up.weight,         &b->ff.up.bias,
                                &b->ff.down.weight,       &b->ff.down.bias};
    for (int i = 0; i < WEIGHTS; i++)
        *weight[i] = x[i + 1];
    if (!c->cross)
        return nn_transformer_block(b, x[0], c->mask);
    Tensor *y = nn_cross_attention(&b->attn, x[0], nn_norm(&b->norm1, x[0]), c->mask);
    return nn_feedforward(&b->ff, nn_norm(&b->norm2, y));
}

static const struct {
    const char *what;
    bool post_norm, causal, maps, training, cross;
} checks[] = {
    {"pre-norm", false, false, false, false, false},
    {"post-norm", true, false, false, false, false},
    {"causal, with dropout", false, true, false, true, false},
    {"causal, with dropout and maps", true, true, true, true, false},
    {"cross-attention", false, false, false, false, true},
};

static void check_module(int i)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Checked c = {.mask.causal = checks[i].causal, .cross = checks[i].cross, .tape = tape};
    BlockConfig config = {.channels = C, .heads = H, .hidden = 5};
    config.post_norm = checks[i].post_norm;
    config.dropout = 0.2;
    Tensor *x[WEIGHTS + 1] = {tensor_new(shape3(1, 3, C))};
    CHECK(nn_transformer_block_init(&c.block, p, "block", config), "%s", tensor_error());
    sequence_weights(p);
    for (int k = 0; k < 3 * C; k++)
        x[0]->data[k] = sequence_number(k, 0);
    memcpy(x + 1, p->weight, WEIGHTS * sizeof *x);
    CHECK(p->count == WEIGHTS, "a block has %d weights", p->count);
    tape->keep_maps = checks[i].maps;
    tape->training = checks[i].training;
    CHECK(ag_gradcheck(tape, block_of_leaves, &c, x, WEIGHTS + 1, (GradCheck){0}), "%s: %s",
          checks[i].what, tensor_error());
    tensor_clear_error();
    tensor_free(x[0]);
    tape_free(tape);
    params_free(p);
}

static void modules_pass_the_gradient_check(void)
{
    if (sizeof(real) != sizeof(double))
        SKIP("finite differences need double");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        check_module((int)i);
}

/* One weight as embedding and as output: its gradient is the sum of what two separate ones get. */
static void tied_weights_add_their_gradients(void)
{
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    Embedding tied, apart;
    Linear head;
    CHECK(nn_embedding_init(&tied, p, "tied", 7, C) &&
              nn_embedding_init(&apart, p, "apart", 7, C) &&
              nn_linear_init(&head, p, "head", C, 7, false),
          "%s", tensor_error());
    memcpy(apart.weight->data, tied.weight->data, 7 * C * sizeof(real));
    memcpy(head.weight->data, tied.weight->data, 7 * C * sizeof(real));
    for (int i = 0; i < 2; i++) {
        tape_reset(tape);
        Tensor *ids = tape_ids(tape, (int[]){1, 5, 1}, shape1(3));
        Tensor *next = tape_ids(tape, (int[]){5, 1, 6}, shape1(3));
        Linear output = i ? head : (Linear){.weight = tied.weight};
        Tensor *x = nn_embedding(i ? &apart : &tied, ids);
        CHECK(ag_backward(ag_cross_entropy(nn_linear(&output, x), next)), "%s", tensor_error());
    }
    for (int k = 0; k < 7 * C; k++)
        CHECK_CLOSE(tied.weight->grad[k], (double)apart.weight->grad[k] + head.weight->grad[k],
                    1e-6); /* the additions of a row come in another order */
    tape_free(tape);
    params_free(p);
}

static Tensor *twice(Tensor **x, void *context)
{
    (void)context;
    return ag_scale(x[0], 2);
}

static void operands_that_cannot_be_checked(void)
{
    Tape *tape = tape_new(1);
    Tensor *none = NULL, *on_tape = tape_full(tape, 1, shape1(2));
    CHECK(!ag_gradcheck(tape, twice, NULL, &none, 1, (GradCheck){0}), "of nothing");
    CHECK_ERROR("ag_gradcheck: operand 1, 'poison' (), is poison or NULL");
    CHECK(!ag_gradcheck(tape, twice, NULL, &on_tape, 1, (GradCheck){0}), "of what it resets");
    CHECK_ERROR("ag_gradcheck: operand 1, (2,), is on the tape");
    CHECK(!ag_gradcheck(NULL, twice, NULL, &none, 1, (GradCheck){0}), "without a tape");
    CHECK_ERROR("the tape is NULL");
    tape_free(tape);
}

static const TestCase cases[] = {
    {"modules pass the gradient check", modules_pass_the_gradient_check},
    {"operands that cannot be checked", operands_that_cannot_be_checked},
    {"tied weights add their gradients", tied_weights_add_their_gradients},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("modules", cases, argc, argv);
}
