/* colours.c: the two colour scales, for gnuplot, for pages and for the terminal; greys for the
 * terminal.
 *
 * viridis (Smith and van der Walt, Matplotlib, CC0) goes from dark to bright evenly, also in grey
 * and for colour-blind readers. RdBu (Brewer, colorbrewer2.org), reversed, is blue below 0, white
 * at 0, red above. */
#include "plot/internal.h"

#include <math.h>

typedef struct {
    int count;
    unsigned char rgb[11][3];
} Colours;

static const Colours viridis = {10,
                                {{0x44, 0x01, 0x54},
                                 {0x48, 0x28, 0x78},
                                 {0x3e, 0x49, 0x89},
                                 {0x31, 0x68, 0x8e},
                                 {0x26, 0x82, 0x8e},
                                 {0x1f, 0x9e, 0x89},
                                 {0x35, 0xb7, 0x79},
                                 {0x6e, 0xce, 0x58},
                                 {0xb5, 0xde, 0x2b},
                                 {0xfd, 0xe7, 0x25}}};

static const Colours blue_to_red = {11,
                                    {{0x05, 0x30, 0x61},
                                     {0x21, 0x66, 0xac},
                                     {0x43, 0x93, 0xc3},
                                     {0x92, 0xc5, 0xde},
                                     {0xd1, 0xe5, 0xf0},
                                     {0xf7, 0xf7, 0xf7},
                                     {0xfd, 0xdb, 0xc7},
                                     {0xf4, 0xa5, 0x82},
                                     {0xd6, 0x60, 0x4d},
                                     {0xb2, 0x18, 0x2b},
                                     {0x67, 0x00, 0x1f}}};

void plot_colours_script(FILE *out, bool diverging)
{
    const Colours *c = diverging ? &blue_to_red : &viridis;
    fputs("set palette defined (", out);
    for (int i = 0; i < c->count; i++)
        fprintf(out, "%s%d '#%02x%02x%02x'", i ? ", " : "", i, c->rgb[i][0], c->rgb[i][1],
                c->rgb[i][2]);
    fputs(")\n", out);
}

bool plot_colours_at(bool diverging, int i, char text[8])
{
    const Colours *c = diverging ? &blue_to_red : &viridis;
    if (i >= c->count)
        return false;
    snprintf(text, 8, "#%02x%02x%02x", c->rgb[i][0], c->rgb[i][1], c->rgb[i][2]);
    return true;
}

/* Pale grey, and three colours (Okabe and Ito) that colour-blind readers tell apart. */
static const struct {
    const char *name;
    unsigned char rgb[3];
} class_colour[CLASSES_MAX] = {{"#e4e4e4", {0xe4, 0xe4, 0xe4}},
                               {"#0072b2", {0x00, 0x72, 0xb2}},
                               {"#d55e00", {0xd5, 0x5e, 0x00}},
                               {"#f0e442", {0xf0, 0xe4, 0x42}}};

const char *plot_colours_class(int i)
{
    return class_colour[i].name;
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

int plot_colours_terminal(bool diverging, double place)
{
    const Colours *c = diverging ? &blue_to_red : &viridis;
    double at = place * (c->count - 1);
    int i = (int)at < c->count - 1 ? (int)at : c->count - 2, number = 0;
    for (int k = 0; k < 3; k++)
        number =
            6 * number + nearest_level(c->rgb[i][k] + (at - i) * (c->rgb[i + 1][k] - c->rgb[i][k]));
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
    int number = 0;
    for (int k = 0; k < 3; k++)
        number = 6 * number + nearest_level(class_colour[i].rgb[k]);
    return 16 + number;
}
