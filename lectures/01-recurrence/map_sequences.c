/* map_sequences.c: the networks of V's slide that read a sequence: RNN, state space model,
 * Transformer (row 1).
 *
 *   a walk of T points is 2 T numbers, each predicted from those before it:
 *   log q(walk) = sum_n log q(x_n | x_1 .. x_(n-1)),  q(x_n | ...) a mixture of normal distributions  (map_chain.c)
 *
 *   RNN          GRU: a state that is updated from number to number
 *   SSM          h_t = a h_(t-1) + u_t in each channel, by the scan of map_ssm.c, and a network of h_t
 *   Transformer  a causal block with sinusoids
 *
 * All three are autoregressive models; their first point alone has the density q(x_1) q(x_2 |
 * x_1). */
#include "lectures/01-recurrence/map.h"

#include <string.h>

enum { CHANNELS = 24, WINDOW = 16, WALKS = 64, WALK_STEPS = 32, BATCH = 16, TRAIN_STEPS = 400 };
typedef enum { RNN_READER, SSM_READER, TRANSFORMER_READER, READERS } Which;

typedef struct {
    Linear in, mixed, out;
    RNN rnn;
    Tensor *log_rate; /* (C): a = exp(-exp(log_rate)) */
    PositionalEncoding position;
    TransformerBlock block;
} Reader;

static Kept kept[READERS];
static Reader reader[READERS];

static bool reader_init(Reader *r, Params *p, Which which)
{
    bool ok = nn_linear_init(&r->in, p, "in", 3, CHANNELS, true) &&
              nn_linear_init(&r->out, p, "out", CHANNELS, 3 * MAP_MIX, true);
    if (which == RNN_READER)
        return ok && nn_rnn_init(&r->rnn, p, "rnn", RNN_GRU, CHANNELS, CHANNELS, 1);
    if (which == TRANSFORMER_READER)
        return ok &&
               nn_position_init(&r->position, p, "position", POSITION_SINUSOIDAL, 2 * WINDOW,
                                CHANNELS) &&
               nn_transformer_block_init(&r->block, p, "block",
                                         (BlockConfig){.channels = CHANNELS, .heads = 4});
    r->log_rate = params_add(p, "log_rate", shape1(CHANNELS), nn_constant(0));
    for (int i = 0; r->log_rate && i < CHANNELS; i++) /* from 1 step to 20 */
        r->log_rate->data[i] = (real)(-3.0 * i / (CHANNELS - 1));
    return ok && r->log_rate && nn_linear_init(&r->mixed, p, "mixed", CHANNELS, CHANNELS, true);
}

/* u (B, T, C) -> all h_t. The scan runs along the first axis. */
static Tensor *ssm(const Reader *r, Tensor *u)
{
    int64_t B = u->shape.dim[0], T = u->shape.dim[1];
    Tensor *a = ag_exp(ag_neg(ag_exp(tape_param(u->tape, r->log_rate))));
    a = ag_reshape(ag_expand(ag_reshape(a, shape2(1, CHANNELS)), shape2(T * B, CHANNELS)),
                   shape2(T, B * CHANNELS));
    Tensor *h = map_scan(a, ag_reshape(ag_transpose(u, 0, 1), shape2(T, B * CHANNELS)));
    h = ag_transpose(ag_reshape(h, shape3(T, B, CHANNELS)), 0, 1);
    return ag_add(u, ag_silu(nn_linear(&r->mixed, h)));
}

/* log q of each number given those before it: x (B, T, 2) -> (B, 2 T, 1). A number is read together
 * with its coordinate, and with whether it is the first. */
static Tensor *log_factors(Which which, Tensor *x)
{
    const Reader *r = &reader[which];
    int64_t B = x->shape.dim[0], N = 2 * x->shape.dim[1];
    real about[4 * WINDOW] = {0};
    for (int64_t n = 0; n < N; n++) {
        about[2 * n] = (real)(n % 2);
        about[2 * n + 1] = n == 0;
    }
    Tensor *number = ag_reshape(x, shape3(B, N, 1));
    Tensor *before[] = {ag_scale(ag_slice(number, 1, 0, 1), 0), ag_slice(number, 1, 0, N - 1)};
    Tensor *read[] = {ag_concat(before, 2, 1),
                      ag_expand(tape_input(x->tape, about, shape3(1, N, 2)), shape3(B, N, 2))};
    Tensor *h = ag_silu(nn_linear(&r->in, ag_scale(ag_concat(read, 2, 2), 2)));
    if (which == RNN_READER)
        h = nn_rnn(&r->rnn, h, NULL);
    else if (which == SSM_READER)
        h = ssm(r, h);
    else
        h = nn_transformer_block(&r->block, nn_position(&r->position, h), (Mask){.causal = true});
    return map_log_mixture(number, nn_linear(&r->out, h));
}

/* Windows of the training walks, (BATCH, WINDOW, 2). */
static Tensor *windows(Tape *tape, Rng *rng, const real *walks)
{
    real x[BATCH * WINDOW * 2];
    for (int b = 0; b < BATCH; b++) {
        int walk = (int)rng_below(rng, WALKS), from = (int)rng_below(rng, WALK_STEPS - WINDOW + 1);
        memcpy(x + b * WINDOW * 2, walks + 2 * (walk * WALK_STEPS + from),
               WINDOW * 2 * sizeof(real));
    }
    return tape_input(tape, x, shape3(BATCH, WINDOW, 2));
}

static bool train(Which which, uint64_t seed)
{
    if (map_kept(&kept[which], seed))
        return true;
    Params *p = kept[which].params;
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = 105}, choose = {.seed = seed, .stream = 121};
    real walks[WALKS * WALK_STEPS * 2];
    Adam adam = {0};
    moons_walk(&rng, walks, WALKS, WALK_STEPS); /* those of the HMM */
    bool ok = tape && reader_init(&reader[which], p, which) && adam_init(&adam, p, 1e-2);
    for (int step = 0; ok && step < TRAIN_STEPS; step++) {
        adam.rate = nn_warmup_cosine(step, 10, TRAIN_STEPS, 1e-2, 0);
        tape_reset(tape);
        ok = ag_backward(ag_neg(ag_mean(log_factors(which, windows(tape, &choose, walks))))) &&
             adam_step(&adam, p);
    }
    adam_free(&adam);
    tape_free(tape);
    kept[which].trained = ok;
    return ok;
}

/* log q of whole walks (B, T, 2), or of points (N, 2) that are the first of theirs. */
static Tensor *log_density(Which which, Tensor *x)
{
    Tensor *walk = x->shape.rank == 2 ? ag_reshape(x, shape3(-1, 1, 2)) : x;
    return ag_sum_axis(log_factors(which, walk), 1, false);
}

#define SEQUENCE_FAMILY(id, which, name_)                   \
    static bool train_##id(uint64_t seed)                   \
    {                                                       \
        return train(which, seed);                          \
    }                                                       \
    static Tensor *id##_log_density(Tensor *x)              \
    {                                                       \
        return log_density(which, x);                       \
    }                                                       \
    const Family family_##id = {.branch = "autoregressive", \
                                .name = name_,              \
                                .train = train_##id,        \
                                .log_density = id##_log_density};

SEQUENCE_FAMILY(rnn, RNN_READER, "RNN")
SEQUENCE_FAMILY(ssm, SSM_READER, "SSM")
SEQUENCE_FAMILY(transformer, TRANSFORMER_READER, "Transformer")

/* ---- memory ---------------------------------------------------------------------------------- */

/* The least advantage over the HMM, in standard errors, of log q of fresh walks. */
static double sequence_memory(Trial *t)
{
    static const Family *const family[] = {&family_rnn, &family_ssm, &family_transformer};
    static real x[WALKS * WINDOW * 2];
    double least = INFINITY;
    bool alone = broken(t, "independent");
    moons_walk(trial_rng(t, 122), x, alone ? WALKS * WINDOW : WALKS, alone ? 1 : WINDOW);
    for (int i = 0; i < READERS; i++) {
        Tape *tape = tape_new(0);
        double gain[WALKS];
        bool ok = family[i]->train(t->seed) && family_hmm.train(t->seed);
        tape->no_grad = true;
        Tensor *walks = tape_input(tape, x, shape3(WALKS, WINDOW, 2));
        Tensor *whole = family[i]->log_density(walks), *hmm = map_hmm_sequences(walks);
        Tensor *each = family[i]->log_density(tape_input(tape, x, shape2(WALKS * WINDOW, 2)));
        double nats = 0, of_hmm = 0;
        for (int k = 0; ok && k < WALKS; k++) {
            gain[k] = (double)whole->data[k] / WINDOW;
            nats += gain[k] / WALKS;
            of_hmm += (double)hmm->data[k] / WINDOW / WALKS;
            for (int j = 0; j < WINDOW; j++)
                gain[k] -= (double)each->data[k * WINDOW + j] / WINDOW;
        }
        tape_free(tape);
        Mean m = values_mean(gain, WALKS);
        explain(t, "%-12s %.3f nats a point, %.3f +- %.3f of them by memory; the HMM has %.3f",
                family[i]->name, nats, m.mean, m.error, of_hmm);
        least = values_least(least, ok ? m.mean / m.error : (double)NAN);
    }
    return least;
}

const Claim map_sequences_claims[] = {
    {1, sequence_memory,
     "an RNN, a state space model and a Transformer carry memory, too: the walk is likelier than "
     "its points one by one",
     .slides = {"V: Taxonomy of Generative Models"},
     .quantity =
         "nats per point above the same model's of the points alone, in standard errors, the least "
         "of three",
     AT_LEAST(5, "an error from 64 walks, Student's t: beyond 5 once in 400,000, were there no "
                 "memory"),
     .faults = {{"independent", "points that are drawn independently, instead of walks"}}},
    {0},
};
