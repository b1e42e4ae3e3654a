/* picture.c: a Vision Transformer names the class of a picture, and shows where its class token
 * looks. */
#include "examples/pretrained/pretrained.h"

#include "examples/common/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_normalise(const Pretrained *m, Tensor *picture)
{
    PretrainedPixels p;
    int64_t colours = picture->shape.dim[0], n = tensor_size(picture) / colours;
    if (!nn_pretrained_pixels(m, &p))
        return false;
    for (int64_t c = 0; c < colours; c++)
        for (real *x = picture->data + c * n; x < picture->data + (c + 1) * n; x++)
            *x = (real)(((double)*x * p.factor - p.mean[c]) / p.deviation[c]);
    return true;
}

/* Are these pixels, whole numbers from 0 to 255? Other numbers are taken as normalised, unless they
 * are too large for that. */
static bool are_pixels(const Tensor *t, const char *option, const char *path)
{
    bool whole = true;
    double largest = 0;
    for (int64_t i = 0; i < tensor_size(t); i++) {
        double x = (double)t->data[i];
        whole = whole && x == floor(x) && x >= 0 && x <= 255;
        largest = fmax(largest, fabs(x));
    }
    if (!whole && !(largest <= 16))
        options_refuse("--%s: %s has numbers up to %g; expected whole numbers from 0 to 255, or "
                       "normalised ones",
                       option, path, largest);
    return whole;
}

static Tensor *read_picture(const Pretrained *m, const char *option, const char *path)
{
    const PretrainedConfig *c = &m->config;
    if (!path)
        options_refuse("--%s: expected a .npy file of shape (%lld, %lld, %lld), as NumPy writes it",
                       option, (long long)c->colours, (long long)c->image, (long long)c->image);
    Tensor *t = data_array_read(path, NULL);
    if (!t)
        return NULL;
    Shape need = shape3(c->colours, c->image, c->image);
    if (!shape_equal(t->shape, need))
        options_refuse("--%s: %s is %s; the model needs %s", option, path, shape_str(t->shape),
                       shape_str(need));
    if (!are_pixels(t, option, path) || picture_normalise(m, t))
        return t;
    tensor_free(t);
    return NULL;
}

/* Where the class token of the last layer looks, on the grid of patches: the mean over its heads;
 * or dL/dA of that. */
static bool draw(const Settings *s, const Pretrained *m, Tape *tape, bool gradient)
{
    char name[64], stem[512];
    snprintf(name, sizeof name, "blocks.%d.attn.A", (int)m->config.layers - 1);
    const Tensor *a = tape_find(tape, name);
    int64_t side = m->config.image / m->config.patch, T = a->shape.dim[3], H = m->config.heads,
            first = T - side * side;
    const real *numbers = gradient ? a->grad : a->data;
    Tensor *map = tensor_new(shape2(side, side));
    for (int64_t i = 0; map && i < side * side; i++)
        for (int64_t h = 0; h < H; h++)
            map->data[i] += numbers[h * T * T + first + i] / (real)H;
    PlotHeatmap h = {.map = map,
                     .title = gradient ? "dL/dA of the class token" : "where the class token looks",
                     .pixels = true,
                     .row_name = "",
                     .column_name = "",
                     .scale = {.diverging = gradient, .name = gradient ? "dL/dA" : NULL}};
    snprintf(stem, sizeof stem, "%s/attention-picture%s", s->common.out,
             gradient ? "-gradient" : "");
    bool ok = map && plot_heatmap(stem, &h, PLOT_PNG | PLOT_SVG | PLOT_PDF);
    tensor_free(map);
    return ok;
}

/* Names of the *T tokens; in DeiT the second is "distilled". */
static const char **name_tokens(const Pretrained *m, int *T)
{
    int side = (int)(m->config.image / m->config.patch), first = m->distillation_token ? 2 : 1;
    *T = side * side + first;
    return html_patch_names(side, first);
}

/* The picture with the maps of all layers. The page shows numbers from 0 to 1: what a pixel of 255
 * becomes is 1. */
bool picture_html(Html *html, const Pretrained *m, Tape *tape, const Tensor *picture,
                  const char *title)
{
    int side = (int)(m->config.image / m->config.patch), T;
    const char **names = name_tokens(m, &T);
    PretrainedPixels p;
    Tensor *image = tensor_clone(picture);
    bool ok = names && image && nn_pretrained_pixels(m, &p);
    int64_t n = ok ? tensor_size(image) / m->config.colours : 1;
    for (int64_t i = 0; ok && i < tensor_size(image); i++)
        image->data[i] = (real)(((double)image->data[i] * p.deviation[i / n] + p.mean[i / n]) /
                                (255 * p.factor));
    if (ok) {
        const HtmlAttention all = {.path = "blocks.%d.attn",
                                   .layers = (int)m->config.layers,
                                   .rows = names,
                                   .columns = names,
                                   .picture = {.image = image,
                                               .patch = (int)m->config.patch,
                                               .first = T - side * side}};
        ok = html_add(html, tape, 0, title, &all, 1);
    }
    tensor_free(image);
    free(names);
    return ok;
}

static bool write_page(const Settings *s, const Pretrained *m, Tape *tape, const Tensor *picture,
                       const Loss *loss)
{
    Html html = {.wanted = true, .loss = loss->L ? loss->text : NULL};
    bool ok = picture_html(&html, m, tape, picture, s->image) &&
              html_write(&html, &s->common, "Attention of a Vision Transformer");
    html_free(&html);
    return ok;
}

/* --cut, --patch, --lens and --sweep. */
static bool explain(const Settings *s, const Pretrained *m, Tensor *picture)
{
    int T;
    if (!cause_wanted(&s->cause))
        return true;
    const char **names = name_tokens(m, &T);
    Tensor *from = s->cause.from ? read_picture(m, "from", s->cause.from) : NULL;
    bool ok =
        names && (from || !s->cause.from) && show_picture_cause(s, m, picture, from, names, T);
    tensor_free(from);
    free(names);
    return ok;
}

bool show_picture(const Settings *s, const Pretrained *m, Tape *tape)
{
    const bool classifies = m->classifier.weight != NULL,
               gradients = s->gradients || s->common.html;
    Loss loss = {0};
    Tensor *picture = read_picture(m, "image", s->image);
    if (!picture)
        return false;
    Shape p = picture->shape;
    tape->keep_maps = true;
    tape->no_grad = !gradients;
    Tensor *x =
        nn_pretrained_run(m,
                          tape_input(tape, picture->data, shape4(1, p.dim[0], p.dim[1], p.dim[2])),
                          NULL, NULL, NULL);
    bool ok = !tensor_is_poison(x) && draw(s, m, tape, false) &&
              (!classifies || print_classes(s->image, m, nn_pretrained_classify(m, x)));
    if (ok && gradients) {
        ok = !classifies || (loss_of_label(&loss, m, x) && ag_backward(loss.L));
        loss_print(&loss, s->image);
    }
    ok = ok && (!s->gradients || !loss.L || draw(s, m, tape, true)) &&
         (!s->common.html || write_page(s, m, tape, picture, &loss));
    ok = ok && explain(s, m, picture);
    tensor_free(picture);
    return ok;
}
