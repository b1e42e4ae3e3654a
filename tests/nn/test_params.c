/* test_params.c: the weights of a model: names, shapes, order, initial values, freezing, and
 * files. */
#include "tests/autograd/on_tape.h"

#include "nn/internal.h"

#include <math.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* A model of all modules that have weights, nested as a program would. */
static bool register_all(Params *p)
{
    TransformerBlock block[2];
    Linear head;
    Embedding word;
    Norm norm;
    PositionalEncoding learned, sinusoidal;
    bool ok = nn_embedding_init(&word, p, "word", 5, 4) &&
              nn_position_init(&learned, p, "place", POSITION_LEARNED, 7, 4) &&
              nn_position_init(&sinusoidal, p, "waves", POSITION_SINUSOIDAL, 7, 4);
    const BlockConfig c = {.channels = 4, .heads = 2, .hidden = 6};
    for (int i = 0; i < 2; i++)
        ok = ok &&
             nn_transformer_block_init(&block[i], p, params_path(p, "encoder.layers.%d", i), c);
    return ok && nn_layernorm_init(&norm, p, "encoder.norm", 4) &&
           nn_linear_init(&head, p, "head", 4, 5, false);
}

/* The names and shapes within a block are PyTorch's: test_golden_nn.c loads a file of its. */
TEST_OF_WEIGHTS(names_and_order)
{
    CHECK(register_all(p), "%s", tensor_error());
    REQUIRE(p->count == 29 && params_size(p) == 20 + 28 + 2 * 154 + 8 + 20,
            "%d weights, %d numbers", p->count, (int)params_size(p));
    CHECK_TEXT(p->weight[0]->name, "word.weight");
    CHECK_TEXT(p->weight[1]->name, "place.weight");
    CHECK_TEXT(p->weight[16]->name, "encoder.layers.1.attn.in_proj_weight");
    CHECK_TEXT(p->weight[28]->name, "head.weight");
    for (int i = 0; i < 29; i++)
        CHECK(params_find(p, p->weight[i]->name) == p->weight[i], "%s", p->weight[i]->name);
    CHECK(!params_find(p, "head.bias"), "a layer without bias has one");
}

TEST_OF_WEIGHTS(names_that_cannot_be)
{
    CHECK(params_add(p, "a", shape1(2), nn_constant(1)), "%s", tensor_error());
    REFUSES(params_add, "the path 'a' is taken", p, "a", shape1(2), nn_constant(1));
    REFUSES(params_add, "'w': shape (2, -1); expected no negative axis", p, "w", shape2(2, -1),
            nn_constant(1));
    REFUSES(params_add, "'w': shape (4611686018427387904,); expected one that fits into memory", p,
            "w", shape1((int64_t)1 << 62), nn_constant(1));
    CHECK(p->count == 1, "%d weights", p->count);
}

/* An empty part, such as the path of a module that stands at the root, is left out with its dot;
 * dots within a part stay. */
TEST_OF_WEIGHTS(paths)
{
    static const struct {
        const char *outer, *inner, *path;
    } cases[] = {
        {"blocks.0", "attn", "blocks.0.attn.weight"},
        {"blocks", "", "blocks.weight"},
        {"", "attn", "attn.weight"},
        {"", "", "weight"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(params_path(p, "%s.%s.weight", cases[i].outer, cases[i].inner), cases[i].path);
    CHECK_TEXT(params_path(p, "%s.%s", "blocks", ""), "blocks");
    const char *first = params_path(p, "layer.%d", 1), *second = params_path(p, "layer.%d", 2);
    CHECK_TEXT(first, "layer.1"); /* a later call does not change it */
    CHECK_TEXT(second, "layer.2");
}

/* 127 characters fit, after empty parts are left out; a longer path is refused, not cut. */
TEST_OF_WEIGHTS(paths_that_do_not_fit)
{
    Linear l;
    const int most = TENSOR_NAME_MAX - 1;
    const char *text = params_path(p, ".%0*d", most, 0);
    REQUIRE(text && strlen(text) == (size_t)most, "%s", tensor_error());
    CHECK(params_add(p, text, shape1(2), nn_constant(1)), "127 characters: %s", tensor_error());
    CHECK_NO_ERROR();
    for (int length = most + 1; length < 1001; length += length < most + 4 ? 1 : 500) {
        char expected[64];
        snprintf(expected, sizeof expected, "has %d characters; expected at most 127", length);
        CHECK(!params_add(p, params_path(p, "%0*d", length, 0), shape1(2), nn_constant(1)),
              "%d characters", length);
        CHECK_ERROR(expected);
        CHECK(!nn_linear_init(&l, p, params_path(p, "%0*d", length, 0), 2, 3, true) && !l.weight,
              "%d characters", length);
        CHECK_ERROR(expected);
    }
    CHECK(p->count == 1, "%d weights", p->count);
}

/* ---- how weights begin ----------------------------------------------------------------------- */

/* The numbers are those of the sequence of the seed, 1, and the path: uniform in [-x, x), normal
 * with the deviation x, or all x. */
static void begins(const Tensor *w, int kind, double x)
{
    Rng r = {.seed = rng_hash(1, w ? w->name : "")};
    int64_t wrong = 0;
    REQUIRE(w, "%s", tensor_error());
    for (int64_t i = 0; i < tensor_size(w); i++) {
        double want = kind == INIT_NORMAL    ? rng_normal(&r)
                      : kind == INIT_UNIFORM ? 2 * rng_uniform(&r) - 1
                                             : 1;
        wrong += w->data[i] != (real)(x * want);
    }
    CHECK(wrong == 0, "%s: %lld numbers differ", w->name, (long long)wrong);
}

/* In however many parts they are made. */
TEST_OF_WEIGHTS(initialisers_are_their_formulas)
{
    const struct {
        Init init;
        int kind;
        double x;
    } known[] = {{nn_normal(0.5), INIT_NORMAL, 0.5},
                 {nn_uniform(2), INIT_UNIFORM, 2},
                 {nn_xavier_uniform(3, 5), INIT_UNIFORM, sqrt(6.0 / 8)},
                 {nn_kaiming_uniform(8), INIT_UNIFORM, sqrt(6.0 / 8)},
                 {nn_torch_linear(16), INIT_UNIFORM, 0.25},
                 {nn_constant(3), INIT_CONSTANT, 3}};
    tensor_set_threads(3);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        begins(params_add(p, params_path(p, "%d", (int)i), shape1(70001), known[i].init),
               known[i].kind, known[i].x);
    tensor_set_threads(0);
}

/* What PyTorch's modules begin with: bounds for Linear and MultiheadAttention, constants for the
 * rest. */
TEST_OF_WEIGHTS(modules_begin_as_in_pytorch)
{
    MultiHeadAttention a;
    Linear l;
    Norm n;
    Embedding e;
    CHECK(nn_attention_init(&a, p, "attn", 64, 4, 0) &&
              nn_linear_init(&l, p, "linear", 64, 128, true) &&
              nn_layernorm_init(&n, p, "norm", 64) && nn_embedding_init(&e, p, "words", 100, 64),
          "%s", tensor_error());
    begins(a.in_proj_weight, INIT_UNIFORM, sqrt(6.0 / (64 + 192)));
    begins(a.in_proj_bias, INIT_CONSTANT, 0);
    begins(a.out_proj.weight, INIT_UNIFORM, 1.0 / 8);
    begins(a.out_proj.bias, INIT_CONSTANT, 0);
    begins(l.weight, INIT_UNIFORM, 1.0 / 8);
    begins(l.bias, INIT_UNIFORM, 1.0 / 8);
    begins(n.weight, INIT_CONSTANT, 1);
    begins(n.bias, INIT_CONSTANT, 0);
    begins(e.weight, INIT_NORMAL, 1);
}

TEST(beginnings_depend_on_seed_and_path_alone)
{
    Params *p = params_new(1), *reversed = params_new(1), *other = params_new(2);
    const Tensor *a = params_add(p, "a", shape1(50), nn_normal(1));
    const Tensor *b = params_add(p, "b", shape1(50), nn_normal(1));
    const Tensor *b2 = params_add(reversed, "b", shape1(50), nn_normal(1));
    const Tensor *a2 = params_add(reversed, "a", shape1(50), nn_normal(1));
    const Tensor *a3 = params_add(other, "a", shape1(50), nn_normal(1));
    CHECK(!tensor_difference(a, a2, 0, 0) && !tensor_difference(b, b2, 0, 0), "order matters");
    CHECK(tensor_difference(a, b, 0, 0), "the path does not matter");
    CHECK(tensor_difference(a, a3, 0, 0), "the seed does not matter");
    params_free(p);
    params_free(reversed);
    params_free(other);
}

/* ---- freezing -------------------------------------------------------------------------------- */

static bool train_once(Params *p, Linear *first, Linear *second, Adam *adam)
{
    Tape *tape = tape_new(1);
    Tensor *x = tape_full(tape, 1, shape2(3, 4));
    x = nn_linear(second, ag_tanh(nn_linear(first, x)));
    bool ok = ag_backward(ag_sum(ag_mul(x, x))) && adam_step(adam, p);
    tape_free(tape);
    return CHECK(ok, "%s", tensor_error());
}

TEST_OF_WEIGHTS(frozen_weights_stay)
{
    Linear first, second;
    Adam adam;
    CHECK(nn_linear_init(&first, p, "body.first", 4, 4, true) &&
              nn_linear_init(&second, p, "head", 4, 2, true) && adam_init(&adam, p, 0.1),
          "%s", tensor_error());
    Tensor *body = tensor_clone(first.weight), *head = tensor_clone(second.weight);
    CHECK(params_freeze(p, "body", true) == 2, "not two weights begin with 'body'");
    train_once(p, &first, &second, &adam);
    CHECK(!first.weight->grad && !first.weight->needs_grad, "a frozen weight has a gradient");
    CHECK_TENSOR(first.weight, body, 0, 0);
    CHECK(tensor_difference(second.weight, head, 0, 1e-3), "the head stays as well");
    CHECK(params_freeze(p, "", false) == 4, "'' is not the beginning of all");
    train_once(p, &first, &second, &adam);
    CHECK(tensor_difference(first.weight, body, 0, 1e-3), "unfrozen, and not trained");
    tensor_free(body);
    tensor_free(head);
    adam_free(&adam);
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST(saved_and_loaded)
{
    const char *path = scratch_path("weights.safetensors");
    const char *const metadata[] = {"model", "a test"};
    Params *p = params_new(1), *q = params_new(2);
    CHECK(register_all(p) && register_all(q), "%s", tensor_error());
    CHECK(params_save(path, p, metadata, 1), "%s", tensor_error());
    CHECK(params_load(path, q), "%s", tensor_error());
    for (int i = 0; i < p->count; i++) /* a file holds numbers as wide as real */
        CHECK_TENSOR(q->weight[i], p->weight[i], 0, 0);
    params_free(p);
    params_free(q);
}

/* A weight of a pretrained model may be stored as its transpose (nn_pretrained_load, mapped):
 * element (i, j) of this one has the offset 2 j + i. */
TEST(loaded_into_a_transposed_weight)
{
    const char *path = scratch_path("transposed.safetensors");
    Params *p = params_new(1), *q = params_new(2);
    Tensor *a = params_add(p, "a", shape2(2, 3), nn_normal(1));
    Tensor *b = params_add(q, "a", shape2(2, 3), nn_normal(1));
    REQUIRE(a && b && params_save(path, p, NULL, 0), "%s", tensor_error());
    b->stride[0] = 1;
    b->stride[1] = 2;
    CHECK(params_load(path, q), "%s", tensor_error());
    CHECK_TENSOR(b, a, 0, 0);
    params_free(p);
    params_free(q);
}

/* Loads a file with the given weight instead of, or beside, the model's "b". */
static void refuses(const char *name, Shape shape, bool with_b, const char *part)
{
    const char *path = scratch_path("wrong.safetensors");
    Params *file = params_new(3), *p = params_new(1);
    CHECK(params_add(file, "a", shape1(2), nn_normal(1)) &&
              (!with_b || params_add(file, "b", shape2(2, 3), nn_normal(1))) &&
              (!name || params_add(file, name, shape, nn_normal(1))) &&
              params_save(path, file, NULL, 0),
          "%s", tensor_error());
    Tensor *a = params_add(p, "a", shape1(2), nn_normal(1)), *before = tensor_clone(a);
    Tensor *b = params_add(p, "b", shape2(2, 3), nn_normal(1)), *b_before = tensor_clone(b);
    CHECK(!params_load(path, p), "%s: loaded", part);
    CHECK_ERROR(part);
    CHECK_TENSOR(a, before, 0, 0);
    CHECK_TENSOR(b, b_before, 0, 0);
    tensor_free(before);
    tensor_free(b_before);
    params_free(file);
    params_free(p);
}

TEST_OF_WEIGHTS(wrong_files_change_nothing)
{
    refuses(NULL, shape0(), false, "has no 'b' (2, 3)");
    refuses("b", shape2(3, 2), false, "has 'b' (3, 2); expected (2, 3)");
    refuses("bb", shape2(2, 3), true, "has 'bb'; expected the 2 weights of the model only");
    CHECK(!params_load(scratch_path("nowhere.safetensors"), p), "a file that is not there");
    CHECK_ERROR("nowhere.safetensors");
}
