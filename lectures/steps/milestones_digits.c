/* milestones_digits.c: what the milestones digit and vae read: pictures of digits, and what the
 * library computes for them. See milestones.h. */
#include "lectures/steps/milestones.h"

#include "lectures/08-vae/small.h"

#include "examples/vit/model.h"

enum { SHOWN = 5, SIDE = 28, PICTURES = 992 }; /* 31 batches of 32 */

bool milestone_vae(FILE *out, const char *weights)
{
    static real pixels[PICTURES * SMALL_PIXELS];
    const Pictures *digits = small_digits(1);
    (void)weights;
    for (int i = 0; digits && i < PICTURES * SMALL_PIXELS; i++)
        pixels[i] = digits->train.bytes[i] ? 1 : 0;
    put_ints(out, "pictures", (int[]){PICTURES}, 1);
    put_numbers(out, "pixels", pixels, PICTURES * SMALL_PIXELS);
    return digits != NULL;
}

/* The weights are those of the example's own defaults. */
bool milestone_digit(FILE *out, const char *weights)
{
    static real x[SHOWN * SIDE * SIDE];
    int32_t labels[SHOWN];
    const ModelConfig config = {SIDE, 1, 7, 64, 4, 4, 10, POSITION_LEARNED, POOL_CLASS};
    Pictures digits;
    Model m;
    Params *p = params_new(1);
    Tape *tape = tape_new(1);
    bool ok = vit_init(&m, p, config) && params_load(p, weights) && put_weights(out, weights) &&
              pictures_drawn(&digits, 1, SHOWN, 7) && pictures_test(&digits, 0, SHOWN, x, labels);
    put_ints(out, "pictures", (int[]){SHOWN}, 1);
    put_ints(out, "labels", labels, SHOWN);
    put_numbers(out, "images", x, SHOWN * SIDE * SIDE);
    put_tensor(out, "logits", vit_logits(&m, tape_input(tape, x, shape4(SHOWN, 1, SIDE, SIDE))));
    pictures_free(&digits);
    tape_free(tape);
    params_free(p);
    return ok;
}
