/* nine.c: see nine.h. Training takes half a second; p(x), its entropy and its marginals are in
 * closed form. */
#include "lectures/07-vision/nine.h"

enum { SIDE = NINE_SIDE, N = NINE, PICTURES = NINE_PICTURES, BARS = NINE_BARS };
enum { BATCH = 64, STEPS = 500 };
#define NOISE 0.05

/* ---- the source ------------------------------------------------------------------------------ */

/* Pixel i of picture number k, 0 to 511: its bits, the first pixel the highest. */
int nine_pixel(int k, int i)
{
    return k >> (N - 1 - i) & 1;
}

bool nine_in_bar(int bar, int i)
{
    return bar < SIDE ? i / SIDE == bar : i % SIDE == bar - SIDE;
}

/* p(x) = 1/6 sum over the bars of prod_i (19/20 where pixel i agrees with the bar, else 1/20) */
double nine_source(int k)
{
    double sum = 0;
    for (int bar = 0; bar < BARS; bar++) {
        double p = 1.0 / BARS;
        for (int i = 0; i < N; i++)
            p *= nine_pixel(k, i) == nine_in_bar(bar, i) ? 1 - NOISE : NOISE;
        sum += p;
    }
    return sum;
}

static int source_draw(Rng *rng)
{
    int k = 0, bar = (int)rng_below(rng, BARS);
    for (int i = 0; i < N; i++)
        k = 2 * k + (nine_in_bar(bar, i) != (rng_uniform(rng) < NOISE));
    return k;
}

/* ---- the models ------------------------------------------------------------------------------ */

static const int orders[ORDERS][N] = {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 5, 8, 7, 6, 3, 4}};

/* Picture k as the model's sequence. */
static void sequence(int k, Order9 order, int *x)
{
    for (int i = 0; i < N; i++)
        x[i] = nine_pixel(k, orders[order][i]);
}

static bool train(Nine *m, uint64_t seed, Sees sees, Order9 order)
{
    int x[BATCH * N];
    Rng rng = {.seed = seed, .stream = 4900};
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, m->params, 0.01);
    for (int step = 0; ok && step < STEPS; step++) {
        for (int b = 0; b < BATCH; b++)
            sequence(source_draw(&rng), order, x + b * N);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, 20, STEPS, 0.01, 0.0002);
        Tensor *logits = pixels_logits(&m->gpt, tape, sees, x, BATCH);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, x, shape2(BATCH, N)));
        ok = ag_backward(loss) && adam_step(&adam, m->params);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

/* The factors of all pictures. read: the order in which the pictures are given to the model, which
 * should be its own. */
bool nine_factors(Nine *m, Sees sees, Order9 read)
{
    static int x[PICTURES * N];
    static double log_q[PICTURES * N];
    Tape *tape = tape_new(1);
    for (int k = 0; k < PICTURES; k++)
        sequence(k, read, x + k * N);
    tape->no_grad = true;
    bool ok = pixels_log_p(&m->gpt, tape, sees, x, PICTURES, log_q);
    tape_free(tape);
    for (int i = 0; ok && i < PICTURES * N; i++)
        m->factor[i / N * N + orders[read][i % N]] = log_q[i];
    return ok;
}

/* Kept until another seed is asked for; NULL after an error. */
Nine *nine_model(uint64_t seed, Sees sees, Order9 order)
{
    static Nine models[SEES_KINDS][ORDERS];
    static Made made[SEES_KINDS][ORDERS];
    Nine *m = &models[sees][order];
    Made *is = &made[sees][order];
    if (made_for(is, seed))
        return m;
    params_free(m->params);
    *m = (Nine){.params = params_new(seed)};
    is->is = m->params && pixels_init(&m->gpt, m->params, N, 16, 2) &&
             train(m, seed, sees, order) && nine_factors(m, sees, order);
    return is->is ? m : NULL;
}

double nine_log_q(const Nine *m, int k)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += m->factor[k * N + i];
    return sum;
}

double nine_shifted_mask(Trial *t)
{
    const Nine *m = nine_model(t->seed, SEES_ITSELF, RASTER);
    double sum = m ? 0 : (double)NAN;
    for (int k = 0; m && k < PICTURES; k++)
        sum += exp(nine_log_q(m, k));
    return sum;
}
