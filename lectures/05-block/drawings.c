/* drawings.c: what is drawn by hand: the two places of a norm, and the whole Transformer. In an SVG
 * each part leads to its section of the page that `./gradus lecture 5 --html` writes. */
#include "lectures/05-block/block.h"

#define ATTENTION "../04-attention.html#48-masks-row-26"
#define CROSS     "../04-attention.html#49-cross-attention-row-27"
#define POSITION  "../03-position.html#33-four-notations-one-table-row-12"
#define PATH      "../05-block.html#51-the-residual-path-row-31"
#define NORM      "../05-block.html#52-layernorm-row-32"
#define FORWARD   "../05-block.html#54-the-feed-forward-layer-row-34"
#define WHOLE     "../05-block.html#57-the-whole-row-37"

static bool draw_norms(const Sketch *s)
{
    static const PlotPart parts[] = {
        {NULL, PLOT_TEXT, 640, 100,
         .text = "post-norm: x ← LN(x + f(x)); each norm is on the path"},
        {"x", PLOT_BOX, 80, 270, 80, 60, .text = "x"},
        {"attn", PLOT_BOX, 290, 270, 170, 70, .text = "attention", .note = "branch: X_{att} (J)",
         .colour = 1, .link = ATTENTION},
        {"add", PLOT_CIRCLE, 460, 270, 50, 50, .text = "+", .link = PATH},
        {"norm", PLOT_BOX, 570, 270, 80, 60, .text = "LN", .colour = 3, .link = NORM},
        {NULL, PLOT_TEXT, 645, 244, .note = "x̂ (V)"},
        {"ff", PLOT_BOX, 820, 270, 170, 70, .text = "feed-forward", .note = "FFN (V), MLP (B, Z)",
         .colour = 2, .link = FORWARD},
        {"add2", PLOT_CIRCLE, 990, 270, 50, 50, .text = "+", .link = PATH},
        {"norm2", PLOT_BOX, 1090, 270, 80, 60, .text = "LN", .colour = 3, .link = NORM},
        {"y", PLOT_BOX, 1210, 270, 80, 60, .text = "x^{(l)}"},
        {NULL, PLOT_TEXT, 640, 410,
         .text = "pre-norm: x ← x + f(LN(x)); the path is a sum from end to end"},
        {"px", PLOT_BOX, 80, 590, 80, 60, .text = "x"},
        {"pnorm", PLOT_BOX, 230, 590, 80, 60, .text = "LN", .colour = 3, .link = NORM},
        {"pattn", PLOT_BOX, 390, 590, 170, 70, .text = "attention", .colour = 1, .link = ATTENTION},
        {"padd", PLOT_CIRCLE, 540, 590, 50, 50, .text = "+", .link = PATH},
        {NULL, PLOT_TEXT, 590, 564, .note = "Z (Z)"},
        {"pnorm2", PLOT_BOX, 700, 590, 80, 60, .text = "LN", .colour = 3, .link = NORM},
        {"pff", PLOT_BOX, 860, 590, 170, 70, .text = "feed-forward", .colour = 2, .link = FORWARD},
        {"padd2", PLOT_CIRCLE, 1010, 590, 50, 50, .text = "+", .link = PATH},
        {"py", PLOT_BOX, 1210, 590, 80, 60, .text = "x^{(l)}"},
        {NULL, PLOT_TEXT, 1100, 545, .note = "LN after the\nlast block"},
    };
    static const PlotArrow arrows[] = {
        {.path = "x > attn"},
        {.path = "attn > add"},
        {.path = "add > norm"},
        {.path = "norm > ff"},
        {.path = "ff > add2"},
        {.path = "add2 > norm2"},
        {.path = "norm2 > y"},
        {.path = "150,270 > 150,180 > 460,180 > add", .text = "path", .colour = 4},
        {.path = "680,270 > 680,180 > 990,180 > add2", .text = "path", .colour = 4},
        {.path = "px > pnorm"},
        {.path = "pnorm > pattn"},
        {.path = "pattn > padd"},
        {.path = "padd > pnorm2"},
        {.path = "pnorm2 > pff"},
        {.path = "pff > padd2"},
        {.path = "padd2 > py"},
        {.path = "150,590 > 150,500 > 540,500 > padd", .text = "path", .colour = 4},
        {.path = "620,590 > 620,500 > 1010,500 > padd2", .text = "path", .colour = 4},
    };
    return SKETCH_DIAGRAM(s, "One block, with its norms on the path and beside it", parts, arrows);
}

static bool draw_transformer(const Sketch *s)
{
    static const PlotPart parts[] = {
        {"enc", PLOT_BOX, 330, 405, 400, 350, .colour = -1, .link = WHOLE},
        {"dec", PLOT_BOX, 880, 368, 400, 436, .colour = -1, .link = WHOLE},
        {NULL, PLOT_TEXT, 76, 400, .text = "encoder\nL times"},
        {NULL, PLOT_TEXT, 1150, 360, .text = "decoder\nL times"},
        {"src", PLOT_TEXT, 330, 690, 300, 30, .text = "words of the source"},
        {"dst", PLOT_TEXT, 880, 690, 340, 30, .text = "words so far, one to the right"},
        {"e", PLOT_BOX, 330, 620, 260, 44, .text = "embedding + position", .font = 19,
         .link = POSITION},
        {"d", PLOT_BOX, 880, 620, 260, 44, .text = "embedding + position", .font = 19,
         .link = POSITION},
        {"ea", PLOT_BOX, 330, 520, 230, 50, .text = "attention", .colour = 1, .link = ATTENTION},
        {"en", PLOT_BOX, 330, 445, 230, 40, .text = "+, LN: x̂", .colour = 3, .font = 19,
         .link = NORM},
        {"ef", PLOT_BOX, 330, 355, 230, 50, .text = "feed-forward", .colour = 2, .link = FORWARD},
        {"eo", PLOT_BOX, 330, 280, 230, 40, .text = "+, LN: x^{(l)}", .colour = 3, .font = 19,
         .link = NORM},
        {"da", PLOT_BOX, 880, 535, 250, 44, .text = "masked attention", .colour = 1, .font = 20,
         .link = ATTENTION},
        {"dn", PLOT_BOX, 880, 472, 250, 38, .text = "+, LN: ŷ", .colour = 3, .font = 19,
         .link = NORM},
        {"dc", PLOT_BOX, 880, 397, 250, 44, .text = "cross-attention", .colour = 1, .font = 20,
         .link = CROSS},
        {"dm", PLOT_BOX, 880, 334, 250, 38, .text = "+, LN: ỹ", .colour = 3, .font = 19,
         .link = NORM},
        {"df", PLOT_BOX, 880, 262, 250, 44, .text = "feed-forward", .colour = 2, .font = 20,
         .link = FORWARD},
        {"do", PLOT_BOX, 880, 198, 250, 38, .text = "+, LN: y^{(l)}", .colour = 3, .font = 19,
         .link = NORM},
        {"out", PLOT_BOX, 880, 110, 300, 44, .text = "linear, softmax: next word", .font = 19,
         .link = WHOLE},
    };
    static const PlotArrow arrows[] = {
        {.path = "src > e"},
        {.path = "dst > d"},
        {.path = "e > ea"},
        {.path = "ea > en"},
        {.path = "en > ef"},
        {.path = "ef > eo"},
        {.path = "d > da"},
        {.path = "da > dn"},
        {.path = "dn > dc"},
        {.path = "dc > dm"},
        {.path = "dm > df"},
        {.path = "df > do"},
        {.path = "do > out"},
        {.path = "330,570 > 175,570 > 175,445 > en", .colour = 4},
        {.path = "330,402 > 175,402 > 175,280 > eo", .colour = 4},
        {.path = "880,577 > 1040,577 > 1040,472 > dn", .colour = 4},
        {.path = "880,436 > 1040,436 > 1040,334 > dm", .colour = 4},
        {.path = "880,299 > 1040,299 > 1040,198 > do", .colour = 4},
        {.path = "eo > 330,190 > 600,190 > 600,397 > dc", .text = "memory: K, V", .colour = 5},
    };
    return SKETCH_DIAGRAM(s, "The Transformer, post-norm as in the paper", parts, arrows);
}

const Figure block_drawings[] = {
    {35, "norms", draw_norms, .what = "a block with post-norm and with pre-norm"},
    {37, "transformer", draw_transformer, .what = "encoder and decoder, each part once"},
    {0},
};
