/* media.h: what the files of row 51 share: the trained models of examples/speech and
 * examples/captions. */
#ifndef LECTURES_MEDIA_H
#define LECTURES_MEDIA_H

#include "lectures/07-vision/vision.h"

/* A model's weights, and a tape to run it without gradients. */
typedef struct {
    Params *params;
    Tape *tape;
    Rng rng;
} Media;

/* Begins with no weights; fills those that were registered since from a file of this chapter;
 * ends. */
bool media_begin(Media *m, uint64_t seed, uint64_t stream);
bool media_load(Media *m, const char *file);
void media_end(Media *m);

/* Replaces the weights below this path by small random numbers: a fault. */
void media_forget(Media *m, const char *path);

#endif
