/* vit.c: trains a Vision Transformer on digits and draws its attention.
 *
 * An image is cut into patches; each patch becomes a token, and a transformer encoder classifies
 * the sequence of tokens. The program trains on digits that it generates; --data reads MNIST's or
 * CIFAR-10's files. Then it tests the model and draws the confusion matrix, the attention of the
 * class token, and the similarities of the learned positional encodings. */
#include "examples/vit/draw.h"

#include "examples/common/store.h"

typedef struct {
    Common common;
    ModelConfig model;
    int batch, shift;
    const char *data, *pool, *position;
} Settings;

static void read_words(Settings *s)
{
    static const char *const pools[] = {"class", "mean", NULL};
    static const char *const positions[] = {"sinusoidal", "learned", "none", NULL};
    s->model.pool = options_one_of("pool", s->pool, pools);
    s->model.position = options_one_of("position", s->position, positions); /* a PositionKind */
    if (s->model.channels % s->model.heads != 0)
        options_refuse("--heads: found %d for %d channels; expected a number that divides them",
                       s->model.heads, s->model.channels);
}

static bool get_pictures(const Settings *s, Pictures *p)
{
    bool ok = pictures_open(p, s->data, (uint64_t)s->common.seed);
    if (ok)
        printf("%s\n", p->about);
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const Fact facts[] = {
    {"side", offsetof(ModelConfig, side), 1, 1 << 12},
    {"colours", offsetof(ModelConfig, colours), 1, 16},
    {"patch", offsetof(ModelConfig, patch), 1, 1 << 12},
    {"channels", offsetof(ModelConfig, channels), 1, 1 << 14},
    {"heads", offsetof(ModelConfig, heads), 1, 1 << 14},
    {"layers", offsetof(ModelConfig, layers), 0, LAYERS_MAX},
    {"classes", offsetof(ModelConfig, classes), 1, CLASSES_MAX},
    {"position", offsetof(ModelConfig, position), 0, 2},
    {"pool", offsetof(ModelConfig, pool), 0, 1},
    {0},
};

static bool load(const Settings *s, const Pictures *pictures, Model *m, Params *p)
{
    Store store;
    ModelConfig c = {0};
    bool ok = store_open(&store, s->common.load, "vit", facts, &c, p);
    if (ok && (c.side != pictures->side || c.colours != pictures->colours))
        ok = example_fail(
            "%s: found a model of pictures %d x %d x %d; expected %d x %d x %d, as the data",
            s->common.load, c.colours, c.side, c.side, pictures->colours, pictures->side,
            pictures->side);
    return store_load(&store, ok && vit_init(m, p, c));
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool train_or_load(const Settings *s, Pictures *pictures, Model *m, Params *p)
{
    ModelConfig c = s->model;
    c.side = pictures->side;
    c.colours = pictures->colours;
    c.classes = pictures->classes;
    if (s->common.load)
        return load(s, pictures, m, p);
    if (!vit_init(m, p, c))
        return false;
    printf("%d patches of %d x %d, %lld weights\n", vit_grid(m) * vit_grid(m), c.patch, c.patch,
           (long long)params_size(p));
    return vit_train(m, p, pictures, &s->common, s->batch, s->shift) &&
           (!s->common.save || store_save(s->common.save, "vit", facts, &m->config, p));
}

static bool run(const Settings *s, Pictures *pictures, Params *p)
{
    Model m;
    Test test;
    if (!train_or_load(s, pictures, &m, p) || !vit_test(&m, pictures, &test))
        return false;
    printf("test images: accuracy %.1f %%, loss %.4f\n", 100 * test.accuracy, test.loss);
    return draw_all(&m, pictures, &test, &s->common);
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .epochs = 10,
                             .rate = 1e-3,
                             .out = "out/vit",
                             .pages = "attention.html, tape.html"},
                  .model = {.patch = 7, .channels = 64, .heads = 4, .layers = 4},
                  .batch = 64,
                  .pool = "class",
                  .position = "learned"};
    const Option own[] = {
        {"data", OPTION_TEXT, &s.data, "DIR",
         "folder with MNIST's or CIFAR-10's files; default: generated digits", 0, 0},
        {"patch-size", OPTION_INT, &s.model.patch, "N", "side of a patch in pixels", 1, 64},
        {"pool", OPTION_TEXT, &s.pool, "WHAT", "pooling: class token or mean", 0, 0},
        {"position", OPTION_TEXT, &s.position, "WHAT",
         "positional encoding: learned, sinusoidal or none", 0, 0},
        {"channels", OPTION_INT, &s.model.channels, "N", "embedding dimension", 1, 4096},
        {"heads", OPTION_INT, &s.model.heads, "N", "number of heads", 1, 64},
        {"layers", OPTION_INT, &s.model.layers, "N", "number of blocks", 1, LAYERS_MAX},
        {"batch", OPTION_INT, &s.batch, "N", "batch size in images", 1, 8192},
        {"shift", OPTION_INT, &s.shift, "N",
         "move training images at random by up to N pixels to each side", 0, 16},
        {0},
    };
    example_begin(argc, argv, "Trains a Vision Transformer and draws its attention.", &s.common,
                  own);
    read_words(&s);
    Pictures pictures;
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && get_pictures(&s, &pictures);
    if (ok) {
        ok = run(&s, &pictures, p);
        pictures_free(&pictures);
    }
    params_free(p);
    return ok ? 0 : 1;
}
