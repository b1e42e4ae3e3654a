/* stepping_em.c: one step of EM and one gradient through a sample, a line for each operation, to be
 * walked through in a debugger: stepping-em.md.
 *
 *   E-step: Q(z) = softmax over z of log p(x, z)      M-step: pi = mean of Q, mu = sum Q x / sum Q  H "Let's try EM"
 *   z = mu + e^(v/2) e,   loss = z^2 + KL(N(mu, e^v) || N(0, 1))                                    H "Training VAEs"
 *
 * The numbers are chosen so that each line can be done by hand: the variance of both classes is 2 /
 * log 2, so that the ratio of the two classes at a point is a power of 2. */
#include "examples/common/options.h"
#include "gradus.h"

#include <math.h>

enum { POINTS = 3, CLASSES = 2 };

/* Two classes on a line. */
typedef struct {
    Tensor *pi, *mu; /* (CLASSES) */
} Mixture;

/* log p(x, z) = log pi_z - (x - mu_z)^2 log 2 / 4 + constant, (POINTS, CLASSES) */
static Tensor *log_joint(Tensor *x, const Mixture *m)
{
    Tensor *d = ag_sub(x, m->mu);
    Tensor *square = ag_mul(d, d);
    Tensor *log_pi = ag_log(m->pi);
    return ag_sub(log_pi, ag_scale(square, (real)(log(2) / 4)));
}

/* One step of EM. */
static Mixture em_step(Tensor *x, const Mixture *m)
{
    Tensor *joint = log_joint(x, m);
    Tensor *log_p = ag_logsumexp(joint, 1, false);
    Tensor *Q = ag_softmax(joint);
    Tensor *count = ag_sum_axis(Q, 0, false);
    Tensor *sum = ag_sum_axis(ag_mul(Q, x), 0, false);
    Mixture next = {ag_scale(count, (real)1 / POINTS), ag_div(sum, count)};
    Tensor *after = ag_logsumexp(log_joint(x, &next), 1, false);
    Tensor *rise = ag_mean(ag_sub(after, log_p));
    printf("log p(x) rises by %.4f\n", (double)tensor_item(rise));
    return next;
}

/* The gradient of mu and v through one sample. */
static bool through_a_sample(Tensor *mu, Tensor *v, Tensor *e)
{
    Tensor *s = ag_name(ag_exp(ag_scale(v, (real)0.5)), "s");
    Tensor *z = ag_name(ag_add(mu, ag_mul(s, e)), "z");
    Tensor *f = ag_mul(z, z);
    Tensor *kl = ag_gaussian_kl(mu, v);
    Tensor *loss = ag_sum(ag_add(f, kl));
    bool ok = ag_backward(loss);
    printf("dL/dmu = %.4f, dL/dv = %.4f\n", (double)mu->grad[0], (double)v->grad[0]);
    return ok;
}

int main(int argc, char **argv)
{
    static const real points[POINTS] = {0, 3, 4}, half[CLASSES] = {0.5, 0.5};
    static const real means[CLASSES] = {1, 3}, one[] = {1}, two[] = {2};
    const real log_variance[] = {(real)-log(4)};
    const Option table[] = {{0}};
    options_parse(argc, argv,
                  "One step of EM and one gradient through a sample, to be stepped through.",
                  table);
    example_exit_on_error();

    Tape *tape = tape_new(1);
    Tensor *x = tape_input(tape, points, shape2(POINTS, 1));
    Mixture m = {tape_input(tape, half, shape1(CLASSES)), tape_input(tape, means, shape1(CLASSES))};
    m = em_step(x, &m);
    tape_reset(tape);
    Tensor *mu = ag_name(tape_leaf(tape, one, shape1(1)), "mu");
    Tensor *v = ag_name(tape_leaf(tape, log_variance, shape1(1)), "v");
    bool ok = through_a_sample(mu, v, tape_input(tape, two, shape1(1)));
    tape_free(tape);
    return ok ? 0 : 1;
}
