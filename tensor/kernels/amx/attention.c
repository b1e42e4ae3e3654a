/* attention.c: the products of a tile of attention in the tile unit, from bfloat16 slices
 * (kernels/amx/slices.h).
 *
 *      S^T = K Q^T,  dP^T = V G^T            sums over the depth
 *      O += P V,  dQ += dS K                 sums over the keys
 *      dV += P^T G,  dK += dS^T Q            sums over the queries
 *
 * kernels/simd/attention does everything else. The weights P and dS are sliced for each pair of
 * tiles. Slices of the other operands are made on first use and kept: those of queries for their
 * tile, those of keys and values for their matrix, as far as the scratch memory reaches. On the
 * diagonal, panels that no query sees are skipped.
 *
 * A product with an element that has no slices (NaN, an infinity), and one of a tile too small to
 * pay, is computed in floats. */
#include "tensor/kernels/amx/attention.h"
#include "tensor/kernels/amx/slices.h"
#include "tensor/kernels/simd/attention/attention.h"

/* What a product sums over: the depth, or the rows (queries or keys) of the operand. */
typedef enum { ALONG_DEPTH, ALONG_ROWS, FORMS } Form;

/* Slots of sliced operands: Q and dL/dO in both forms, then three for each tile of keys: K and V
 * along the depth, and V (forward) or K (backward) along the rows. The tiles of keys that have no
 * slots of their own share the last ones. */
enum {
    OF_QUERIES = 2 * FORMS,
    OF_KEYS = 3,
    BYTES = KERNEL_SCRATCH_BYTES - sizeof(Scratch) - (64 << 10),
    MOST_SLOTS = 256,
};

/* What a slot holds: an operand of matrix z, from row `at` on. */
typedef struct {
    int64_t z, at;
    bool sliced; /* have all elements slices? */
} Slot;

/* The thread's scratch memory behind that of kernels/simd/attention. */
typedef struct {
    unsigned char weights[TILE * TILE * 2 * SLICES]; /* as the slots, also for one slice */
    unsigned char sliced[BYTES / 64 * 64];
    Slot slot[MOST_SLOTS];
} __attribute__((aligned(64))) Slices;
_Static_assert(sizeof(Scratch) + sizeof(Slices) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the slices of attention");

/* The slices of the thread whose scratch memory begins with s. */
static Slices *slices_behind(Scratch *s)
{
    return (Slices *)(s + 1);
}

/* What the scratch memory holds is from another call. */
static void begin(KernelScratch scratch)
{
    Slices *s = slices_behind(scratch_part(scratch));
    for (int i = 0; i < MOST_SLOTS; i++)
        s->slot[i].z = -1;
    UNIT_NAME(unit_begin)();
}

/* Of an operand. */
static int slices_of(const Attention *a)
{
    return a->bf16 ? 1 : SLICES;
}

/* Are the tile's products large enough to repay slicing? Then an operand has at most TILE_FLOATS
 * elements, also rounded up to whole panels and tile registers. */
static bool is_large(const Tile *t)
{
    return t->tile == TILE && t->queries > PANEL && t->keys > PANEL;
}

/* The bytes of a slot. */
static int64_t slot_bytes(const Attention *a)
{
    return packed_bytes(TILE, a->d > a->dv ? a->d : a->dv, slices_of(a));
}

static int64_t slot_of(const Tile *t, Operand o, Form form)
{
    if (o == OF_Q || o == OF_OUT_GRAD)
        return o * FORMS + form;
    int64_t slots = (int64_t)sizeof(((Slices *)0)->sliced) / slot_bytes(t->a);
    slots = slots < MOST_SLOTS ? slots : MOST_SLOTS;
    const int64_t tiles = (slots - OF_QUERIES) / OF_KEYS, tile = t->j0 / t->tile;
    const int64_t of_keys = OF_QUERIES + (tile < tiles ? tile : tiles - 1) * OF_KEYS;
    if (form == ALONG_ROWS)
        return of_keys + 2;
    return o == OF_K ? of_keys : of_keys + 1;
}

/* An operand's slices; NULL where an element has none. Keys and values are the rows of a product
 * over the depth. */
static const unsigned char *sliced_operand(Tile *t, Operand o, Form form)
{
    Slices *s = slices_behind(t->s);
    const bool of_queries = o == OF_Q || o == OF_OUT_GRAD;
    const int64_t i = slot_of(t, o, form), at = of_queries ? t->i0 : t->j0;
    unsigned char *to = s->sliced + i * slot_bytes(t->a);
    if (s->slot[i].z != t->z || s->slot[i].at != at) {
        const TileOperand *x = &t->operand[o];
        Factor f = {x->x, x->stride, 1, x->rows, x->n};
        if (form == ALONG_ROWS)
            f = (Factor){x->x, 1, x->stride, x->n, x->rows};
        else if (of_queries)
            f = (Factor){ISA_NAME(attention_transposed)(t, o), 1, t->tile, t->padded_queries, x->n};
        const Side side = form == ALONG_DEPTH && !of_queries ? SIDE_A : SIDE_B;
        s->slot[i] = (Slot){t->z, at, UNIT_NAME(pack)(to, side, &f, slices_of(t->a))};
    }
    return s->slot[i].sliced ? to : NULL;
}

/* The weights' slices, as rows of a product; NULL where one has none. */
static const unsigned char *sliced_weights(Tile *t, const float *w, int64_t row, int64_t step,
                                           int64_t rows, int64_t steps)
{
    unsigned char *to = slices_behind(t->s)->weights;
    const Factor f = {w, row, step, rows, steps};
    return UNIT_NAME(pack)(to, SIDE_A, &f, slices_of(t->a)) ? to : NULL;
}

/* to (keys, queries), PANEL keys at a time, from the first panel of queries that sees one of
 * them. */
static bool dots(Tile *t, float *to, Operand rows)
{
    if (!is_large(t))
        return false;
    const unsigned char *a = sliced_operand(t, rows, ALONG_DEPTH);
    const unsigned char *b = sliced_operand(t, rows == OF_K ? OF_Q : OF_OUT_GRAD, ALONG_DEPTH);
    if (!a || !b)
        return false;
    const int64_t next = panel_bytes(t->operand[rows].n, slices_of(t->a));
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        const int64_t first = j > t->diagonal ? (j - t->diagonal) / PANEL * PANEL : 0;
        if (first >= t->padded_queries)
            break;
        UNIT_NAME(multiply)
        (&(TileProduct){.m = t->keys - j < PANEL ? t->keys - j : PANEL,
                        .n = t->padded_queries - first,
                        .steps = t->operand[rows].n,
                        .slices = slices_of(t->a),
                        .a = a + j / PANEL * next,
                        .b = b + first / PANEL * next,
                        .b_next = next,
                        .c = to + j * t->tile + first,
                        .c_row = t->tile,
                        .c_column = 1});
    }
    return true;
}

/* PANEL queries at a time, each with the keys that it sees. */
static bool to_queries(Tile *t, float *w, Operand m, float *to, int64_t row, bool add)
{
    const unsigned char *b = is_large(t) ? sliced_operand(t, m, ALONG_ROWS) : NULL;
    const unsigned char *a = b ? sliced_weights(t, w, 1, t->tile, t->queries, t->keys) : NULL;
    if (!a)
        return false;
    for (int64_t q = 0; q < t->queries; q += PANEL) {
        const int64_t seen = q + PANEL + t->diagonal < t->keys ? q + PANEL + t->diagonal : t->keys;
        if (seen <= 0 && add)
            continue;
        UNIT_NAME(multiply)
        (&(TileProduct){.m = t->queries - q < PANEL ? t->queries - q : PANEL,
                        .n = t->operand[m].n,
                        .steps = seen > 0 ? seen : 0,
                        .slices = slices_of(t->a),
                        .a = a + q / PANEL * panel_bytes(t->keys, slices_of(t->a)),
                        .b = b,
                        .b_next = panel_bytes(t->operand[m].rows, slices_of(t->a)),
                        .c = to + q * row,
                        .c_row = row,
                        .c_column = 1,
                        .from = add ? to + q * row : NULL,
                        .from_row = row,
                        .from_column = 1});
    }
    return true;
}

/* PANEL keys at a time, from the first TILE_STEPS queries on of which one sees them. */
static bool to_keys(Tile *t, float *w, Operand m, float *to, int64_t row)
{
    const unsigned char *b = is_large(t) ? sliced_operand(t, m, ALONG_ROWS) : NULL;
    const unsigned char *a = b ? sliced_weights(t, w, t->tile, 1, t->keys, t->queries) : NULL;
    if (!a)
        return false;
    for (int64_t j = 0; j < t->keys; j += PANEL) {
        const int64_t hidden = j > t->diagonal ? j - t->diagonal : 0;
        const int64_t first = hidden / TILE_STEPS * TILE_STEPS,
                      next = panel_bytes(first, slices_of(t->a));
        if (first >= t->queries)
            break;
        UNIT_NAME(multiply)
        (&(TileProduct){.m = t->keys - j < PANEL ? t->keys - j : PANEL,
                        .n = t->operand[m].n,
                        .steps = t->queries - first,
                        .slices = slices_of(t->a),
                        .a = a + j / PANEL * panel_bytes(t->queries, slices_of(t->a)) + next,
                        .b = b + next,
                        .b_next = panel_bytes(t->operand[m].rows, slices_of(t->a)),
                        .c = to + j * row,
                        .c_row = row,
                        .c_column = 1,
                        .from = to + j * row,
                        .from_row = row,
                        .from_column = 1});
    }
    return true;
}

static const TileUnit tile_unit = {begin, UNIT_NAME(unit_end), dots, to_queries, to_keys};

/* Slicing costs as much as many products, so that short sequences and small heads are computed in
 * floats. The bound, 96 keys of 64 channels, was measured with int8 slices and has not been
 * measured again. Counted instructions do not contradict it: 256 causal keys, 128 on average, are
 * estimated at 0.90 of AVX-512's time (tests/bench/README.md). With one slice, floats would have to
 * be rounded as well. */
static const TileUnit *unit_for(const Attention *a)
{
    if (!UNIT_NAME(unit_multiplies)(slices_of(a)))
        return NULL;
    if (a->bf16)
        return &tile_unit;
    const int64_t depth = a->d < a->dv ? a->d : a->dv;
    int64_t met = a->queries < a->keys ? a->queries : a->keys;
    if (a->mask.causal)
        met /= 2;
    if (a->mask.window > 0 && met > 2 * a->mask.window * a->mask.dilation)
        met = 2 * a->mask.window * a->mask.dilation;
    return depth > TILE_ROWS && met * depth >= 96 * 64 ? &tile_unit : NULL;
}

static void attention(const Attention *a)
{
    ISA_NAME(attention_in_tiles)(a, unit_for(a));
}

static void attention_backward(const Attention *a, const AttentionGrad *g)
{
    ISA_NAME(attention_backward_in_tiles)(a, g, unit_for(a));
}

void UNIT_NAME(fill_attention)(Kernels *k)
{
    k->attention = attention;
    k->attention_backward = attention_backward;
}
