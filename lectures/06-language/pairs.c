/* pairs.c: a small encoder-decoder. See pairs.h. */
#include "lectures/06-language/pairs.h"

#include <string.h>

enum { BATCH = 32, TESTED = 500 };

bool pairs_model_init(Pairs *m, Params *p, int channels, MemoryKind memory)
{
    const BlockConfig block = {.channels = channels, .heads = 2};
    *m = (Pairs){.memory = memory, .channels = channels};
    return nn_embedding_init(&m->embedding, p, "embedding", PAIR_IDS, channels) &&
           nn_position_init(&m->position, p, "position", POSITION_LEARNED, PAIR_LONGEST,
                            channels) &&
           nn_transformer_block_init(&m->encoder, p, "encoder", block) &&
           nn_layernorm_init(&m->norm, p, "norm", channels) &&
           nn_decoder_block_init(&m->decoder, p, "decoder", block) &&
           nn_layernorm_init(&m->out_norm, p, "out_norm", channels) &&
           nn_linear_init(&m->head, p, "head", channels, PAIR_LETTERS, true);
}

/* The encoder's tokens (B, S, C), or one vector (B, 1, C). */
static Tensor *memory_of(const Pairs *m, Tensor *source)
{
    Tensor *x = nn_position(&m->position, nn_embedding(&m->embedding, source));
    x = nn_norm(&m->norm, nn_transformer_block(&m->encoder, x, (Mask){0}));
    if (m->memory == MEMORY_ALL)
        return x;
    Tensor *one = ag_mean_axis(x, 1, true);
    return m->memory == MEMORY_ONE ? one : ag_scale(one, 0);
}

/* source ids (B, S), target ids (B, T) -> logits (B, T, PAIR_LETTERS); the target is shifted right
 * inside. */
static Tensor *pairs_logits(const Pairs *m, Tape *tape, const int *source, int S, const int *target,
                            int T, int B)
{
    static int in[TESTED * PAIR_LONGEST];
    for (int i = 0; i < B * T; i++)
        in[i] = i % T ? target[i - 1] : PAIR_BOS;
    Tensor *memory = memory_of(m, tape_ids(tape, source, shape2(B, S)));
    Tensor *y = nn_embedding(&m->embedding, tape_ids(tape, in, shape2(B, T)));
    y = nn_decoder_block(&m->decoder, nn_position(&m->position, y), memory, (Mask){0}, (Mask){0});
    return nn_linear(&m->head, nn_norm(&m->out_norm, y));
}

static void draw(const PairTask *task, Rng *rng, int B, int *source, int *target)
{
    for (int b = 0; b < B; b++)
        task->draw(rng, source + b * task->S, target + b * task->T, task->T, task->number);
}

bool pairs_train(const Pairs *m, Params *p, const PairTask *task, int steps, uint64_t seed)
{
    int source[BATCH * PAIR_LONGEST], target[BATCH * PAIR_LONGEST];
    Rng rng = {.seed = seed, .stream = 730};
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, p, 0.005);
    for (int step = 0; ok && step < steps; step++) {
        draw(task, &rng, BATCH, source, target);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, steps / 20, steps, 0.005, 0.0005);
        Tensor *logits = pairs_logits(m, tape, source, task->S, target, task->T, BATCH);
        Tensor *y = tape_ids(tape, target, shape2(BATCH, task->T));
        ok = ag_backward(ag_cross_entropy(logits, y)) && adam_step(&adam, p);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

double pairs_right(const Pairs *m, const PairTask *task, bool own, uint64_t seed)
{
    static int source[TESTED * PAIR_LONGEST], target[TESTED * PAIR_LONGEST];
    static int said[TESTED * PAIR_LONGEST];
    Rng rng = {.seed = seed, .stream = 731};
    Tape *tape = tape_new(seed);
    int right = 0, T = task->T, letters = TESTED * T;
    draw(task, &rng, TESTED, source, target);
    memcpy(said, target, sizeof said);
    tape->no_grad = true;
    bool ok = true;
    for (int n = own ? 0 : T - 1; ok && n < T; n++) {
        tape_reset(tape);
        const Tensor *y = pairs_logits(m, tape, source, task->S, said, T, TESTED);
        ok = !tensor_is_poison(y) && values_largest(y) > 0;
        for (int i = own ? n : 0; ok && i < letters; i += own ? T : 1)
            said[i] = nn_greedy(y->data + i * PAIR_LETTERS, PAIR_LETTERS);
    }
    for (int i = 0; i < letters; i++)
        right += said[i] == target[i];
    tape_free(tape);
    return ok ? (double)right / letters : (double)NAN;
}
