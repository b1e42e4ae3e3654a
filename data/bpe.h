/* bpe.h: what the files of the byte-pair tokeniser share. Private to data/. */
#ifndef GRADUS_DATA_BPE_H
#define GRADUS_DATA_BPE_H

#include "data/data.h"

/* A piece is what merges stay within: one byte of white space, or a run of other bytes, of which at
 * most BPE_PIECE_MAX belong together. */
enum { BPE_PIECE_MAX = 256 };

/* The length of the piece that begins here; count >= 1. */
int64_t bpe_piece(const unsigned char *bytes, int64_t count);

/* KernelScratch for this many merges, none of them there yet. */
bool bpe_init(Bpe *b, int capacity);

/* The merge that joins the two, or -1. */
int bpe_find(const Bpe *b, int32_t left, int32_t right);

/* One merge more. NULL, or what is wrong with it. */
const char *bpe_add(Bpe *b, int32_t left, int32_t right, int64_t count);

/* Joins each left-right among the ids, from the left on; returns how many are left. */
int64_t bpe_join(int32_t *ids, int64_t count, int32_t left, int32_t right, int32_t whole);

#endif
