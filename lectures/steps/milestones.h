/* milestones.h: programs in which a learner's own functions run.
 *
 *   milestones.c          compiles one with her homeworks, and runs it
 *   milestones_words.c    what the programs on words read, and what the library computes for it
 *   milestones_digits.c   the same for pictures of digits
 *   milestones/           the programs */
#ifndef LECTURES_MILESTONES_H
#define LECTURES_MILESTONES_H

#include "gradus.h"

typedef struct {
    const char *name, *what;
    const char *homeworks; /* "hw2 hw3": their files are compiled            */
    const char *example;   /* is trained, and saves its weights; NULL: none */
    /* Writes the input; NULL: the program reads none. False after an error. */
    bool (*input)(FILE *out, const char *weights);
} Milestone;

extern const Milestone milestones[]; /* closed by name NULL */
const Milestone *milestone_named(const char *name);

bool milestone_head(FILE *out, const char *weights);
bool milestone_tired(FILE *out, const char *weights);
bool milestone_writes(FILE *out, const char *weights);
bool milestone_digit(FILE *out, const char *weights);
bool milestone_vae(FILE *out, const char *weights);

/* Input is names, each with how many numbers follow, and the numbers. */
void put_numbers(FILE *out, const char *name, const real *x, int64_t n);
void put_ints(FILE *out, const char *name, const int *x, int n);
void put_tensor(FILE *out, const char *name, const Tensor *t);
bool put_weights(FILE *out, const char *path); /* all of a file of safetensors */

#endif
