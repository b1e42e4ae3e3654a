/* colours.c: the colour scales, for gnuplot, for pages and for the terminal; greys for the
 * terminal.
 *
 * viridis (Smith and van der Walt, Matplotlib, CC0) goes from dark to bright evenly, also in grey
 * and for colour-blind readers. RdBu (Brewer, colorbrewer2.org), reversed, is blue below 0, white
 * at 0, red above. */
#include "plot/internal.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int count;
    uint32_t rgb[11];
} Colours;

static const Colours viridis = {10,
                                {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89,
                                 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725}};

static const Colours blue_to_red = {11,
                                    {0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7,
                                     0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f}};

/* From pale to black, as ink on paper; diverging, black at both ends: numbers below 0 are hatched
 * (plot_colours_negative). */
static const Colours grey = {2, {0xf2f2f2, 0x000000}};
static const Colours grey_from_0 = {3, {0x000000, 0xffffff, 0x000000}};

static const Colours *colours_of(bool diverging)
{
    return diverging ? &blue_to_red : plot_look().grey ? &grey : &viridis;
}

void plot_colours_script(FILE *out, const Sheet *s)
{
    const Colours *c = plot_colours_negative(s) ? &grey_from_0 : colours_of(s->diverging);
    fputs("set palette defined (", out);
    for (int i = 0; i < c->count; i++)
        fprintf(out, "%s%d '#%06x'", i ? ", " : "", i, c->rgb[i]);
    fputs(")\n", out);
}

#define FILL(colour) "fs solid noborder fc rgb '" colour "'"
#define HATCH(n)     "fs pattern " n " noborder fc rgb '#000000'"

const char *plot_colours_negative(const Sheet *s)
{
    bool greys = s->diverging && !s->grey && plot_look().grey;
    return greys ? "fs transparent pattern 4 noborder fc rgb '#ffffff'" : NULL;
}

const char *plot_colours_outside(const Sheet *s, int side)
{
    static const char *const fill[][3] = {
        {FILL("#00d0ff"), FILL("#b0b0b0"), FILL("#ff2020")}, /* beside viridis */
        {HATCH("5"), HATCH("1"), HATCH("4")},                /* grey */
        {FILL("#00d0a0"), FILL("#b0b0b0"), FILL("#ffb000")}, /* blue to red */
        {HATCH("2"), HATCH("1"), HATCH("7")},                /* diverging greys */
    };
    int row = plot_colours_negative(s) ? 3 : s->diverging ? 2 : plot_look().grey ? 1 : 0;
    return fill[row][side + 1];
}

/* The ends of the diverging scale are dark, the beginning of the others, and the end of the
 * greys. */
void plot_colours_dark(FILE *out, const Sheet *s, const Block *b)
{
    if (s->diverging && !b->grey) {
        fprintf(out, "abs($3) > %.6g && abs($3) <= %.6g", 0.6 * s->high, s->over);
        return;
    }
    bool falls = !b->grey && colours_of(false) == &grey && !s->legend;
    double low = b->grey ? b->low : s->low, high = b->grey ? b->high : s->high;
    double part = falls ? 0.5 : 0.6;
    double at = low + part * (high - low);
    if (falls)
        fprintf(out, "$3 > %.6g && $3 <= %.6g", at, s->over);
    else if (b->grey || s->legend)
        fprintf(out, "$3 < %.6g", at);
    else
        fprintf(out, "$3 < %.6g && $3 >= %.6g", at, s->under);
}

bool plot_colours_at(bool diverging, int i, char text[8])
{
    const Colours *c = diverging ? &blue_to_red : &viridis;
    if (i >= c->count)
        return false;
    snprintf(text, 8, "#%06x", c->rgb[i]);
    return true;
}

/* Pale grey, and three colours (Okabe and Ito) that colour-blind readers tell apart; their
 * brightnesses differ, so they are also told apart in greys. */
static const char *const class_colour[CLASSES_MAX] = {"#e4e4e4", "#0072b2", "#d55e00", "#f0e442"};

const char *plot_colours_class(int i)
{
    return class_colour[i];
}

/* A palette of steps: class i between i and i + 1. */
void plot_colours_classes(FILE *out, int classes)
{
    fputs("set palette defined (", out);
    for (int i = 0; i < classes; i++)
        fprintf(out, "%s%d '%s', %d '%s'", i ? ", " : "", i, plot_colours_class(i), i + 1,
                plot_colours_class(i));
    fputs(")\n", out);
}

/* The 256 colours of a terminal contain a cube of 6 x 6 x 6 colours with these levels, from number
 * 16. */
static int nearest_level(double x)
{
    static const int level[6] = {0, 95, 135, 175, 215, 255};
    int i = 0;
    while (i < 5 && x > (level[i] + level[i + 1]) / 2.0)
        i++;
    return i;
}

/* Red, green or blue, 0 to 255. */
static int channel(uint32_t rgb, int k)
{
    return rgb >> (16 - 8 * k) & 255;
}

int plot_colours_terminal(bool diverging, double place)
{
    const Colours *c = colours_of(diverging);
    double at = place * (c->count - 1);
    int i = (int)at < c->count - 1 ? (int)at : c->count - 2, number = 0;
    for (int k = 0; k < 3; k++)
        number = 6 * number + nearest_level((1 - at + i) * channel(c->rgb[i], k) +
                                            (at - i) * channel(c->rgb[i + 1], k));
    return 16 + number;
}

/* Black and white of the cube, and between them the terminal's greys 232 to 255, of brightness 8,
 * 18, ..., 238. */
int plot_colours_grey_terminal(double place)
{
    double brightness = 255 * place;
    if (brightness < 4)
        return 16;
    if (brightness > (238 + 255) / 2.0)
        return 231;
    int i = (int)floor((brightness - 8) / 10 + 0.5);
    return 232 + (i < 0 ? 0 : i > 23 ? 23 : i);
}

int plot_colours_class_terminal(int i)
{
    uint32_t rgb = (uint32_t)strtoul(class_colour[i] + 1, NULL, 16);
    int number = 0;
    for (int k = 0; k < 3; k++)
        number = 6 * number + nearest_level(channel(rgb, k));
    return 16 + number;
}
