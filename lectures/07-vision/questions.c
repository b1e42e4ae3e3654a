/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its
 * sections. */
#include "lectures/07-vision/vision.h"

#include "examples/vit/model.h"

/* The tokens of ViT-B/16. */
static double tokens_of_vit_base(Trial *t)
{
    const Model base = {.config = {.side = 224, .patch = 16, .pool = POOL_CLASS}};
    explain(t, "(224 / 16)^2 patches and [CLASS]: %d tokens", vit_tokens(&base));
    return vit_tokens(&base);
}

const Question vision_questions[] = {
    /* row 48 */
    {.row = 48,
     .claim = "ViT-B/16 is 12 encoder",
     .question =
         "A picture has 224 x 224 pixels in three colours. ViT-B/16 cuts it into patches of "
         "16 x 16 pixels and adds a [CLASS] token. How many tokens does its encoder see?",
     .measure = tokens_of_vit_base,
     .quantity = "tokens of examples/vit with these numbers",
     .within = 0.001,
     .answer = "197: 14 x 14 = 196 patches, and one. A token has 3 x 16^2 = 768 pixel values.",
     .misconception =
         "588 counts each colour by itself: the three colours of a patch are one token. "
         "196 forgets [CLASS]; 3,136 = 56^2 are the patches of 4 x 4."},
    {.row = 48,
     .claim = "a ViT computes the same",
     .question =
         "One fixed permutation is applied to the 784 pixels of every picture, in training and "
         "in "
         "the test. For which permutations does a ViT with patches of 7 x 7 learn exactly the "
         "same?",
     .choices =
         {{"for all of them: it is free of inductive bias",
           "E is one matrix for all patches: it assumes that patches are alike."},
          {"for those of whole patches, and none within a patch",
           "an order of the pixels within a patch is one of the columns of E, if all patches "
           "have "
           "the same."},
          {"for those of whole patches, with one order of pixels within all patches",
           "rows of the positions and columns of E take the new order."},
          {"for those that leave neighbours neighbours",
           "that is what a convolution needs; attention does not know what a neighbour is."}},
     .right = 3,
     .answer =
         "Patches may take any order, and the pixels of a patch any one order for all patches: "
         "the weights are relabelled. All other permutations change the task."},
    {.row = 48,
     .claim = "one fixed order of all",
     .question = "The 784 pixels of every digit are scattered by one random order. A small ViT "
                 "and a small "
                 "convolutional network are trained anew, for 300 steps. What becomes of their "
                 "accuracy?",
     .choices = {{"both fall: nobody could read such a picture",
                  "you could not; but no op of the ViT asks which pixels are neighbours."},
                 {"only that of the convolutions falls",
                  "each of their first features is made of pixels that lie side by side."},
                 {"only that of the ViT falls: its patches are cut to pieces",
                  "its matrix learns scattered patches as it learns straight ones; which of them "
                  "are easier "
                  "no symmetry tells."},
                 {"neither: the same pixels are there",
                  "what a model can learn from them in 300 steps depends on what it assumes."}},
     .right = 2,
     .answer = "The convolutions lose 0.17 to 0.35 (20 seeds), and the ViT even gains 0.02 to "
               "0.09. (After "
               "1,000 steps it loses 0.01 to 0.03, and the convolutions 0.09 to 0.18.)"},
    /* row 49 */
    {.row = 49,
     .claim = "the products over all",
     .question =
         "A slip shifts the mask by one: when the network gives the probability of pixel n, "
         "it has seen x_n. It is trained, and its loss falls nearly to 0. What is the sum "
         "of its products over all 512 binary pictures of 3 x 3 pixels?",
     .measure = nine_shifted_mask,
     .quantity = "sum over 512 pictures of the product of nine factors",
     .within = 0.05,
     .answer = "Nearly 512: it copies each pixel, so every picture has a product near 1. A loss "
               "below the entropy is no success; these numbers are no distribution.",
     .misconception =
         "The sum is 1 only if p(0 | ...) and p(1 | ...) share one condition. Here each "
         "value of x_n has a condition of its own, which contains it."},
    /* row 50 */
    {.row = 50,
     .claim = "attention inside windows",
     .question = "8 x 8 tokens, windows of 4 x 4. In even layers the borders of the windows are "
                 "moved by 2 rows and 2 columns. How many windows are there then?",
     .choices = {{"4", "that is after the cyclic shift, which puts parts of several windows into "
                       "one square; the mask keeps them apart."},
                 {"9", "bands of 2, 4 and 2 rows, and as many of columns."},
                 {"16", "windows of 2 x 2 everywhere: only those in the corners are so small."}},
     .right = 2,
     .answer = "9: three bands of rows times three of columns, 4 x 4, 2 x 4, 4 x 2 and 2 x 2. A "
               "cyclic shift packs them into 4 squares."},
    /* row 51 */
    {.row = 51,
     .claim = "an encoder reads 95 %",
     .question = "Attention computes a score for each pair of tokens. A second of sound is 16,000 "
                 "samples, or frames of 20 ms: how many times fewer pairs have the frames?",
     .measure = sound_pairs,
     .quantity = "(samples / frames)^2",
     .within = 0.02,
     .answer = "102,400: 320 samples become one token, and pairs go with the square.",
     .misconception = "320 is the ratio of the tokens; scores are counted in pairs."},
    {.row = 51,
     .claim = "prompted with one recorded",
     .question = "From what does VALL-E know in whose voice it has to speak?",
     .choices = {{"from the speaker's number, an extra token",
                  "then only speakers of the training could be named; these were never heard."},
                 {"from the letters of the text", "the same text is spoken by everybody."},
                 {"from the codes of a recording with which the sequence begins",
                  "a language model goes on as it began."},
                 {"by training on the new speaker", "no weight is changed: the prompt is enough."}},
     .right = 3,
     .answer = "From the prompt: codes of a few words of the speaker come first, and a language "
               "model continues in their manner. Nothing was trained on this speaker."},
    {.row = 0},
};
