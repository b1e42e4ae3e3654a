/* look.c: what all pictures have in common: the size of the page, and the theme's colours.
 *
 * Fonts are counted in points of the page. On a slide a point is a pixel of 1280 x 720. A column is
 * 640 points wide and 3.35 inches in print, a page 1240 and 6.5: there a font of 22 points becomes
 * one of 8.3, and the least one of 6.4. */
#include "plot/internal.h"

static PlotLook chosen;

/* Okabe and Ito's palette for colour-blind readers; brighter on dark paper; and greys. */
static const char *const light_series[SERIES_COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                         "#E69F00", "#56B4E9", "#000000"};
static const char *const dark_series[SERIES_COLOURS] = {"#56B4E9", "#FF8A3C", "#2ECFA0", "#F0A0D0",
                                                        "#F0E442", "#8FB0FF", "#FFFFFF"};
static const char *const print_series[SERIES_COLOURS] = {"#000000", "#989898", "#585858", "#C8C8C8",
                                                         "#303030", "#787878", "#B0B0B0"};

static const Look sizes[] = {
    [PLOT_SLIDE] = {.width = 1280, .height = 720, .inches = 13.334, .least = 14},
    [PLOT_COLUMN] = {.width = 640, .height = 480, .inches = 3.35, .least = 17},
    [PLOT_PAGE] = {.width = 1240, .height = 800, .inches = 6.5, .least = 17},
};

static const Look themes[] = {
    [PLOT_LIGHT] = {.paper = "#ffffff",
                    .ink = "#000000",
                    .soft = "#404040",
                    .faint = "#e0e0e0",
                    .line = "#808080",
                    .accent = "#0072B2",
                    .mark = "#C04000",
                    .series = light_series},
    [PLOT_DARK] = {.paper = "#17171c",
                   .ink = "#f2f2f2",
                   .soft = "#c8c8c8",
                   .faint = "#3a3a42",
                   .line = "#909098",
                   .accent = "#56B4E9",
                   .mark = "#FFA060",
                   .series = dark_series},
    [PLOT_PRINT] = {.paper = "#ffffff",
                    .ink = "#000000",
                    .soft = "#303030",
                    .faint = "#e0e0e0",
                    .line = "#909090",
                    .accent = "#505050",
                    .mark = "#000000",
                    .series = print_series,
                    .grey = true},
};

bool plot_set_look(const PlotLook *look)
{
    PlotLook l = look ? *look : (PlotLook){0};
    if ((unsigned)l.size > PLOT_PAGE || (unsigned)l.theme > PLOT_PRINT ||
        l.formats > (PLOT_PNG | PLOT_SVG | PLOT_PDF))
        return tensor_fail("plot_set_look: size %d, theme %d, formats %#x; expected those of "
                           "PlotSize, PlotTheme, and PLOT_PNG | ...",
                           (int)l.size, (int)l.theme, l.formats);
    chosen = l;
    return true;
}

Look plot_look(void)
{
    Look l = themes[chosen.theme];
    const Look *size = &sizes[chosen.size];
    l.width = size->width;
    l.height = size->height;
    l.inches = size->inches;
    l.least = size->least;
    return l;
}

const char *plot_page_title(const char *title)
{
    return chosen.untitled || !title ? "" : title;
}

bool plot_formats_check(unsigned *formats, const char *who)
{
    plot_notes_begin();
    if (chosen.formats)
        *formats = chosen.formats;
    return (*formats && !(*formats & ~(unsigned)(PLOT_PNG | PLOT_SVG | PLOT_PDF))) ||
           tensor_fail(
               "%s: formats %#x; expected PLOT_PNG, PLOT_SVG, PLOT_PDF or several of them with |",
               who, *formats);
}
