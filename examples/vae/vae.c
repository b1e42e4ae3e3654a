/* vae.c: trains a variational autoencoder to generate digits.
 *
 * Training uses no labels. The encoder maps each image to a distribution of codes z such that the
 * codes of all images together are close to N(0, 1); decoding a sample of N(0, 1) then gives a new
 * digit. The program trains on digits that it generates; --data reads MNIST's files. */
#include "examples/vae/draw.h"

#include "examples/common/store.h"

typedef struct {
    Common common;
    VaeConfig model;
    int batch;
    const char *data;
} Settings;

static bool get_pictures(const Settings *s, Pictures *p)
{
    bool ok = pictures_open(p, s->data, (uint64_t)s->common.seed);
    if (ok && p->colours != 1) {
        ok = example_fail("%s: found pictures of %d colours; expected one, as MNIST's", s->data,
                          p->colours);
        pictures_free(p);
    }
    if (ok)
        printf("%s\n", p->about);
    return ok;
}

static const Fact facts[] = {{"pixels", offsetof(VaeConfig, pixels), 1, 1 << 20},
                             {"hidden", offsetof(VaeConfig, hidden), 1, 1 << 20},
                             {"latent", offsetof(VaeConfig, latent), 1, 1 << 14},
                             {0}};

static bool load(const Settings *s, const Pictures *pictures, Vae *m, Params *p)
{
    Store store;
    VaeConfig c = {0};
    bool ok = store_open(&store, s->common.load, "vae", facts, &c, p);
    if (ok && c.pixels != pictures_size(pictures))
        ok = example_fail("%s: found a model of pictures of %d pixels; expected %lld, as the data",
                          s->common.load, c.pixels, (long long)pictures_size(pictures));
    return store_load(&store, ok && vae_init(m, p, c));
}

static bool train_or_load(const Settings *s, Pictures *pictures, Vae *m, Params *p)
{
    VaeConfig c = s->model;
    c.pixels = (int)pictures_size(pictures);
    if (s->common.load)
        return load(s, pictures, m, p);
    if (!vae_init(m, p, c))
        return false;
    printf("%d-%d-%d-%d-%d, %lld weights\n", c.pixels, c.hidden, c.latent, c.hidden, c.pixels,
           (long long)params_size(p));
    return vae_train(m, p, pictures, &s->common, s->batch) &&
           (!s->common.save || store_save(s->common.save, "vae", facts, &c, p));
}

static bool run(const Settings *s, Pictures *pictures, Params *p)
{
    Vae m;
    Elbo e;
    if (!train_or_load(s, pictures, &m, p) || !vae_test(&m, pictures, &e))
        return false;
    printf("-ELBO of the test images: %.2f nats (reconstruction %.2f + KL %.2f)\n", e.loss,
           e.reconstruction, e.kl);
    return draw_all(&m, pictures, &s->common);
}

int main(int argc, char **argv)
{
    Settings s = {
        .common = {.seed = 1, .epochs = 20, .rate = 1e-3, .out = "out/vae", .pages = "tape.html"},
        .model = {.hidden = 400, .latent = 20},
        .batch = 128};
    const Option own[] = {
        {"data", OPTION_TEXT, &s.data, "DIR",
         "folder with MNIST's files; default: generated digits", 0, 0},
        {"latent", OPTION_INT, &s.model.latent, "N",
         "dimension of the code; 2 also draws a map of the codes", 1, 512},
        {"hidden", OPTION_INT, &s.model.hidden, "N", "width of the hidden layers", 1, 8192},
        {"batch", OPTION_INT, &s.batch, "N", "batch size in images", 1, 8192},
        {0},
    };
    example_begin(argc, argv,
                  "Trains a variational autoencoder and draws reconstructions and samples.",
                  &s.common, own);
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
