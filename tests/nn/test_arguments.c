/* test_arguments.c: wrong arguments of nn's functions: NULL where something is needed, and settings
 * out of range. Each call returns its failure value and leaves one error "function: found;
 * expected", which begins with the name of the function that was called. This is the list of the
 * functions; what shapes they refuse is tested with each module. */
#include "nn/decode/decode.h"
#include "tests/harness/refusal.h"

#include <math.h>

static Params *params;
static Tape *tape;
static Tensor *x; /* (1, 2, 4) */

static void begin(void)
{
    params = params_new(1);
    tape = tape_new(1);
    x = tape_full(tape, 1, shape3(1, 2, 4));
}

static void end(void)
{
    tape_free(tape);
    params_free(params);
}

static void weights(void)
{
    begin();
    Init one = nn_constant(1);
    REFUSED(params_add(NULL, "w", shape1(2), one));
    REFUSED(params_add(params, NULL, shape1(2), one));
    REFUSED(params_add(params, "w", shape1(-2), one));
    REFUSED(params_add(params, "w", shape1(2), nn_constant(NAN)));
    REFUSED(params_add(params, "w", shape1(2), nn_xavier_uniform(0, 0)));
    REFUSED(params_path(NULL, "%d", 1));
    REFUSED(params_find(NULL, "w"));
    REFUSED(params_find(params, NULL));
    REFUSED(params_size(NULL));
    REFUSED(params_trained(NULL));
    REFUSED_VOID(params_zero_grad(NULL));
    REFUSED_MINUS(params_freeze(NULL, "", true));
    REFUSED_MINUS(params_freeze(params, NULL, true));
    REFUSED_NAN(params_grad_norm(NULL));
    REFUSED_NAN(params_clip_grad(NULL, 1));
    REFUSED_NAN(params_clip_grad(params, -1));
    REFUSED_NAN(params_clip_grad(params, NAN));
    REFUSED(params_save(NULL, "x", NULL, 0));
    REFUSED(params_save(params, NULL, NULL, 0));
    REFUSED(params_load(NULL, "x"));
    REFUSED(params_load(params, NULL));
    REFUSED(params_load_from(params, NULL, "x"));
    REFUSED(params_expect(NULL, NULL, NULL));
    REFUSED(nn_checkpoint_save(NULL, "x"));
    REFUSED(nn_checkpoint_load(&(Checkpoint){.params = params}, NULL));
    REFUSED(nn_flops(NULL));
    end();
}

/* Each init with each of its pointers NULL. */
#define REFUSED_INIT(init, module, ...)                    \
    do {                                                   \
        REFUSED(init(NULL, params, "m", __VA_ARGS__));     \
        REFUSED(init(&module, NULL, "m", __VA_ARGS__));    \
        REFUSED(init(&module, params, NULL, __VA_ARGS__)); \
    } while (0)

static void inits(void)
{
    begin();
    Linear linear, base = {0};
    Embedding embedding;
    Norm layernorm;
    Norm rmsnorm;
    MultiHeadAttention attention;
    AdditiveAttention additive;
    PositionalEncoding position;
    FeedForward feedforward;
    TransformerBlock block;
    DecoderBlock decoder;
    RNNCell cell;
    RNN rnn;
    Lora lora;
    Encoder encoder;
    Gpt gpt;
    EncoderConfig texts = {.words = 2, .longest = 3, .block = {.channels = 4, .heads = 2}};
    GptConfig words = {.words = 2, .longest = 3, .channels = 4, .heads = 2};
    BlockConfig config = {.channels = 4, .heads = 2};
    REFUSED_INIT(nn_linear_init, linear, 2, 3, true);
    REFUSED_INIT(nn_embedding_init, embedding, 2, 3);
    REFUSED_INIT(nn_layernorm_init, layernorm, 2);
    REFUSED_INIT(nn_rmsnorm_init, rmsnorm, 2);
    REFUSED_INIT(nn_attention_init, attention, 4, 2, 0);
    REFUSED_INIT(nn_additive_attention_init, additive, 2, 3, 4);
    REFUSED_INIT(nn_position_init, position, POSITION_NONE, 2, 3);
    REFUSED_INIT(nn_feedforward_init, feedforward, 2, 3, ACTIVATION_RELU, 0);
    REFUSED_INIT(nn_transformer_block_init, block, config);
    REFUSED_INIT(nn_decoder_block_init, decoder, config);
    REFUSED_INIT(nn_encoder_init, encoder, texts);
    REFUSED_INIT(nn_gpt_init, gpt, words);
    REFUSED(nn_gpt_init(&gpt, params, "m", (GptConfig){.longest = 3, .channels = 4, .heads = 2}));
    REFUSED_INIT(nn_rnn_cell_init, cell, RNN_GRU, 2, 3);
    REFUSED_INIT(nn_rnn_init, rnn, RNN_GRU, 2, 3, 1);
    REFUSED_INIT(nn_lora_init, lora, base, 1, 1);
    REFUSED(nn_lora_init(&lora, params, "m", base, 1, 1));
    REFUSED(nn_attention_init(&attention, params, "m", 4, 3, 0));
    REFUSED(nn_attention_init(&attention, params, "m", 4, 2, 1));
    REFUSED(nn_feedforward_init(&feedforward, params, "m", 2, 3, (Activation)99, 0));
    REFUSED(nn_feedforward_init(&feedforward, params, "m", 2, 3, ACTIVATION_RELU, NAN));
    REFUSED(nn_position_init(&position, params, "m", (PositionKind)9, 2, 3));
    REFUSED(nn_rnn_init(&rnn, params, "m", RNN_GRU, 2, 3, 9));
    real table[4];
    REFUSED_VOID(nn_sinusoids(NULL, 2, 2, 100));
    REFUSED_VOID(nn_sinusoids(table, 2, 2, 0));
    REFUSED_VOID(nn_sinusoids(table, -2, 2, 100));
    CHECK(params->count == 0, "%d weights of modules that were refused", params->count);
    end();
}

/* Modules whose init failed after it had registered some of the weights: no forward pass computes
 * with the others. */
static void inits_that_fail_midway(void)
{
    begin();
    Linear linear;
    RNNCell cell;
    FeedForward gated;
    TransformerBlock block;
    BlockConfig config = {.channels = 4, .heads = 2, .activation = (Activation)99};
    REQUIRE(params_add(params, "linear.bias", shape1(3), nn_constant(0)) &&
                params_add(params, "cell.bias_ih", shape1(3), nn_constant(0)),
            "%s", tensor_error());
    REFUSED(nn_linear_init(&linear, params, "linear", 4, 3, true));
    REFUSED_POISON(nn_linear(&linear, x));
    REFUSED(nn_rnn_cell_init(&cell, params, "cell", RNN_TANH, 4, 3));
    tape_reset(tape);
    REFUSED_POISON(nn_rnn_cell(&cell, tape_full(tape, 1, shape2(2, 4)), NULL));
    REFUSED(nn_gated_feedforward_init(&gated, params, "gated", 4, 8, (Activation)99, true, 0));
    REFUSED(nn_transformer_block_init(&block, params, "block", config));
    end();
}

/* A forward pass with no module, with one whose init failed, and with no input. */
static void forwards(void)
{
    begin();
    Mask all = {0};
    KVCache *cache = NULL;
    REFUSED_POISON(nn_linear(NULL, x));
    REFUSED_POISON(nn_linear(&(Linear){0}, x));
    REFUSED_POISON(nn_embedding(NULL, x));
    REFUSED_POISON(nn_norm(&(Norm){0}, x));
    REFUSED_POISON(nn_norm(NULL, x));
    REFUSED_POISON(nn_attention(NULL, x, all));
    REFUSED_POISON(nn_cross_attention(&(MultiHeadAttention){0}, x, x, all));
    REFUSED_POISON(nn_additive_attention(NULL, x, x, NULL, all, NULL));
    REFUSED_POISON(nn_additive_keys(NULL, x));
    REFUSED_POISON(nn_position(NULL, x));
    REFUSED_POISON(nn_position(&(PositionalEncoding){0}, NULL));
    REFUSED_POISON(nn_position_at(NULL, x, x));
    REFUSED_POISON(nn_feedforward(NULL, x));
    REFUSED_POISON(nn_transformer_block(NULL, x, all));
    REFUSED_POISON(nn_decoder_block(&(DecoderBlock){0}, x, x, all, all));
    REFUSED_POISON(nn_encoder(NULL, x, all));
    REFUSED_POISON(nn_encoder(&(Encoder){0}, x, all));
    REFUSED_POISON(nn_gpt(NULL, x));
    REFUSED_POISON(nn_gpt_cached(NULL, x, cache));
    REFUSED(nn_gpt_cache(NULL, cache, 1));
    REFUSED_POISON(nn_rnn_cell(NULL, x, NULL));
    REFUSED_POISON(nn_rnn(&(RNN){0}, x, NULL));
    REFUSED_POISON(nn_lora(NULL, x));
    REFUSED(nn_lora_merge(NULL));
    REFUSED_POISON(nn_attention_cached(NULL, x, cache, 0));
    REFUSED_POISON(nn_transformer_block_cached(NULL, x, cache, 0));
    REFUSED_POISON(nn_decoder_block_cached(NULL, x, cache, cache, 0));
    REFUSED(nn_decoder_block_fill(NULL, x, cache, 0));
    end();
}

static void caches(void)
{
    begin();
    TransformerBlock block;
    DecoderBlock decoder;
    KVCache cache;
    BlockConfig config = {.channels = 4, .heads = 2};
    REQUIRE(nn_transformer_block_init(&block, params, "b", config) &&
                nn_decoder_block_init(&decoder, params, "d", config),
            "%s", tensor_error());
    tape->no_grad = true;
    REFUSED(nn_cache_init(NULL, 1, 1, 4, 2, 4));
    REFUSED(nn_cache_init(&cache, INT32_MAX, 1, 4, 2, 4));
    REFUSED_POISON(nn_attention_cached(&block.attn, x, NULL, 0));
    REFUSED_POISON(nn_attention_cached(&block.attn, x, &cache, 0)); /* empty: its init failed */
    REFUSED_POISON(nn_transformer_block_cached(&block, x, NULL, 0));
    REFUSED_POISON(nn_decoder_block_cached(&decoder, x, NULL, &cache, 0));
    REFUSED_POISON(nn_decoder_block_cached(&decoder, x, &cache, NULL, 0));
    REFUSED_VOID(nn_cache_reset(NULL));
    REFUSED(nn_cache_advance(NULL, NULL, 1));
    REFUSED_POISON(nn_cache_positions(NULL, tape, 1));
    REFUSED_POISON(nn_cache_positions(&cache, NULL, 1));
    nn_cache_free(NULL);
    CHECK_NO_ERROR();
    end();
}

static void optimisers(void)
{
    begin();
    Sgd sgd = {0};
    Adam adam = {0};
    REQUIRE(params_add(params, "w", shape1(3), nn_constant(1)), "%s", tensor_error());
    REFUSED(sgd_init(NULL, params, 0.1, 0, 0));
    REFUSED(sgd_init(&sgd, NULL, 0.1, 0, 0));
    REFUSED(sgd_init(&sgd, params, -0.1, 0, 0));
    REFUSED(sgd_init(&sgd, params, 0.1, INFINITY, 0));
    REFUSED(sgd_step(NULL, params));
    REFUSED(adam_init(NULL, params, 0.1));
    REFUSED(adam_init(&adam, NULL, 0.1));
    REFUSED(adam_init(&adam, params, NAN));
    REFUSED(adamw_init(NULL, params, 0.1, 0));
    REFUSED(adamw_init(&adam, params, 0.1, -1));
    REFUSED(adam_step(NULL, params));
    REFUSED(adam_step(&adam, params)); /* its init failed */
    REQUIRE(adam_init(&adam, params, 0.1) && sgd_init(&sgd, params, 0.1, 0, 0), "%s",
            tensor_error());
    REFUSED(adam_step(&adam, NULL));
    REFUSED(sgd_step(&sgd, NULL));
    adam.rate = nn_noam(0, -4, 10, 1); /* NaN: a schedule's argument out of range */
    REFUSED(adam_step(&adam, params));
    adam.rate = 0.1;
    adam.beta2 = 1;
    REFUSED(adam_step(&adam, params));
    sgd.rate = -1;
    REFUSED(sgd_step(&sgd, params));
    CHECK(params->weight[0]->data[0] == 1 && adam.steps == 0, "a step was taken");
    adam_free(&adam);
    adam_free(NULL);
    sgd_free(&sgd);
    sgd_free(NULL);
    params_free(NULL);
    CHECK_NO_ERROR();
    end();
}

static void decoding(void)
{
    begin();
    const real logits[2] = {0, 1};
    Candidates none = {0}, c;
    Decoder d = {0};
    BeamTree tree = {0};
    int token = 0;
    REQUIRE(nn_candidates_init(&c, 2), "%s", tensor_error());
    REFUSED(nn_candidates_init(NULL, 2));
    REFUSED_MINUS(nn_greedy(NULL, 2));
    REFUSED_MINUS(nn_greedy(logits, 0));
    REFUSED(nn_temperature(NULL, logits, 1));
    REFUSED(nn_temperature(&none, logits, 1));
    REFUSED(nn_temperature(&c, NULL, 1));
    REFUSED(nn_top_k(&c, 1)); /* without a distribution */
    REFUSED(nn_top_p(NULL, 0.5));
    REFUSED_MINUS(nn_draw(&c, NULL));
    REQUIRE(nn_temperature(&c, logits, 1), "%s", tensor_error());
    REFUSED_MINUS(nn_draw(&c, NULL));
    REFUSED_MINUS(nn_sample(NULL, logits));
    REFUSED_MINUS(nn_sample(&(Sampler){.temperature = 1, .top_k = 1, .top_p = 1}, logits));
    REFUSED(nn_generate(NULL, &d, &token, NULL, 1, &token, 1));
    REFUSED(nn_generate(tape, NULL, &token, NULL, 1, &token, 1));
    REFUSED(nn_generate(tape, &d, &token, NULL, 1, &token, 1));
    REFUSED(nn_beam(tape, &d, &token, 1, &token, 1, 1, NULL));
    REFUSED(nn_beam(tape, &d, &token, 1, &token, 1, 1, &tree));
    REFUSED(nn_exhaustive(tape, &d, &token, 1, &token, 1, 1, NULL));
    nn_candidates_free(&c);
    nn_candidates_free(NULL);
    nn_beam_free(NULL);
    CHECK_NO_ERROR();
    end();
}

static Tensor *flat_logits(void *model, Tensor *ids, KVCache *cache)
{
    (void)model, (void)cache;
    return tape_full(ids->tape, 0, shape2(ids->shape.dim[0], 5));
}

/* Settings out of range, and a model whose logits have another shape. */
static void ranges(void)
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
    begin();
    REQUIRE(nn_linear_init(&l, params, "l", 4, 4, true) && nn_cache_init(&cache, 1, 1, 8, 1, 4) &&
                nn_rnn_cell_init(&cell, params, "cell", RNN_GRU, 4, 3),
            "%s", tensor_error());
    REFUSED(nn_lora_init(&lora, params, "lora", l, 2, INFINITY));
    CHECK(!lora.lora_A && l.weight->needs_grad, "a refused LoRA froze the weight");
    CHECK(!params_find(params, "lora.lora_A"), "a refused LoRA added weights");
    REQUIRE(nn_lora_init(&lora, params, "lora", l, 2, 1), "%s", tensor_error());
    REFUSED_POISON(nn_lora_weight(NULL, tape));
    CHECK(tape->failed, "the tape goes on");
    tape_reset(tape);
    REFUSED_POISON(nn_lora_weight(&lora, NULL));
    REFUSED(nn_rotary_from(NULL, params, 4, frequency, 2));
    REFUSED(nn_rotary_from(&rotary, NULL, 4, frequency, 2));
    REFUSED(nn_rotary_from(&rotary, params, 4, NULL, 2));
    REFUSED(nn_rotary_from(&rotary, params, 4, frequency, 0));
    REFUSED(nn_rotary_from(&rotary, params, 0, frequency, 2));
    REFUSED(nn_cache_advance(&cache, NULL, -1));
    CHECK(cache.length[0] == 0, "a refused advance counts %d tokens", cache.length[0]);
    RNNState wide = {.h = tape_full(tape, 0, shape2(1, 4))},
             extra = {.c = tape_full(tape, 0, shape2(1, 3))};
    REFUSED_POISON(nn_rnn_cell(&cell, tape_full(tape, 1, shape2(1, 4)), &wide));
    tape_reset(tape);
    REFUSED_POISON(nn_rnn_cell(&cell, tape_full(tape, 1, shape2(1, 4)), &extra));
    tape_reset(tape);
    RNNState lost = {.h = tensor_poison()};
    CHECK(tensor_is_poison(nn_rnn_cell(&cell, tape_full(tape, 1, shape2(1, 4)), &lost)) &&
              tape->failed,
          "a state that is poison");
    CHECK_NO_ERROR(); /* the first error is the one that made it */
    tape_reset(tape);
    tape->no_grad = true;
    Decoder d = {.logits = flat_logits, .cache = &cache, .end = -1};
    REFUSED(nn_generate(tape, &d, prompt, NULL, 1, NULL, 2));
    REFUSED(nn_generate(tape, &d, prompt, NULL, 1, out, 2));
    CHECK(cache.length[0] == 0, "logits of another shape count %d tokens", cache.length[0]);
    REFUSED(nn_beam(tape, &d, prompt, 1, out, 2, NAN, &tree));
    nn_cache_free(&cache);
    end();
}

static const TestCase cases[] = {
    {"weights, files and summaries", weights},
    {"inits", inits},
    {"inits that fail midway", inits_that_fail_midway},
    {"forward passes", forwards},
    {"caches", caches},
    {"optimisers", optimisers},
    {"decoding", decoding},
    {"ranges", ranges},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    return run_tests("arguments", cases, argc, argv);
}
