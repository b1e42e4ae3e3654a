/* gemm.c: matrix products of any size and any strides, after Goto and van de Geijn ("Anatomy of
 * high-performance matrix multiplication", 2008).
 *
 *       B     [ panel | panel | .. ]  KC x NC  each thread owns a rectangle of C and computes it block by
 *    A        C                                block: it packs KC steps of at most NC columns of B and
 *    [tile]   [      |      |    ]             multiplies them by the rows of A; a tile of A stays in the
 *    [tile]   [      |      |    ]  MC x NC    first-level cache while the panels of B are read
 *    MC x KC                                   (kernels/simd/microkernel.c)
 *
 * An operand that is read only a few times is not packed: see packing_pays and packs_a. Products
 * with one to four rows (a step of a decoder) are dot products, which run at the speed at which
 * memory delivers the weights. The order of additions in an element of C is a function of m, n, k
 * and the strides alone: no thread splits the sum over k. */
#include "tensor/kernels/simd/pack.h"
#include "tensor/kernels/simd/microkernel.h"

/* Sizes of blocks, in elements. With AVX-512, the 14 x 384 floats of a tile of A are 21 KiB and
 * stay in a first-level cache of 32 or 48 KiB; the MC rows of A are 168 KiB and the NC columns of B
 * 672 KiB, and with as many rows of A prefetched they fit into a second-level cache of 1 MiB. With
 * 12 instead of 8 tiles of rows, prefetching gained less (gemm_2048 lost 3 % on an AMD EPYC with
 * 1 MiB, 2026-11-23). MC is a whole number of tiles, and of cache lines; NC is 448 rounded down to
 * whole panels. */
enum {
    KC = 384,
    MC = 8 * MR,
    NC = 448 / NR * NR,
    WIDTH = (int)MR < (int)W ? MR : (MR + W - 1) / W * W, /* of one step of a packed tile of A */
};

/* The scratch memory of one thread. */
typedef struct {
    float a[MC / MR * (KC * WIDTH + W)], b[NC * KC + W];
} __attribute__((aligned(64))) Panels;
_Static_assert(sizeof(Panels) <= KERNEL_SCRATCH_BYTES,
               "KERNEL_SCRATCH_BYTES is too small for the panels");

/* How many tiles of that length cover n rows or columns. */
static int64_t divide_up(int64_t n, int64_t tile)
{
    return (n + tile - 1) / tile;
}

/* Rows whose distance is a multiple of 2048 bytes evict each other from the first-level cache,
 * where the set of a line is its address modulo 4096. */
static bool rows_collide(int64_t stride, int64_t steps)
{
    return steps > 32 && stride % 512 == 0;
}

/* Is packing B faster than reading it `times` times from where it is?
 * Packing reads and writes each element once more, which a few uses repay only where the rows
 * evict each other. */
static bool packing_pays(int64_t times, int64_t stride, int64_t steps)
{
    return times > 8 || (times > 1 && rows_collide(stride, steps));
}

/* kc steps from l on of the rows i.. and columns j.. of C. */
typedef struct {
    const Gemm *g;
    Panels *panels;
    int64_t i, mc, j, nc, l, kc;
} Block;

/* Packs the block's rows of A, tile by tile, and tells p where they are. A tile's steps are WIDTH
 * floats apart; the W floats after a tile receive what the last vector store writes beyond its
 * width. */
static void pack_a(const Block *b, PanelProduct *p)
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

/* Packs the block's columns of B as panels of NR columns, and tells p where they are. */
static void pack_b(const Block *b, PanelProduct *p)
{
    const Gemm *g = b->g;
    p->b = b->panels->b;
    p->b_step = NR;
    p->b_next = b->kc * NR;
    pack_panels(b->panels->b, NR, p->b_next, NR, g->b + b->l * g->b_row + b->j * g->b_column,
                g->b_column, g->b_row, b->nc, g->n - b->j, b->kc);
}

/* A tile of A is read once for each panel of B. Contiguous rows are read in place where they do not
 * evict each other. Where the elements of a step are contiguous, as in the gradient of a weight, a
 * tile needs one or two cache lines a step, whether packed or not: packing pays only for many
 * panels. With few steps, or one panel, it is never repaid. */
static bool packs_a(const Block *b)
{
    const Gemm *g = b->g;
    bool pays = g->a_column == 1 ? g->a_row % 1024 == 0 : g->a_row != 1 || b->nc > 8 * NR;
    return pays && b->nc > NR && b->kc > 32;
}

/* The rows of A after the block's, up to m1, which the next block packs or reads in place, as
 * `length` floats a row in memory. Products of a few rows and steps leave nothing to prefetch:
 * their operands are in the second-level cache from the start, or read before a prefetch could
 * help. */
static Upcoming rows_after(const Block *b, int64_t m1)
{
    const Gemm *g = b->g;
    int64_t i = b->i + b->mc, mc = m1 - i < b->mc ? m1 - i : b->mc;
    bool in_rows = g->a_column == 1;
    int64_t length = in_rows ? b->kc : mc;
    int64_t prefetches = divide_up(b->mc, MR) * divide_up(b->nc, NR) * MR; /* one a row of a tile */
    Upcoming u = {.x = g->a + i * g->a_row + b->l * g->a_column,
                  .rows = in_rows ? mc : b->kc,
                  .row = in_rows ? g->a_row : g->a_column,
                  .lines = divide_up(length, LINE)};
    if (mc > 0 && b->kc >= 128 && g->m * g->k >= FAR)
        u.at_once = divide_up(u.rows * u.lines, prefetches);
    return u;
}

/* Multiplies the block's rows of A by its columns of B, which p describes.
 * For the first steps (l = 0) C begins with zeros, with the bias or, where the product is added,
 * with its old values; for later steps it begins with the sums so far. So C is read and written
 * once for each KC steps. */
static void block_product(const Block *b, PanelProduct p, Upcoming next)
{
    const Gemm *g = b->g;
    p.next = next.at_once > 0 ? &next : NULL;
    p.m = b->mc;
    p.n = b->nc;
    p.c = g->c + b->i * g->c_row + b->j * g->c_column;
    p.c_row = g->c_row;
    p.c_column = g->c_column;
    if (g->add || b->l > 0) {
        p.from = p.c;
        p.from_row = p.c_row;
        p.from_column = p.c_column;
    } else if (g->bias) {
        p.from = g->bias + b->j;
        p.from_column = 1;
    }
    if (packs_a(b)) {
        pack_a(b, &p);
    } else {
        p.a = g->a + b->i * g->a_row + b->l * g->a_column;
        p.a_row = g->a_row;
        p.a_step = g->a_column;
        p.a_next = tile_height(p.m) * g->a_row;
    }
    ISA_NAME(kernels_panel_product)(&p);
}

/* The block's columns against all rows from m0 to m1, in blocks of nearly equal height. Columns
 * that are not whole vectors are packed: vectors may not be read beyond the end of a row. */
static void columns_block(Block *b, int64_t m0, int64_t m1)
{
    const Gemm *g = b->g;
    bool packs_b =
        g->b_column != 1 || b->nc % W != 0 || packing_pays((m1 - m0) / MR, g->b_row, b->kc);
    PanelProduct p = {.k = b->kc,
                      .b = g->b + b->l * g->b_row + b->j,
                      .b_step = g->b_row,
                      .b_next = NR};
    if (packs_b)
        pack_b(b, &p);
    int64_t blocks = divide_up(m1 - m0, MC), high = divide_up(divide_up(m1 - m0, blocks), MR) * MR;
    for (b->i = m0; b->i < m1; b->i += b->mc) {
        b->mc = m1 - b->i < high ? m1 - b->i : high;
        block_product(b, p, rows_after(b, m1));
    }
}

/* The rows m0..m1-1 and columns n0..n1-1 of C. The steps are divided into equal parts of at most
 * KC, the columns into equal parts of at most NC. Equal parts avoid a last part of a few steps,
 * whose packing and stores of C would not pay. */
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

/* ---- division of C among threads ------------------------------------------------------------- */

/* Rectangles of whole panels of columns, of any number of rows. */
typedef struct {
    const Gemm *g;
    int64_t rows, columns; /* of rectangles */
} Grid;

/* The body of parallel_for: computes the rectangles begin to end - 1, counted row by row of the
 * grid. */
static void grid_body(int64_t begin, int64_t end, void *context)
{
    const Grid *grid = context;
    const Gemm *g = grid->g;
    int64_t wide = divide_up(g->n, NR);
    for (int64_t r = begin; r < end; r++) {
        int64_t i = r / grid->columns, j = r % grid->columns;
        int64_t n = wide * (j + 1) / grid->columns * NR;
        rectangle(g, g->m * i / grid->rows, g->m * (i + 1) / grid->rows,
                  wide * j / grid->columns * NR, n < g->n ? n : g->n);
    }
}

/* Divides C into rectangles, one for each thread, so that the slowest thread takes the least time.
 * Packing an element costs about as much as 16 multiply-adds.
 *
 * The other ops of a model divide their work by rows, so that a thread's rows of A and C are in its
 * own caches while other rows are not. Packing an element of A therefore counts one and a half
 * times as much as one of B, and the columns are divided where that saves more. With a ratio of 1 :
 * 1, 512 x 512 x 512 took 1.2 times as long, and a step of train_vit_32p4 1.05 times; with 5 : 2, a
 * step of train_vae took 1.15 times as long (two threads of a Xeon, gcc 12, 2026-11-21). */
static void grid_choose(Grid *grid, int64_t threads)
{
    enum { PACK_COST = 16 };
    int64_t least = INT64_MAX, panels = divide_up(grid->g->n, NR);
    for (int64_t rows = 1; rows <= threads; rows++) {
        int64_t columns = threads / rows;
        if (rows > grid->g->m || columns > panels)
            continue;
        int64_t tall = divide_up(grid->g->m, rows), wide = divide_up(panels, columns) * NR;
        int64_t time = tall * wide + PACK_COST * (3 * tall * divide_up(wide, NC) + 2 * wide) / 2;
        if (time < least) {
            least = time;
            grid->rows = rows;
            grid->columns = columns;
        }
    }
}

/* Computes all of C, by as many threads as the amount of work justifies: 16 multiply-adds take as
 * long as one elementary operation of parallel_grain. Each thread packs into its own part of the
 * scratch memory, so that there are never more rectangles than parts. */
static void tiled(const Gemm *g)
{
    int64_t work = g->m * g->n * g->k / 16, threads = parallel_threads();
    if (threads > work / parallel_grain(1))
        threads = work / parallel_grain(1);
    if (threads > g->scratch.parts)
        threads = g->scratch.parts;
    Grid grid = {g, 1, 1};
    grid_choose(&grid, threads > 1 ? threads : 1);
    parallel_for(grid.rows * grid.columns, 1, grid_body, &grid);
}

/* ---- one to four rows: dot products ---------------------------------------------------------- */

enum { FEW_ROWS = 4 };

/* One vector of each row and column: sum[r][c] += a_r b_c in the lanes l to l + W - 1, of which
 * `left` exist. The processor prefetches the columns by itself: prefetching the next ones as well
 * read 0.4 to 0.9 times as fast (one thread of an AMD EPYC, 2026-11-29). */
static inline __attribute__((always_inline)) void dot_step(int rows, int columns, const Gemm *g,
                                                           const float *b, int64_t l, int64_t left,
                                                           Vector sum[FEW_ROWS][8])
{
    Vector av[FEW_ROWS];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++)
        av[r] = load_partial(g->a + r * g->a_row + l, left, 0);
#pragma GCC unroll 8
    for (int c = 0; c < columns; c++) {
        Vector bv = load_partial(b + c * g->b_column + l, left, 0);
#pragma GCC unroll 4
        for (int r = 0; r < rows; r++)
            sum[r][c] = multiply_add(av[r], bv, sum[r][c]);
    }
}

/* `rows` rows of A times `columns` columns of B, both constants at every call. Each
 * element of B is used once, so that memory bounds the speed. A float sum in each lane, folded at
 * the end. The last vector, which may be partial, has a step of its own: the loop's addresses then
 * fit the registers. */
static inline __attribute__((always_inline)) void dot_products(int rows, int columns, const Gemm *g,
                                                               int64_t j)
{
    Vector sum[FEW_ROWS][8] = {0};
    const float *b = g->b + j * g->b_column;
    int64_t l = 0;
    for (; l + W <= g->k; l += W)
        dot_step(rows, columns, g, b, l, W, sum);
    if (l < g->k)
        dot_step(rows, columns, g, b, l, g->k - l, sum);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            float *to = g->c + r * g->c_row + (j + c) * g->c_column;
            float start = g->add ? *to : g->bias ? g->bias[j + c] : 0;
            *to = start + horizontal_sum(sum[r][c]);
        }
}

/* All columns to `end`, `columns` at a time, and the rest one by one. */
#define DOT_PRODUCTS(rows, columns)          \
    for (; j + columns <= end; j += columns) \
        dot_products(rows, columns, g, j);   \
    for (; j < end; j++)                     \
        dot_products(rows, 1, g, j);

/* The body of parallel_for: the columns begin to end - 1 of C. There are at most eight sums side by
 * side (rows times columns), so that they stay in registers. */
static void dot_products_body(int64_t begin, int64_t end, void *context)
{
    const Gemm *g = context;
    int64_t j = begin;
    if (g->m == 1) {
        DOT_PRODUCTS(1, 8)
    } else if (g->m == 2) {
        DOT_PRODUCTS(2, 4)
    } else if (g->m == 3) {
        DOT_PRODUCTS(3, 2)
    } else {
        DOT_PRODUCTS(4, 2)
    }
}

/* ---- entry ----------------------------------------------------------------------------------- */

/* C^T = B^T A^T. Only the descriptions are exchanged; no element moves. The copy has no bias, which
 * would belong to the rows of the transposed C: callers transpose products without one. */
static Gemm transposed(const Gemm *g)
{
    return (Gemm){.m = g->n,
                  .n = g->m,
                  .k = g->k,
                  .a = g->b,
                  .a_row = g->b_column,
                  .a_column = g->b_row,
                  .b = g->a,
                  .b_row = g->a_column,
                  .b_column = g->a_row,
                  .c = g->c,
                  .c_row = g->c_column,
                  .c_column = g->c_row,
                  .add = g->add,
                  .scratch = g->scratch};
}

/* The same product with the rows of C contiguous, by transposing all three matrices where that
 * helps. A single column counts as a row of the transposed C. */
static Gemm with_contiguous_rows(const Gemm *g)
{
    bool transposes = !g->bias && g->c_row == 1 && (g->c_column != 1 || g->n == 1);
    return transposes ? transposed(g) : *g;
}

/* The reference computes empty products, and all products of a caller without scratch memory. */
void ISA_NAME(gemm)(const Gemm *g)
{
    if (g->m == 0 || g->n == 0 || g->k == 0 || g->scratch.parts == 0) {
        ref_gemm(g);
        return;
    }
    Gemm t = with_contiguous_rows(g);
    if (t.m <= FEW_ROWS && t.b_row == 1 &&
        t.a_column == 1) /* reading B costs as much as reading three rows of A */
        parallel_for(t.n, parallel_grain((t.m + 3) * t.k / 8), dot_products_body, &t);
    else
        tiled(&t);
}
