/* bpe.h: what the files of the byte-pair tokeniser share. Internal to data/. */
#ifndef GRADUS_DATA_BPE_H
#define GRADUS_DATA_BPE_H

#include "data/data.h"

/* Merges stay within pieces. A piece is one byte of white space, or a run of at most BPE_PIECE_MAX
 * other bytes. */
enum { BPE_PIECE_MAX = 256 };

/* The length of the piece at the beginning of count >= 1 bytes. */
int64_t bpe_piece(const unsigned char *bytes, int64_t count);

/* Allocates memory for this many merges; there are none yet. The error begins with `who`. */
bool bpe_init(Bpe *b, int capacity, const char *who);

/* Appends a merge. Returns NULL, or what is wrong with the merge. */
const char *bpe_add(Bpe *b, int32_t left, int32_t right, int64_t count);

/* Replaces each pair left, right among the ids by `whole`, from left to right; returns the new
 * number of ids. */
int64_t bpe_join(int32_t *ids, int64_t count, int32_t left, int32_t right, int32_t whole);

#endif
