/* notes.c: what the last picture does not show as it was given: see plot_notes. */
#include "plot/internal.h"

#include <stdarg.h>
#include <string.h>

static _Thread_local char notes[2048];
static _Thread_local char first_cut[64];

void plot_notes_begin(void)
{
    notes[0] = 0;
    first_cut[0] = 0;
}

void plot_note(const char *format, ...)
{
    size_t used = strlen(notes);
    char line[400];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (!strstr(notes, line)) /* a script is written several times, once for each format */
        snprintf(notes + used, sizeof notes - used, "%s\n", line);
}

void plot_note_every(const char *which, int every)
{
    if (every > 1)
        plot_note("of the %s every %d%s is drawn: there is space for no more", which, every,
                  every == 2   ? "nd"
                  : every == 3 ? "rd"
                               : "th");
}

void plot_note_cut(const char *text)
{
    if (!*first_cut)
        snprintf(first_cut, sizeof first_cut, "%s", text);
}

const char *plot_notes(void)
{
    if (*first_cut)
        plot_note("texts that are too long for their space end in an ellipsis, such as \"%s\"",
                  first_cut);
    return notes;
}
