/* trained.c: the trained model of digits (row 49). See pixels.h. Its weights were made by
 *   build/lectures/train-raster --out lectures/07-vision/raster.safetensors */
#include "lectures/07-vision/pixels.h"

#include <stdlib.h>
#include <string.h>

enum { N = RASTER_PIXELS, HALF = N / 2, PER_PASS = 50 };

bool raster_begin(Raster *r, bool trained)
{
    return raster_init(r, 1) &&
           (!trained || params_load(LECTURES_FOLDER "/07-vision/raster.safetensors", r->params));
}

bool raster_log_p(bool trained, const int *x, int count, double *log_p)
{
    Raster r;
    Tape *tape = tape_new(1);
    bool ok = raster_begin(&r, trained) && tape;
    tape->no_grad = true;
    for (int i = 0; ok && i < count; i += PER_PASS) {
        int n = count - i < PER_PASS ? count - i : PER_PASS;
        ok = pixels_log_p(&r.model, tape, SEES_EARLIER, x + i * N, n, log_p + i * N);
    }
    tape_free(tape);
    raster_end(&r);
    return ok;
}

bool raster_complete(Rng *rng, const int *upper, int count, int *whole)
{
    int *prompt = malloc((size_t)count * (HALF + 1) * sizeof *prompt),
        *lower = malloc((size_t)count * HALF * sizeof *lower);
    Raster r;
    Tape *tape = tape_new(1);
    bool ok = raster_begin(&r, true) && tape && prompt && lower;
    for (int k = 0; ok && k < count; k++) {
        prompt[k * (HALF + 1)] = BOS;
        memcpy(prompt + k * (HALF + 1) + 1, upper + k * N, HALF * sizeof *prompt);
    }
    tape->no_grad = true;
    ok = ok && pixels_write(&r.model, tape, rng, 1, prompt, count, HALF + 1, lower, HALF);
    for (int k = 0; ok && k < count; k++) {
        memcpy(whole + k * N, upper + k * N, HALF * sizeof *whole);
        memcpy(whole + k * N + HALF, lower + k * HALF, HALF * sizeof *whole);
    }
    free(prompt);
    free(lower);
    tape_free(tape);
    raster_end(&r);
    return ok;
}
