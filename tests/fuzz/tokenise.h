/* tokenise.h: what the targets of the pretrained models' tokenisers share. */
#ifndef GRADUS_TESTS_FUZZ_TOKENISE_H
#define GRADUS_TESTS_FUZZ_TOKENISE_H

#include "tests/fuzz/fuzz.h"

/* Writes the folder's file of this name, with the 256 tokens of bytes, ids from 0 on, in place of
 * the first "@":0. A vocabulary of byte-level BPE must have them all; so a seed of a few bytes has
 * them. */
void fuzz_write_vocabulary(const char *name, const uint8_t *bytes, size_t size);

/* Opens the folder's tokeniser; tokenises some texts and these bytes with it, alone and as a pair,
 * whole and cut. Each token has an id of the vocabulary and stands for bytes of its text. */
void fuzz_tokeniser(const uint8_t *bytes, size_t size);

#endif
