/* questions.c: what chapter 8 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/08-vae/vae.h"

const Question vae_questions[] = {
    {.row = 54,
     .claim = "no Q has a larger ELBO",
     .question = "What is argmax over Q of ELBO(x; Q, theta)?",
     .choices = {{"the prior p(z)",
                  "then the gap would be KL(p(z) || p(z | x)), which is above 0."},
                 {"the posterior p(z | x)",
                  "log p(x) does not depend on Q, and KL(Q || p(z | x)) is 0 only there."},
                 {"the z with the largest p(x, z)",
                  "that maximises sum_z Q log p(x, z), which lacks the entropy of Q."}},
     .right = 2,
     .answer = "The posterior: log p(x) = ELBO + KL(Q || p(z | x)), and only the second term "
               "depends on Q, beside the first."},
    {.row = 54,
     .claim = "maximised over Q, the M-step's",
     .question =
         "The M-step maximises sum_z Q(z) log p(x, z; theta) over theta: the ELBO, less the "
         "entropy of Q, in which no theta is. May the same sum be maximised over Q?",
     .choices =
         {{"no: all mass would go to one z",
           "the sum is linear in Q, so its maximum is a corner; the entropy keeps Q spread."},
          {"yes: it differs from the ELBO by a constant",
           "by a constant in theta; the entropy of Q is not constant in Q."},
          {"yes: the posterior maximises both", "the posterior maximises the ELBO alone."}},
     .right = 1,
     .answer = "No. For theta the entropy does not matter, for Q it decides."},
    {.row = 52,
     .claim = "with K classes the posterior",
     .question = "z is one of K classes. The E-step needs p(z | x), proportional to p(z) p(x | z). "
                 "Can it be computed?",
     .choices = {{"yes: the normaliser is a sum of K terms",
                  "each term is a density that the model has in closed form."},
                 {"no: p(x) is intractable",
                  "it is for H's model, a normal z with a network between "
                  "z and x (row 53), not for K classes."},
                 {"only if p(z) is uniform",
                  "any p(z) enters each term as a factor; leaving it out is the usual slip."}},
     .right = 1,
     .answer = "Yes. p(x) is a sum of K terms, and p(z | x) is a softmax over z of log p(x, z)."},
    {.row = 52,
     .claim = "no step of EM lowers",
     .question = "Can the likelihood of the data fall in a step of EM?",
     .choices =
         {{"no, in no step",
           "the M-step raises a lower bound that touches log p(x) at the old parameters."},
          {"yes, while the means are far from their clusters",
           "the argument does not need good parameters: it holds in each step from any start."},
          {"yes, for EM is not gradient ascent", "it is not, but it needs no step size either: its "
                                                 "bound touches log p(x) and is maximised."}},
     .right = 1,
     .answer = "No: the E-step makes the bound equal to log p(x), the M-step raises the bound, and "
               "log p(x) lies above it."},
    {.row = 53,
     .claim = "without its normaliser p(z",
     .question =
         "H's model: z is normal with 20 entries, and f is a network. E-step: Q(z) = P(z | x), "
         "proportional to P(z) P(x | z). \"This is ok?\"",
     .choices =
         {{"yes: both factors are known, and a constant is all that is missing",
           "the constant is p(x), an integral over 20 dimensions; the M-step's sum over z has "
           "as many."},
          {"yes: draws of Q will do, and need no normaliser",
           "they need none, and are rare: by rejection from p(z) one try of 3.7^20 even for "
           "f(z) = z."},
          {"no: neither the normaliser nor draws of Q are to be had cheaply",
           "so Q is approximated by a q that is easy to sample from (row 55)."}},
     .right = 3,
     .answer = "No. H's next slide says it: in most cases we cannot do the sum, and cannot easily "
               "sample from Q(z) either."},
    {.row = 53,
     .claim = "for f(z) = z the effective",
     .question = "z has 4 dimensions. Of 100 draws from p(z), how many count, that is, how large "
                 "is the effective "
                 "number of draws, if it is 38 of 100 for one dimension?",
     .choices = {{"10", "a quarter of 38 would be a share that falls as 1 / D."},
                 {"2", "the share multiplies over dimensions: 0.385^4 = 0.022."},
                 {"38", "dimensions are independent here, so their shares multiply."}},
     .right = 2,
     .answer = "About 2: 0.385^4. With 20 dimensions, a small VAE's code, it is 5 of a thousand "
               "million."},
    {.row = 53,
     .claim = "the logarithm of a Monte",
     .question = "\"Can we do MLE?\" An average of p(x | z) over draws from p(z) is an unbiased "
                 "estimate of p(x). And its "
                 "logarithm, as an estimate of log p(x)?",
     .choices = {{"unbiased, too",
                  "a function of an unbiased estimate is unbiased only if the function is linear."},
                 {"too large on average", "that would hold for a convex function."},
                 {"too small on average",
                  "log is concave: the mean of log is below the log of the mean (Jensen)."}},
     .right = 3,
     .answer =
         "Too small: E[log w] <= log E[w]. The same inequality makes the ELBO a lower bound."},
    {.row = 55,
     .claim = "one q(z) for all x loses",
     .question = "\"Why conditioned on x?\" What does one q(z) for all x cost?",
     .choices = {{"nothing, once q is optimised",
                  "one Gaussian cannot be the posterior of every x at once."},
                 {"nothing: p(z) is the same for all x, too",
                  "the prior is; the posteriors differ."},
                 {"the mean over x of KL(q || p(z | x)) in the ELBO",
                  "log p(x) stays what it is, and the gap of each x is its own KL."}},
     .right = 3,
     .answer =
         "The mean KL. For Gaussian posteriors of equal width: the variance of their means "
         "over twice their own. If the decoder is trained with the one q, it drops z instead."},
    {.row = 55,
     .claim = "in a linear model E-step",
     .question = "E-step over phi and M-step over theta in turn, or one gradient step over both: "
                 "the objective is the same. Is the end?",
     .choices =
         {{"yes, for every model: both climb one function of (phi, theta)",
           "a function may have several maxima and flat stretches, and the two paths differ."},
          {"yes in a linear model, whose maxima are all global; in general not",
           "with a strong decoder one step over both may leave z unused, where more steps over "
           "phi do not (He et al. 2019)."},
          {"no, not even in a linear model: the M-step opens the gap again",
           "it does, and the next E-step closes it; the gap goes to 0 in the end."}},
     .right = 2,
     .answer =
         "Only where all maxima are equally high, as in the linear model here. In general more "
         "E-steps for each M-step may end higher."},
    {.row = 56,
     .claim = "score function, with or without a baseline",
     .question =
         "\"Can we do gradient descent over phi?\" z is drawn from q(z; phi), and f(z) has no "
         "other phi. What is the gradient of f(z) with respect to phi if the draw is taken "
         "for a constant?",
     .choices = {{"right on average",
                  "nothing of the dependence on phi is left that could average out."},
                 {"0, which is wrong", "f depends on phi through the draw alone."},
                 {"right, but noisy", "it has no noise: it is always 0."}},
     .right = 2,
     .answer =
         "0. Either the density brings phi in (score function), or z is written as mu + sigma e "
         "(reparameterisation). Of H's log p(x, z) - log q(z; phi) it is -d log q / dphi: 0 on "
         "average."},
    {.row = 56,
     .claim = "for f = |z|^2 the score",
     .question = "f(z) = |z|^2 in D dimensions. How does the variance of the score function's "
                 "estimate of d/dmu_1 grow?",
     .choices = {{"as D^2", "f is about D (mu^2 + s^2), and multiplies a noise of size 1 / sigma."},
                 {"not at all",
                  "that is the reparameterised one: 2 z_1 sees its own dimension only."},
                 {"as D", "that is what a baseline leaves: f - E[f] is of size sqrt(D)."}},
     .right = 1,
     .answer = "As D^2; with a baseline as D; reparameterised it is 4 sigma^2 for every D."},
    {.row = 57,
     .claim = "with beta = 20 the code",
     .question =
         "A VAE is trained on distortion + 20 KL. What does its decoder give for different z?",
     .choices = {{"sharp digits, for the codes are now exactly N(0, I)",
                  "the codes are N(0, I) for every x: they tell nothing about x."},
                 {"noise: it was not trained to reconstruct",
                  "distortion is still in the loss, and without z the mean digit is best."},
                 {"always the same: each pixel with its mean over the digits",
                  "a nat of KL costs 20 and saves less than that in distortion, so KL goes to 0."}},
     .right = 3,
     .answer =
         "Always the mean of all digits: q(z | x) is N(0, I) for each x, so z tells nothing."},
    {.row = 0},
};
