/* table.h: a vocabulary, and merges of pairs of tokens, as hash tables that are never more than
 * half full. Internal to data/. */
#ifndef GRADUS_DATA_TABLE_H
#define GRADUS_DATA_TABLE_H

#include "tensor/memory.h"

/* Words of a vocabulary <-> their ids. */
typedef struct {
    const char **word; /* by id, closed by a 0; NULL where there is none */
    int32_t *bytes;    /* by id: how long it is                          */
    int32_t ids;       /* one more than the largest id                   */
    int32_t *slot;     /* hash table of ids, or -1                       */
    int32_t slots;     /* a power of 2                                   */
} TokenTable;
enum { TOKEN_IDS_MAX = 1 << 22 };
bool token_table_init(TokenTable *t, Arena *arena, int32_t ids); /* 0 or more */
/* Twice as many ids, which may be none before; the smaller table stays in the arena. */
bool token_table_grow(TokenTable *t, Arena *arena);
/* False, without an error, where the word or the id is there already. The word must stay. */
bool token_table_add(TokenTable *t, const char *word, size_t bytes, int32_t id);
int32_t token_table_find(const TokenTable *t, const char *word, size_t bytes); /* -1: none */

/* Which two tokens become one: the lower the rank, the sooner. */
typedef struct {
    int32_t left, right, whole, rank;
} TokenMerge;
typedef struct {
    TokenMerge *slot; /* hash table; left -1: empty */
    int32_t slots, count;
} TokenMerges;
bool token_merges_init(TokenMerges *m, Arena *arena, int32_t count);
void token_merges_clear(TokenMerges *m);
/* Of a merge that is added twice the later rank counts, as in the tokenizers library. */
void token_merges_add(TokenMerges *m, TokenMerge merge);
const TokenMerge *token_merges_find(const TokenMerges *m, int32_t left, int32_t right);
/* tokeniser_merges.c: merges the n >= 1 tokens of ids in place and returns the number that are
 * left; -1: out of memory. Of these, token i consists of the first tokens end[i-1] .. end[i]-1. */
int64_t token_merge_all(const TokenMerges *m, int32_t *ids, int32_t *end, int64_t n);

#endif
