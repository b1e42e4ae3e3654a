/* digit_models.c: the models of row 48, their training, and their test. See digit_models.h. */
#include "lectures/07-vision/digit_models.h"

#include <string.h>

/* ---- a convolutional network ----------------------------------------------------------------- */

/* Each output sees 17 x 17 pixels at most; the mean over all positions makes of "where"
 * "whether". */
static bool convnet_init(ConvNet *m, Params *p)
{
    static const int channels[] = {1, 8, 16, 32}, side[] = {5, 3, 3};
    bool ok = true;
    *m = (ConvNet){0};
    for (int i = 0; ok && i < CONVOLUTIONS; i++) {
        int in = channels[i], out = channels[i + 1], k = side[i];
        m->weight[i] = params_add(p, params_path(p, "convolutions.%d.weight", i),
                                  shape4(out, in, k, k), nn_kaiming_uniform((int64_t)in * k * k));
        m->bias[i] =
            params_add(p, params_path(p, "convolutions.%d.bias", i), shape1(out), nn_constant(0));
        ok = m->weight[i] && m->bias[i];
    }
    return ok && nn_linear_init(&m->head, p, "head", channels[CONVOLUTIONS], DIGIT_CLASSES, true);
}

Tensor *convnet_logits(const ConvNet *m, Tensor *pictures)
{
    Tensor *x = ag_relu(ag_conv2d(pictures, m->weight[0], m->bias[0], 2, 2)); /* (B, 8, 14, 14) */
    x = ag_relu(ag_conv2d(x, m->weight[1], m->bias[1], 2, 1));                /* (B, 16, 7, 7)  */
    x = ag_relu(ag_conv2d(x, m->weight[2], m->bias[2], 1, 1));                /* (B, 32, 7, 7)  */
    x = ag_mean_axis(ag_mean_axis(x, 3, false), 2, false);                    /* (B, 32)        */
    return nn_linear(&m->head, x);
}

/* ---- training -------------------------------------------------------------------------------- */

Pictures *digit_model_digits(uint64_t seed)
{
    static Pictures digits;
    static Made made;
    if (made_for(&made, seed))
        return &digits;
    if (made.is)
        pictures_free(&digits);
    made.is = pictures_drawn(&digits, DIGIT_TRAIN, DIGIT_TEST, seed);
    return made.is ? &digits : NULL;
}

static ModelConfig vit_config(DigitModelKind kind)
{
    return (ModelConfig){.side = DIGIT_SIDE,
                         .colours = 1,
                         .patch = PATCH_SIDE,
                         .channels = DIGIT_CHANNELS,
                         .heads = 4,
                         .layers = 1,
                         .classes = DIGIT_CLASSES,
                         .position = kind == DIGIT_UNORDERED ? POSITION_NONE : POSITION_LEARNED,
                         .pool = kind == DIGIT_MEAN || kind == DIGIT_UNORDERED ? POOL_MEAN
                                                                               : POOL_CLASS};
}

bool digit_model_begin(DigitModel *m, DigitModelKind kind, Arrangement a, bool relabelled,
                       uint64_t seed)
{
    *m = (DigitModel){.kind = kind, .params = params_new(seed)};
    order_draw(&m->order, a, seed);
    if (kind == DIGIT_CONVNET)
        return convnet_init(&m->convnet, m->params);
    if (!vit_init(&m->vit, m->params, vit_config(kind)))
        return false;
    if (relabelled)
        order_relabel(&m->order, &m->vit);
    return true;
}

void digit_model_end(DigitModel *m)
{
    params_free(m->params);
    m->params = NULL;
}

Tensor *digit_model_logits(const DigitModel *m, Tape *tape, const real *x, int n)
{
    Tensor *pictures = tape_input(tape, x, shape4(n, 1, DIGIT_SIDE, DIGIT_SIDE));
    return m->kind == DIGIT_CONVNET ? convnet_logits(&m->convnet, pictures)
                                    : vit_logits(&m->vit, pictures);
}

bool digit_model_train(DigitModel *m, Pictures *digits, uint64_t seed)
{
    real x[DIGIT_BATCH * DIGIT_PIXELS];
    int32_t labels[DIGIT_BATCH];
    double rate = m->kind == DIGIT_CONVNET ? 0.012 : 0.004;
    bool brief = m->kind == DIGIT_CLASS || m->kind == DIGIT_CONVNET;
    int steps = brief ? DIGIT_STEPS : DIGIT_LONG;
    Tape *tape = tape_new(seed);
    Adam adam = {0};
    bool ok = digits && adam_init(&adam, m->params, rate);
    for (int step = 0; ok && step < steps; step++) {
        ok = pictures_batch(digits, step, DIGIT_BATCH, x, labels);
        order_apply(&m->order, x, DIGIT_BATCH);
        tape_reset(tape);
        adam.rate = nn_one_cycle(step, steps, rate);
        Tensor *logits = digit_model_logits(m, tape, x, DIGIT_BATCH);
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, labels, shape1(DIGIT_BATCH)));
        ok = ok && ag_backward(loss) && adam_step(&adam, m->params);
    }
    adam_free(&adam);
    tape_free(tape);
    return ok;
}

const DigitModel *digit_model(uint64_t seed, DigitModelKind kind, Arrangement a, bool relabelled)
{
    static DigitModel kept[DIGIT_KINDS][ARRANGEMENTS][2];
    static Made made[DIGIT_KINDS][ARRANGEMENTS][2];
    DigitModel *m = &kept[kind][a][relabelled];
    Made *is = &made[kind][a][relabelled];
    if (made_for(is, seed))
        return m;
    digit_model_end(m);
    is->is = digit_model_begin(m, kind, a, relabelled, seed) &&
             digit_model_train(m, digit_model_digits(seed), seed);
    return is->is ? m : NULL;
}

/* ---- the test -------------------------------------------------------------------------------- */

double digit_model_accuracy(const DigitModel *m, uint64_t seed)
{
    static real x[DIGIT_TEST * DIGIT_PIXELS];
    static int32_t label[DIGIT_TEST];
    int correct = 0;
    if (!m || !pictures_test(digit_model_digits(seed), 0, DIGIT_TEST, x, label))
        return (double)NAN;
    order_apply(&m->order, x, DIGIT_TEST);
    Tape *tape = tape_new(seed);
    tape->no_grad = true;
    const Tensor *logits = digit_model_logits(m, tape, x, DIGIT_TEST);
    bool computed = values_largest(logits) > 0;
    for (int i = 0; computed && i < DIGIT_TEST; i++)
        correct += nn_greedy(logits->data + i * DIGIT_CLASSES, DIGIT_CLASSES) == label[i];
    tape_free(tape);
    return computed ? (double)correct / DIGIT_TEST : (double)NAN;
}

double digit_model_error(double a, double b)
{
    return sqrt((a * (1 - a) + b * (1 - b)) / DIGIT_TEST);
}
