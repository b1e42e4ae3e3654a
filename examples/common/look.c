/* look.c: see look.h. */
#include "examples/common/look.h"

#include <string.h>

static unsigned formats_of(const char *list)
{
    static const struct {
        const char *name;
        unsigned bit;
    } known[] = {{"png", PLOT_PNG}, {"svg", PLOT_SVG}, {"pdf", PLOT_PDF}};
    unsigned formats = 0;
    while (*list) {
        size_t n = strcspn(list, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == n && strncmp(known[i].name, list, n) == 0)
                bit = known[i].bit;
        if (!bit)
            options_refuse("--format: found '%.*s'; expected png, svg, pdf or several of them "
                           "with commas",
                           (int)n, list);
        formats |= bit;
        list += n + (list[n] == ',');
    }
    return formats;
}

unsigned look_set(const LookOptions *look)
{
    static const char *const sizes[] = {"slide", "column", "page", NULL};
    static const char *const themes[] = {"light", "dark", "print", NULL};
    PlotLook l = {.formats = formats_of(look->format ? look->format : "png,svg,pdf"),
                  .untitled = look->no_title};
    if (look->size)
        l.size = (PlotSize)options_one_of("size", look->size, sizes);
    if (look->theme)
        l.theme = (PlotTheme)options_one_of("theme", look->theme, themes);
    plot_set_look(&l);
    return l.formats;
}
