/* kmeans.c: k-means with the first centres of k-means++. See kmeans.h. */
#include "examples/common/kmeans.h"

#include "examples/common/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double squared_distance(const real *a, const real *b, int width)
{
    double sum = 0;
    for (int i = 0; i < width; i++) {
        double difference = (double)a[i] - (double)b[i];
        sum += difference * difference;
    }
    return sum;
}

int kmeans_nearest(const real *centres, int K, const real *x, int width)
{
    int best = 0;
    double least = squared_distance(x, centres, width);
    for (int k = 1; k < K; k++) {
        double d = squared_distance(x, centres + k * width, width);
        best = d < least ? k : best;
        least = d < least ? d : least;
    }
    return best;
}

/* distance (n): of each row from the nearest centre so far. */
static void first_centres(real *centres, int K, const real *x, int n, int width, double *distance,
                          Rng *rng)
{
    memcpy(centres, x + rng_below(rng, n) * width, sizeof *centres * (size_t)width);
    for (int k = 1; k < K; k++) {
        double sum = 0;
        int chosen = 0;
        for (int i = 0; i < n; i++) {
            double d = squared_distance(x + i * width, centres + (k - 1) * width, width);
            distance[i] = k == 1 || d < distance[i] ? d : distance[i];
            sum += distance[i];
        }
        double at = sum * rng_uniform(rng);
        while (chosen < n - 1 && (at -= distance[chosen]) >= 0)
            chosen++;
        memcpy(centres + k * width, x + chosen * width, sizeof *centres * (size_t)width);
    }
}

/* One of Lloyd's rounds; returns the mean squared distance before it. A centre that is nearest to
 * no row stays. sum (K, width) and members (K) are scratch memory. */
static double lloyd_round(real *centres, int K, const real *x, int n, int width, double *sum,
                          int *members)
{
    double mean = 0;
    memset(sum, 0, sizeof *sum * (size_t)(K * width));
    memset(members, 0, sizeof *members * (size_t)K);
    for (int i = 0; i < n; i++) {
        const real *row = x + i * width;
        int k = kmeans_nearest(centres, K, row, width);
        mean += squared_distance(row, centres + k * width, width) / n;
        members[k]++;
        for (int j = 0; j < width; j++)
            sum[k * width + j] += (double)row[j];
    }
    for (int i = 0; i < K * width; i++)
        if (members[i / width])
            centres[i] = (real)(sum[i] / members[i / width]);
    return mean;
}

double kmeans(real *centres, int K, const real *x, int n, int width, int rounds, Rng *rng)
{
    double mean = (double)NAN;
    double *distance = example_alloc(sizeof *distance * (size_t)n);
    double *sum = example_alloc(sizeof *sum * (size_t)(K * width));
    int *members = example_alloc(sizeof *members * (size_t)K);
    if (distance && sum && members) {
        first_centres(centres, K, x, n, width, distance, rng);
        for (int r = 0; r < rounds; r++)
            mean = lloyd_round(centres, K, x, n, width, sum, members);
    }
    free(members);
    free(sum);
    free(distance);
    return mean;
}
