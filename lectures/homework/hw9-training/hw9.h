/* hw9.h: the functions of homework 9. You write them in hw9.c; README.md says what they compute. */
#ifndef HW9_H
#define HW9_H

#include "../prelude.h" /* what holds for all arrays and functions; real, and the mark TASK */

enum { WEIGHTS_MOST = 64 }; /* a model has never more */

/* 1. What a decoder is given so that it predicts labels[i] at position i: the start symbol, then
 *    the labels without the last one.
 *    inputs, labels: (n) */
TASK void shift_right(int *inputs, const int *labels, int n, int start);

/* 2. The mean cross-entropy over the labels that are not negative, with label smoothing (equation
 *    2); negative labels are ignored. 0 if there is no other. Logits may be very large.
 *    logits: (t, v), labels: (t), 0 <= smoothing < 1 */
TASK real cross_entropy(const real *logits, const int *labels, int t, int v, real smoothing);

/* 3. Adds dloss times its gradient to dlogits.
 *    dlogits, logits: (t, v), labels: (t) */
TASK void cross_entropy_backward(real *dlogits, real dloss, const real *logits, const int *labels,
                                 int t, int v, real smoothing);

/* 4. Clips by the norm: if the Euclidean norm of g is above `most`, g is scaled to that norm.
 *    Returns the norm that g had before.
 *    g: (n) */
TASK real clip(real *g, int n, real most);

/* 5. The learning rate of a step, which is counted from 1: it rises in equal parts to `peak`, which
 *    step `warmup` has; then it falls along half a cosine to `lowest`, which step `total` and all
 *    later ones have.
 *    0 <= warmup < total */
TASK real learning_rate(int step, int warmup, int total, real peak, real lowest);

typedef struct {
    real beta1, beta2; /* of the means of gradients and of their squares */
    real eps;          /* is added to the square root                    */
    real decay;        /* of the weights                                 */
    real peak, lowest; /* learning rates                                 */
    real most;         /* the gradients' norm is clipped to this         */
    int warmup;        /* steps                                          */
} Settings;

/* 6. One step of AdamW with this learning rate; steps are counted from 1. Changes the weights w and
 *    the means m and v, which were 0 before step 1. Uses beta1, beta2, eps and decay.
 *    w, m, v, g: (n) */
TASK void adamw(real *w, real *m, real *v, const real *g, int n, int step, real rate,
                const Settings *s);

/* 7. Adds the part of one small batch to the gradient of a whole batch. g is the gradient of the
 *    mean loss over the `count` labels of the small batch; the whole batch has `all` labels.
 *    sum, g: (n) */
TASK void accumulate(real *sum, const real *g, int n, int count, int all);

/* A model: sets g to the gradient, at the weights w, of the mean loss of this small batch, and
 * returns that loss. `model` is what you were given together with the function. */
typedef real Gradient(real *g, const real *w, int batch, const void *model);

/* 8. Trains w for `steps` steps as in the README, part 6. Step 1 uses the small batches 0 to parts
 *    - 1, step 2 the next ones, and so on; batch b has count[b] labels. Returns the mean loss over
 *    all labels of the last step, before its weights were changed.
 *    w: (n), n <= WEIGHTS_MOST, count: (steps * parts) */
TASK real train(real *w, int n, int steps, int parts, const int *count, Gradient *gradient,
                const void *model, const Settings *s);

#endif
