/* shapes.c: blocks as bricks: what goes in and comes out, and who sees whom (row 36).
 *
 *   encoder block (B, T, C) -> (B, T, C);   decoder block (B, T, C), memory (B, S, C) -> (B, T, C)
 *                V "Encoder Block Summarized", "Decoder Block: Summarized", Z "Transformer Layer", J, H
 *
 * B's pseudo-code gives every layer the tokens x again
 * and has no residual path; the former is tried here. */
#include "lectures/05-block/block.h"

enum { LAYERS = 4, WIDTH = 16, HEADS = 2, TOKENS = 6, SOURCE = 5 };

typedef struct {
    Params *params;
    Tape *tape;
    TransformerBlock encoder[LAYERS];
    DecoderBlock decoder[LAYERS];
    Linear narrow;
    Rng rng;
} Bricks;

static bool bricks_init(Bricks *b, uint64_t seed)
{
    BlockConfig c = {.channels = WIDTH, .heads = HEADS, .post_norm = true};
    *b = (Bricks){.params = params_new(seed),
                  .tape = tape_new(seed),
                  .rng = {.seed = seed, .stream = 36}};
    Params *p = b->params;
    bool ok = p && b->tape && nn_linear_init(&b->narrow, p, "narrow", WIDTH, WIDTH / 2, true);
    for (int l = 0; ok && l < LAYERS; l++)
        ok = nn_transformer_block_init(&b->encoder[l], p, params_path(p, "encoder.%d", l), c) &&
             nn_decoder_block_init(&b->decoder[l], p, params_path(p, "decoder.%d", l), c);
    return ok;
}

static void bricks_free(Bricks *b)
{
    tape_free(b->tape);
    params_free(b->params);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static int differs(Trial *t, const char *what, Shape in, Shape out)
{
    explain(t, "%s: in %s, out %s", what, shape_str(in), shape_str(out));
    return !shape_equal(in, out);
}

static double same_shape(Trial *t)
{
    static const int sizes[][2] = {{1, 1}, {1, 7}, {3, 2}, {2, 6}};
    Bricks b;
    int wrong = 0;
    if (!bricks_init(&b, t->seed))
        return (double)NAN;
    for (int i = 0; i < 4; i++) {
        Shape s = shape3(sizes[i][0], sizes[i][1], WIDTH);
        Tensor *x = values_normal(b.tape, &b.rng, s, 1), *y = x;
        Tensor *memory = values_normal(b.tape, &b.rng, shape3(sizes[i][0], SOURCE, WIDTH), 1),
               *z = x;
        for (int l = 0; l < LAYERS; l++) {
            y = nn_transformer_block(&b.encoder[l], y, (Mask){0});
            z = nn_decoder_block(&b.decoder[l], z, memory, (Mask){0}, (Mask){0});
        }
        if (broken(t, "narrow"))
            y = nn_linear(&b.narrow, y);
        wrong += differs(t, "4 encoder blocks", s, y->shape) +
                 differs(t, "4 decoder blocks", s, z->shape);
    }
    bricks_free(&b);
    return wrong;
}

/* max |layers one on another - the last layer on x alone|. */
static double stacked(Trial *t)
{
    Bricks b;
    if (!bricks_init(&b, t->seed))
        return (double)NAN;
    Tensor *x = values_normal(b.tape, &b.rng, shape3(1, TOKENS, WIDTH), 1), *y = x;
    for (int l = 0; l < LAYERS; l++)
        y = nn_transformer_block(&b.encoder[l], broken(t, "re-read") ? x : y, (Mask){0});
    double off = values_difference(y, nn_transformer_block(&b.encoder[LAYERS - 1], x, (Mask){0}));
    explain(t, "4 layers and the 4th alone differ by %.3g", off);
    bricks_free(&b);
    return off;
}

/* ---- who sees whom --------------------------------------------------------------------------- */

typedef enum { ENCODER, DECODER, CROSS } Sight;

/* |dy_t / dx_s|, or of memory's tokens, into reach (TOKENS x columns): a pass for each t. */
static bool reach_of(Bricks *b, Sight sight, real *reach)
{
    int columns = sight == CROSS ? SOURCE : TOKENS;
    for (int t = 0; t < TOKENS; t++) {
        real upstream[TOKENS * WIDTH] = {0};
        tape_reset(b->tape);
        Rng rng = {.seed = b->params->seed, .stream = 361};
        Tensor *x = values_leaf(b->tape, &rng, shape3(1, TOKENS, WIDTH), 1);
        Tensor *memory = values_leaf(b->tape, &rng, shape3(1, SOURCE, WIDTH), 1);
        Tensor *y = sight == ENCODER
                        ? nn_transformer_block(&b->encoder[0], x, (Mask){0})
                        : nn_decoder_block(&b->decoder[0], x, memory, (Mask){0}, (Mask){0});
        for (int c = 0; c < WIDTH; c++)
            upstream[t * WIDTH + c] = (real)rng_normal(&rng);
        if (!ag_backward_from(y, upstream))
            return false;
        const real *grad = sight == CROSS ? memory->grad : x->grad;
        for (int s = 0; s < columns; s++) {
            double sum = 0;
            for (int c = 0; c < WIDTH; c++)
                sum += (double)grad[s * WIDTH + c] * (double)grad[s * WIDTH + c];
            reach[t * columns + s] = (real)sqrt(sum);
        }
    }
    return true;
}

static double decoder_past(Trial *t)
{
    Bricks b;
    real reach[TOKENS * TOKENS], encoder[TOKENS * TOKENS];
    double future = 0, past = INFINITY, all = INFINITY;
    if (!bricks_init(&b, t->seed) || !reach_of(&b, ENCODER, encoder) ||
        !reach_of(&b, broken(t, "encoder") ? ENCODER : DECODER, reach))
        return (double)NAN;
    for (int i = 0; i < TOKENS * TOKENS; i++)
        all = values_least(all, (double)encoder[i]);
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++) {
            double r = (double)reach[i * TOKENS + j];
            if (j > i)
                future = values_worst(future, r);
            else
                past = values_least(past, r);
        }
    explain(t, "|dy_t/dx_s|: at most %.3g for s > t, at least %.3g for s <= t", future, past);
    explain(t, "in an encoder block: at least %.3g for all s and t", all);
    bricks_free(&b);
    return past > 0 && all > 0 ? future : (double)NAN;
}

/* The decoder block's three lines by hand. V's index puts the layer below's y^ into the query of
 * layer l. */
static Tensor *decoder_by_hand(const DecoderBlock *d, Tensor *y, Tensor *below, Tensor *memory)
{
    Tensor *hat =
        nn_norm(&d->norm1, ag_add(nn_attention(&d->self_attn, y, (Mask){.causal = true}), y));
    Tensor *query = below ? below : hat;
    Tensor *seen = nn_cross_attention(&d->cross_attn, query, memory, (Mask){0});
    Tensor *tilde = nn_norm(&d->norm2, ag_add(seen, query));
    return nn_norm(&d->norm3, ag_add(nn_feedforward(&d->ff, tilde), tilde));
}

static double cross_query(Trial *t)
{
    Bricks b;
    if (!bricks_init(&b, t->seed))
        return (double)NAN;
    Tensor *y = values_normal(b.tape, &b.rng, shape3(1, TOKENS, WIDTH), 1);
    Tensor *memory = values_normal(b.tape, &b.rng, shape3(1, SOURCE, WIDTH), 1);
    const DecoderBlock *first = &b.decoder[0], *second = &b.decoder[1];
    Tensor *below = nn_norm(&first->norm1,
                            ag_add(nn_attention(&first->self_attn, y, (Mask){.causal = true}), y));
    Tensor *library = nn_decoder_block(first, y, memory, (Mask){0}, (Mask){0});
    Tensor *want =
        decoder_by_hand(second, library, broken(t, "layer-below") ? below : NULL, memory);
    library = nn_decoder_block(second, library, memory, (Mask){0}, (Mask){0});
    double off = values_difference(library, want);
    explain(t, "two decoder blocks and the lines by hand differ by %.3g", off);
    bricks_free(&b);
    return off;
}

const Claim block_shapes_claims[] = {
    {36, same_shape, "a block's output has its input's shape, so blocks stack",
     .slides = {"V: Encoder Block Summarized", "V: Encoder Block", "Z: Transformer Layer",
                "H: Transformer Encoder", "J: Overview of the Transformer Encoder (Cell)",
                "J: Transformer Decoder", "J: Transformer Encoder for Text Classification"},
     .quantity = "stacks of 4 whose shape changes, of 8",
     EXACTLY(0, "every sub-layer is added to what went into it"),
     .faults = {{"narrow", "a layer that halves the width ends the stack"}},
     HOLDS_POISONED("compares shapes; no number is read")},
    {36, stacked, "layers that all read x, as in B's code, are one layer deep",
     .slides = {"B: Transformer-Based LM: Context Extractor", "V: Encoder Block Summarized"},
     .quantity = "max |4 layers - the 4th layer on x alone|",
     AT_LEAST(0.1, "numbers of size 1 that went through three more layers"),
     .faults = {{"re-read", "c = SelfAttention(x) in every turn of the loop"}},
     .against = {MISPRINTED, "B: Transformer-Based LM: Context Extractor",
                 "\"for l = 1 : L do c <- SelfAttention(x, H), c <- MLP(c)\": every layer reads "
                 "the tokens x, as line 2 of \"Self-Attention: Single Head\" does, x_t <- "
                 "embd(x_t) + embd(t)"}},
    {36, decoder_past,
     "in an encoder block a token sees all tokens, in a decoder block itself and earlier ones",
     .slides = {"V: Decoder Block: Attention Layers", "V: Decoder Block",
                "J: Transformer Decoder: Autoregressive Target Sequence Generation",
                "H: Transformer Decoder in Seq2Seq"},
     .quantity = "max |dy_t/dx_s| for s > t in a decoder block; NaN if any other is 0",
     EXACTLY(0, "the mask gives later tokens a weight of exactly 0, forward and backward"),
     .faults = {{"encoder", "an encoder block instead"}}},
    {36, cross_query,
     "a decoder block: y^ = LN(self(y) + y), y~ = LN(cross(y^) + y^), LN(ff(y~) + y~)",
     .slides = {"V: Decoder Block: Attention Layers", "V: Decoder Block: Summarized",
                "H: Transformer Decoder in Seq2Seq", "Z: Sequence-to-sequence transformers"},
     .quantity = "max |library's second decoder block - its three lines|",
     EXACTLY(0, "the same operations on the same numbers, in the same order"),
     .faults = {{"layer-below", "the query is y^(l-1), as the slide's index says"}}},
    {0},
};

static bool draw_reach(const Sketch *s)
{
    static const char *const titles[] = {"encoder block", "decoder block", "decoder block, memory"};
    real reach[3][TOKENS * TOKENS];
    PlotHeatmap maps[3];
    Bricks b;
    bool ok = bricks_init(&b, s->seed);
    for (int i = 0; ok && i < 3; i++) {
        int columns = i == CROSS ? SOURCE : TOKENS;
        ok = reach_of(&b, (Sight)i, reach[i]);
        for (int k = 0; k < TOKENS * columns; k++) /* decades: what is 0 is grey */
            reach[i][k] = (real)log10((double)reach[i][k]);
    }
    tape_reset(b.tape);
    for (int i = 0; ok && i < 3; i++)
        maps[i] = (PlotHeatmap){
            .map = tape_input(b.tape, reach[i], shape2(TOKENS, i == CROSS ? SOURCE : TOKENS)),
            .title = titles[i],
            .row_name = i ? "" : "output, token",
            .column_name = i == CROSS ? "source, token" : "input, token",
            .scale = {.low = -2,
                      .high = 1,
                      .name = "log\xe2\x82\x81\xe2\x82\x80 |dy/dx|; grey: exactly 0"}};
    ok = ok && plot_heatmaps(s->stem, maps, 3, sketch_title(s, "Which input reaches which output"),
                             s->formats);
    bricks_free(&b);
    return ok;
}

const Figure shapes_figures[] = {
    {36, "reach", draw_reach,
     .what = "which input reaches which output: all in an encoder block, the past in a decoder "
             "block; grey is exactly 0"},
    {0},
};
