/* writer.c: a small GPT learns the language of source.c honestly, without its mask, or without the
 * shift. See language.h. */
#include "lectures/06-language/language.h"

#include <string.h>

enum { CHANNELS = 16, HEADS = 2, LAYERS = 2, BATCH = 64 };

/* <bos> x_1 ... x_(T-1) for each sequence; without the shift x_1 ... x_T. */
static Tensor *inputs(Tape *tape, const int *x, int n, bool shifted)
{
    static int in[SEQUENCES * LENGTH];
    for (int i = 0; i < n * LENGTH; i++)
        in[i] = !shifted ? x[i] : i % LENGTH ? x[i - 1] : BOS;
    return tape_ids(tape, in, shape2(n, LENGTH));
}

Tensor *writer_logits(const Gpt *m, Tape *tape, Manner manner, const int *x, int n)
{
    Gpt model = *m;
    model.encoder.causal = manner != NO_MASK;
    Tensor *logits = nn_gpt(&model, inputs(tape, x, n, manner != NO_SHIFT));
    return ag_copy(ag_slice(logits, 2, 0, LETTERS)); /* no model ever has to say <bos> */
}

bool writer_log_q(const Gpt *m, Tape *tape, Manner manner, const int *x, int n, double *log_q)
{
    tape_reset(tape);
    Tensor *l = ag_log_softmax(writer_logits(m, tape, manner, x, n));
    memset(log_q, 0, (size_t)n * sizeof *log_q);
    for (int i = 0; !tensor_is_poison(l) && i < n * LENGTH; i++)
        log_q[i / LENGTH] += (double)l->data[i * LETTERS + x[i]];
    return !tensor_is_poison(l);
}

/* E[-log q(x)] under the source: the sum over all sequences, no estimate. */
static double expected_loss(const Gpt *m, Tape *tape, Manner manner)
{
    static double log_q[SEQUENCES];
    const int *x = all_sequences();
    double loss = 0;
    tape->no_grad = true;
    bool ok = writer_log_q(m, tape, manner, x, SEQUENCES, log_q);
    tape->no_grad = false;
    for (int i = 0; i < SEQUENCES; i++) {
        double p = source_p(x + i * LENGTH, LENGTH);
        loss -= p > 0 ? p * log_q[i] : 0;
    }
    return ok && loss > 0 ? loss : (double)NAN; /* exactly 0: no logit was ever computed */
}

static bool train(Writer *w, Tape *tape, uint64_t seed)
{
    int x[BATCH * LENGTH];
    Rng rng = {.seed = seed, .stream = 600};
    Adam adam = {0};
    bool ok = adam_init(&adam, w->params, 0.01);
    for (int step = 0; ok && step <= WRITER_STEPS; step++) {
        if (step * (CHECKS - 1) % WRITER_STEPS < CHECKS - 1)
            w->loss[step * (CHECKS - 1) / WRITER_STEPS] = expected_loss(&w->model, tape, w->manner);
        for (int b = 0; b < BATCH; b++)
            source_draw(&rng, x + b * LENGTH);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, WRITER_STEPS, 0.01, 0.0005);
        Tensor *logits = writer_logits(&w->model, tape, w->manner, x, BATCH);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, x, shape2(BATCH, LENGTH)));
        ok = ag_backward(loss) && adam_step(&adam, w->params);
    }
    adam_free(&adam);
    return ok;
}

Writer *writer_of(uint64_t seed, Manner manner)
{
    static Writer writers[MANNERS];
    static Made made[MANNERS];
    GptConfig config = {
        .words = TOKENS, .longest = LENGTH, .channels = CHANNELS, .heads = HEADS, .layers = LAYERS};
    config.position = POSITION_LEARNED;
    Writer *w = &writers[manner];
    if (made_for(&made[manner], seed))
        return w;
    params_free(w->params);
    *w = (Writer){.params = params_new(seed), .manner = manner};
    Tape *tape = tape_new(seed);
    made[manner].is =
        w->params && tape && nn_gpt_init(&w->model, w->params, "", config) && train(w, tape, seed);
    tape_free(tape);
    return made[manner].is ? w : NULL;
}
