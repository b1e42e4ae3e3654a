/* train_raster.c: trains the model of digits of row 49 (pixels.h) and saves its weights beside this
 * file:
 *
 *     ninja -C build lectures/train-raster
 *     build/lectures/train-raster --out lectures/07-vision/raster.safetensors
 *
 * Each 2,000 digits are drawn with a seed of their own, from 1,000,000 on: no digit is seen twice.
 * Four minutes. */
#include "lectures/07-vision/pixels.h"

#include "examples/common/options.h"

#include <string.h>

enum {
    BATCH = 32,
    PER_SEED = RASTER_KNOWN / BATCH,
    WARMUP = 100,
    FIRST_SEED = 1000000,
    SHOWN = 100
};

static bool train(const Raster *r, uint64_t seed, int steps)
{
    const double rate = 4e-3;
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = tape && adam_init(&adam, r->params, rate);
    double mean = 0;
    for (int step = 0; ok && step < steps; step++) {
        const RasterDigits *digits = raster_digits(FIRST_SEED + (uint64_t)(step / PER_SEED));
        if (!digits) {
            ok = false;
            break;
        }
        const int *x = digits->known + step % PER_SEED * BATCH * RASTER_PIXELS;
        adam.rate = nn_warmup_cosine(step, WARMUP, steps, rate, 0);
        tape_reset(tape);
        Tensor *logits = pixels_logits(&r->model, tape, SEES_EARLIER, x, BATCH);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, x, shape2(BATCH, RASTER_PIXELS)));
        ok = ag_backward(loss);
        params_clip_grad(r->params, 1);
        ok = ok && adam_step(&adam, r->params);
        mean += (double)tensor_item(loss) * RASTER_PIXELS / SHOWN;
        if (step % SHOWN == SHOWN - 1) {
            printf("step %5d: %.3f nats a picture\n", step + 1, mean);
            fflush(stdout);
            mean = 0;
        }
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

int main(int argc, char **argv)
{
    const char *out = "raster.safetensors";
    int steps = 6000;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "FILE", "where the weights are saved", 0, 0},
        {"steps", OPTION_INT, &steps, "N", "steps of training", 1, 1000000},
        {0},
    };
    options_parse(argc, argv, "Trains the model that writes digits pixel by pixel.", table);
    Raster r;
    bool ok = raster_init(&r, 1) && train(&r, 1, steps) && params_save(out, r.params, NULL, 0);
    if (!ok)
        fprintf(stderr, "train-raster: %s\n", tensor_error());
    raster_end(&r);
    return ok ? 0 : 1;
}
