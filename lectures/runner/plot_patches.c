/* plot_patches.c: the kind patches of the command `plot`: the weights of an image's patches, over
 * the image. A row of an attention map has a weight for each token; the tokens before the patches,
 * such as [CLS], are left out, and said. */
#define GRADUS_INSIDE /* an error names the user's file, not this one */
#include "lectures/runner/plot_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_MAX = 8, PANELS_MAX = 17 };

/* The image as brightnesses (h, w) from 0 to 1, and how it is cut. */
typedef struct {
    Tensor *image;
    int first, down, across; /* tokens before the patches; rows and columns of patches */
} Cut;

/* ---- the image ------------------------------------------------------------------------------- */

/* Luma of red, green and blue (Rec. 601); one channel as it is. step: from channel to channel. */
static double brightness(const real *pixel, int64_t channels, int64_t step)
{
    if (channels < 3)
        return (double)pixel[0];
    return 0.299 * (double)pixel[0] + 0.587 * (double)pixel[step] + 0.114 * (double)pixel[2 * step];
}

/* To 0 .. 1: bytes by 255; numbers that are neither, as after a normalisation, by their own
 * range. */
static void scale_image(Tensor *image)
{
    double low = INFINITY, high = -INFINITY;
    const int64_t n = tensor_size(image);
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, (double)image->data[i]);
        high = fmax(high, (double)image->data[i]);
    }
    bool unit = low >= 0 && high <= 1, bytes = !unit && low >= 0 && high <= 255;
    if (!unit && !bytes)
        printf("the image's numbers are %g to %g: drawn from black to white\n", low, high);
    low = unit || bytes ? 0 : low;
    high = unit ? 1 : bytes ? 255 : high;
    for (int64_t i = 0; i < n; i++)
        image->data[i] = (real)(((double)image->data[i] - low) / (high > low ? high - low : 1));
}

static Tensor *read_image(const char *path)
{
    Tensor *t = tensor_array_read(path, NULL), *out = NULL;
    if (!t)
        return NULL;
    const Shape s = t->shape;
    int skip = 0; /* leading axes of length 1 */
    while (s.rank - skip > 2 && s.dim[skip] == 1)
        skip++;
    int rank = s.rank - skip;
    const int64_t *dim = s.dim + skip;
    bool last = rank == 3 && (dim[2] == 3 || dim[2] == 4), before = rank == 3 && dim[0] == 3;
    int64_t h = before ? dim[1] : dim[0], w = before ? dim[2] : dim[1];
    if ((rank == 2 || last || before) && h > 1 && w > 1 && (out = tensor_new(shape2(h, w)))) {
        for (int64_t i = 0; i < h * w; i++)
            out->data[i] = (real)brightness(t->data + (last ? dim[2] * i : i), rank == 2 ? 1 : 3,
                                            last ? 1 : h * w);
        scale_image(out);
    } else {
        tensor_fail("%s: found an array %s; expected an image (h, w), (3, h, w) or (h, w, 3)", path,
                    shape_str(s));
    }
    tensor_free(t);
    return out;
}

/* ---- the patches ----------------------------------------------------------------------------- */

/* Finds how the image is cut: from --patch, or so that patches are square and as few tokens as
 * possible come before them. */
static bool find_cut(Cut *c, const Wish *w, const Source *from)
{
    int64_t tokens = shape_last(from->numbers->shape), height = c->image->shape.dim[0],
            width = c->image->shape.dim[1];
    if (w->patch) {
        if (height % w->patch || width % w->patch)
            return tensor_fail("--patch: found %d; expected a divisor of the image's sides, %s",
                               w->patch, shape_str(c->image->shape));
        c->down = (int)(height / w->patch);
        c->across = (int)(width / w->patch);
        c->first = (int)(tokens - (int64_t)c->down * c->across);
        return c->first >= 0 ||
               tensor_fail("--patch: %d x %d patches; expected at most the %lld tokens of %s",
                           c->down, c->across, (long long)tokens, from->name);
    }
    for (c->first = 0; c->first <= FIRST_MAX; c->first++) {
        double down = sqrt((double)(tokens - c->first) * (double)height / (double)width);
        c->down = (int)lround(down);
        c->across = c->down > 0 ? (int)((tokens - c->first) / c->down) : 0;
        if (tokens > 2 * c->first && (int64_t)c->down * c->across == tokens - c->first &&
            height * c->across == width * c->down)
            return true;
    }
    return tensor_fail("%s has %lld tokens, which are no square patches of the image %s; expected "
                       "--patch",
                       from->name, (long long)tokens, shape_str(c->image->shape));
}

/* The weights of a head's row, or of the heads' mean, as (down, across); NaN where `head` is
 * none. */
static Tensor *panel_of(const Source *from, const Cut *c, int item, int head, int64_t row)
{
    const Tensor *t = from->numbers;
    const int rank = t->shape.rank;
    int64_t tokens = shape_last(t->shape), rows = rank > 1 ? t->shape.dim[rank - 2] : 1;
    int64_t heads = rank > 2 ? t->shape.dim[rank - 3] : 1;
    bool none = head < PLOT_MEAN;
    int64_t begin = head < 0 ? 0 : head, end = none ? 0 : head == PLOT_MEAN ? heads : head + 1;
    Tensor *out = tensor_new(shape2(c->down, c->across));
    for (int64_t i = 0; out && i < shape_size(out->shape); i++) {
        double sum = 0;
        for (int64_t h = begin; h < end; h++)
            sum += (double)t->data[((item * heads + h) * rows + row) * tokens + c->first + i];
        out->data[i] = none ? (real)NAN : (real)(sum / (double)(end - begin));
    }
    return out;
}

/* ---- the picture ----------------------------------------------------------------------------- */

typedef struct {
    PlotHeatmap map[PANELS_MAX];
    Tensor *numbers[PANELS_MAX];
    char title[PANELS_MAX][32];
    int count;
} Panels;

static bool add_panel(Panels *p, const Source *from, const Cut *c, const Wish *w, int head,
                      int64_t row)
{
    static const int none = PLOT_MEAN - 1;
    int k = p->count++;
    p->numbers[k] = panel_of(from, c, w->item - 1, head, row);
    snprintf(p->title[k], sizeof p->title[k],
             head == none        ? "image"
             : head == PLOT_MEAN ? "mean"
                                 : "head %d",
             head + 1);
    p->map[k] = (PlotHeatmap){.map = p->numbers[k],
                              .image = c->image,
                              .pixels = true,
                              .title = p->title[k]};
    return p->numbers[k] != NULL;
}

/* The image alone, and over it each head, or the one that --head names. */
static bool add_panels(Panels *p, const Source *from, const Cut *c, const Wish *w)
{
    const Shape *s = &from->numbers->shape;
    int64_t rows = s->rank > 1 ? s->dim[s->rank - 2] : 1;
    int heads = s->rank > 2 ? (int)s->dim[s->rank - 3] : 1;
    int64_t row = w->row ? strtol(w->row, NULL, 10) - 1 : 0;
    if (row < 0 || row >= rows)
        return tensor_fail("--row: found '%s'; expected 1 to %lld", w->row, (long long)rows);
    if (rows > 1 && !w->row)
        printf("%s: the weights of row 1; --row 1 to %lld\n", from->name, (long long)rows);
    bool one = options_given("head") || heads == 1;
    if (!one && heads > PANELS_MAX - 1)
        return tensor_fail("%s has %d heads; expected --head 1 to %d, or 0, their mean", from->name,
                           heads, heads);
    bool ok = add_panel(p, from, c, w, PLOT_MEAN - 1, row);
    for (int h = 0; ok && !one && h < heads; h++)
        ok = add_panel(p, from, c, w, h, row);
    return ok && (!one || add_panel(p, from, c, w, heads == 1 ? 0 : w->head - 1, row));
}

bool draw_patches(const Wish *w)
{
    static Sources s;
    Panels p = {.count = 0};
    Cut c = {0};
    WordList classes;
    int item, head;
    if (!w->image)
        options_refuse("expected --image FILE.npy, the image that the patches are of");
    bool ok = sources_open(&s, w) && (c.image = read_image(w->image));
    Source *from = &s.source[0];
    if (ok && s.count != 1)
        ok = tensor_fail("found %d arrays; expected one, the weights", s.count);
    ok = ok &&
         (options_given("head") ? source_part(from, w, &item, &head)
                                : from->numbers->shape.rank <= 4) &&
         find_cut(&c, w, from) && add_panels(&p, from, &c, w);
    if (ok)
        printf("%d x %d patches, %d token%s before them\n", c.down, c.across, c.first,
               c.first == 1 ? "" : "s");
    for (int k = 0; k < p.count; k++)
        p.map[k].scale = wish_scale(w, &classes);
    ok = ok && plot_heatmaps(w->out, p.map, p.count, w->title, w->formats) &&
         plot_terminal_heatmaps(stdout, p.map + 1, p.count - 1, PLOT_AUTO);
    for (int k = 0; k < p.count; k++)
        tensor_free(p.numbers[k]);
    tensor_free(c.image);
    sources_close(&s);
    return ok;
}
