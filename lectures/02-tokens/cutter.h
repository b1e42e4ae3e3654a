/* cutter.h: a text of pickers.h as characters, as byte pairs or as the words of a dictionary (row
 * 8).
 *
 * What an unknown word costs beside its <unk>, spelled out:
 *   uniform  log 27 for each letter and for its end
 *   counted  -log p(letter | place in the word, letter before), from the unknown words of the dictionary's own text */
#ifndef LECTURES_CUTTER_H
#define LECTURES_CUTTER_H

#include "lectures/02-tokens/tokens.h"

typedef enum { CHARACTERS, PAIRS, DICTIONARY, KINDS } Kind;

enum { TOKENS_MAX = 1024, MERGES = 200 };
enum { PLACES = 16, LETTERS = 27 }; /* a to z, and the end of a word */

typedef struct {
    Kind kind;
    int V;
    Bpe bpe; /* of characters: without merges */
    Vocab words;
    int32_t dense[DATA_BPE_BYTES + MERGES]; /* ids that occur, numbered from 0 */
    /* counts: place, letter before (at first: the end), letter */
    double spelled[PLACES][LETTERS][LETTERS];
} Cutter;

/* Dictionary, merges and counts come from one text; so do the ids that are used. */
void cutter_begin(Cutter *c, Kind kind, uint64_t seed);
void cutter_end(Cutter *c);

/* A text as tokens, and the bytes that each stands for: a word with the blank before it. */
typedef struct {
    int n;
    int32_t id[TOKENS_MAX];
    int bytes[TOKENS_MAX];
    double uniform[TOKENS_MAX], counted[TOKENS_MAX]; /* what spelling it costs; 0: a known token */
} Cut;
void cutter_cut(const Cutter *c, const char *text, Cut *cut);

#endif
