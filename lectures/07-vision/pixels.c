/* pixels.c: the model, and the digits that it writes. See pixels.h. */
#include "lectures/07-vision/pixels.h"

#include "lectures/08-vae/small.h"

#include <stdlib.h>

bool pixels_init(Gpt *m, Params *p, int pixels, int channels, int heads)
{
    GptConfig config = {
        .words = TOKENS, .longest = pixels, .channels = channels, .heads = heads, .layers = 2};
    config.position = POSITION_LEARNED;
    const real wider = (real)(1 / (0.02 * sqrt((double)channels)));
    bool ok = nn_gpt_init(m, p, "", config);
    for (int i = 0; ok && i < p->count; i++)
        for (int64_t k = 0; p->weight[i]->shape.rank > 1 && k < tensor_size(p->weight[i]); k++)
            p->weight[i]->data[k] *= wider;
    return ok;
}

Tensor *pixels_logits(const Gpt *m, Tape *tape, Sees sees, const int *x, int n)
{
    int N = m->config.longest;
    Gpt model = *m;
    int *in = malloc((size_t)n * (size_t)N * sizeof *in);
    for (int i = 0; in && i < n * N; i++)
        in[i] = sees != SEES_EARLIER ? x[i] : i % N ? x[i - 1] : BOS;
    model.encoder.causal = sees != SEES_ALL;
    Tensor *logits = nn_gpt(&model, tape_ids(tape, in, shape2(n, N)));
    free(in);
    return ag_copy(ag_slice(logits, 2, 0, VALUES)); /* no pixel is <bos> */
}

bool pixels_log_p(const Gpt *m, Tape *tape, Sees sees, const int *x, int n, double *log_p)
{
    tape_reset(tape);
    Tensor *l = ag_log_softmax(pixels_logits(m, tape, sees, x, n));
    bool ok = !tensor_is_poison(l);
    for (int i = 0; ok && i < n * m->config.longest; i++) {
        double own = (double)l->data[i * VALUES + x[i]],
               other = (double)l->data[i * VALUES + VALUES - 1 - x[i]];
        log_p[i] = own;
        ok = fabs(exp(own) + exp(other) - 1) < 1e-4;
    }
    return ok;
}

/* ---- drawing pixels -------------------------------------------------------------------------- */

typedef struct {
    Rng *rng;
    Candidates candidates;
    double temperature;
} Picker;

/* One of the two values: <bos> is no pixel. */
static int pick(void *picker, const real *logits, int64_t vocabulary)
{
    Picker *p = picker;
    (void)vocabulary;
    return nn_temperature(&p->candidates, logits, p->temperature) ? nn_draw(&p->candidates, p->rng)
                                                                  : -1;
}

bool pixels_write(const Gpt *m, Tape *tape, Rng *rng, double temperature, const int *before, int n,
                  int known, int *out, int count)
{
    Gpt gpt = *m;
    Picker picker = {rng, {0}, temperature};
    KVCache cache = {0};
    const Decoder d = {.logits = nn_gpt_cached,
                       .model = &gpt,
                       .cache = &cache,
                       .end = -1,
                       .pick = pick,
                       .picker = &picker};
    bool ok = nn_gpt_cache(&gpt, &cache, n) && nn_candidates_init(&picker.candidates, VALUES) &&
              nn_generate(tape, &d, before, NULL, known, out, count);
    nn_candidates_free(&picker.candidates);
    nn_cache_free(&cache);
    return ok;
}

/* ---- the digits and their model -----------------------------------------------------------------
 *
 * The weights were made by
 *
 *     build/lectures/train-raster --out lectures/07-vision/raster.safetensors */

bool raster_init(Raster *r, uint64_t seed)
{
    r->params = params_new(seed);
    return r->params && pixels_init(&r->model, r->params, RASTER_PIXELS, 32, 4);
}

bool raster_begin(Raster *r, bool trained)
{
    return raster_init(r, 1) &&
           (!trained || params_load(LECTURES_FOLDER "/07-vision/raster.safetensors", r->params));
}

void raster_end(Raster *r)
{
    params_free(r->params);
    *r = (Raster){0};
}

static void to_values(const Images *m, int count, int *x)
{
    for (int i = 0; i < count * RASTER_PIXELS; i++)
        x[i] = m->bytes[i] ? WHITE : BLACK;
}

const RasterDigits *raster_digits(uint64_t seed)
{
    static RasterDigits digits;
    static Made made;
    if (made_for(&made, seed))
        return &digits;
    const Pictures *p = small_digits(seed);
    made.is = p != NULL;
    if (!made.is)
        return NULL;
    to_values(&p->train, RASTER_KNOWN, digits.known);
    to_values(&p->test, RASTER_TEST, digits.test);
    return &digits;
}
