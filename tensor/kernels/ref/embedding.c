/* embedding.c: rows of a table, chosen by ids.   table (V, n), ids (count) -> y (count, n)
 *
 * Backward adds to row v of the table's gradient what all positions with the id v receive. The sum
 * is in double, so the positions of one id are added up first: at the first of them, which looks
 * for the others. */
#include "tensor/kernels/ref/ref.h"

#include <string.h>

/* y_i = table_(ids_i) */
void ref_embedding(real *y, const real *table, const int32_t *ids, int64_t count, int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(y + i * n, table + ids[i] * n, (size_t)n * sizeof *y);
}

/* Is position i the first with its id? */
static bool is_first(const int32_t *ids, int64_t i)
{
    for (int64_t earlier = i - 1; earlier >= 0; earlier--)
        if (ids[earlier] == ids[i])
            return false;
    return true;
}

/* y (n) += the sum of the rows of dy (count, n) whose id is ids[0], of which the first is row 0. A
 * block of columns at a time, so that the double sums have a fixed size. */
static void add_rows_of_id(real *y, const real *dy, const int32_t *ids, int64_t count, int64_t n)
{
    enum { BLOCK = 512 };
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int64_t columns = n - begin < BLOCK ? n - begin : BLOCK;
        double sum[BLOCK] = {0};
        for (int64_t i = 0; i < count; i++)
            for (int64_t c = 0; ids[i] == ids[0] && c < columns; c++)
                sum[c] += dy[i * n + begin + c];
        for (int64_t c = 0; c < columns; c++)
            y[begin + c] = (real)(y[begin + c] + sum[c]);
    }
}

/* dtable_v += sum of dy_i over all i with ids_i = v */
void ref_embedding_backward(real *dtable, const real *dy, const int32_t *ids, int64_t count,
                            int64_t n)
{
    for (int64_t i = 0; i < count; i++)
        if (is_first(ids, i))
            add_rows_of_id(dtable + ids[i] * n, dy + i * n, ids + i, count - i, n);
}
