/* diagram.c: boxes, circles, texts and squares, joined by arrows.
 *
 * All is placed on a page of 1280 x 720 points, which is scaled to the page of the look. The script
 * holds objects, arrows and labels of gnuplot and no data. Links are put into the SVG afterwards:
 * an invisible rectangle over each linked part. */
#include "plot/internal.h"
#include "tensor/io/input.h"
#include "plot/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 1280, HIGH = 720, FONT = 22, NOTE_FONT = 17, HEAD_LONG = 11, HEAD_WIDE = 18 };
enum { SVG_MAX = 64 << 20 };
static const double line_step = 1.25; /* from line to line, in font heights */

typedef struct {
    double x, y;
} Point;

typedef struct {
    AnyPicture d;
    const PlotDiagram *diagram;
    double scale, left, top; /* of the drawing's page on the look's */
} Picture;

static const char *colour(int i)
{
    return i > 0 ? plot_look().series[(i - 1) % SERIES_COLOURS] : plot_look().soft;
}

static double at_x(const Picture *p, double x)
{
    return p->left + p->scale * x;
}

static double at_y(const Picture *p, double y)
{
    return p->top + p->scale * y;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* One line in gnuplot's enhanced mode, in which only _ and ^ and the braces after them have a
 * meaning; all that gnuplot would interpret besides is escaped. */
static void put_formula(FILE *out, const char *text, const char *end)
{
    uint32_t before = 0;
    int open = 0;
    fputc('\'', out);
    while (text < end) {
        uint32_t c = plot_text_next(&text);
        bool index = before == '_' || before == '^', opens = c == '{' && index;
        bool closes = c == '}' && open > 0;
        open += opens - closes;
        if (c < 128 && strchr("{}@&~\\", (int)c) && !opens && !closes)
            fputc('\\', out);
        if (c == '\'')
            fputs("'.\"\\047\".'", out);
        else
            plot_text_put(out, plot_fonts_lack(c) ? 0xFFFD : c);
        before = c;
    }
    fputc('\'', out);
}

/* All lines of a text around the height y; align is left, center or right. */
static void put_text(FILE *out, const Picture *p, Point at, const char *text, double font,
                     const char *align, const char *ink)
{
    int lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    at.y -= (lines - 1) * line_step * font / 2;
    for (const char *end; text; text = *end ? end + 1 : NULL, at.y += line_step * font) {
        end = text + strcspn(text, "\n");
        if (end == text)
            continue;
        fputs("set label ", out);
        put_formula(out, text, end);
        fprintf(out, " at %.5g,%.5g %s font ',%.4g' tc rgb '%s' enhanced front\n", at_x(p, at.x),
                at_y(p, at.y), align, font * p->scale, ink);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_texts(FILE *out, const Picture *p, const PlotPart *n)
{
    bool cells = n->shape == PLOT_CELLS;
    double font = n->font > 0 ? n->font : FONT, below = cells ? n->height / 2 + NOTE_FONT : 0;
    bool both = n->text && n->note && !cells, coloured = n->shape == PLOT_TEXT && n->colour > 0;
    const char *ink = coloured ? colour(n->colour) : plot_look().ink;
    if (n->text && !cells)
        put_text(out, p, (Point){n->x, n->y - (both ? NOTE_FONT * 0.75 : 0)}, n->text, font,
                 "center", ink);
    if (n->note)
        put_text(out, p, (Point){n->x, n->y + below + (both ? font * 0.6 : 0)}, n->note, NOTE_FONT,
                 "center", plot_look().soft);
}

static void put_rectangle(FILE *out, const Picture *p, Point middle, double width, double height,
                          const char *fill, const char *edge)
{
    fprintf(out, "set object rect from %.5g,%.5g to %.5g,%.5g %s border lc rgb '%s' lw %.3g\n",
            at_x(p, middle.x - width / 2), at_y(p, middle.y - height / 2),
            at_x(p, middle.x + width / 2), at_y(p, middle.y + height / 2), fill, edge,
            2 * p->scale);
}

/* A fill that lets the paper through; share: of 255. */
static const char *tint(char fill[48], int share, const char *hue)
{
    snprintf(fill, 48, "fc rgb '#%02x%s' fs solid", 255 - share, hue + 1);
    return fill;
}

/* A digit is a square of that colour; any other character one that is empty. */
static void put_cells(FILE *out, const Picture *p, const PlotPart *n)
{
    char fill[48];
    int rows = 1, columns = (int)strcspn(n->text, "\n");
    for (const char *c = n->text; *c; c++)
        rows += *c == '\n';
    double w = n->width / columns, h = n->height / rows;
    const char *c = n->text;
    for (int r = 0; r < rows; r++, c += *c == '\n')
        for (int k = 0; k < columns && *c && *c != '\n'; k++, c++) {
            bool full = *c >= '0' && *c <= '9';
            Point middle = {n->x - n->width / 2 + (k + 0.5) * w,
                            n->y - n->height / 2 + (r + 0.5) * h};
            put_rectangle(out, p, middle, w, h,
                          full ? tint(fill, 150, colour(*c - '0')) : "fs empty", plot_look().line);
        }
}

static void put_part(FILE *out, const Picture *p, const PlotPart *n)
{
    char fill[48];
    const char *edge = n->colour >= 0 ? colour(n->colour) : plot_look().line;
    const char *inside = n->colour >= 0 ? tint(fill, n->colour ? 46 : 16, edge) : "fs empty";
    if (n->shape == PLOT_BOX)
        put_rectangle(out, p, (Point){n->x, n->y}, n->width, n->height, inside, edge);
    else if (n->shape == PLOT_CIRCLE)
        fprintf(out, "set object circle at %.5g,%.5g size %.5g %s border lc rgb '%s' lw %.3g\n",
                at_x(p, n->x), at_y(p, n->y), p->scale * n->width / 2, inside, edge, 2 * p->scale);
    else if (n->shape == PLOT_CELLS)
        put_cells(out, p, n);
}

/* ---- arrows ---------------------------------------------------------------------------------- */

enum { STOPS = 6 };
typedef struct {
    Point at;
    const PlotPart *part; /* NULL: a point */
} Stop;

static const PlotPart *find_part(const PlotDiagram *d, const char *name, size_t n)
{
    while (n > 0 && name[n - 1] == ' ')
        n--;
    for (int i = 0; i < d->count; i++)
        if (d->parts[i].name && strlen(d->parts[i].name) == n &&
            strncmp(d->parts[i].name, name, n) == 0)
            return &d->parts[i];
    return NULL;
}

/* "x > 300,200 > q": parts by name, and points. Returns how many; 0, with an error, on others. */
static int read_path(const PlotDiagram *d, const char *path, Stop stop[STOPS])
{
    int count = 0;
    for (const char *at = path, *end = at; *end && count < STOPS; at = end + (*end == '>')) {
        at += strspn(at, " ");
        end = at + strcspn(at, ">");
        Stop *s = &stop[count++];
        *s = (Stop){.part = find_part(d, at, (size_t)(end - at))};
        if (s->part)
            s->at = (Point){s->part->x, s->part->y};
        else if (sscanf(at, "%lf,%lf", &s->at.x, &s->at.y) != 2)
            count = STOPS + 1;
    }
    return count >= 2 && count <= STOPS
               ? count
               : tensor_fail("plot_diagram: found the path '%s'; expected 2 to %d names of parts "
                             "or points such as 300,200, with > between them",
                             path, STOPS);
}

/* Where one of two parts lies within the width or the height of the other, the arrow between them
 * is straight: its end moves along the larger one. */
static void straighten(Stop *a, Stop *b)
{
    for (int turn = 0; turn < 2; turn++) {
        Stop *large = turn ? b : a, *other = turn ? a : b;
        const PlotPart *n = large->part, *o = other->part;
        if (!n || n->shape == PLOT_CIRCLE)
            continue;
        if (fabs(other->at.x - n->x) <= n->width / 2 && (!o || o->width <= n->width)) {
            large->at.x = other->at.x;
            return;
        }
        if (fabs(other->at.y - n->y) <= n->height / 2 && (!o || o->height <= n->height)) {
            large->at.y = other->at.y;
            return;
        }
    }
}

/* The point of a part's edge on the way from `at`, inside of it, to another point. */
static Point leave(const PlotPart *n, Point at, Point to)
{
    double dx = to.x - at.x, dy = to.y - at.y, length = hypot(dx, dy), t = 1;
    if (n->shape == PLOT_CIRCLE)
        t = n->width / 2 / length;
    else {
        double right = n->x + copysign(n->width / 2, dx), low = n->y + copysign(n->height / 2, dy);
        t = fmin(dx == 0 ? INFINITY : (right - at.x) / dx, dy == 0 ? INFINITY : (low - at.y) / dy);
    }
    return length > 0 && isfinite(t) ? (Point){at.x + t * dx, at.y + t * dy} : at;
}

static void put_segment(FILE *out, const Picture *p, const PlotArrow *a, Point from, Point to,
                        bool last)
{
    fprintf(out,
            "set arrow from %.5g,%.5g to %.5g,%.5g %s filled size %.4g,%d fixed lw %.3g lc rgb "
            "'%s'%s\n",
            at_x(p, from.x), at_y(p, from.y), at_x(p, to.x), at_y(p, to.y),
            last && !a->line ? "head" : "nohead", HEAD_LONG * p->scale, HEAD_WIDE, 2.5 * p->scale,
            colour(a->colour), a->dashed ? " dt (6,5)" : "");
}

static void put_arrow(FILE *out, const Picture *p, const PlotArrow *a)
{
    Stop stop[STOPS];
    Point middle = {0};
    double longest = -1;
    bool lies = false;
    int count = read_path(p->diagram, a->path, stop);
    for (int i = 0; i + 1 < count; i++) {
        Stop from = stop[i], to = stop[i + 1];
        straighten(&from, &to);
        Point begin = from.part ? leave(from.part, from.at, to.at) : from.at;
        Point end = to.part ? leave(to.part, to.at, from.at) : to.at;
        put_segment(out, p, a, begin, end, i + 2 == count);
        double length = hypot(end.x - begin.x, end.y - begin.y);
        if (length > longest) {
            longest = length;
            middle = (Point){(begin.x + end.x) / 2, (begin.y + end.y) / 2};
            lies = fabs(end.x - begin.x) >= fabs(end.y - begin.y);
        }
    }
    if (a->text && lies)
        put_text(out, p, (Point){middle.x, middle.y - NOTE_FONT}, a->text, NOTE_FONT, "center",
                 colour(a->colour));
    else if (a->text)
        put_text(out, p, (Point){middle.x + 10, middle.y}, a->text, NOTE_FONT, "left",
                 colour(a->colour));
}

/* ---- the files ------------------------------------------------------------------------------- */

static void write_body(FILE *out, const void *what)
{
    const Picture *p = what;
    const PlotDiagram *d = p->diagram;
    plot_script_title(out, d->title ? d->title : "");
    for (int i = 0; i < d->count; i++) {
        put_part(out, p, &d->parts[i]);
        put_texts(out, p, &d->parts[i]);
    }
    for (int i = 0; i < d->arrow_count; i++)
        put_arrow(out, p, &d->arrows[i]);
    fputs("plot NaN\n", out);
}

/* The SVG without its last tag, and then the links. */
typedef struct {
    const Picture *picture;
    const char *bytes;
    size_t count;
} Drawn;

static void write_linked(FILE *out, const void *what)
{
    const Drawn *s = what;
    const Picture *p = s->picture;
    fwrite(s->bytes, 1, s->count, out);
    for (int i = 0; i < p->diagram->count; i++) {
        const PlotPart *n = &p->diagram->parts[i];
        if (!n->link)
            continue;
        fprintf(out, "<a href=\"%s\" target=\"_top\"><title>", n->link);
        for (const char *c = n->text ? n->text : ""; *c; c++)
            fputs(*c == '&' ? "&amp;" : *c == '<' ? "&lt;" : (char[]){*c, 0}, out);
        fprintf(out,
                "</title><rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" "
                "height=\"%.5g\" fill-opacity=\"0\"/></a>\n",
                at_x(p, n->x - n->width / 2), at_y(p, n->y - n->height / 2), p->scale * n->width,
                p->scale * n->height);
    }
    fputs("</svg>\n", out);
}

static bool add_links(const void *what)
{
    const Picture *p = what;
    if (!(p->d.formats & PLOT_SVG) || !plot_has_gnuplot())
        return true;
    char *path = plot_text_join(p->d.stem.path, ".svg", "");
    size_t count;
    char *bytes = path ? input_whole("plot_diagram", path, SVG_MAX, &count) : NULL;
    bool ok = bytes != NULL;
    if (ok) {
        char *end = strstr(bytes, "</svg>");
        Drawn drawn = {p, bytes, (size_t)((end ? end : bytes + count) - bytes)};
        ok = plot_file_write(p->d.stem.path, ".svg", write_linked, &drawn);
    }
    mem_free(bytes);
    mem_free(path);
    return ok;
}

/* ---- the picture ----------------------------------------------------------------------------- */

static bool check(const PlotDiagram *d)
{
    Stop stop[STOPS];
    bool ok = d && d->parts && d->count > 0 && (d->arrows || d->arrow_count == 0);
    for (int i = 0; ok && i < d->count; i++)
        ok = d->parts[i].shape != PLOT_CELLS || d->parts[i].text;
    if (!ok)
        return tensor_fail("plot_diagram: found no parts, no arrows, or cells without a text; "
                           "expected as many as are counted");
    for (int i = 0; ok && i < d->arrow_count; i++)
        ok = read_path(d, d->arrows[i].path, stop) > 0;
    return ok;
}

bool plot_diagram(const char *stem, const PlotDiagram *diagram, unsigned formats)
{
    if (!plot_formats_check(&formats, "plot_diagram") || !check(diagram))
        return false;
    double scale = fmin((double)PAGE_WIDTH / WIDE, (double)PAGE_HEIGHT / HIGH);
    Picture p = {.d = {.who = "plot_diagram",
                       .formats = formats,
                       .body = write_body,
                       .formulas = true,
                       .finish = add_links},
                 .diagram = diagram,
                 .scale = scale,
                 .left = (PAGE_WIDTH - scale * WIDE) / 2,
                 .top = (PAGE_HEIGHT - scale * HIGH) / 2};
    return plot_draw(&p.d, stem);
}
