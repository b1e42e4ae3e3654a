/* gemm_int8.c: matrix products of 56 steps or more, from int8 slices (kernels/amx/tile_int8.h).
 *
 *       B     [16|16|16|16| .. ]  KC x NC  Each thread owns a rectangle of C. KC steps of at most NC columns of B are
 *    A        C                            sliced once and stay in the second-level cache while one panel of A after
 *    [panel]  [  |  |  |  |    ]           another is multiplied by them: 32 rows stay in the first-level cache while
 *    [panel]  [  |  |  |  |    ]           groups of 16 columns are read (kernels/amx/tile_int8.c).
 *    ..
 *
 * While the tile unit multiplies a panel of A, the processor's vector units slice the next one:
 * packing is interleaved with the tile instructions, one part or more after each step of a tile.
 * Only slicing B and the first panel of A takes time of its own. */
#include "tensor/kernels/amx/gemm.h"
#include "tensor/kernels/amx/left_out_int8.h"

enum { KC = 384, NC = INT8_COLUMNS, GROUPS = NC / TILE_ROWS };

/* The scratch memory of one thread: the panel of A that is multiplied, and the next one. */
typedef struct {
    unsigned char a[2][2 * (KC / INT8_STEPS) * INT8_GROUP_BYTES];
    unsigned char b[GROUPS * (KC / INT8_STEPS) * INT8_GROUP_BYTES];
    float a_scale[2][PANEL], b_scale[NC];
    Int8Quality a_quality[2][2], b_quality[GROUPS];
    Int8Quality b_worst; /* the largest spread of B's groups; granular where one is */
    bool b_zeros;        /* a group of B has zeros alone */
    Int8LeftOut a_left_out[2][2], b_left_out[GROUPS];
    float rest[KC * TILE_ROWS] __attribute__((aligned(64)));
    uint8_t mode[2][GROUPS];
    Int8Packing next;
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES / 2,
               "the panels leave no scratch memory for those of gemm_bf16.c");

/* Columns j.. and steps l.. of the product, by one thread. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t j, nc, l, kc;
} Block;

/* ---- what is not computed from int8 slices --------------------------------------------------- */

/* The block's steps of the rows i.. and columns j.. (of the block) of C from bfloat16 slices. The
 * result for an element does not depend on the rectangle, so that all threads, whatever their
 * rectangles, compute the same bits. C already holds the sums of earlier blocks, which `add`
 * keeps. */
static void multiply_bf16(const Block *b, int64_t i, int64_t rows, int64_t j, int64_t columns)
{
    const Gemm *g = b->g;
    j += b->j;
    Gemm part = *g;
    part.m = rows;
    part.n = columns;
    part.k = b->kc;
    part.a += i * g->a_row + b->l * g->a_column;
    part.b += b->l * g->b_row + j * g->b_column;
    part.c += i * g->c_row + j * g->c_column;
    part.add = g->add || b->l > 0;
    part.bias = part.add || !g->bias ? NULL : g->bias + j;
    part.scratch.bytes += KERNEL_SCRATCH_BYTES / 2;
    amx_bf16_product(&part, 0, rows, 0, columns);
}

/* Rows that wait for their product from bfloat16 slices, all with the same modes. */
typedef struct {
    int64_t first, end; /* rows of C; none where first == end */
    uint8_t mode[GROUPS];
} Pending;

/* Computes the pending rows: one product for each run of neighbouring groups of columns whose mode
 * is INT8_INEXACT. */
static void flush(const Block *b, Pending *p)
{
    const int64_t groups = divide_up(b->nc, TILE_ROWS);
    for (int64_t g = 0; p->first < p->end && g < groups;) {
        int64_t end = g;
        while (end < groups && p->mode[end] == INT8_INEXACT)
            end++;
        if (end > g) {
            int64_t j = g * TILE_ROWS, last = end * TILE_ROWS < b->nc ? end * TILE_ROWS : b->nc;
            multiply_bf16(b, p->first, p->end - p->first, j, last - j);
        }
        g = end + 1;
    }
    p->first = p->end;
}

/* Adds the panel's halves at row i to the rows that wait; rows with other modes are computed
 * before. Neighbouring rows are collected because each product slices its columns anew. */
static void postpone(const Block *b, Pending *p, int64_t i, int64_t rows)
{
    const size_t groups = (size_t)divide_up(b->nc, TILE_ROWS);
    for (int64_t half = 0; half * TILE_ROWS < rows; half++) {
        const uint8_t *mode = b->panels->mode[half];
        const int64_t first = i + half * TILE_ROWS;
        if (!memchr(mode, INT8_INEXACT, groups))
            continue;
        bool joins = p->end == first && p->first < p->end;
        for (size_t g = 0; joins && g < groups; g++)
            joins = (mode[g] == INT8_INEXACT) == (p->mode[g] == INT8_INEXACT);
        if (!joins) {
            flush(b, p);
            p->first = first;
            memcpy(p->mode, mode, groups);
        }
        p->end = rows - half * TILE_ROWS < TILE_ROWS ? i + rows : first + TILE_ROWS;
    }
}

/* ---- the block ------------------------------------------------------------------------------- */

/* Begins the panel of A whose first row is i, of the rows up to m1. */
static void begin_panel(const Block *b, int current, int64_t i, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *p = b->panels;
    amx_int8_packing_begin(&p->next, p->a[current], int8_group_bytes(b->kc), SIDE_A,
                           p->a_scale[current], g->a + i * g->a_row + b->l * g->a_column, g->a_row,
                           g->a_column, m1 - i < PANEL ? m1 - i : PANEL, b->kc);
    p->next.quality = p->a_quality[current];
    p->next.left_out = p->a_left_out[current];
    p->next.rest = p->rest;
}

/* Slices the block's columns. False if no product with them is computed from slices.
 * An ideal A (spread 0) is assumed: if even that does not make slices exact enough, packing A is
 * useless. */
static bool pack_columns(const Block *b)
{
    const Gemm *g = b->g;
    Panels *p = b->panels;
    amx_int8_packing_begin(&p->next, p->b, int8_group_bytes(b->kc), SIDE_B, p->b_scale,
                           g->b + b->l * g->b_row + b->j * g->b_column, g->b_column, g->b_row,
                           b->nc, b->kc);
    p->next.quality = p->b_quality;
    p->next.left_out = p->b_left_out;
    p->next.rest = p->rest;
    amx_int8_packing_advance(&p->next, INT64_MAX);
    bool some = false;
    p->b_worst = (Int8Quality){-INFINITY, false};
    p->b_zeros = false;
    for (int64_t group = 0; group < divide_up(b->nc, TILE_ROWS); group++) {
        const Int8Quality q = p->b_quality[group];
        some = some || amx_int8_mode((Int8Quality){0}, q, p->next.root) != INT8_INEXACT;
        p->b_worst.spread = q.spread > p->b_worst.spread ? q.spread : p->b_worst.spread;
        p->b_worst.granular |= q.granular;
        p->b_zeros |= q.spread < 0;
    }
    return some;
}

/* mode[half][group]: how the tile of 16 rows of the panel and 16 columns of the block is computed.
 * Mostly six products are exact enough for the worst columns, and so for all. */
static void choose_modes(const Block *b, int current)
{
    Panels *p = b->panels;
    const float root = sqrtf((float)b->kc);
    const int64_t groups = divide_up(b->nc, TILE_ROWS);
    for (int half = 0; half < 2; half++) {
        const Int8Quality a = p->a_quality[current][half];
        if (!p->b_zeros && amx_int8_mode(a, p->b_worst, root) == INT8_FAST) {
            memset(p->mode[half], INT8_FAST, (size_t)groups);
            continue;
        }
        for (int64_t group = 0; group < groups; group++)
            p->mode[half][group] = (uint8_t)amx_int8_mode(a, p->b_quality[group], root);
    }
}

/* What the panel at row i, of m rows, starts from. For the first steps these are zeros, the bias,
 * or C where the product is added; for later steps they are the sums so far. columns_block sets
 * the operand A. */
static Int8Product panel_product(const Block *b, int64_t i, int64_t m)
{
    const Gemm *g = b->g;
    Panels *panels = b->panels;
    Int8Product p = {.m = m,
                     .n = b->nc,
                     .steps = b->kc,
                     .b = panels->b,
                     .next = int8_group_bytes(b->kc),
                     .b_scale = panels->b_scale,
                     .c = g->c + i * g->c_row + b->j * g->c_column,
                     .c_row = g->c_row,
                     .c_column = g->c_column,
                     .overlapped = &panels->next,
                     .mode = {panels->mode[0], panels->mode[1]}};
    if (g->add || b->l > 0) {
        p.from = p.c;
        p.from_row = p.c_row;
        p.from_column = p.c_column;
    } else if (g->bias) {
        p.from = g->bias + b->j;
        p.from_column = 1;
    }
    return p;
}

/* The block's columns and steps against all rows from m0 to m1.
 * While panel i is multiplied, the panel of the next 32 rows is packed into the other half of the
 * scratch memory: parts_per_step spreads its parts over the steps of all tiles, so that the
 * packing is complete, or nearly so, when panel i is. What is left is completed before the next
 * panel. */
static void columns_block(const Block *b, int64_t m0, int64_t m1)
{
    const Gemm *g = b->g;
    Panels *panels = b->panels;
    Int8Packing *next = &panels->next;
    Pending pending = {0, 0, {0}};
    if (!pack_columns(b)) {
        multiply_bf16(b, m0, m1 - m0, 0, b->nc);
        return;
    }
    bool b_in_range = next->in_range;
    begin_panel(b, 0, m0, m1);
    for (int64_t i = m0, current = 0; i < m1; i += PANEL, current = !current) {
        amx_int8_packing_advance(next, INT64_MAX);
        bool in_range = b_in_range && next->in_range;
        choose_modes(b, (int)current);
        begin_panel(b, !current, i + PANEL, m1);
        Int8Product p = panel_product(b, i, m1 - i < PANEL ? m1 - i : PANEL);
        p.parts_per_step = divide_up(amx_int8_packing_parts(next),
                                     divide_up(b->nc, TILE_ROWS) * divide_up(b->kc, INT8_STEPS));
        p.a = panels->a[current];
        p.a_scale = panels->a_scale[current];
        amx_multiply_int8(&p);
        const Int8Panel panel = {g,
                                 i,
                                 p.m,
                                 b->j,
                                 b->nc,
                                 b->l,
                                 b->kc,
                                 p.a_scale,
                                 p.b_scale,
                                 {p.mode[0], p.mode[1]},
                                 panels->a_left_out[current],
                                 panels->b_left_out};
        amx_int8_add_left_out(&panel);
        if (!in_range)
            amx_int8_add_out_of_range(&panel);
        postpone(b, &pending, i, p.m);
    }
    flush(b, &pending);
}

/* The steps are divided into equal parts of at most KC, the columns into equal parts of at most NC.
 * The parts of the steps are multiples of a tile register's 64, the parts of the columns multiples
 * of 16. */
void amx_int8_rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Block b = {.g = g, .panels = scratch_part(g->scratch)};
    int64_t steps = divide_up(divide_up(g->k, divide_up(g->k, KC)), INT8_STEPS) * INT8_STEPS;
    int64_t wide = divide_up(divide_up(n1 - n0, divide_up(n1 - n0, NC)), TILE_ROWS) * TILE_ROWS;
    amx_configure();
    for (b.j = n0; b.j < n1; b.j += b.nc) {
        b.nc = n1 - b.j < wide ? n1 - b.j : wide;
        for (b.l = 0; b.l < g->k; b.l += b.kc) {
            b.kc = g->k - b.l < steps ? g->k - b.l : steps;
            columns_block(&b, m0, m1);
        }
    }
    amx_release();
}
