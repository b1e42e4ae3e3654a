/* questions.c: what chapter 5 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/05-block/block.h"

const Question block_questions[] = {
    {.row = 31,
     .claim = "in the mean over first weights",
     .question =
         "A feed-forward layer C -> 4C -> C has initial weights of variance 1 / (3 n), n its "
         "inputs. Which share of "
         "a gradient's length passes it backward?",
     .measure = gain_of_one_layer,
     .quantity = "mean |dL/dx| / |dL/dy| of one layer, 100 draws",
     .within = 0.12,
     .answer = "1/3: each of the two matrices leaves 1/sqrt(3) of the length. 48 layers leave "
               "3^-48 = 1e-23.",
     .misconception = "1 would need weights of variance 1 / n: depth alone makes "
                      "nothing vanish, initial "
                      "weights do. 0.58 = 1/sqrt(3) is one matrix, and there are two."},
    {.row = 32,
     .claim = "no token's norm depends",
     .question =
         "A decoder writes one token at a time and keeps what it computed for earlier ones. "
         "With which norm would these results no longer be right when a token is added?",
     .choices = {{"mean and variance over the C channels of each token",
                  "that is LayerNorm: an earlier token's numbers do not know of the new one."},
                 {"mean and variance over T and C, of the whole sentence",
                  "each new token changes them."},
                 {"division by the root of the mean square of each token's C channels",
                  "that is RMSNorm, by each token alone as well."}},
     .right = 2,
     .answer = "Over T and C: a new token would change all earlier ones, past any causal mask. "
               "LayerNorm's mean is over the C channels of one token."},
    {.row = 35,
     .claim = "12 post-norm layers without warm-up learn the symbols",
     .question =
         "A model is to write five symbols backwards, drawn with repetition from eight. It knows "
         "which symbols occur and "
         "how often, but not their order. What is its loss in nats?",
     .choices =
         {{"log 8 = 2.08", "that is knowing nothing."},
          {"log 5 = 1.61",
           "that would be five different symbols; some are equal, and then less is to be guessed."},
          {"1.29", "log 5 - (8/5) E[n log n], n ~ Bin(5, 1/8)."},
          {"0", "that is knowing the order as well."}},
     .right = 3,
     .answer = "1.2885. Post-norm stays there for hundreds of steps, until it learns the order."},
    {.row = 35,
     .claim = "post-norm is x = LN(x",
     .question = "Both branches of a block give zero, as W_o and W_2 are zero; gamma is one, beta "
                 "zero. What do "
                 "post-norm and pre-norm make of a token x?",
     .choices = {{"x, both of them",
                  "post-norm's path itself passes LN(x + 0); only pre-norm's is a plain sum."},
                 {"post-norm LN(x), pre-norm x",
                  "LN(LN(x)) is LN(x), up to epsilon; x + 0 + 0 is x."},
                 {"post-norm x, pre-norm LN(x)",
                  "pre-norm normalises what goes into a branch, and the path goes past it."}},
     .right = 2,
     .answer = "LN(x) and x: post-norm normalises the sum x + f(x), and so the path; pre-norm the "
               "input of f alone. So pre-norm needs one more norm at the end."},
    {.row = 34,
     .claim = "attention is linear in the values",
     .question =
         "J asks: is there any non-linearity in the lower part of the block, the attention?",
     .choices =
         {{"no, it is weighted sums", "the weights depend on x, and that is a non-linearity."},
          {"only the softmax",
           "without the softmax, Q K^T V is still cubic in x; and the LayerNorm is not linear "
           "either."},
          {"yes: its weights depend on x", "and with given weights it is linear, softmax or not."}},
     .right = 3,
     .answer = "Yes: A depends on x. Given A, the lower part is linear; with A(x) it is not, even "
               "without the softmax."},
    {.row = 33,
     .claim = "of one dropped layer",
     .question =
         "Dropout in the last layer before a softmax makes 2^n networks. One pass with halved "
         "activations stands for all of them. Which mean of theirs is it?",
     .choices = {{"the arithmetic mean of their probabilities",
                  "near, and not equal: the softmax is not linear."},
                 {"their geometric mean, normalised",
                  "the mean of the logits is the logit of the halved pass."},
                 {"none: it is an approximation only",
                  "it is one for the arithmetic mean; for the geometric mean it is an "
                  "identity."}},
     .right = 2,
     .answer = "The normalised geometric mean, exactly, for one hidden layer before the softmax: "
               "logits are linear in what "
               "is kept."},
    {.row = 36,
     .claim = "layers that all read",
     .question =
         "In B's code every layer reads the tokens x again. How many of 24 layers would get a "
         "gradient?",
     .choices = {{"all", "each overwrites what the one before has computed."},
                 {"one, the first", "its result is overwritten by the second's."},
                 {"one, the last", "only its result leaves the loop."}},
     .right = 3,
     .answer =
         "The last alone: its result is the only one that is used. Each layer has to read what "
         "the one before has computed."},
    {.row = 37,
     .claim = "the base model's 6 +",
     .question = "The base model of the paper: 6 + 6 layers, d = 512, hidden 2048. How many "
                 "weights, without embeddings?",
     .measure = NULL,
     .within = 0.1,
     .answer = "44 million (44,140,544): an encoder layer has 12 d^2, a decoder layer 16 d^2 and a "
               "little.",
     .misconception = "65 million counts the embeddings as well; 38 million forgets the decoder's "
                      "cross-attention, 4 d^2 "
                      "in each of six layers."},
    {0},
};
