/* nine.h: binary pictures of 3 x 3 pixels whose probabilities are known, and networks that learned
 * them (row 49).
 *
 * The pictures are bars: one of the three rows or three columns is white, each equally likely; then
 * each pixel changes its value with probability 1/20. So p(x), its entropy and its marginals are
 * known, and an expectation is a sum of 512 terms. Picture k has the number 0 to 511 whose bits are
 * its pixels, the first one the highest. */
#ifndef LECTURES_NINE_H
#define LECTURES_NINE_H

#include "lectures/07-vision/pixels.h"

enum { NINE_SIDE = 3, NINE = NINE_SIDE * NINE_SIDE, NINE_BARS = 2 * NINE_SIDE };

int nine_pixel(int k, int i);     /* pixel i of picture k                                       */
bool nine_in_bar(int bar, int i); /* bars 0 to 2 are rows, 3 to 5 columns                       */

/* The order in which a network reads the pixels. */
typedef enum { RASTER, SPIRAL, ORDERS } Order9;

/* A trained network, and its factors: log q(pixel i of picture k | what it sees) at 9 k + i, i in
 * raster order whatever the network's order is. */
typedef struct {
    Params *params;
    Gpt gpt;
    double factor[NINE_PICTURES * NINE];
} Nine;

/* Kept until another seed is asked for; NULL after an error. */
Nine *nine_model(uint64_t seed, Sees sees, Order9 order);

/* Computes the factors of all pictures. read: the order in which the pictures are given, which
 * should be the network's own. */
bool nine_factors(Nine *m, Sees sees, Order9 read);

double nine_log_q(const Nine *m, int k); /* the product of the factors of picture k */

#endif
