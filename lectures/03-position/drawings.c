/* drawings.c: the sinusoids as hands that turn: a pair of channels is an angle, a step a turn. */
#include "lectures/03-position/position.h"

#include <math.h>

enum { PAIRS = 3, SHOWN = 8, LOOSE = 7, PARTS = PAIRS * (SHOWN + 1) + SHOWN + LOOSE };

static bool draw_hands(const Sketch *s)
{
    static const double rate[PAIRS] = {1, 0.3, 0.09};
    static const char *const position[SHOWN] = {"0", "1", "2", "3", "4", "5", "6", "7"},
                             *const pair[PAIRS] = {"pair 0:\n1 a step", "pair 1:\n0.3 a step",
                                                   "pair 2:\n0.09 a step"};
    static char path[PAIRS * SHOWN][64];
    PlotPart parts[PARTS] = {{NULL, PLOT_TEXT, 90, 110, .text = "position t"}};
    PlotArrow arrows[PAIRS * SHOWN] = {{.path = NULL}};
    int n = 1, hands = 0;
    for (int t = 0; t < SHOWN; t++)
        parts[n++] = (PlotPart){NULL, PLOT_TEXT, 240 + 136 * t, 110, .text = position[t]};
    for (int k = 0; k < PAIRS; k++) {
        double y = 210 + 160 * k;
        parts[n++] = (PlotPart){NULL, PLOT_TEXT, 90, y, .text = pair[k], .font = 19};
        for (int t = 0; t < SHOWN; t++, hands++) {
            double x = 240 + 136 * t, angle = rate[k] * t;
            parts[n++] = (PlotPart){NULL, PLOT_CIRCLE, x, y, 116, 116, .colour = k + 1};
            snprintf(path[hands], sizeof *path, "%.2f,%.2f > %.2f,%.2f", x, y, x + 56 * sin(angle),
                     y - 56 * cos(angle));
            arrows[hands] = (PlotArrow){.path = path[hands], .colour = k + 1};
        }
    }
    parts[n++] = (PlotPart){NULL, PLOT_TEXT, 640, 640,
                            .text = "a pair of channels is one hand: right = sin(ω t), up = "
                                    "cos(ω t), with the angle ω t"};
    parts[n++] = (PlotPart){NULL, PLOT_TEXT, 640, 680,
                            .note = "k steps further, hand i has turned by ω_i k more, wherever it "
                                    "stood: a rotation that does not depend on t"};
    PlotDiagram d = {parts, n, arrows, hands,
                     sketch_title(s, "A position as hands of clocks, each slower than the last")};
    return plot_diagram(s->stem, &d, s->formats);
}

const Figure position_drawings[] = {
    {12, "hands", draw_hands, .what = "three pairs of channels as hands, at positions 0 to 7"},
    {0},
};
