/* drawings.c: what is drawn by hand: the path of a gradient through time, and an LSTM cell. */
#include "lectures/01-recurrence/recurrence.h"

static bool draw_path(const Sketch *s)
{
    static const PlotPart parts[] = {
        {"h1", PLOT_CIRCLE, 200, 240, 80, 80, .text = "h_1"},
        {"h2", PLOT_CIRCLE, 420, 240, 80, 80, .text = "h_2"},
        {"h3", PLOT_CIRCLE, 640, 240, 80, 80, .text = "h_3"},
        {"h4", PLOT_CIRCLE, 860, 240, 80, 80, .text = "h_4"},
        {"h5", PLOT_CIRCLE, 1080, 240, 80, 80, .text = "h_5"},
        {"x1", PLOT_BOX, 200, 350, 70, 44, .text = "x_1"},
        {"x2", PLOT_BOX, 420, 350, 70, 44, .text = "x_2"},
        {"x3", PLOT_BOX, 640, 350, 70, 44, .text = "x_3"},
        {"x4", PLOT_BOX, 860, 350, 70, 44, .text = "x_4"},
        {"x5", PLOT_BOX, 1080, 350, 70, 44, .text = "x_5"},
        {"L", PLOT_CIRCLE, 1220, 240, 60, 60, .text = "L", .colour = 2},
        {NULL, PLOT_TEXT, 200, 142, .text = "0.06", .colour = 2},
        {NULL, PLOT_TEXT, 420, 142, .text = "0.13", .colour = 2},
        {NULL, PLOT_TEXT, 640, 142, .text = "0.25", .colour = 2},
        {NULL, PLOT_TEXT, 860, 142, .text = "0.5", .colour = 2},
        {NULL, PLOT_TEXT, 1080, 142, .text = "1", .colour = 2},
        {NULL, PLOT_TEXT, 640, 90,
         .text = "recurrence: each step multiplies the gradient, here by w tanh' = 0.5",
         .font = 20},
        {NULL, PLOT_TEXT, 640, 440,
         .text = "attention: one step from the result to every token, however far", .font = 20},
        {"y", PLOT_CIRCLE, 1080, 520, 80, 80, .text = "y_5", .colour = 3},
        {"t1", PLOT_BOX, 200, 660, 70, 44, .text = "x_1"},
        {"t2", PLOT_BOX, 420, 660, 70, 44, .text = "x_2"},
        {"t3", PLOT_BOX, 640, 660, 70, 44, .text = "x_3"},
        {"t4", PLOT_BOX, 860, 660, 70, 44, .text = "x_4"},
        {"t5", PLOT_BOX, 1080, 660, 70, 44, .text = "x_5"},
        {"L2", PLOT_CIRCLE, 1220, 520, 60, 60, .text = "L", .colour = 2},
    };
    static const PlotArrow arrows[] = {
        {.path = "x1 > h1"},
        {.path = "x2 > h2"},
        {.path = "x3 > h3"},
        {.path = "x4 > h4"},
        {.path = "x5 > h5"},
        {.path = "h1 > h2"},
        {.path = "h2 > h3"},
        {.path = "h3 > h4"},
        {.path = "h4 > h5"},
        {.path = "h5 > L"},
        {.path = "1050,176 > 890,176", .text = "× 0.5", .colour = 2},
        {.path = "830,176 > 670,176", .text = "× 0.5", .colour = 2},
        {.path = "610,176 > 450,176", .text = "× 0.5", .colour = 2},
        {.path = "390,176 > 230,176", .text = "× 0.5", .colour = 2},
        {.path = "y > t1", .colour = 2},
        {.path = "y > t2", .colour = 2},
        {.path = "y > t3", .colour = 2},
        {.path = "y > t4", .colour = 2},
        {.path = "y > t5", .colour = 2},
        {.path = "L2 > y", .colour = 2},
    };
    return SKETCH_DIAGRAM(s, "The way of a gradient back to the first token", parts, arrows);
}

static bool draw_cell(const Sketch *s)
{
    static const PlotPart parts[] = {
        {"c0", PLOT_BOX, 90, 160, 110, 60, .text = "c_{t-1}"},
        {"keep", PLOT_CIRCLE, 300, 160, 60, 60, .text = "×", .colour = 1},
        {"add", PLOT_CIRCLE, 600, 160, 60, 60, .text = "+", .colour = 1},
        {"c1", PLOT_BOX, 1190, 160, 110, 60, .text = "c_t"},
        {"let", PLOT_CIRCLE, 600, 320, 60, 60, .text = "×", .colour = 1},
        {"tanh", PLOT_BOX, 960, 260, 110, 54, .text = "tanh"},
        {"show", PLOT_CIRCLE, 960, 390, 60, 60, .text = "×", .colour = 1},
        {"h1", PLOT_BOX, 1190, 390, 110, 60, .text = "h_t"},
        {"f", PLOT_BOX, 300, 500, 180, 84, .text = "f_t = σ(...)", .note = "forget: what stays",
         .colour = 3},
        {"i", PLOT_BOX, 500, 500, 170, 84, .text = "i_t = σ(...)", .note = "input: how much",
         .colour = 3},
        {"g", PLOT_BOX, 690, 500, 170, 84, .text = "g_t = tanh(...)", .note = "what is new",
         .colour = 2},
        {"o", PLOT_BOX, 890, 500, 190, 84, .text = "o_t = σ(...)", .note = "output: what shows",
         .colour = 3},
        {"h0", PLOT_BOX, 90, 640, 150, 60, .text = "h_{t-1}, x_t"},
        {NULL, PLOT_TEXT, 450, 118, .text = "gradient: × f_t", .colour = 1, .font = 19},
        {NULL, PLOT_TEXT, 560, 690,
         .note = "(...): W x_t + U h_{t-1} + b, each gate with weights of its own"},
    };
    static const PlotArrow arrows[] = {
        {.path = "c0 > keep"},         {.path = "keep > add"},
        {.path = "add > c1"},          {.path = "f > keep"},
        {.path = "i > 510,320 > let"}, {.path = "g > 690,320 > let"},
        {.path = "let > add"},         {.path = "960,160 > tanh"},
        {.path = "tanh > show"},       {.path = "o > 890,390 > show"},
        {.path = "show > h1"},         {.path = "h0 > 890,640", .line = true},
        {.path = "300,640 > f"},       {.path = "510,640 > i"},
        {.path = "690,640 > g"},       {.path = "890,640 > o"},
    };
    return SKETCH_DIAGRAM(s, "An LSTM cell: c passes by, gates say what is kept, added and shown",
                          parts, arrows);
}

const Figure recurrence_drawings[] = {
    {2, "path", draw_path, .what = "the gradient's way back: a factor a step, or one step"},
    {3, "cell", draw_cell, .what = "an LSTM cell and its gates"},
    {0},
};
