/* tokeniser_merges.c: byte-pair encoding of one piece.
 * Sennrich, Haddow, Birch, "Neural machine translation of rare
 *                                                       words with subword units" (2016)
 * Of all neighbours that can become one token, those of the lowest rank do first, the leftmost of
 * equals. A heap holds the candidates, so that a piece of n tokens costs n log n; a candidate whose
 * tokens have become others since is passed over when it is taken. */
#include "data/tokeniser.h"
#include "tensor/memory.h"

typedef struct {
    int32_t rank, at, left, right, whole;
} Pair;

typedef struct {
    const TokenMerges *merges;
    int32_t *ids, *next, *previous;
    Pair *heap;
    int64_t heaped;
    int64_t n;
} Merging;

static bool sooner(const Pair *a, const Pair *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a->at < b->at;
}

static void push(Merging *m, Pair c)
{
    int64_t i = m->heaped++;
    for (; i > 0 && sooner(&c, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
        m->heap[i] = m->heap[(i - 1) / 2];
    m->heap[i] = c;
}

static Pair pop(Merging *m)
{
    Pair top = m->heap[0], last = m->heap[--m->heaped];
    int64_t i = 0;
    for (int64_t child = 1; child < m->heaped; child = 2 * i + 1) {
        child += child + 1 < m->heaped && sooner(&m->heap[child + 1], &m->heap[child]);
        if (!sooner(&m->heap[child], &last))
            break;
        m->heap[i] = m->heap[child];
        i = child;
    }
    m->heap[i] = last;
    return top;
}

/* Pushes the pair of the token at `at` and the next one, if they can be merged. */
static void consider(Merging *m, int64_t at)
{
    if (at < 0 || m->next[at] >= m->n)
        return;
    const TokenMerge *merge = token_merges_find(m->merges, m->ids[at], m->ids[m->next[at]]);
    if (merge)
        push(m, (Pair){merge->rank, (int32_t)at, merge->left, merge->right, merge->whole});
}

static void merge_pieces(Merging *m)
{
    for (int64_t i = 0; i + 1 < m->n; i++)
        consider(m, i);
    while (m->heaped > 0) {
        Pair c = pop(m);
        int32_t right = m->next[c.at];
        if (m->ids[c.at] != c.left || right >= m->n || m->ids[right] != c.right)
            continue;
        m->ids[c.at] = c.whole;
        m->ids[right] = -1;
        m->next[c.at] = m->next[right];
        if (m->next[c.at] < m->n)
            m->previous[m->next[c.at]] = c.at;
        consider(m, m->previous[c.at]);
        consider(m, c.at);
    }
}

int64_t token_merge_all(const TokenMerges *merges, int32_t *ids, int32_t *end, int64_t n)
{
    if (n == 1) {
        end[0] = 1;
        return 1;
    }
    /* Each merge brings at most two candidates and takes a token away. */
    Pair *heap = mem_alloc((size_t)(3 * n) * sizeof *heap);
    int32_t *previous = mem_alloc((size_t)n * sizeof *previous);
    Merging m = {
        .merges = merges, .ids = ids, .next = end, .previous = previous, .heap = heap, .n = n};
    int64_t left = heap && previous ? 0 : -1;
    for (int64_t i = 0; left == 0 && i < n; i++) {
        m.next[i] = (int32_t)i + 1;
        previous[i] = (int32_t)i - 1;
    }
    if (left == 0)
        merge_pieces(&m);
    for (int64_t i = 0; left >= 0 && i < n;) {
        int64_t next = m.next[i];
        ids[left] = ids[i];
        end[left++] = (int32_t)next;
        i = next;
    }
    mem_free(heap);
    mem_free(previous);
    return left;
}
