/* kmeans.h: k centres of n vectors, so that the mean squared distance of a vector from its nearest
 * centre is small.
 *
 *   j(i) = argmin_j |x_i - c_j|^2,   c_j = mean of the x_i with j(i) = j,   repeated     Lloyd 1982
 *
 * A vector quantiser: a vector is replaced by the number of its nearest centre. */
#ifndef EXAMPLES_KMEANS_H
#define EXAMPLES_KMEANS_H

#include "gradus.h"

/* The number of the centre that is nearest to x: of K rows of `width` numbers. */
int kmeans_nearest(const real *centres, int K, const real *x, int width);

/* Finds K centres of the rows of x (n, width), n >= 1, in so many rounds. The first centres are
 * rows of x, each drawn with a probability in proportion to its squared distance from the nearest
 * one so far (k-means++, Arthur and Vassilvitskii 2007). Returns the mean squared distance before
 * the last round; NaN, with an error, where memory is out. */
double kmeans(real *centres, int K, const real *x, int n, int width, int rounds, Rng *rng);

#endif
