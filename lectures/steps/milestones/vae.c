/* vae.c: your VAE (homework 13) learns chapter 8's small digits and draws some. It is the model of
 * the vae example, whose sampling and KL divergence are ops of your functions; the library trains
 * the same model on the same digits and noise for comparison. */
#include "library.h"

#include "hw13.h"

#include "lectures/08-vae/small.h"

#define vae_pass library_pass
#include "examples/vae/model.c"
#undef vae_pass

enum { DRAWN = 4 };

/* ---- ops of homework 13: in[0] has the means, in[1] the logarithms of the variances ---------- */

static void sample_forward(Node *n)
{
    reparameterise(n->out->data, n->in[0]->data, n->in[1]->data, n->in[2]->data,
                   (int)tensor_size(n->out));
}

static void sample_backward(Node *n)
{
    path_gradient(n->in[0]->grad, n->in[1]->grad, n->out->grad, n->in[2]->data, n->in[1]->data, 1,
                  (int)tensor_size(n->out));
}

static bool kl_shape(const Node *n, Shape *y)
{
    (void)n;
    *y = shape0();
    return true;
}

static void kl_forward(Node *n)
{
    const int64_t *dim = n->in[0]->shape.dim;
    *n->out->data = gaussian_kl(n->in[0]->data, n->in[1]->data, (int)dim[0], (int)dim[1]);
}

static void kl_backward(Node *n)
{
    const int64_t *dim = n->in[0]->shape.dim;
    gaussian_kl_backward(n->in[0]->grad, n->in[1]->grad, *n->out->grad, n->in[0]->data,
                         n->in[1]->data, (int)dim[0], (int)dim[1]);
}

static bool yours; /* else the library's functions */

/* Chapter 8's training calls this. */
Pass vae_pass(const Vae *m, Tensor *x, Tensor *noise)
{
    static const Op sample = {"sample", .forward = sample_forward, .backward = sample_backward},
                    kl = {"kl", .shape = kl_shape, .forward = kl_forward, .backward = kl_backward};
    Pass p;
    if (!yours)
        return library_pass(m, x, noise);
    vae_encode(m, x, &p.mean, &p.log_variance);
    Tensor *in[] = {p.mean, p.log_variance, noise};
    p.logits = vae_decode(m, ag_apply(&sample, in, 3, NULL, 0));
    p.reconstruction = ag_scale(ag_bce_with_logits(p.logits, x), (real)m->config.pixels);
    p.kl = ag_apply(&kl, in, 2, NULL, 0);
    p.loss = ag_add(p.reconstruction, p.kl);
    return p;
}

/* ---- training and drawing -------------------------------------------------------------------- */

static RateDistortion train(SmallVae *s, bool by_you)
{
    yours = by_you;
    small_begun(s, 1, SMALL_STEPS);
    RateDistortion r = small_rate_distortion(s, 1);
    printf("%-12s %.2f nats a digit and KL %.2f\n",
           by_you ? "your VAE:" : "the library:", r.distortion, r.rate);
    return r;
}

/* Draws digits of z ~ N(0, 1): how likely a pixel is 1. */
static void draw(const Vae *m)
{
    Rng rng = {.seed = 1};
    Tape *tape = tape_new(1);
    Tensor *z = values_normal(tape, &rng, shape2(DRAWN, SMALL_LATENT), 1);
    print_pictures(ag_sigmoid(vae_decode(m, z))->data, DRAWN, SMALL_SIDE, 1);
    tape_free(tape);
}

int main(void)
{
    SmallVae own, right;
    example_exit_on_error();
    RateDistortion a = train(&own, true), b = train(&right, false);
    double far = fmax(fabs(a.rate / b.rate - 1), fabs(a.distortion / b.distortion - 1));
    draw(&own.vae);
    printf("at most %.2f %% from what the library reaches; expected less than 1 %%\n", 100 * far);
    small_free(&own);
    small_free(&right);
    return !(far < 0.01);
}
