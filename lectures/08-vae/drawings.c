/* drawings.c: what is drawn by hand: the two graphs of a gradient through a sample. */
#include "lectures/08-vae/vae.h"

static bool draw_graphs(const Sketch *s)
{
    static const PlotPart parts[] = {
        {NULL, PLOT_TEXT, 640, 100, .text = "z is drawn from q(z | x): the draw has no derivative"},
        {"x", PLOT_BOX, 80, 230, 80, 60, .text = "x"},
        {"enc", PLOT_BOX, 260, 230, 150, 70, .text = "encoder", .note = "φ", .colour = 1},
        {"mu", PLOT_BOX, 460, 180, 90, 50, .text = "µ"},
        {"sd", PLOT_BOX, 460, 280, 90, 50, .text = "σ"},
        {"z", PLOT_CIRCLE, 670, 230, 110, 110, .text = "z", .note = "drawn", .colour = 2},
        {"dec", PLOT_BOX, 890, 230, 150, 70, .text = "decoder", .note = "θ", .colour = 3},
        {"L", PLOT_BOX, 1130, 230, 190, 60, .text = "log p(x | z)"},
        {NULL, PLOT_TEXT, 640, 410,
         .text = "z is computed from a noise ε that depends on nothing: z = µ + σ ε"},
        {"rx", PLOT_BOX, 80, 560, 80, 60, .text = "x"},
        {"renc", PLOT_BOX, 260, 560, 150, 70, .text = "encoder", .note = "φ", .colour = 1},
        {"rmu", PLOT_BOX, 460, 510, 90, 50, .text = "µ"},
        {"rsd", PLOT_BOX, 460, 610, 90, 50, .text = "σ"},
        {"rz", PLOT_BOX, 670, 560, 130, 80, .text = "µ + σ ε", .note = "= z", .colour = 1},
        {"eps", PLOT_CIRCLE, 670, 680, 56, 56, .text = "ε", .colour = 2},
        {"rdec", PLOT_BOX, 890, 560, 150, 70, .text = "decoder", .note = "θ", .colour = 3},
        {"rL", PLOT_BOX, 1130, 560, 190, 60, .text = "log p(x | z)"},
        {NULL, PLOT_TEXT, 800, 690, .note = "ε ~ N(0, 1)"},
    };
    static const PlotArrow arrows[] = {
        {.path = "x > enc"},
        {.path = "enc > mu"},
        {.path = "enc > sd"},
        {.path = "mu > z"},
        {.path = "sd > z"},
        {.path = "z > dec"},
        {.path = "dec > L"},
        {.path = "1130,350 > 760,350", .text = "gradient to θ, and no further", .colour = 2},
        {.path = "570,350 > 260,350",
         .text = "dz/dµ, dz/dσ: undefined",
         .colour = 2,
         .dashed = true,
         .line = true},
        {.path = "rx > renc"},
        {.path = "renc > rmu"},
        {.path = "renc > rsd"},
        {.path = "rmu > rz"},
        {.path = "rsd > rz"},
        {.path = "eps > rz"},
        {.path = "rz > rdec"},
        {.path = "rdec > rL"},
        {.path = "1130,470 > 760,470", .text = "dL/dz", .colour = 2},
        {.path = "640,470 > 260,470", .text = "dL/dµ = dL/dz,  dL/dσ = ε dL/dz", .colour = 2},
    };
    return SKETCH_DIAGRAM(s, "Where the gradient of a VAE can pass", parts, arrows);
}

const Figure vae_drawings[] = {
    {56, "graphs", draw_graphs, .what = "z drawn, and z computed from noise"},
    {0},
};
