/* faults.c: what may be wrong: the model that has it, the row of lectures/README.md that treats the
 * subject, what was done, and what gives it away, as runs of several seeds show. See mystery.h. */
#include "lectures/mystery/mystery.h"

#include <string.h>

const Fault mystery_faults[] = {
    {"no-scale", &language, 21, "q.k is not divided by sqrt(d)",
     "maps: almost all weight lies on one key, the first block's on 1.2 to 1.4 of them where a "
     "sound run sees 4 or 5; so the losses fall later"},
    {"no-mask", &language, 26, "there is no causal mask",
     "losses far below the entropy, and weight on keys 2 and more later (maps); the texts are "
     "poor, since nothing is later there"},
    {"mask-ahead", &language, 26, "the causal mask lets a token see the next one",
     "losses far below the entropy; maps: weight on the key 1 later, and on none beyond"},
    {"mask-behind", &language, 26, "the causal mask hides a token from itself",
     "maps: the weight of each token on itself is 0; the losses hardly show it, since the residual "
     "path has the token; samples are poor, at 3 nats a token, since a text is written with the "
     "mask as it should be"},
    {"padding-counted", &language, 38, "the loss counts the tokens of padding",
     "losses: training ends a third below the entropy, as padding is easily foretold, while "
     "held-out is a sound run's; data: labels of padding, written _, where a sound run has blanks"},
    {"layers-tied", &deep, 36, "all six blocks compute with the weights of the first",
     "gradients: those of blocks 1 to 5 are exactly 0, and that of block 0 is the sum of six"},
    {"no-positions", &language, 10, "positions are not added",
     "maps: the first block spreads its weight, 4+ before included, since it cannot tell how far a "
     "key is; the losses end above a sound run's, and twice shows no difference"},
    {"positions-shuffled", &language, 15, "each pass gives the positions in another order",
     "twice: the same held-out data get another loss, and the maps spread as without positions"},
    {"no-norm", &deep, 32, "the norms are left out",
     "activations: they grow from block to block, to 30 and more where a norm leaves 1; the first "
     "losses are several times as large, the first gradients a hundred to thousands of times"},
    {"no-warm-up", &deep, 35, "the rate does not warm up",
     "losses: the first 40 steps learn more than a sound run's in training, then almost nothing "
     "beyond 1.9; gradients at the end: those of the blocks from 2 on are a third of a sound "
     "run's, or far less"},
    {"rate-large", &language, 35, "the learning rate is 20 times as large",
     "losses: they stay at 1.9 from the first steps on; activations: the last block's norm has "
     "shrunk to 0.3 or less; gradients at the end: those of the blocks are a third of a sound "
     "run's, or far less"},
    {"rate-small", &deep, 44, "the learning rate is 50 times as small",
     "losses: they fall slowly and do not level off, held-out to 1.6 or 1.7 at the end where a "
     "sound run is at 1.4 after half of the steps; gradients: as large as a sound run's, before "
     "clipping and after it, so that it is the steps that are small"},
    {"clip-small", &language, 2, "the gradient is clipped to a norm of 1e-7",
     "gradients: before clipping as usual, after it 1e-7; so Adam's epsilon is no longer small, "
     "and the losses fall slowly"},
    {"gradient-kept", &language, 44, "the gradient is not set to zero after a step",
     "losses above those of the first steps, without rest; gradients: norms at the last steps are "
     "5 to 20 times as large, and more in the last block, as they add up"},
    {"embedding-frozen", &language, 6, "the embedding gets no gradient",
     "gradients: the embedding's is exactly 0; the losses do not show it"},
    {"dropout-on", &language, 33, "dropout is on when the model is evaluated",
     "twice: the same held-out data get another loss; the losses and maps are otherwise a sound "
     "run's"},
    {"not-shifted", &language, 38, "the labels are not shifted: each token is its own label",
     "losses: training falls to 0 and held-out rises; data: the labels are the input itself; texts "
     "repeat the first token, <"},
    {"batch-repeated", &language, 44, "every step reads the same batch",
     "losses: training falls far below the entropy while held-out rises; data: batch 2 is batch 1"},
    {"test-leak", &language, 44, "the training set is the held-out set",
     "losses: both fall below the entropy, which no model can on new data; data: batch 2 lies in "
     "the held-out set; the maps have no later keys"},
    {"temperature-zero", &language, 42, "texts are drawn at temperature 0",
     "samples: all texts are the same one; losses, gradients and maps are a sound run's"},
    {"beam-short", &language, 42, "the beam search compares log p without length normalisation",
     "samples: the beam's best text has 5 or 6 tokens where a sound run's has 14 or 15: each "
     "further token lowers log p; all else is a sound run's"},
    {"kl-whole", &pictures, 54, "the KL divergence lacks its factor 1/2",
     "losses: training lies above held-out, by about the KL divergence that latents shows, which "
     "is smaller than a sound run's"},
    {"kl-left-out", &pictures, 57, "the loss has no KL divergence",
     "losses: training below the entropy, held-out tens of nats above; latents: a KL divergence of "
     "30 nats, z is hardly noisy"},
    {"collapse", &pictures, 57, "the reconstruction is a mean over pixels, the KL divergence a sum",
     "latents: a KL divergence of 0, means that do not vary, deviation 1 around them: z says "
     "nothing, and every picture of the grid is the same grey; training is a sixteenth"},
    {"no-noise", &pictures, 56, "z is the mean: no noise is added",
     "losses below the entropy, which -ELBO cannot be; twice: no difference, though noise should "
     "be drawn; latents: means within a narrow range, and a deviation of 1 around them, which "
     "nothing uses"},
    {"variance-whole", &pictures, 56, "the noise is multiplied by e^v instead of e^(v/2)",
     "losses: both end below the entropy, which -ELBO cannot be; twice shows that noise is drawn"},
    {"sound", &language, 0,
     "a decoder of 4 post-norm blocks, on a language of 6 letters; losses in nats a token", NULL},
    {"sound", &deep, 0,
     "a decoder of 6 post-norm blocks, on a language of 6 letters; losses in nats a token", NULL},
    {"sound", &pictures, 0,
     "a variational autoencoder, on pictures of 4 x 4 pixels with one bar; losses in nats a "
     "picture",
     NULL},
    {.name = ""},
};

const Fault *fault_named(const char *name)
{
    for (const Fault *f = mystery_faults; f->row; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const Fault *sound_run(const Learner *learner)
{
    const Fault *f = mystery_faults;
    while (f->row || f->learner != learner)
        f++;
    return f;
}
