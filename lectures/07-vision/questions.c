/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/07-vision/vision.h"

const Question vision_questions[] = {
    /* row 48 */
    /* row 49 */
    {.row = 49,
     .claim = &claim_picture_sum,
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
    {.row = 49,
     .claim = &claim_order_cancels,
     .question = "Z draws pixels in raster order. Another network is trained on the same pictures "
                 "in a spiral. What of p(x)?",
     .choices = {{"the spiral gives no distribution",
                  "the chain rule holds for every order; each factor sums to 1 over its pixel."},
                 {"all factors and p(x) are the same numbers",
                  "p(x_4 | x_1, x_2, x_3) and p(x_4 | seven others) are two different questions."},
                 {"other factors, and nearly the same p(x)",
                  "the true p has one value in every order; two networks each come near it."}},
     .right = 3,
     .answer = "Each factor is another number, their product nearly the same. The order decides "
               "what can be given: in raster order an upper half, not a lower one."},
    {.row = 49,
     .claim = &claim_looks,
     .question = "A completed digit is judged by the number of pixels in which it differs from the "
                 "nearest of 2,000 digits. Which lower half comes out best?",
     .choices = {{"the true one", "each true digit differs from all others in some ten pixels."},
                 {"one copied from the digit with the nearest upper half",
                  "half of it is a digit of the 2,000, the other half was chosen to be near."},
                 {"a blank one", "it is about as near as the true one, and it is not best."}},
     .right = 2,
     .answer = "The copied one, by far, and a blank one is as good as the true one: the measure "
               "rewards copies and caution. The nats of the true half reward neither."},
    /* row 50 */
    /* row 51 */
    {.row = 0},
};
