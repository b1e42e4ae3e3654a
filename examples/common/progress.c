/* progress.c: see progress.h. */
#include "examples/common/progress.h"

#include "plot/system.h"
#include "tensor/system/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 24, SILENCE = 4 }; /* columns; seconds in a log without a line */

double seconds(void)
{
    return 1e-9 * (double)system_clock();
}

Progress progress_begin(const char *what, int64_t total, bool quiet)
{
    const char *no_color = getenv("NO_COLOR");
    return (Progress){
        .what = what,
        .total = total,
        .quiet = quiet,
        .terminal = system_has_escapes(stderr),
        .colour = !no_color || !*no_color,
        .began = seconds(),
        .unit = "steps",
        .per_step = 1,
    };
}

/* "[#######.......]", with or without colour. */
static void draw_bar(const Progress *p, int64_t done)
{
    char full[BAR + 1], empty[BAR + 1];
    int n = p->total > 0 ? (int)(done * BAR / p->total) : BAR;
    memset(full, '#', BAR);
    memset(empty, '.', BAR);
    fprintf(stderr, "\r\033[K%s [%s%.*s%s%.*s]", p->what, p->colour ? "\033[36m" : "", n, full,
            p->colour ? "\033[0m" : "", BAR - n, empty);
}

void progress_show(Progress *p, int64_t done, const char *format, ...)
{
    if (p->quiet)
        return;
    double now = seconds(), spent = now - p->began;
    int64_t tenth = p->total > 0 ? done * 10 / p->total : 10;
    bool due = p->terminal ? now - p->shown >= 0.1 || done >= p->total
                           : tenth != p->tenth || now - fmax(p->shown, p->began) >= SILENCE;
    if (!due)
        return;
    p->shown = now;
    p->tenth = tenth;

    char said[128];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    double made = (double)(done - p->first), speed = spent > 0 ? made * p->per_step / spent : 0;
    double left = made > 0 ? spent * (double)(p->total - done) / made : 0;
    if (p->terminal)
        draw_bar(p, done);
    else
        fprintf(stderr, "%s", p->what);
    fprintf(stderr, " %lld/%lld  %s  %.*f %s/s  %.0f s left%s", (long long)done,
            (long long)p->total, said, speed < 10, speed, p->unit, left, p->terminal ? "" : "\n");
    fflush(stderr);
}

double progress_end(Progress *p)
{
    if (!p->quiet && p->terminal)
        fprintf(stderr, "\r\033[K");
    return seconds() - p->began;
}
