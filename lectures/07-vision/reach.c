/* reach.c: how far a gradient reaches through windows of a picture (row 50).
 *
 *   fixed windows     M x M tokens, however many layers
 *   shifted windows   l M x l M tokens after l layers, up to the picture's borders
 *   full attention    all tokens in one layer */
#include "lectures/07-vision/vision.h"

enum { WINDOW = 4, SHIFT = WINDOW / 2, C = 8, STREAM = 5020 };

/* ---- which tokens have a gradient ------------------------------------------------------------ */

enum { WIDE = 16, PICTURE = WIDE * WIDE };

/* The windows of layer 1, 2, ... */
static Windows layer_windows(int layer, bool shifting)
{
    return (Windows){WIDE, WINDOW, shifting && layer % 2 == 0 ? SHIFT : 0};
}

/* Which of the tokens have a gradient from one number of the query's result, after `layers` layers.
 * Returns how many. */
static int reached(uint64_t seed, int layers, bool shifting, int query, bool seen[PICTURE])
{
    int count = 0;
    Params *p = params_new(seed);
    Tape *tape = tape_new(seed);
    Rng rng = {.seed = seed, .stream = STREAM};
    Tensor *x = values_leaf(tape, &rng, shape3(1, PICTURE, C), 1), *y = x;
    for (int l = 1; l <= layers; l++) {
        MultiHeadAttention a;
        nn_attention_init(&a, p, params_path(p, "layer.%d", l), C, 2, 0);
        y = swin_attention(&a, y, layer_windows(l, shifting));
    }
    real upstream[PICTURE * C] = {0};
    upstream[query * C] = 1;
    bool ok = ag_backward_from(y, upstream);
    for (int i = 0; i < PICTURE; i++) {
        seen[i] = false;
        for (int c = 0; ok && c < C; c++)
            seen[i] = seen[i] || x->grad[i * C + c] != 0;
        count += seen[i];
    }
    tape_free(tape);
    params_free(p);
    return count;
}

/* Is row (or column) i within reach of row r? The last layer's window begins at a; each layer below
 * it adds M/2 on both sides: a - (layers - 1) M/2 <= i < a + M + (layers - 1) M/2. */
static bool within_reach(int layers, int r, int i)
{
    Windows last = layer_windows(layers, true);
    int a = (windows_band(last, r) - 1) * WINDOW + last.shift, more = (layers - 1) * SHIFT;
    return i >= a - more && i < a + WINDOW + more;
}

static double swin_reach(Trial *t)
{
    enum { LAYERS = 5 };
    int wrong = 0;
    for (int layers = 1; layers <= LAYERS; layers++) {
        int here = 0, most = 0;
        for (int r = 0; r < WIDE; r++) { /* the queries on the diagonal */
            bool seen[PICTURE];
            int count = reached(t->seed, layers, !broken(t, "no-shift"), r * WIDE + r, seen);
            most = count > most ? count : most;
            for (int i = 0; i < PICTURE; i++)
                here += seen[i] !=
                        (within_reach(layers, r, i / WIDE) && within_reach(layers, r, i % WIDE));
        }
        explain(t, "%d layers: up to %3d tokens, (%d M)^2 = %3d; %d of %d differ from the formula",
                layers, most, layers, layers * layers * WINDOW * WINDOW, here, WIDE * PICTURE);
        wrong += here;
    }
    return wrong;
}

const Claim reach_claims[] = {
    {50, swin_reach,
     "l layers with shifted windows reach l M x l M tokens, each layer M/2 more on each side",
     .slides = {"V: Next Two Lectures: Iterations of Transformers"},
     .quantity = "tokens whose gradient is 0 or not 0 against the formula, 16 queries, l = 1 to 5",
     EXACTLY(0, "a window of one layer meets two of the other along each axis; beyond them "
                "exactly 0"),
     .faults = {{"no-shift", "all layers have the same windows"}}},
    {0},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* 0: no gradient; 1: had one with fewer layers; 2: has one since this layer; 3: the query. */
static void reach_map(Tensor *map, const bool *before, const bool *now, int query)
{
    for (int i = 0; i < PICTURE; i++)
        map->data[i] = i == query ? 3 : !now[i] ? 0 : before[i] ? 1 : 2;
}

static bool draw_swin_reach(const Sketch *s)
{
    enum { LAYERS = 4, QUERY = 6 * WIDE + 7 };
    static const char *const legend[] = {"gradient 0", "reached before", "new", "query", NULL};
    static char title[2][LAYERS][64];
    PlotHeatmap maps[2 * LAYERS];
    for (int shifting = 0; shifting < 2; shifting++) {
        bool seen[2][PICTURE] = {{false}};
        for (int l = 1; l <= LAYERS; l++) {
            Tensor *map = tensor_new(shape2(WIDE, WIDE));
            int count = reached(s->seed, l, shifting, QUERY, seen[l % 2]);
            reach_map(map, seen[(l + 1) % 2], seen[l % 2], QUERY);
            snprintf(title[shifting][l - 1], sizeof title[0][0], "%s, %d layer%s: %d",
                     shifting ? "shifted" : "fixed", l, l > 1 ? "s" : "", count);
            PlotHeatmap *one = &maps[shifting * LAYERS + l - 1];
            *one = sketch_picture(map, title[shifting][l - 1]);
            one->scale = (PlotScale){.legend = legend};
        }
    }
    bool ok = plot_heatmaps(s->stem, maps, 2 * LAYERS,
                            sketch_title(s, "How many of 16 x 16 tokens does one depend on?"),
                            s->formats);
    for (int k = 0; k < 2 * LAYERS; k++)
        tensor_free((Tensor *)maps[k].map);
    return ok;
}

const Figure reach_figures[] = {
    {50, "swin_reach", draw_swin_reach,
     .what = "fixed windows never reach beyond their border, shifted ones M/2 further each layer"},
    {0},
};
