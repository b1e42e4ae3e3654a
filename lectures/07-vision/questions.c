/* questions.c: what chapter 7 asks its reader (runner/questions.h), in the order of its sections. */
#include "lectures/07-vision/vision.h"

const Question vision_questions[] = {
    /* row 48 */
    /* row 49 */
    /* row 50 */
    {.row = 50,
     .claim = &claim_swin_pairs,
     .question = "8 x 8 tokens, windows of 4 x 4. In even layers the borders of the windows are "
                 "moved by 2 rows and 2 columns. How many windows are there then?",
     .choices = {{"4", "that is after the cyclic shift, which puts parts of several windows into "
                       "one square; the mask keeps them apart."},
                 {"9", "bands of 2, 4 and 2 rows, and as many of columns."},
                 {"16", "windows of 2 x 2 everywhere: only those in the corners are so small."}},
     .right = 2,
     .answer = "9: three bands of rows times three of columns, 4 x 4, 2 x 4, 4 x 2 and 2 x 2. A "
               "cyclic shift packs them into 4 squares."},
    {.row = 50,
     .claim = &claim_whole_picture,
     .question = "16 x 16 tokens, windows of 4 x 4, shifted by 2 in every second layer. After how "
                 "many layers does one corner of the picture depend on the opposite one?",
     .measure = NULL,
     .within = 0.001,
     .answer = "7: the first layer's window has 4 rows, and each further layer adds 2: 4 + 2 (l - "
               "1) >= 16.",
     .misconception = "4 = 16 / 4 adds a whole window a layer: a token in the middle gains 2 on "
                      "both sides, a corner has only one side."},
    {.row = 50,
     .claim = &claim_stage_work,
     .question = "Between two stages 2 x 2 tokens become one of twice the channels. What becomes "
                 "of the multiply-adds of a block's linear layers?",
     .choices = {{"a quarter", "there are a quarter of the tokens, but each linear layer has four "
                               "times the weights."},
                 {"as many", "n / 4 tokens times (2 C)^2."},
                 {"four times as many", "four times the weights, each used for a quarter of the "
                                        "tokens."}},
     .right = 2,
     .answer = "As many: n / 4 times (2 C)^2 is n C^2. The pairs of full attention, 2 n^2 C, fall "
               "to one eighth."},
    /* row 51 */
    {.row = 0},
};
