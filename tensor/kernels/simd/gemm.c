/* gemm.c: matrix products of any size and any strides, after Goto and van de Geijn ("Anatomy of
 * high-performance matrix multiplication", 2008).
 *
 *        B     [ panel | panel | .. ]  KC x NC          each thread has a rectangle of C, which it computes
 *     A        C                                        block by block: KC steps of at most NC columns of B,
 *     [tile]   [      |      |    ]                     copied together, against the rows of A, of which a tile
 *     [tile]   [      |      |    ]  MC x NC            stays in the nearest cache while the panels pass by
 *     MC x KC                                           (kernels/simd/microkernel.c)
 *
 * Threads share out C in rectangles. What is read few times is not copied: see pays and copies_a. One to four rows
 * (a decoder's step) are dot products at the speed at which memory brings the weights. The order of additions in an
 * element of C is a function of m, n, k and the strides alone: k is never shared out. */
#include "tensor/kernels/simd/gemm.h"
#include "tensor/kernels/simd/pack.h"
#include "tensor/kernels/simd/microkernel.h"

enum {
    KC = 384,
    MC = 12 * MR,
    NC = 448 / NR * NR,
    WIDTH = (int)MR < (int)W ? MR : (MR + W - 1) / W * W, /* of a packed step of A */
};

/* A thread's own. */
typedef struct {
    float a[MC / MR * (KC * WIDTH + W)], b[NC * KC + W], edge[KC * W];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* Rows this far apart push each other out of the nearest cache, where a line's place is its address modulo 4096. */
static bool collide(int64_t stride, int64_t steps)
{
    return steps > 32 && stride % 512 == 0;
}

/* Is copying B cheaper than reading it `times` over as it stands? */
static bool pays(int64_t times, int64_t stride, int64_t steps)
{
    return times > 8 || (times > 1 && collide(stride, steps));
}

/* kc steps from l on of the rows i.. and columns j.. of C. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t i, mc, j, nc, l, kc;
} Block;

static void pack_a(const Block *b, Product *p)
{
    const Gemm *g = b->g;
    int64_t height = tile_height(b->mc);
    p->a = b->panels->a;
    p->a_row = 1;
    p->a_step = WIDTH;
    p->a_next = b->kc * WIDTH + W;
    pack_panels(b->panels->a, WIDTH, p->a_next, height, g->a + b->i * g->a_row + b->l * g->a_column,
                g->a_row, g->a_column, b->mc, g->m - b->i, b->kc);
}

static void pack_b(const Block *b, Product *p)
{
    const Gemm *g = b->g;
    p->b = b->panels->b;
    p->b_step = NR;
    p->b_next = b->kc * NR;
    pack_panels(b->panels->b, NR, p->b_next, NR, g->b + b->l * g->b_row + b->j * g->b_column,
                g->b_column, g->b_row, b->nc, g->n - b->j, b->kc);
}

/* A tile of A stays in the nearest cache while the panels of B pass by: where its rows are contiguous, it does so
 * from where it stands, unless they collide. Otherwise a number of each row is a line of memory each step. */
static bool copies_a(const Block *b)
{
    const Gemm *g = b->g;
    return b->nc > NR && b->kc > 32 && (g->a_column != 1 || g->a_row % 1024 == 0);
}

/* Of a B that is not packed, the columns of the last, partial vector are. */
static void product_with_edge(const Block *b, Product *p)
{
    int64_t whole = p->n / W * W, rest = p->n - whole;
    p->n = whole;
    if (whole > 0)
        FAST(kernels_product)(p);
    if (rest == 0)
        return;
    const Gemm *g = b->g;
    pack_panel(b->panels->edge, W, p->b + whole, 1, g->b_row, rest, b->kc);
    p->n = rest;
    p->b = b->panels->edge;
    p->b_step = W;
    p->c += whole * p->c_column;
    if (p->from)
        p->from += whole * p->from_column;
    FAST(kernels_product)(p);
}

/* The block's columns against all rows from m0 to m1. */
static void columns_block(Block *b, int64_t m0, int64_t m1)
{
    const Gemm *g = b->g;
    bool b_packed = g->b_column != 1 || pays((m1 - m0) / MR, g->b_row, b->kc);
    Product p = {.k = b->kc, .b = g->b + b->l * g->b_row + b->j, .b_step = g->b_row, .b_next = NR};
    if (b_packed)
        pack_b(b, &p);
    for (b->i = m0; b->i < m1; b->i += b->mc) {
        b->mc = m1 - b->i < MC ? m1 - b->i : MC;
        Product q = p;
        q.m = b->mc;
        q.n = b->nc;
        q.c = g->c + b->i * g->c_row + b->j * g->c_column;
        q.c_row = g->c_row;
        q.c_column = g->c_column;
        if (g->add || b->l > 0) {
            q.from = q.c;
            q.from_row = q.c_row;
            q.from_column = q.c_column;
        } else if (g->bias) {
            q.from = g->bias + b->j;
            q.from_column = 1;
        }
        if (copies_a(b)) {
            pack_a(b, &q);
        } else {
            q.a = g->a + b->i * g->a_row + b->l * g->a_column;
            q.a_row = g->a_row;
            q.a_step = g->a_column;
            q.a_next = tile_height(q.m) * g->a_row;
        }
        if (b_packed)
            FAST(kernels_product)(&q);
        else
            product_with_edge(b, &q);
    }
}

/* The rows m0..m1-1 and columns n0..n1-1 of C. Steps are cut into equal parts of at most KC, columns into those of
 * at most NC. */
static void rectangle(const Gemm *g, int64_t m0, int64_t m1, int64_t n0, int64_t n1)
{
    Block b = {.g = g, .panels = scratch_part(g->scratch)};
    int64_t parts = (g->k + KC - 1) / KC, steps = ((g->k + parts - 1) / parts + W - 1) / W * W;
    int64_t blocks = (n1 - n0 + NC - 1) / NC;
    int64_t wide = ((n1 - n0 + blocks - 1) / blocks + NR - 1) / NR * NR;
    for (b.j = n0; b.j < n1; b.j += b.nc) {
        b.nc = n1 - b.j < wide ? n1 - b.j : wide;
        for (b.l = 0; b.l < g->k; b.l += b.kc) {
            b.kc = g->k - b.l < steps ? g->k - b.l : steps;
            columns_block(&b, m0, m1);
        }
    }
}

static void tiled(const Gemm *g)
{
    static const Way way = {rectangle,   .height = 1, .width = NR,
                            .block = NC, .copy = 16,  .speed = 16};
    share_out(g, &way);
}

/* ---- few rows: dot products -------------------------------------------------------------------------------- */

enum { FEW = 4 };

/* `rows` of A times `columns` of B, both constants at every call. Each number of B is used once, so the
 * pace is memory's, and the next columns are asked for while these are summed. */
static inline __attribute__((always_inline)) void dots(int rows, int columns, const Gemm *g,
                                                       int64_t j)
{
    Vector sum[FEW][8] = {0};
    const float *b = g->b + j * g->b_column;
    for (int64_t l = 0; l < g->k; l += W) {
        Vector av[FEW];
        int64_t left = g->k - l;
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            av[r] = load_some(g->a + r * g->a_row + l, left, 0);
#pragma GCC unroll 8
        for (int c = 0; c < columns; c++) {
            const float *at = b + c * g->b_column + l;
            Vector bv = load_some(at, left, 0);
            __builtin_prefetch(at + columns * g->b_column);
#pragma GCC unroll 4
            for (int r = 0; r < rows; r++)
                sum[r][c] += av[r] * bv;
        }
    }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            float *to = g->c + r * g->c_row + (j + c) * g->c_column;
            float start = g->add ? *to : g->bias ? g->bias[j + c] : 0;
            *to = start + lanes_sum(sum[r][c]);
        }
}

#define DOTS(rows, columns)                  \
    for (; j + columns <= end; j += columns) \
        dots(rows, columns, g, j);           \
    for (; j < end; j++)                     \
        dots(rows, 1, g, j);

static void dots_body(int64_t begin, int64_t end, void *context)
{
    const Gemm *g = context;
    int64_t j = begin;
    if (g->m == 1) {
        DOTS(1, 8)
    } else if (g->m == 2) {
        DOTS(2, 4)
    } else if (g->m == 3) {
        DOTS(3, 2)
    } else {
        DOTS(4, 2)
    }
}

/* ---- any ----------------------------------------------------------------------------------------------------- */

static void gemm(const Gemm *g)
{
    if (g->m == 0 || g->n == 0 || g->k == 0 || g->scratch.parts == 0) {
        kernels_ref.gemm(g);
        return;
    }
    Gemm t = along_rows(g);
    if (t.m <= FEW && t.b_row == 1 &&
        t.a_column == 1) /* reading B costs as much as three rows of A */
        parallel_for(t.n, parallel_grain((t.m + 3) * t.k / 8), dots_body, &t);
    else
        tiled(&t);
}

void FAST(kernels_fill_gemm)(Kernels *k)
{
    k->scratch = KERNEL_SCRATCH_BYTES;
    k->gemm = gemm;
}
