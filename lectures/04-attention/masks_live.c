/* masks_live.c: masks and windows that a reader sets in a page with the library (rows 26, 28). */
#include "lectures/04-attention/attention.h"

/* The pairs that the library keeps, those whose weight is not 0 where all scores are 0. */
static bool compute_masks(const double *value, const char *text)
{
    enum { MOST = 32 };
    static real shown[MOST * MOST];
    const int n = (int)value[0], w = (int)value[3], s = (int)value[4], g = (int)value[5];
    const int length = value[2] < n ? (int)value[2] : n, row = value[6] < n ? (int)value[6] : n;
    int pairs = 0, seen = 0;
    Tape *tape = tape_new(1);
    (void)text;
    const Mask mask = {.causal = value[1] > 0,
                       .lengths = tape_ids(tape, &length, shape1(1)),
                       .window = w,
                       .dilation = s,
                       .global = g};
    const Tensor *A = ag_masked_softmax(tape_full(tape, 0, shape3(1, n, n)), mask);
    const bool ok = !tensor_is_poison(A);
    for (int i = 0; ok && i < n * n; i++) {
        const bool is_kept = A->data[i] > 0, mine = i / n == row - 1;
        pairs += is_kept;
        seen += is_kept && mine;
        shown[i] = (real)(is_kept ? (mine ? 1 : 0.6) : 0);
    }
    tape_free(tape);
    if (!ok)
        return false;
    computed_map("rows: queries; columns: keys; full: the keys of the query that is chosen", n, n,
                 shown);
    computed_fact("%d of %d pairs are computed. Query %d sees %d keys", pairs, n * n, row, seen);
    if (seen > 0)
        computed_fact("; with equal scores each has weight %.3f.", 1.0 / seen);
    else
        computed_fact(": its result is 0.");
    if (!mask.causal && length == n && g == 0 && w > 0 && n > w * s)
        computed_fact(" n (2 w + 1) − s w (w + 1) = %d.", n * (2 * w + 1) - s * w * (w + 1));
    return true;
}

const ComputedFigure masks_computed = {
    .name = "masks",
    .title = "Masks and windows that you set",
    .about = "A row is a query, a column a key; what is filled is computed. Masks are combined: a "
             "key must pass each of them. Global tokens are an exception to the window. A pointer "
             "on a row chooses its query.",
    .control = {{"tokens n", 4, 32, 1, 16},
                {"causal", 0, 1, 1, 1},
                {"tokens before the padding", 0, 32, 1, 32},
                {"window w (0: none)", 0, 8, 1, 0},
                {"dilation s", 1, 4, 1, 1},
                {"global tokens", 0, 4, 1, 0},
                {"query", 1, 32, 1, 6}},
    .row = 7,
    .compute = compute_masks};
