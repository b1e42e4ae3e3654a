/* test_decoder.c: the decoder block against torch.nn.TransformerDecoderLayer, pre-norm and
 * post-norm, with padding of both sequences; RMSNorm and additive attention against their formulas
 * in PyTorch. */
#include "tests/nn/module_checks.h"
#include "tests/harness/oracle.h"
#include "tests/harness/test.h"

#include "nn/decode/decode.h"

enum { B = 2, T = 4, S = 5, C = 12 };

static bool open_block(Setting *s, DecoderBlock *b, bool post_norm)
{
    BlockConfig config = {.channels = C, .heads = 3, .hidden = 20, .post_norm = post_norm};
    return setting_open(s, "modules.safetensors") &&
           CHECK(nn_decoder_block_init(b, s->params, "block", config), "%s", tensor_error()) &&
           CHECK(s->params->count == 18, "%d weights", s->params->count) &&
           setting_weights(s, "block", "decoder");
}

TEST(block_is_pytorch)
{
    for (int post = 0; post < 2; post++) {
        Setting s;
        DecoderBlock b;
        const char *name = post ? "decoder.post" : "decoder.pre";
        REQUIRE(open_block(&s, &b, post), "no block");
        Tensor *x = setting_leaf(&s, "decoder.x"), *memory = setting_leaf(&s, "decoder.memory");
        Mask own = {.lengths = tape_ids(s.tape, (int[]){4, 3}, shape1(B))};
        Mask other = {.lengths = tape_ids(s.tape, (int[]){3, 5}, shape1(B))};
        Tensor *y = nn_decoder_block(&b, x, memory, own, other);
        CHECK(setting_back(&s, &y, 1), "%s: %s", name, tensor_error());
        is_oracle(&s, y, "%s.y", name);
        gradient_is_oracle(&s, x, "%s.grad.x", name);
        gradient_is_oracle(&s, memory, "%s.grad.memory", name);
        weights_are_oracle(&s, "block", name);
        setting_close(&s);
    }
}

/* ---- RMSNorm --------------------------------------------------------------------------------- */

TEST(rmsnorm_is_its_formula)
{
    Setting s;
    Norm norm;
    REQUIRE(setting_open(&s, "modules.safetensors"), "no setting");
    CHECK(nn_rmsnorm_init(&norm, s.params, "norm", 6), "%s", tensor_error());
    for (int i = 0; i < 6; i++)
        CHECK_CLOSE(norm.weight->data[i], 1, 0);
    REQUIRE(setting_weights(&s, "norm", "rmsnorm"), "no weights");
    Tensor *x = setting_leaf(&s, "rmsnorm.x"), *y = nn_norm(&norm, x);
    CHECK(setting_back(&s, &y, 1), "%s", tensor_error());
    is_oracle(&s, y, "rmsnorm.y");
    gradient_is_oracle(&s, x, "rmsnorm.grad.x");
    weights_are_oracle(&s, "norm", "rmsnorm");
    REFUSES_ON(s.tape, nn_norm, "x is (3, 1), weight is 'norm.weight' (6,); expected x (..., 6)",
               &norm, tape_full(s.tape, 1, shape2(3, 1)));
    /* Zeros stay zeros: epsilon keeps 0 / 0 away. */
    tape_reset(s.tape);
    y = nn_norm(&norm, tape_full(s.tape, 0, shape2(1, 6)));
    for (int i = 0; i < 6; i++)
        CHECK_CLOSE(y->data[i], 0, 0);
    setting_close(&s);
}

/* ---- additive attention ---------------------------------------------------------------------- */

/* Both public forms: the keys are projected within the call, or before it. */
TEST(additive_attention_is_its_formula)
{
    for (int form = 0; form < 4; form++) {
        const bool maps = form % 2, projected = form / 2;
        Setting s;
        AdditiveAttention a;
        REQUIRE(setting_open(&s, "modules.safetensors"), "no setting");
        CHECK(nn_additive_attention_init(&a, s.params, "align", 6, 5, 7), "%s", tensor_error());
        REQUIRE(setting_weights(&s, "align", "additive"), "no weights");
        s.tape->keep_maps = maps;
        Tensor *query = setting_leaf(&s, "additive.query"),
               *keys = setting_leaf(&s, "additive.keys"), *A;
        Mask mask = {.lengths = tape_ids(s.tape, (int[]){3, 4}, shape1(2))};
        Tensor *once = projected ? nn_additive_keys(&a, keys) : NULL;
        Tensor *y = nn_additive_attention(&a, query, keys, once, mask, &A);
        CHECK(setting_back(&s, &y, 1), "%s", tensor_error());
        is_oracle(&s, y, "additive.y");
        is_oracle(&s, A, "additive.A");
        gradient_is_oracle(&s, query, "additive.grad.query");
        gradient_is_oracle(&s, keys, "additive.grad.keys");
        weights_are_oracle(&s, "align", "additive");
        if (maps) {
            CHECK(tape_find(s.tape, "align.A") == A && A->grad, "A by name, with its gradient");
            CHECK(tape_find(s.tape, "align.scores")->grad != NULL, "the scores: %s",
                  tensor_error());
        }
        setting_close(&s);
    }
}

TEST(additive_attention_refuses)
{
    Setting s;
    AdditiveAttention a;
    REQUIRE(setting_open(&s, "modules.safetensors"), "no setting");
    CHECK(nn_additive_attention_init(&a, s.params, "align", 6, 5, 7), "%s", tensor_error());
    Tensor *query = setting_leaf(&s, "additive.query"), *keys = setting_leaf(&s, "additive.keys");
    Tensor *projected = nn_additive_keys(&a, keys), *A;
    const Mask mask = {0};
    Tensor *few = ag_slice(projected, 1, 0, 2);
    REFUSES(nn_additive_attention,
            "align: query is (2, 3, 6), keys are (2, 4, 5), projected is (2, 2, 7); expected one "
            "batch size, and a projection for each key",
            &a, query, keys, few, mask, &A);
    CHECK(tensor_is_poison(A), "there are weights");
    REFUSES_ON(s.tape, nn_additive_keys, "align: keys is (2, 4, 6); expected (B, S, C) with 5", &a,
               tape_full(s.tape, 0, shape3(2, 4, 6)));
    REFUSES_ON(s.tape, nn_additive_attention,
               "align: query is (2, 4, 5); expected (B, T, C) with 6", &a,
               tape_full(s.tape, 0, shape3(2, 4, 5)), tape_full(s.tape, 0, shape3(2, 4, 5)), NULL,
               (Mask){0}, &A);
    CHECK(tensor_is_poison(A), "there are weights");
    setting_close(&s);
}

/* ---- no memory ------------------------------------------------------------------------------- */

/* All modules of this file one after another, forward and back. */
TEST_OUT_OF_MEMORY(out_of_memory)
{
    static const real numbers[B * S * C] = {1, 2, 3};
    BlockConfig config = {.channels = C, .heads = 3, .hidden = 20};
    DecoderBlock block;
    Norm norm;
    AdditiveAttention align;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    bool ok = nn_decoder_block_init(&block, p, "block", config) &&
              nn_rmsnorm_init(&norm, p, "norm", C) &&
              nn_additive_attention_init(&align, p, "align", C, C, 7);
    if (ok) {
        Tensor *x = tape_leaf(tape, numbers, shape3(B, T, C));
        Tensor *memory = tape_input(tape, numbers, shape3(B, S, C)), *A;
        x = nn_norm(&norm, nn_decoder_block(&block, x, memory, (Mask){0}, (Mask){0}));
        ok = ag_backward(ag_sum(nn_additive_attention(&align, x, memory, NULL, (Mask){0}, &A)));
    }
    tape_free(tape);
    params_free(p);
    return ok;
}
