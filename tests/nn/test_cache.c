/* test_cache.c: decoding with the KV cache against the full forward pass: logits within 1e-4;
 * batched, with prompts of one and of several lengths, one token a step or several. Also the output
 * of nn_generate, that it allocates nothing per token, and its errors; what models write, against
 * transformers: test_rules.c. */
#include "tests/nn/small_decoder.h"
#include "tests/harness/test.h"

enum { B = MODEL_BATCH, PROMPT = 5, NEW = 12 };

/* Sequence b: words that look random, the same in every run. */
static int word(int b, int t)
{
    return (7 * t * t + 5 * b + 3 * t * (b + 1) + 2) % V;
}

/* Feeds given tokens in chunks; every logit is that of the full pass. lengths: how much of the
 * first chunk is real. */
static void check_chunks(Model *m, const int *chunk, int chunks, const int *lengths)
{
    int at[B] = {0};
    nn_cache_reset(&m->cache);
    for (int k = 0; k < chunks; k++) {
        int ids[B * LONGEST], T = chunk[k];
        const int *counts = k == 0 ? lengths : NULL;
        for (int b = 0; b < B; b++)
            for (int t = 0; t < T; t++)
                ids[b * T + t] = counts && t >= counts[b] ? V - 1 : word(b, at[b] + t);
        tape_reset(m->tape);
        Tensor *y = tensor_clone(model_cached(m, tape_ids(m->tape, ids, shape2(B, T)), &m->cache));
        CHECK(nn_cache_advance(&m->cache, counts, T), "%s", tensor_error());
        REQUIRE(!tensor_is_poison(y), "%s", tensor_error());
        for (int b = 0; b < B; b++) {
            int real_ones = counts ? counts[b] : T, whole[LONGEST];
            for (int t = 0; t < LONGEST; t++)
                whole[t] = word(b, t);
            for (int t = 0; t < real_ones; t++) {
                const real *want = model_full_logits(m, whole, at[b] + t);
                for (int v = 0; want && v < V; v++)
                    CHECK_CLOSE(y->data[(b * T + t) * V + v], want[v], LOGITS_CLOSE);
            }
            at[b] += real_ones;
        }
        tensor_free(y);
    }
}

TEST(logits_are_those_of_the_full_pass)
{
    static const int one_by_one[] = {PROMPT, 1, 1, 1, 1, 1}, from_one[] = {1, 1, 1},
                     several[] = {3, 4, 1, 2};
    static const int lengths[B] = {3, 5, 1};
    for (PositionKind kind = POSITION_SINUSOIDAL; kind <= POSITION_LEARNED; kind++) {
        Model m;
        REQUIRE(model_make(&m, B, kind), "%s", tensor_error());
        check_chunks(&m, one_by_one, 6, NULL);
        check_chunks(&m, from_one, 3, NULL);
        check_chunks(&m, several, 4, NULL);
        check_chunks(&m, one_by_one, 6, lengths); /* the cache's rows differ from here on */
        check_chunks(&m, (const int[]){PROMPT, 4, 1}, 3, lengths);
        model_free(&m);
    }
}

/* With its maps kept, attention is spelt out, on the cache's views. */
MODEL_TEST(maps_while_decoding)
{
    m->tape->keep_maps = true;
    check_chunks(m, (const int[]){PROMPT, 1}, 2, NULL);
}

/* A pass that is not counted leaves no trace. */
MODEL_TEST(a_pass_taken_again)
{
    int ids[B * 2], other[B * 2];
    for (int i = 0; i < B * 2; i++) {
        ids[i] = word(i, 1);
        other[i] = word(i, 4);
    }
    Tensor *y[2];
    for (int way = 0; way < 2; way++) {
        nn_cache_reset(&m->cache);
        tape_reset(m->tape);
        if (way == 1)
            model_cached(m, tape_ids(m->tape, other, shape2(B, 2)), &m->cache);
        y[way] = tensor_clone(model_cached(m, tape_ids(m->tape, ids, shape2(B, 2)), &m->cache));
    }
    CHECK_TENSOR(y[1], y[0], 0, 0);
    tensor_free(y[0]);
    tensor_free(y[1]);
}

/* ---- nn_generate ----------------------------------------------------------------------------- */

static void fill_prompt(int *prompt)
{
    for (int i = 0; i < B * PROMPT; i++)
        prompt[i] = word(i / PROMPT, i % PROMPT);
}

/* Picks 0, 1, 2, ... for each sequence, 2 more for the first: what comes out is known. */
static int turn;
static int count_up(void *model, const real *logits, int64_t words)
{
    (void)model, (void)logits;
    int picked = turn++;
    return (int)((picked / B + 2 * (picked % B == 0)) % words);
}

/* The first sequence says 2 3 4 ..., the others 0 1 2 ...; 4 ends a sequence. */
MODEL_TEST(an_end_ends_its_sequence)
{
    static const int want[B][8] = {{2, 3, 4, 4, 4, 4, 4, 4},
                                   {0, 1, 2, 3, 4, 4, 4, 4},
                                   {0, 1, 2, 3, 4, 4, 4, 4}};
    int prompt[B * PROMPT], out[B][8];
    Decoder d = {
        .logits = model_cached, .model = m, .cache = &m->cache, .end = 4, .pick = count_up};
    fill_prompt(prompt);
    turn = 0;
    m->tape->training = true; /* which decoding sets aside, */
    m->tape->no_grad = false;
    CHECK(nn_generate(m->tape, &d, prompt, NULL, PROMPT, out[0], 8), "%s", tensor_error());
    CHECK(m->tape->training && !m->tape->no_grad, "and gives back");
    for (int i = 0; i < B * 8; i++)
        CHECK(out[i / 8][i % 8] == want[i / 8][i % 8], "sequence %d, token %d: %d, not %d", i / 8,
              i % 8, out[i / 8][i % 8], want[i / 8][i % 8]);
    CHECK(turn == 5 * B, "it picked %d times: it goes on when all have ended", turn);
}

TEST(no_memory_per_token)
{
    Memory memory = {0};
    Model m;
    memory_watch(&memory);
    long calls[2] = {0};
    int prompt[B * PROMPT], out[B * NEW];
    fill_prompt(prompt);
    CHECK(model_make(&m, B, POSITION_LEARNED), "%s", tensor_error());
    Decoder d = {.logits = model_cached, .model = &m, .cache = &m.cache, .end = -1};
    for (int way = 0; way < 3; way++) { /* the first to learn how large a step is */
        long before = memory.calls;
        CHECK(nn_generate(m.tape, &d, prompt, NULL, PROMPT, out, way == 2 ? NEW : 2), "%s",
              tensor_error());
        calls[way == 2] = memory.calls - before;
    }
    CHECK(calls[0] == calls[1] && calls[0] <= 1, "2 tokens: %ld allocations, %d: %ld", calls[0],
          NEW, calls[1]);
    model_free(&m);
    CHECK(memory.blocks == 0, "%ld blocks leak", memory.blocks);
    memory_unwatch();
}

/* ---- what is refused ------------------------------------------------------------------------- */

MODEL_TEST(refusals)
{
    const MultiHeadAttention *a = &m->gpt.encoder.blocks[0].attn;
    m->tape->no_grad = false;
    REFUSES(nn_attention_cached,
            "blocks.0.attn: the tape records gradients, which a cache does not", a,
            tape_full(m->tape, 0, shape3(B, 1, C)), &m->cache, 0);
    m->tape->no_grad = true;
    static const struct {
        int64_t batch, tokens;
        int layer;
        const char *part;
    } bad[] = {
        {B, 1, LAYERS, "blocks.0.attn: layer 2 of the cache; expected 0 to 1"},
        {B, 1, -1, "blocks.0.attn: layer -1 of the cache; expected 0 to 1"},
        {B + 1, 1, 0, "blocks.0.attn: x is (4, 1, 12), with 3 heads; expected (3, T, 12) with 3"},
        {B, LONGEST + 1, 0, "25 new tokens after 0; expected at most 24 in all, the capacity"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tape_reset(m->tape);
        Tensor *x = tape_full(m->tape, 0, shape3(bad[i].batch, bad[i].tokens, C));
        CHECK(tensor_is_poison(nn_attention_cached(a, x, &m->cache, bad[i].layer)), "%s",
              bad[i].part);
        CHECK(m->tape->failed, "the tape goes on: %s", bad[i].part);
        CHECK_REFUSAL("nn_attention_cached", bad[i].part);
    }
    REFUSES(nn_cache_advance, "25 new tokens after 0; expected at most 24 in all, the capacity",
            &m->cache, NULL, LONGEST + 1);
    REFUSES(nn_cache_advance, "3 tokens of sequence 2; expected 0 to 2", &m->cache,
            (const int[]){1, 1, 3}, 2);
    CHECK(m->cache.length[0] == 0, "a refused advance advances");
    KVCache none;
    CHECK(!nn_cache_init(&none, 1, 1, 0, 1, 4) && none.keys_values == NULL, "a capacity of 0");
    CHECK_ERROR("nn_cache_init: 1 layers, 1 sequences, a capacity of 0 tokens, 1 heads for 4");
    REFUSES(nn_cache_init, "3 heads for 4 channels; expected", &none, 1, 1, 4, 3, 4);
}

static int pick_nothing(void *model, const real *logits, int64_t words)
{
    (void)model, (void)logits, (void)words;
    return -1;
}

MODEL_TEST(generate_refuses)
{
    int prompt[B * PROMPT], out[B * LONGEST];
    fill_prompt(prompt);
    Decoder d = {.logits = model_cached, .model = m, .cache = &m->cache, .end = -1};
    int most = LONGEST - PROMPT + 1; /* the last token is never fed */
    CHECK(nn_generate(m->tape, &d, prompt, NULL, PROMPT, out, most), "%s", tensor_error());
    REFUSES(nn_generate,
            "21 tokens after a prompt of 5; expected a prompt of 1 or more and 25 tokens in all, "
            "the capacity of the cache and one",
            m->tape, &d, prompt, NULL, PROMPT, out, most + 1);
    REFUSES(nn_generate, "prompt 1 has 0 tokens; expected 1 to 5", m->tape, &d, prompt,
            (const int[]){5, 0, 5}, PROMPT, out, 1);
    REFUSES(nn_generate, "the prompt is NULL; expected a tape, a decoder with logits and a",
            m->tape, &d, NULL, NULL, PROMPT, out, 1);
    d.pick = pick_nothing;
    REFUSES(nn_generate, "the decoder picked token -1; expected 0 to 12", m->tape, &d, prompt, NULL,
            PROMPT, out, 1);
    d.pick = NULL;
    m->fail_in = 3;
    REFUSES(nn_generate, "the model returned no logits; expected a tensor", m->tape, &d, prompt,
            NULL, PROMPT, out, 9);
    CHECK(m->tape->no_grad, "the tape is another");
    prompt[2] = V;
    CHECK(!nn_generate(m->tape, &d, prompt, NULL, PROMPT, out, 9), "an unknown word");
    CHECK_ERROR("embedding: ");
}

TEST_OUT_OF_MEMORY(out_of_memory)
{
    Model m = {0};
    int prompt[B * PROMPT], out[B * 4];
    fill_prompt(prompt);
    bool ok = model_make(&m, B, POSITION_LEARNED);
    Decoder d = {.logits = model_cached, .model = &m, .cache = &m.cache, .end = -1};
    static const int lengths[B] = {1, 2, 5}; /* with a keep matrix */
    ok = ok && nn_generate(m.tape, &d, prompt, lengths, PROMPT, out, 4);
    model_free(&m);
    return ok;
}
