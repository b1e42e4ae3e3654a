/* screen.c: what the pictures in the terminal share: whether colours are used, the width, texts of
 * exact width. */
#include "plot/internal.h"
#include "tensor/system/system.h"

#include <stdlib.h>
#include <string.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool has_colour(FILE *out, PlotTerminal mode)
{
    if (mode != PLOT_AUTO)
        return mode == PLOT_COLOUR;
    return system_has_escapes(out) && !is_set("NO_COLOR");
}

static int screen_width(FILE *out)
{
    int width = system_terminal_width(out);
    if (width == 0)
        width = is_set("COLUMNS") ? atoi(getenv("COLUMNS")) : 80;
    return width < 20 ? 20 : width > 1000 ? 1000 : width;
}

bool plot_screen_open(Screen *s, FILE *out, PlotTerminal mode, const char *who)
{
    if (!out)
        return tensor_fail("%s: out is NULL; expected an open stream", who);
    *s = (Screen){out, has_colour(out, mode), screen_width(out)};
    return true;
}

bool plot_screen_close(const Screen *s, const char *who)
{
    return (fflush(s->out) == 0 && !ferror(s->out)) ||
           tensor_fail("%s: cannot write to the file", who);
}

void plot_screen_spaces(FILE *out, int n)
{
    for (; n > 0; n--)
        fputc(' ', out);
}

/* Prints exactly `width` columns of text; a longer text ends in an ellipsis. */
void plot_screen_text(FILE *out, const char *text, int width, bool right)
{
    int length = plot_text_length(text);
    bool cut = length > width;
    if (right && !cut)
        plot_screen_spaces(out, width - length);
    int left = cut ? width - 1 : width;
    for (uint32_t c; (c = plot_text_next(&text)) && plot_text_columns(c) <= left;
         left -= plot_text_columns(c))
        plot_text_put(out, c);
    if (cut)
        plot_text_put(out, 0x2026);
    if (!right || cut)
        plot_screen_spaces(out, cut ? left : width - length);
}

void plot_screen_heading(FILE *out, const char *text)
{
    if (!*text)
        return;
    plot_screen_text(out, text, plot_text_length(text), false);
    fputc('\n', out);
}

void plot_screen_colour(const Screen *s, int colour, int width)
{
    fprintf(s->out, "\033[48;5;%dm", colour);
    plot_screen_spaces(s->out, width);
    fputs("\033[0m", s->out);
}

/* Prints `length` columns of a bar; `place` (0 to 1) selects its colour. */
void plot_screen_bar(const Screen *s, int length, double place)
{
    if (s->colour && length > 0)
        plot_screen_colour(s, plot_colours_terminal(false, place), length);
    for (int i = 0; !s->colour && i < length; i++)
        fputc('#', s->out);
}

int plot_screen_labels(const Labels *labels, int most, bool *wide)
{
    LabelBuffer buffer;
    int longest = 0;
    for (int i = 0; i < labels->count; i++) {
        const char *text = plot_label_at(labels, i, &buffer);
        int length = plot_text_length(text);
        longest = length > longest ? length : longest;
        for (uint32_t c; wide && (c = plot_text_next(&text));)
            *wide |= plot_text_columns(c) == 2;
    }
    return longest > most ? most : longest;
}
