/* model.c: the GPT that reads letters and codes, and writes codes. See model.h.
 *
 * nn's Gpt reads and writes ids of one vocabulary. Here a token is a letter or the sum of the
 * embeddings of two codes, and two codes are written a step: the model is composed of blocks. */
#include "examples/speech/model.h"

#include <math.h>

enum { LONGEST = LETTERS_MAX + 1 + FRAMES };

/* ---- the model ------------------------------------------------------------------------------- */

static bool embeddings_init(Speech *s, Params *p)
{
    bool ok = nn_embedding_init(&s->letters, p, "letters", 27, SPEECH_CHANNELS);
    for (int i = 0; ok && i < STAGES; i++)
        ok = nn_embedding_init(&s->code[i], p, params_path(p, "code.%d", i), CENTRES + 1,
                               SPEECH_CHANNELS);
    for (int i = 0; ok && i < STAGES; i++) /* small, for they are output layers too */
        for (int64_t k = 0; k < tensor_size(s->code[i].weight); k++)
            s->code[i].weight->data[k] *= (real)0.1;
    return ok;
}

bool speech_init(Speech *s, Params *p)
{
    const int C = SPEECH_CHANNELS;
    const BlockConfig block = {.channels = C, .heads = SPEECH_HEADS};
    bool ok = codec_init(&s->codec, p) && recogniser_init(&s->recogniser, p) &&
              embeddings_init(s, p) &&
              nn_position_init(&s->position, p, "position", POSITION_SINUSOIDAL, LONGEST, C);
    for (int l = 0; ok && l < SPEECH_LAYERS; l++)
        ok = nn_transformer_block_init(&s->blocks[l], p, params_path(p, "blocks.%d", l), block);
    return ok && nn_layernorm_init(&s->norm, p, "norm", C) &&
           nn_linear_init(&s->second, p, "second", 2 * (int64_t)C, C, true);
}

/* The sum of the embeddings of both codes of each frame: ids (B, T) each -> (B, T, C). */
static Tensor *frame_embedding(const Speech *s, Tensor *first, Tensor *second)
{
    return ag_add(nn_embedding(&s->code[0], first), nn_embedding(&s->code[1], second));
}

/* Logits of the first code, (B, T, CENTRES + 1), from the state h (B, T, C). */
static Tensor *first_logits(const Speech *s, Tensor *h)
{
    return ag_linear(h, s->code[0].weight, NULL);
}

/* Logits of the second code, once the first is known. */
static Tensor *second_logits(const Speech *s, Tensor *h, Tensor *first)
{
    Tensor *both[] = {h, nn_embedding(&s->code[0], first)};
    return ag_linear(ag_gelu(nn_linear(&s->second, ag_concat(both, 2, -1))), s->code[1].weight,
                     NULL);
}

/* ---- training -------------------------------------------------------------------------------- */

Tensor *speech_loss(const Speech *s, Tape *tape, const int *letters, const int *codes, int B, int T)
{
    enum { LARGEST = 64 * (FRAMES + 1) };
    static int in[STAGES][LARGEST], target[STAGES][LARGEST], known[LARGEST];
    for (int i = 0; i < B * (T + 1); i++) {
        int b = i / (T + 1), f = i % (T + 1);
        const int *now = codes + ((int64_t)b * T + f) * STAGES;
        bool ends = f == T || now[0]<0, ended = f> 0 && now[-STAGES] < 0;
        for (int c = 0; c < STAGES; c++) {
            in[c][i] = f == 0 || ended ? EDGE : now[c - STAGES];
            target[c][i] = !ends ? now[c] : c == 0 && !ended ? EDGE : -1;
        }
        known[i] = ends ? EDGE : now[0];
    }
    const Shape shape = shape2(B, T + 1);
    Tensor *part[] = {nn_embedding(&s->letters, tape_ids(tape, letters, shape2(B, LETTERS_MAX))),
                      frame_embedding(s, tape_ids(tape, in[0], shape),
                                      tape_ids(tape, in[1], shape))};
    Tensor *x = nn_position(&s->position, ag_concat(part, 2, 1));
    for (int l = 0; l < SPEECH_LAYERS; l++)
        x = nn_transformer_block(&s->blocks[l], x, (Mask){.causal = true});
    Tensor *h = nn_norm(&s->norm, ag_slice(x, 1, LETTERS_MAX, LETTERS_MAX + T + 1));
    Tensor *second = second_logits(s, h, tape_ids(tape, known, shape));
    return ag_add(ag_cross_entropy_ignore(first_logits(s, h), tape_ids(tape, target[0], shape), -1),
                  ag_cross_entropy_ignore(second, tape_ids(tape, target[1], shape), -1));
}

/* ---- writing codes --------------------------------------------------------------------------- */

/* The state after new tokens x (1, T, C), of the last one: (1, 1, C). */
static Tensor *last_state(const Speech *s, Tensor *x, KVCache *cache)
{
    int64_t T = x->shape.dim[1];
    x = nn_position_at(&s->position, x, nn_cache_positions(cache, x->tape, T));
    for (int l = 0; l < SPEECH_LAYERS; l++)
        x = nn_transformer_block_cached(&s->blocks[l], x, cache, l);
    nn_cache_advance(cache, NULL, T);
    return nn_norm(&s->norm, ag_slice(x, 1, T - 1, T));
}

/* Letters, edge and prompt as tokens (1, LETTERS_MAX + 1 + prompt, C). */
static Tensor *before(const Speech *s, Tape *tape, const int *letters, int (*codes)[STAGES],
                      int prompt)
{
    int in[STAGES][FRAMES + 1] = {{EDGE}, {EDGE}};
    for (int i = 0; i < prompt * STAGES; i++)
        in[i % STAGES][1 + i / STAGES] = codes[i / STAGES][i % STAGES];
    const Shape shape = shape2(1, prompt + 1);
    Tensor *part[] = {nn_embedding(&s->letters, tape_ids(tape, letters, shape2(1, LETTERS_MAX))),
                      frame_embedding(s, tape_ids(tape, in[0], shape),
                                      tape_ids(tape, in[1], shape))};
    return ag_concat(part, 2, 1);
}

/* One code out of logits; -1 after an error, and where a logit is no number. */
static int draw(const Tensor *logits, int codes, Candidates *c, Rng *rng)
{
    const Sampler sampler = {
        .temperature = 1, .top_k = codes, .top_p = 0.95, .candidates = c, .rng = rng};
    bool ok = !tensor_is_poison(logits);
    for (int i = 0; ok && i < codes; i++)
        ok = isfinite((double)logits->data[i]);
    return ok ? nn_sample(&sampler, logits->data) : -1;
}

/* Draws both codes of the next frame from the state h; false after an error. An EDGE has no second
 * code. */
static bool next_codes(const Speech *s, Tensor *h, Candidates c[STAGES], Rng *rng,
                       int codes[STAGES])
{
    codes[0] = draw(first_logits(s, h), CENTRES + 1, &c[0], rng);
    codes[1] = 0;
    if (codes[0] < 0 || codes[0] == EDGE)
        return codes[0] >= 0;
    Tensor *known = tape_ids(h->tape, codes, shape2(1, 1));
    codes[1] = draw(second_logits(s, h, known), CENTRES, &c[1], rng);
    return codes[1] >= 0;
}

int speech_write(const Speech *s, Tape *tape, const int letters[LETTERS_MAX], int (*codes)[STAGES],
                 int prompt, int most, Rng *rng)
{
    KVCache cache = {0};
    Candidates c[STAGES] = {{0}};
    int n = prompt;
    bool ok = nn_cache_init(&cache, SPEECH_LAYERS, 1, LONGEST, SPEECH_HEADS, SPEECH_CHANNELS) &&
              nn_candidates_init(&c[0], CENTRES + 1) && nn_candidates_init(&c[1], CENTRES);
    tape_reset(tape);
    tape->no_grad = true;
    for (Tensor *x = before(s, tape, letters, codes, prompt); ok && n < most; n++) {
        ok = next_codes(s, last_state(s, x, &cache), c, rng, codes[n]);
        if (!ok || codes[n][0] == EDGE)
            break;
        tape_reset(tape);
        x = frame_embedding(s, tape_ids(tape, codes[n], shape2(1, 1)),
                            tape_ids(tape, codes[n] + 1, shape2(1, 1)));
    }
    nn_cache_free(&cache);
    for (int i = 0; i < STAGES; i++)
        nn_candidates_free(&c[i]);
    return ok ? n : -1;
}
