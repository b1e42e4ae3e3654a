/* faults.c: what may be wrong, and what gives it away. See mystery.h.
 *
 * The clues are what runs of several seeds show (README.md says how well); the rows are those of
 * lectures/README.md that treat the subject. */
#include "lectures/mystery/mystery.h"

#include <string.h>

const Fault faults[] = {
    {"no-scale", LANGUAGE, 21, "q.k is not divided by sqrt(d)",
     "maps: almost all weight lies on one key, the first block's on 1.2 of them where a sound "
     "run sees 5; so the losses fall later"},
    {"no-mask", LANGUAGE, 26, "there is no causal mask",
     "losses far below the entropy, and weight on keys 2 and more later (maps); the texts are "
     "poor, since nothing is later there"},
    {"mask-ahead", LANGUAGE, 26, "the causal mask lets a token see the next one",
     "losses far below the entropy; maps: weight on the key 1 later, and on none beyond"},
    {"mask-behind", LANGUAGE, 26, "the causal mask hides a token from itself",
     "maps: the weight of each token on itself is 0, in every block; the losses hardly show "
     "it, since the residual path has the token"},
    {"padding-attended", LANGUAGE, 26, "padding is not masked in attention",
     "maps: weight on padding. The held-out loss ends below the entropy: how much padding is "
     "before a sentence tells when it ends; texts, which have none, are too long"},
    {"softmax-queries", LANGUAGE, 18, "the softmax runs over the queries instead of the keys",
     "losses far below the entropy without weight on later keys (maps): columns of the map add "
     "up to 1, not rows, so that a row tells what later queries ask; texts end at once"},
    {"keys-tied", LANGUAGE, 19, "the keys are computed with the weights of the queries",
     "maps: the asymmetry of the scores is 0: q_i.k_j = q_j.k_i"},
    {"layers-tied", DEEP, 36, "all six blocks compute with the weights of the first",
     "gradients: those of blocks 2 to 6 are exactly 0, and that of block 1 is the sum of six"},
    {"no-positions", LANGUAGE, 10, "positions are not added",
     "maps: the first block spreads its weight, 4+ before included, since it cannot tell how "
     "far a key is; losses above a sound run's, and twice shows no difference"},
    {"positions-shuffled", LANGUAGE, 15, "each pass gives the positions in another order",
     "twice: the same held-out data get another loss, and the maps spread as without positions"},
    {"no-norm", DEEP, 32, "the norms are left out",
     "activations: they grow from block to block, 10 and more where a norm leaves 1; the first "
     "losses and gradients are ten and a hundred times as large"},
    {"no-residual", LANGUAGE, 31, "the residual paths are left out",
     "the losses stay near 1.9, what knows how often letters occur; gradients: at the last "
     "steps each block's is a fraction of the one above, down to the embedding's"},
    {"no-warm-up", DEEP, 35, "the rate does not warm up",
     "losses: the first 40 steps learn more than a sound run's, then nothing beyond 1.9; "
     "gradients: the lower blocks' are then 1e-2 and less"},
    {"rate-large", LANGUAGE, 35, "the learning rate is 20 times as large",
     "losses: they stay at 1.9 from the first steps on; activations: the last block's norm has "
     "shrunk to 0.3; gradients of lower blocks vanish"},
    {"rate-small", DEEP, 44, "the learning rate is 50 times as small",
     "updates: a step changes the weights by 3e-4 of themselves, 1/20 of a sound run's, while "
     "the clipped gradient is as large: the losses fall slowly"},
    {"clip-small", LANGUAGE, 2, "the gradient is clipped to a norm of 1e-7",
     "gradients: before clipping as usual, after it 1e-7; so Adam's epsilon is no longer "
     "small, and the losses fall slowly"},
    {"gradient-kept", LANGUAGE, 44, "the gradient is not set to zero after a step",
     "losses above those of the first steps, without rest; gradients: norms at the last steps "
     "are 10 times as large, as they add up"},
    {"embedding-frozen", LANGUAGE, 6, "the embedding gets no gradient",
     "gradients: the embedding's is exactly 0, and so is its update; the losses do not show it"},
    {"dropout-on", LANGUAGE, 33, "dropout is on when the model is evaluated",
     "twice: the same held-out data get another loss; the losses and maps are otherwise a "
     "sound run's"},
    {"dropout-high", LANGUAGE, 33, "dropout has the probability 0.4 instead of 0.1",
     "losses: the training loss stays above the held-out loss, at which nothing is dropped; "
     "twice shows no difference"},
    {"not-shifted", LANGUAGE, 38, "the labels are not shifted: each token is its own label",
     "losses: training falls to 0 and held-out rises; data: the labels are the input itself; "
     "texts repeat the first token"},
    {"labels-mixed", LANGUAGE, 38, "the labels are those of the batch's next sentence",
     "data: the labels are not the next input; the losses stay near 1.9, how often letters "
     "occur"},
    {"padding-counted", LANGUAGE, 38, "the loss counts the padding as labels",
     "losses: training is below the entropy, held-out is not; data: labels that are padding, "
     "which are easy to predict"},
    {"softmax-twice", LANGUAGE, 38, "the loss gets probabilities instead of logits",
     "losses: training cannot fall below 1.37 = log(e + 8) - 1, and held-out rises; gradients "
     "at the first steps are a tenth"},
    {"batch-repeated", LANGUAGE, 44, "every step reads the same batch",
     "losses: training falls far below the entropy while held-out rises; data: batch 2 is "
     "batch 1"},
    {"test-leak", LANGUAGE, 44, "the training set is the held-out set",
     "losses: both fall below the entropy, which no model can on new data; data: batch 2 lies "
     "in the held-out set; the maps have no later keys"},
    {"temperature-zero", LANGUAGE, 42, "texts are drawn at temperature 0",
     "samples: all texts are the same one, of fewer nats than the entropy; losses, gradients "
     "and maps are a sound run's"},
    {"temperature-high", LANGUAGE, 42, "texts are drawn at temperature 3",
     "samples: the texts have 3 and more nats a token though the held-out loss is near the "
     "entropy; all else is a sound run's"},
    {"beam-short", LANGUAGE, 42, "the beam search compares log p without length normalisation",
     "samples: the beam's best text has 5 tokens where texts have 10: each further token "
     "lowers log p; all else is a sound run's"},
    {"kl-whole", PICTURES, 54, "the KL divergence lacks its factor 1/2",
     "losses: training lies above held-out by the KL divergence that latents shows, which is a "
     "half of a sound run's or less"},
    {"kl-negative", PICTURES, 54, "a tenth of the KL divergence is subtracted",
     "losses: training falls without end, below 0, and held-out rises to thousands: the KL "
     "divergence grows"},
    {"kl-left-out", PICTURES, 57, "the loss has no KL divergence",
     "losses: training below the entropy, held-out tens of nats above; latents: a KL "
     "divergence of 30 nats, z is hardly noisy, and samples of N(0, 1) miss the bars"},
    {"collapse", PICTURES, 57, "the reconstruction is a mean over pixels, the KL divergence a sum",
     "latents: a KL divergence of 0, means that do not vary, deviation 1 around them: z says "
     "nothing, and every picture of the grid is the same grey; training is a sixteenth"},
    {"no-noise", PICTURES, 56, "z is the mean: no noise is added",
     "losses below the entropy, which -ELBO cannot be; twice: no difference, though noise "
     "should be drawn; latents: means within a narrow range"},
    {"noise-fixed", PICTURES, 56, "every pass gets the same noise",
     "twice: no difference, though new noise should be drawn; the losses are a sound run's"},
    {"variance-whole", PICTURES, 56, "the noise is multiplied by e^v instead of e^(v/2)",
     "losses: both end below the entropy, which -ELBO cannot be; twice shows noise, but less "
     "than the KL divergence charges for"},
    {0},
};

int fault_count(void)
{
    int n = 0;
    while (faults[n].name)
        n++;
    return n;
}

const Fault *fault_named(const char *name)
{
    for (const Fault *f = faults; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}
