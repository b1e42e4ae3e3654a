/* test_arguments.c: settings out of range, and modules whose init failed: what no type tells
 * tests/project/misuse, which calls every function with NULL and the like. Each call returns its
 * failure value and leaves one error "function: found; expected", which begins with the name of the
 * function that was called. What shapes they refuse is tested with each module. */
#include "nn/decode/decode.h"
#include "nn/internal.h"
#include "tests/autograd/on_tape.h"

#include <math.h>

TEST_OF_WEIGHTS(weights)
{
    REFUSES(params_add, "", p, "w", shape1(2), nn_constant(NAN));
    REFUSES(params_add, "", p, "w", shape1(2), nn_kaiming_uniform(0));
    REFUSES(params_clip_grad, "", p, -1);
    REFUSES(params_clip_grad, "", p, NAN);
}

TEST_OF_WEIGHTS(inits)
{
    MultiHeadAttention attention;
    FeedForward feedforward;
    Gpt gpt;
    real table[4];
    REFUSES(nn_gpt_init, "", &gpt, p, "m", (GptConfig){.longest = 3, .channels = 4, .heads = 2});
    REFUSES(nn_attention_init, "", &attention, p, "m", 4, 3, 0);
    REFUSES(nn_attention_init, "", &attention, p, "m", 4, 2, 1);
    REFUSES(nn_feedforward_init, "", &feedforward, p, "m", 2, 3, (Activation)99, 0);
    REFUSES(nn_feedforward_init, "", &feedforward, p, "m", 2, 3, ACTIVATION_RELU, NAN);
    nn_sinusoids(table, 2, 2, 0);
    CHECK_REFUSAL("nn_sinusoids", "");
    nn_sinusoids(table, -2, 2, 100);
    CHECK_REFUSAL("nn_sinusoids", "");
    CHECK(p->count == 0, "%d weights of modules that were refused", p->count);
}

/* Inits that fail in their last part: nothing of theirs stays, the second try works, and no forward
 * pass computes with the weights that there were. */
TEST_OF_WEIGHTS(a_failed_init_leaves_nothing)
{
    Linear other, linear;
    Gpt gpt;
    RNN rnn;
    RNNCell cell;
    TransformerBlock block;
    CHECK(nn_linear_init(&other, p, "other", 2, 2, true), "%s", tensor_error());
    GptConfig c = {.words = 7, .longest = 4, .channels = 30, .heads = 4, .layers = 2};
    REFUSES(nn_gpt_init, "nn_attention_init: 4 heads for 30 channels", &gpt, p, "g", c);
    CHECK(p->count == 2 && params_size(p) == 6, "%d weights", p->count);
    c.heads = 5;
    CHECK(nn_gpt_init(&gpt, p, "g", c), "the second try: %s", tensor_error());
    int count = p->count;
    params_add(p, "r.bias_hh_l1", shape1(1), nn_constant(0));
    params_add(p, "c.bias_ih", shape1(1), nn_constant(0));
    params_add(p, "b.ff.down.bias", shape1(1), nn_constant(0));
    params_add(p, "l.bias", shape1(1), nn_constant(0));
    REFUSES(nn_rnn_init, "the path 'r.bias_hh_l1' is taken", &rnn, p, "r", RNN_TANH, 2, 2, 2);
    REFUSES(nn_transformer_block_init, "the path 'b.ff.down.bias' is taken", &block, p, "b",
            (BlockConfig){.channels = 4, .heads = 2});
    REFUSES(nn_linear_init, "the path 'l.bias' is taken", &linear, p, "l", 2, 2, true);
    REFUSES(nn_linear, "", &linear, tape_full(tape, 1, shape2(1, 2)));
    REFUSES(nn_rnn_cell_init, "the path 'c.bias_ih' is taken", &cell, p, "c", RNN_TANH, 2, 3);
    tape_reset(tape);
    REFUSES(nn_rnn_cell, "", &cell, tape_full(tape, 1, shape2(1, 2)), NULL);
    CHECK(p->count == count + 4 && params_find(p, "other.bias") == other.bias, "%d weights",
          p->count);
}

TEST_OF_WEIGHTS(caches)
{
    Tensor *x = tape_full(tape, 1, shape3(1, 2, 4));
    TransformerBlock block;
    KVCache cache;
    BlockConfig config = {.channels = 4, .heads = 2};
    REQUIRE(nn_transformer_block_init(&block, p, "b", config), "%s", tensor_error());
    tape->no_grad = true;
    REFUSES(nn_cache_init, "", &cache, INT32_MAX, 1, 4, 2, 4);
    REFUSES(nn_attention_cached, "", &block.attn, x, &cache, 0); /* empty: its init failed */
    REFUSES(nn_decoder_block_cached, "", &(DecoderBlock){0}, x, &cache, NULL, 0);
}

TEST_OF_WEIGHTS(optimisers)
{
    Sgd sgd = {0};
    Adam adam = {0};
    REQUIRE(params_add(p, "w", shape1(3), nn_constant(1)), "%s", tensor_error());
    REFUSES(sgd_init, "", &sgd, p, -0.1, 0, 0);
    REFUSES(sgd_init, "", &sgd, p, 0.1, INFINITY, 0);
    REFUSES(adam_init, "", &adam, p, NAN);
    REFUSES(adamw_init, "", &adam, p, 0.1, -1);
    REFUSES(adam_step, "", &adam, p); /* its init failed */
    REQUIRE(adam_init(&adam, p, 0.1) && sgd_init(&sgd, p, 0.1, 0, 0), "%s", tensor_error());
    adam.rate = nn_noam(0, -4, 10, 1); /* NaN: a schedule's argument out of range */
    REFUSES(adam_step, "", &adam, p);
    adam.rate = 0.1;
    adam.beta2 = 1;
    REFUSES(adam_step, "", &adam, p);
    sgd.rate = -1;
    REFUSES(sgd_step, "", &sgd, p);
    CHECK(p->weight[0]->data[0] == 1 && adam.steps == 0, "a step was taken");
    adam_free(&adam);
    sgd_free(&sgd);
}

static Tensor *flat_logits(void *model, Tensor *ids, KVCache *cache)
{
    (void)model, (void)cache;
    return tape_full(ids->tape, 0, shape2(ids->shape.dim[0], 5));
}

/* Settings out of range, and a model whose logits have another shape. */
TEST_OF_WEIGHTS(ranges)
{
    static const double frequency[2] = {1, 0.5};
    Linear l;
    Lora lora;
    Rotary rotary;
    KVCache cache;
    RNNCell cell;
    BeamTree tree;
    const int prompt[1] = {0};
    int out[2];
    REQUIRE(nn_linear_init(&l, p, "l", 4, 4, true) && nn_cache_init(&cache, 1, 1, 8, 1, 4) &&
                nn_rnn_cell_init(&cell, p, "cell", RNN_GRU, 4, 3),
            "%s", tensor_error());
    REFUSES(nn_lora_init, "", &lora, p, "lora", l, 2, INFINITY);
    CHECK(!lora.lora_A && l.weight->needs_grad, "a refused LoRA froze the weight");
    CHECK(!params_find(p, "lora.lora_A"), "a refused LoRA added weights");
    REQUIRE(nn_lora_init(&lora, p, "lora", l, 2, 1), "%s", tensor_error());
    REFUSES(nn_rotary_from, "", &rotary, p, 4, frequency, 0);
    REFUSES(nn_rotary_from, "", &rotary, p, 0, frequency, 2);
    REFUSES(nn_rotary_init, "5 channels, base 100; expected an even number", &rotary, p, 4, 5, 100);
    REFUSES(nn_cache_advance, "", &cache, NULL, -1);
    CHECK(cache.length[0] == 0, "a refused advance counts %d tokens", cache.length[0]);
    RNNState wide = {.h = tape_full(tape, 0, shape2(1, 4))},
             extra = {.c = tape_full(tape, 0, shape2(1, 3))};
    REFUSES(nn_rnn_cell, "", &cell, tape_full(tape, 1, shape2(1, 4)), &wide);
    tape_reset(tape);
    REFUSES(nn_rnn_cell, "", &cell, tape_full(tape, 1, shape2(1, 4)), &extra);
    tape_reset(tape);
    RNNState lost = {.h = tensor_poison()};
    CHECK(tensor_is_poison(nn_rnn_cell(&cell, tape_full(tape, 1, shape2(1, 4)), &lost)) &&
              tape->failed,
          "a state that is poison");
    CHECK_NO_ERROR(); /* the first error is the one that made it */
    tape_reset(tape);
    tape->no_grad = true;
    Decoder d = {.logits = flat_logits, .cache = &cache, .end = -1};
    REFUSES(nn_generate, "", tape, &d, prompt, NULL, 1, NULL, 2);
    REFUSES(nn_generate, "", tape, &d, prompt, NULL, 1, out, 2);
    CHECK(cache.length[0] == 0, "logits of another shape count %d tokens", cache.length[0]);
    REFUSES(nn_beam, "", tape, &d, prompt, 1, out, 2, NAN, &tree);
    nn_cache_free(&cache);
}
