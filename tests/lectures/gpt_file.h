/* gpt_file.h: lectures/00-backprop/gpt.c, whose names are the library's, under other names. */
#ifndef TESTS_GPT_FILE_H
#define TESTS_GPT_FILE_H

enum { GPT_LETTERS = 27, GPT_POSITIONS = 16, GPT_CHANNELS = 16, GPT_WEIGHTS = 4192 };

extern double *const gpt_weights, *const gpt_gradients; /* GPT_WEIGHTS numbers each */

/* The loss of a word that begins and ends with a blank; with backward, gradients are added. */
double gpt_loss(const char *text, int backward);

#endif
