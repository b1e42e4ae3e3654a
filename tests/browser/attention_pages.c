/* attention_pages.c: writes the pages that attention.py opens, each with its numbers as .npy:
 *
 *     attention-pages FOLDER
 *
 * The weights are softmax rows of counter-based random scores, so that every number of a map is another one. */
#include "gradus.h"

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

/* A leaf with attention weights (H, T, S) and, if wanted, numbers in place of its gradient. causal: a row sees columns up to
 * its own. */
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
                                      "stra\xc3\x9f"
                                      "e",
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

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    bool ok = small_page();
    if (!ok)
        fprintf(stderr, "%s\n", tensor_error());
    return ok ? 0 : 1;
}
