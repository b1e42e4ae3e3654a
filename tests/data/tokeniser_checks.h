/* tokeniser_checks.h: folders with the files of a tokeniser, written by a test. */
#ifndef TESTS_TOKENISER_CHECKS_H
#define TESTS_TOKENISER_CHECKS_H

#include <stdint.h>

/* Decodes hexadecimal digits in place; how many bytes. *end: after the digits. */
int64_t tokeniser_hex(char *text, char **end);

/* Writes a file into the scratch directory's folder "tokeniser", and returns the folder's path. */
const char *tokeniser_folder(const char *name, const char *text);

/* The same for a tokenizer.json, with each ' of the text written as ". */
const char *tokeniser_quoted(const char *text);

/* A tokenizer.json of byte-level BPE: the 256 tokens of the bytes with ids 0 to 255, further
 * members of the vocabulary (", 'ab': 256"), a list of merges, and further members of the file (",
 * 'added_tokens': []"). ' is written as ". */
const char *tokeniser_of_bytes(const char *vocabulary, const char *merges, const char *members);

/* A vocab.json with the same tokens and ids. */
const char *tokeniser_vocabulary(const char *vocabulary);

/* The folder is refused with this error about this file, and nothing stays allocated. */
void tokeniser_refused(const char *folder, const char *file, const char *part);

#endif
