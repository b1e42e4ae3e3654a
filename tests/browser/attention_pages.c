/* attention_pages.c: writes the pages that attention.py opens, each with its numbers as .npy:
 *
 *     attention-pages FOLDER
 *
 * The weights are softmax rows of counter-based random scores, so that every number of a map is
 * another one. */
#include "gradus.h"
#include "plot/pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;

static const char *path_of(const char *name)
{
    static char path[2][1024];
    static int next;
    char *text = path[next++ % 2];
    snprintf(text, sizeof path[0], "%s/%s", folder, name);
    return text;
}

/* A leaf with attention weights (H, T, S) and, if wanted, numbers in place of its gradient. causal:
 * a row sees columns up to its own. */
static Tensor *weights_of(int64_t H, int64_t T, int64_t S, uint64_t seed, bool causal)
{
    Tensor *t = tensor_new(shape3(H, T, S));
    Rng rng = {.seed = seed};
    for (int64_t row = 0; t && row < H * T; row++) {
        real *x = t->data + row * S;
        double sum = 0;
        for (int64_t j = 0; j < S; j++) {
            double score = exp(4 * rng_uniform(&rng));
            x[j] = causal && j > row % T ? 0 : (real)score;
            sum += (double)x[j];
        }
        for (int64_t j = 0; j < S; j++)
            x[j] = (real)((double)x[j] / sum);
    }
    return t;
}

static bool save(const char *name, const Tensor *t)
{
    return tensor_npy_write(path_of(name), t);
}

/* Tokens that would end a script, an attribute or a line, in several writing directions. */
static const char *const hostile[] = {"</script><script>window.attacked = 1</script>",
                                      "<img src=x onerror='window.attacked = 1'>",
                                      "\" onclick=\"window.attacked = 1",
                                      "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                                      "\xe7\x8c\xab",
                                      ("stra\xc3\x9f"
                                       "e"),
                                      " \n\xe2\x80\xa8",
                                      "\xff\x01"};

/* Two layers of two heads, with hostile tokens. */
static bool small_page(void)
{
    Tensor *map[2] = {weights_of(2, 8, 8, 1, false), weights_of(2, 8, 8, 2, false)};
    bool ok = map[0] && map[1] && save("small-1.npy", map[0]) && save("small-2.npy", map[1]);
    const PlotPageLayer layers[] = {{.map = map[0]}, {.map = map[1]}};
    const PlotPageAttention attention = {.layers = layers, .layer_count = 2, .rows = hostile};
    const PlotPageInput input = {.title = "<b>a title</b>",
                                 .attentions = &attention,
                                 .attention_count = 1};
    const PlotPage page = {.title = "<i>Attention</i> & more", .inputs = &input, .input_count = 1};
    ok = ok && plot_page_attention(path_of("small.html"), &page);
    for (int i = 0; i < 2; i++)
        tensor_free(map[i]);
    return ok;
}

/* ---- two sentences through a small model, with gradients ------------------------------------- */

enum { LAYERS = 2, HEADS = 2, CHANNELS = 8, WORDS = 11 };
static const char *const tired[WORDS] = {"The",     "animal", "didn't", "cross", "the",  "street",
                                         "because", "it",     "was",    "too",   "tired"};
static const char *const wide[WORDS] = {"The",     "animal", "didn't", "cross", "the", "street",
                                        "because", "it",     "was",    "too",   "wide"};

static const Tensor *find(Tape *tape, const char *part, int layer, int input)
{
    char name[TENSOR_NAME_MAX];
    snprintf(name, sizeof name, input ? "layer%d.%s#%d" : "layer%d.%s", layer, part, input + 1);
    return tape_find(tape, name);
}

/* Both sentences on one tape; the loss is the sum of the squares of the outputs. */
static Tensor *pass(Tape *tape, MultiHeadAttention *layers, uint64_t seed)
{
    real x[WORDS * CHANNELS];
    Rng rng = {.seed = seed};
    for (int i = 0; i < WORDS * CHANNELS; i++)
        x[i] = (real)(2 * rng_normal(&rng));
    Tensor *y = tape_input(tape, x, shape3(1, WORDS, CHANNELS));
    for (int l = 0; l < LAYERS; l++)
        y = ag_add(y, nn_attention(&layers[l], y, (Mask){0}));
    return ag_sum(ag_mul(y, y));
}

static bool save_part(const char *file, const Tensor *t, bool gradient)
{
    Tensor copy = *t;
    if (gradient)
        copy.data = t->grad;
    return save(file, &copy);
}

/* pair.html, and of input 1, layer 2: pair-A.npy, pair-dA.npy, pair-q.npy, pair-k.npy. */
static bool pair_page(void)
{
    Params *p = params_new(3);
    Tape *tape = tape_new(0);
    MultiHeadAttention layer[LAYERS];
    PlotPageLayer maps[2][LAYERS];
    tape->keep_maps = true;
    for (int l = 0; l < LAYERS; l++)
        if (!nn_attention_init(&layer[l], p, params_path(p, "layer%d", l), CHANNELS, HEADS, 0))
            return false;
    if (!ag_backward(ag_add(pass(tape, layer, 7), pass(tape, layer, 8))))
        return false;
    for (int i = 0; i < 2; i++)
        for (int l = 0; l < LAYERS; l++)
            maps[i][l] = (PlotPageLayer){.map = find(tape, "A", l, i),
                                         .q = find(tape, "q", l, i),
                                         .k = find(tape, "k", l, i)};
    const PlotPageAttention attention[] = {
        {.layers = maps[0], .layer_count = LAYERS, .rows = tired},
        {.layers = maps[1], .layer_count = LAYERS, .rows = wide}};
    const PlotPageInput inputs[] = {
        {.title = "… tired", .attentions = &attention[0], .attention_count = 1},
        {.title = "… wide", .attentions = &attention[1], .attention_count = 1}};
    const PlotPageLayer *last = &maps[0][LAYERS - 1];
    bool ok = plot_page_attention(path_of("pair.html"), &(PlotPage){.title = "Attention",
                                                                    .inputs = inputs,
                                                                    .input_count = 2}) &&
              save_part("pair-A.npy", last->map, false) &&
              save_part("pair-dA.npy", last->map, true) &&
              save_part("pair-A1.npy", maps[0][0].map, false) &&
              save_part("pair-q.npy", last->q, false) && save_part("pair-k.npy", last->k, false);
    tape_free(tape);
    params_free(p);
    return ok;
}

/* ---- an encoder-decoder, and an image in patches --------------------------------------------- */

static const char *const source[] = {"Soy", "un", "estudiante"};
static const char *const target[] = {"I", "am", "a", "student", "<eos>"};

/* three.html: the three attentions of an encoder-decoder, the decoder's causal. */
static bool three_page(void)
{
    Tensor *map[3] = {weights_of(2, 3, 3, 11, false), weights_of(2, 5, 5, 12, true),
                      weights_of(2, 5, 3, 13, false)};
    PlotPageLayer layer[3];
    PlotPageAttention attentions[3] = {{.name = "encoder", .rows = source},
                                       {.name = "decoder", .rows = target},
                                       {.name = "cross-attention",
                                        .rows = target,
                                        .columns = source}};
    bool ok = map[0] && map[1] && map[2] && save("three-decoder.npy", map[1]) &&
              save("three-cross.npy", map[2]);
    for (int i = 0; i < 3; i++) {
        layer[i] = (PlotPageLayer){.map = map[i]};
        attentions[i].layers = &layer[i];
        attentions[i].layer_count = 1;
    }
    const PlotPageInput input = {.title = "Soy un estudiante",
                                 .attentions = attentions,
                                 .attention_count = 3};
    ok = ok &&
         plot_page_attention(path_of("three.html"),
                             &(PlotPage){.title = "Attention", .inputs = &input, .input_count = 1});
    for (int i = 0; i < 3; i++)
        tensor_free(map[i]);
    return ok;
}

/* image.html: an image of 8 x 8 in four patches, after a class token. */
static bool image_page(void)
{
    Tensor *map = weights_of(2, 5, 5, 21, false), *image = tensor_new(shape3(1, 8, 8));
    for (int i = 0; image && i < 64; i++)
        image->data[i] = (real)(i / 63.0);
    const char *const names[] = {"class", "1,1", "1,2", "2,1", "2,2"};
    const PlotPageLayer layer = {.map = map};
    const PlotPageAttention attention = {.layers = &layer,
                                         .layer_count = 1,
                                         .rows = names,
                                         .picture = {.image = image, .patch = 4, .first = 1}};
    const PlotPageInput input = {.title = "a ramp", .attentions = &attention, .attention_count = 1};
    bool ok =
        map && image && save("image.npy", map) &&
        plot_page_attention(path_of("image.html"), &(PlotPage){.title = "Attention of patches",
                                                               .inputs = &input,
                                                               .input_count = 1});
    tensor_free(map);
    tensor_free(image);
    return ok;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* 12 layers of 12 heads, as in BERT base, with T tokens. */
static bool large_page(const char *name, int T, bool gradients)
{
    enum { DEEP = 12 };
    PlotPageLayer layer[DEEP] = {{0}};
    Tensor *map[2 * DEEP] = {0};
    bool ok = true;
    for (int l = 0; l < DEEP; l++) {
        map[l] = weights_of(DEEP, T, T, 100 + (uint64_t)l, false);
        map[DEEP + l] = gradients ? weights_of(DEEP, T, T, 200 + (uint64_t)l, false) : NULL;
        layer[l] = (PlotPageLayer){.map = map[l], .gradient = map[DEEP + l]};
        ok = ok && map[l];
    }
    const PlotPageAttention attention = {.layers = layer, .layer_count = DEEP};
    const PlotPageInput input = {.attentions = &attention, .attention_count = 1};
    ok = ok && plot_page_attention(path_of(name),
                                   &(PlotPage){.title = name, .inputs = &input, .input_count = 1});
    for (int i = 0; i < 2 * DEEP; i++)
        tensor_free(map[i]);
    return ok;
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    bool ok = small_page() && pair_page() && three_page() && image_page() &&
              large_page("64.html", 64, true) && large_page("512.html", 512, false);
    if (!ok)
        fprintf(stderr, "%s\n", tensor_error());
    return ok ? 0 : 1;
}
