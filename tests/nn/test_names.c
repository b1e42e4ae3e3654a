/* test_names.c: the names of activations that nn.h lists, and that each is the tensor it says: what
 * is named is combined by hand and compared with what else is named. */
#include "gradus.h"
#include "autograd/inspect.h"
#include "tests/harness/test.h"

#include <math.h>
#include <string.h>

enum { B = 2, T = 3, S = 4, C = 6, H = 2, D = C / H };

static void watch(TapeEvent event, Tape *tape, const Node *n)
{
    (void)event, (void)tape, (void)n;
}

/* All names of the step, in order, each after a blank. */
static const char *names_of(const Tape *tape)
{
    static char text[4000];
    text[0] = 0;
    for (int i = 0; i < tape->names; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %.127s", tape->named[i]->name);
    return text;
}

/* The tensor of this module and part. */
static Tensor *part(Tape *tape, const char *path, const char *name)
{
    char whole[2 * TENSOR_NAME_MAX];
    snprintf(whole, sizeof whole, "%s.%s", path, name);
    return tape_find(tape, whole);
}

/* Is the named tensor what these ops compute from other named tensors, to rounding? */
static void check_is(Tensor *named, Tensor *computed)
{
    const char *difference = tensor_difference(named, computed, 1e-5, 1e-5);
    CHECK(!tensor_failed() && !difference, "%s: %s%s", named->name, tensor_error(),
          difference ? difference : "");
}

static void check_sum(Tape *tape, const char *sum, const char *a, const char *b)
{
    check_is(tape_find(tape, sum), ag_add(tape_find(tape, a), tape_find(tape, b)));
}

/* LayerNorm with gain 1 and bias 0, as a module begins. */
static void check_normal(Tape *tape, const char *normal, const char *of)
{
    Tensor *ones = tape_full(tape, 1, shape1(C)), *zeros = tape_full(tape, 0, shape1(C));
    check_is(tape_find(tape, normal), ag_layernorm(tape_find(tape, of), ones, zeros, (real)1e-5));
}

/* products = q k^T, scores = products / sqrt(d), heads = A v, for the module of this path. */
static void check_attention(Tape *tape, const char *path)
{
    Tensor *q = part(tape, path, "q"), *k = part(tape, path, "k"), *v = part(tape, path, "v");
    Tensor *products = part(tape, path, "products"), *scores = part(tape, path, "scores");
    check_is(products, ag_matmul(q, ag_transpose(k, -1, -2)));
    check_is(scores, ag_scale(products, (real)(1 / sqrt(D))));
    check_is(part(tape, path, "heads"), ag_matmul(part(tape, path, "A"), v));
}

typedef struct {
    Params *params;
    Tape *tape;
    Tensor *x;
} Step;

/* A step with an input of B sequences; watched or not. */
static Step begin(bool watched, bool maps)
{
    Step s = {params_new(3), tape_new(1), NULL};
    real numbers[B * S * C];
    for (int i = 0; i < B * S * C; i++)
        numbers[i] = (real)sin(1 + 2.3 * i);
    tape_on_event(watched ? watch : NULL);
    s.tape->keep_maps = maps;
    s.x = tape_input(s.tape, numbers, shape3(B, T, C));
    return s;
}

static void end(Step *s)
{
    tape_on_event(NULL);
    tape_free(s->tape);
    params_free(s->params);
}

/* Runs an encoder block in a new step. */
static Step run_block(const char *name, bool post_norm, bool watched, bool maps)
{
    Step s = begin(watched, maps);
    TransformerBlock block;
    BlockConfig c = {.channels = C, .heads = H, .post_norm = post_norm};
    CHECK(nn_transformer_block_init(&block, s.params, name, c), "%s", tensor_error());
    if (watched)
        s.x = ag_name(s.x, "x");
    Tensor *y = nn_transformer_block(&block, s.x, (Mask){.causal = true});
    CHECK(!tensor_is_poison(y), "%s", tensor_error());
    return s;
}

TEST(names_of_a_block)
{
    Step s = run_block("b", false, true, true);
    const char *want = " x b.norm1 b.attn.qkv b.attn.q b.attn.k b.attn.v b.attn.products"
                       " b.attn.scores b.attn.A b.attn.heads b.attn.out_proj b.mid b.norm2 b.ff.up"
                       " b.ff.hidden b.ff.down b.out";
    CHECK(strcmp(names_of(s.tape), want) == 0, "found%s; expected%s", names_of(s.tape), want);
    check_sum(s.tape, "b.mid", "x", "b.attn.out_proj");
    check_sum(s.tape, "b.out", "b.mid", "b.ff.down");
    check_normal(s.tape, "b.norm1", "x");
    check_normal(s.tape, "b.norm2", "b.mid");
    check_attention(s.tape, "b.attn");
    end(&s);
}

TEST(names_of_a_post_norm_block)
{
    Step s = run_block("b", true, true, true);
    check_sum(s.tape, "b.mid_sum", "x", "b.attn.out_proj");
    check_sum(s.tape, "b.out_sum", "b.mid", "b.ff.down");
    check_normal(s.tape, "b.mid", "b.mid_sum");
    check_normal(s.tape, "b.out", "b.out_sum");
    end(&s);
}

TEST(names_of_a_decoder_block)
{
    for (int post_norm = 0; post_norm < 2; post_norm++) {
        Step s = begin(true, true);
        DecoderBlock block;
        BlockConfig c = {.channels = C, .heads = H, .post_norm = post_norm};
        CHECK(nn_decoder_block_init(&block, s.params, "d", c), "%s", tensor_error());
        Tensor *memory = tape_full(s.tape, (real)0.5, shape3(B, S, C));
        s.x = ag_name(s.x, "x");
        nn_decoder_block(&block, s.x, memory, (Mask){0}, (Mask){0});
        check_sum(s.tape, post_norm ? "d.mid_sum" : "d.mid", "x", "d.self_attn.out_proj");
        check_sum(s.tape, post_norm ? "d.mid2_sum" : "d.mid2", "d.mid", "d.cross_attn.out_proj");
        check_sum(s.tape, post_norm ? "d.out_sum" : "d.out", "d.mid2", "d.ff.down");
        check_normal(s.tape, post_norm ? "d.out" : "d.norm3", post_norm ? "d.out_sum" : "d.mid2");
        check_attention(s.tape, "d.self_attn");
        check_attention(s.tape, "d.cross_attn");
        end(&s);
    }
}

/* A name would keep the gradient's memory. */
TEST(nobody_watches)
{
    Step s = run_block("b", false, false, false);
    CHECK(s.tape->names == 0, "named:%s; expected nothing", names_of(s.tape));
    end(&s);
    s = run_block("b", false, false, true);
    const char *want = " b.attn.q b.attn.k b.attn.scores b.attn.A";
    CHECK(strcmp(names_of(s.tape), want) == 0, "found%s; expected%s", names_of(s.tape), want);
    end(&s);
}

/* Embedding, position and a layer have their own paths, and a layer that shares a weight has
 * none. */
TEST(names_of_layers)
{
    Step s = begin(true, false);
    Embedding words;
    PositionalEncoding position;
    AdditiveAttention align;
    CHECK(nn_embedding_init(&words, s.params, "words", 5, C) &&
              nn_position_init(&position, s.params, "position", POSITION_SINUSOIDAL, T, C) &&
              nn_additive_attention_init(&align, s.params, "align", C, C, 4),
          "%s", tensor_error());
    Tensor *x = nn_embedding(&words, tape_ids(s.tape, (int[]){0, 1, 4}, shape2(1, T)));
    x = nn_position(&position, x);
    CHECK(*nn_linear(&(Linear){.weight = words.weight}, x)->name == 0,
          "a name for a shared weight");
    nn_additive_attention(&align, x, x, NULL, (Mask){0}, NULL);
    const char *want =
        " words position align.key align.query align.score align.scores align.A align.context";
    CHECK(strcmp(names_of(s.tape), want) == 0, "found%s; expected%s", names_of(s.tape), want);
    end(&s);
}

/* A recurrent layer names the states of each of its layers, an adapted layer its own result. */
TEST(names_of_recurrent_and_adapted_layers)
{
    Step s = begin(true, false);
    RNN rnn;
    RNNCell cell;
    Linear base;
    Lora lora;
    CHECK(nn_rnn_init(&rnn, s.params, "rnn", RNN_GRU, C, 4, 2) &&
              nn_rnn_cell_init(&cell, s.params, "cell", RNN_LSTM, 4, 3) &&
              nn_linear_init(&base, s.params, "base", 3, 2, true) &&
              nn_lora_init(&lora, s.params, "lora", base, 1, 1),
          "%s", tensor_error());
    Tensor *h = nn_rnn(&rnn, s.x, NULL), *last = ag_slice(h, 1, T - 1, T);
    Tensor *y = nn_rnn_cell(&cell, ag_reshape(last, shape2(-1, 4)), NULL);
    nn_lora(&lora, y);
    CHECK(tape_find(s.tape, "rnn.l1") == h && tape_find(s.tape, "cell") == y, "%s", tensor_error());
    const char *want = " rnn.l0 rnn.l1 cell base lora";
    CHECK(strcmp(names_of(s.tape), want) == 0, "found%s; expected%s", names_of(s.tape), want);
    end(&s);
}

/* The longest path that a block's weights may have leaves space for all names; a layer may have no
 * path at all. */
TEST(names_of_any_length)
{
    char name[TENSOR_NAME_MAX];
    size_t length = TENSOR_NAME_MAX - 1 - strlen(".attn.in_proj_weight") - 1;
    memset(name, 'n', length);
    name[length] = 0;
    Step s = run_block(name, true, true, true);
    CHECK(s.tape->names == 17 && !s.tape->failed, "%d names, %s", s.tape->names, tensor_error());
    end(&s);
    Norm norm;
    s = begin(true, false);
    CHECK(nn_layernorm_init(&norm, s.params, "", C), "%s", tensor_error());
    CHECK(!tensor_is_poison(nn_norm(&norm, s.x)) && s.tape->names == 0, "%s", tensor_error());
    end(&s);
}
