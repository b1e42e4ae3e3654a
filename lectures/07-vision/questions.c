/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its sections. */
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
     .claim = &claim_vit_base,
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
     .claim = &claim_relabelled,
     .question =
         "One fixed permutation is applied to the 784 pixels of every picture, in training and in "
         "the test. For which permutations does a ViT with patches of 7 x 7 learn exactly the "
         "same?",
     .choices =
         {{"for all of them: it is free of inductive bias",
           "E is one matrix for all patches: it assumes that patches are alike."},
          {"for those of whole patches, and none within a patch",
           "an order of the pixels within a patch is one of the columns of E, if all patches have "
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
     .claim = &claim_scattered,
     .question =
         "The 784 pixels of every digit are scattered by one random order. A small ViT and a small "
         "convolutional network are trained anew, for 300 steps. What becomes of their accuracy?",
     .choices = {{"both fall: nobody could read such a picture",
                  "you could not; the ViT has no neighbourhoods to lose."},
                 {"only that of the convolutions falls",
                  "each of their features needs pixels that lie side by side."},
                 {"only that of the ViT falls: its patches are cut to pieces",
                  "a scattered patch is a sample of the whole picture, and tells more."},
                 {"neither: the same pixels are there",
                  "what a model can learn from them in 300 steps depends on what it assumes."}},
     .right = 2,
     .answer = "The convolutions lose 0.17 to 0.35 (20 seeds). The ViT even gains 0.02 to 0.09: "
               "one scattered patch tells more of the digit than a straight one."},
    {.row = 48,
     .claim = &claim_mean_is_attention,
     .question =
         "J offers average pooling in place of the [CLASS] token. Under which scores is one "
         "query's attention over the patches their average?",
     .choices = {{"all equal", "exp(s) / (n exp(s)) = 1 / n, whatever s is."},
                 {"one large, all others small", "that is a look-up of one patch."},
                 {"under none: averaging is no attention",
                  "it is the attention of a query that compares with nothing."}},
     .right = 1,
     .answer =
         "All equal, as for q = 0: average pooling is a [CLASS] token that prefers no patch."},
    /* row 49 */
    /* row 50 */
    /* row 51 */
    {.row = 0},
};
