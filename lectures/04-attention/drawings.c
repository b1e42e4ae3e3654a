/* drawings.c: what is drawn by hand: one head, and what masks hide. */
#include "lectures/04-attention/attention.h"

/* The numbers are those of token 1 in `./gradus example three-tokens`. */
static bool draw_head(const Sketch *s)
{
    static const PlotPart parts[] = {
        {"x", PLOT_BOX, 90, 360, 110, 80, .text = "x", .note = "(T, C)"},
        {"wq", PLOT_BOX, 270, 200, 130, 76, .text = "x W_q^T", .note = "(C, d)", .colour = 1},
        {"wk", PLOT_BOX, 270, 360, 130, 76, .text = "x W_k^T", .note = "(C, d)", .colour = 1},
        {"wv", PLOT_BOX, 270, 520, 130, 76, .text = "x W_v^T", .note = "(C, d)", .colour = 1},
        {"q", PLOT_BOX, 440, 200, 100, 76, .text = "Q", .note = "(T, d)"},
        {"k", PLOT_BOX, 440, 360, 100, 76, .text = "K", .note = "(T, d)"},
        {"v", PLOT_BOX, 440, 520, 100, 76, .text = "V", .note = "(T, d)"},
        {"fit", PLOT_BOX, 620, 280, 130, 76, .text = "Q K^T", .note = "(T, T)", .colour = 2},
        {"scale", PLOT_BOX, 775, 280, 110, 76, .text = "÷ √d", .note = "(T, T)", .colour = 2},
        {"mask", PLOT_BOX, 925, 280, 120, 76, .text = "mask", .note = "(T, T)", .colour = 2},
        {"softmax", PLOT_BOX, 1090, 280, 140, 76, .text = "softmax", .note = "of each row",
         .colour = 2},
        {"mix", PLOT_BOX, 1090, 520, 140, 76, .text = "A V", .note = "(T, T) (T, d)", .colour = 3},
        {"y", PLOT_BOX, 1090, 650, 140, 60, .text = "Y", .note = "(T, d)"},
        {NULL, PLOT_TEXT, 270, 130, .text = "asks", .colour = 1, .font = 19},
        {NULL, PLOT_TEXT, 270, 430, .text = "is found by", .colour = 1, .font = 19},
        {NULL, PLOT_TEXT, 270, 590, .text = "tells", .colour = 1, .font = 19},
        {NULL, PLOT_TEXT, 620, 214, .note = "0.98, 0, 0.98"},
        {NULL, PLOT_TEXT, 775, 214, .note = "0.69, 0, 0.69"},
        {NULL, PLOT_TEXT, 925, 214, .note = "hidden: -∞"},
        {NULL, PLOT_TEXT, 1090, 214, .note = "0.4, 0.2, 0.4"},
        {NULL, PLOT_TEXT, 1216, 650, .note = "(8, 6)"},
    };
    static const PlotArrow arrows[] = {
        {.path = "x > wq"},         {.path = "x > wk"},
        {.path = "x > wv"},         {.path = "wq > q"},
        {.path = "wk > k"},         {.path = "wv > v"},
        {.path = "q > fit"},        {.path = "k > fit"},
        {.path = "fit > scale"},    {.path = "scale > mask"},
        {.path = "mask > softmax"}, {.path = "softmax > mix", .text = "A: shares, (T, T)"},
        {.path = "v > mix"},        {.path = "mix > y"},
    };
    return SKETCH_DIAGRAM(s, "One head: each op with its shape, and the numbers of one query",
                          parts, arrows);
}

static bool draw_hidden(const Sketch *s)
{
    static const PlotPart parts[] = {
        {NULL, PLOT_CELLS, 170, 270, 240, 240,
         .text = "1.....\n11....\n111...\n1111..\n11111.\n111111"},
        {NULL, PLOT_CELLS, 480, 270, 240, 240,
         .text = "2222..\n2222..\n2222..\n2222..\n2222..\n2222.."},
        {NULL, PLOT_CELLS, 790, 270, 240, 240,
         .text = "33....\n333...\n.333..\n..333.\n...333\n....33"},
        {NULL, PLOT_CELLS, 1110, 270, 240, 160, .text = "444444\n444444\n444444\n444444"},
        {NULL, PLOT_TEXT, 170, 116, .text = "causal"},
        {NULL, PLOT_TEXT, 480, 116, .text = "padding"},
        {NULL, PLOT_TEXT, 790, 116, .text = "window, w = 1"},
        {NULL, PLOT_TEXT, 1110, 116, .text = "cross-attention"},
        {NULL, PLOT_TEXT, 170, 440, .text = "a word sees itself\nand what was before it",
         .font = 19},
        {NULL, PLOT_TEXT, 480, 440, .text = "nobody sees\nwhat fills up the batch", .font = 19},
        {NULL, PLOT_TEXT, 790, 440, .text = "a word sees\nits neighbours", .font = 19},
        {NULL, PLOT_TEXT, 1110, 440, .text = "each word of the decoder\nsees the whole source",
         .font = 19},
        {"score", PLOT_BOX, 240, 590, 250, 80, .text = "scores", .note = "1.2   0.3   -∞   -∞"},
        {"exp", PLOT_BOX, 600, 590, 250, 80, .text = "exp", .note = "3.3   1.3   0   0",
         .colour = 5},
        {"share", PLOT_BOX, 960, 590, 250, 80, .text = "shares", .note = "0.71   0.29   0   0"},
    };
    static const PlotArrow arrows[] = {
        {.path = "score > exp", .text = "e^{-∞} = 0"},
        {.path = "exp > share", .text = "÷ sum"},
        {.path = "30,150 > 30,390", .colour = 0},
        {.path = "50,136 > 290,136", .colour = 0},
    };
    return SKETCH_DIAGRAM(s, "A row asks, a column answers: which pairs a mask keeps", parts,
                          arrows);
}

const Figure attention_drawings[] = {
    {22, "head", draw_head, .what = "one head: ops, shapes, and the numbers of one query"},
    {26, "hidden", draw_hidden, .what = "four masks, and how a score is hidden"},
    {0},
};
