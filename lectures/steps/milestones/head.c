/* head.c: your matrix product and softmax (homework 1) in a head of the trained attention example:
 * what "it" takes from the words of a sentence. */
#include "given.h"

#include "hw1.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64, ALL = MOST * MOST };

static void transpose(float *y, const float *x, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            y[j * rows + i] = x[i * columns + j];
}

/* y = x W^T + b for d rows of the second block's packed projection, from row `first` on. */
static void projection(float *y, int first, int t, int c, int d)
{
    static float columns[ALL], product[ALL];
    transpose(columns, given("blocks.1.attn.in_proj_weight") + first * c, d, c);
    matmul(product, given("x"), columns, t, c, d);
    add(y, product, t, d, given("blocks.1.attn.in_proj_bias") + first, 1, d);
}

int main(int argc, char **argv)
{
    static float q[ALL], k[ALL], columns[ALL], scores[ALL], map[ALL];
    given_open(argc, argv);
    int t = given_int("tokens", 0), query = given_int("query", 0);
    int c = given_int("channels", 0), d = given_int("d", 0), head = given_int("head", 0);
    projection(q, head * d, t, c, d);
    projection(k, c + head * d, t, c, d);
    transpose(columns, k, t, d);
    matmul(scores, q, columns, t, d, t);
    for (int i = 0; i < t * t; i++)
        scores[i] /= sqrtf((float)d);
    softmax(map, scores, t, t);
    printf("layer 2, head %d: what \"it\" takes, by your softmax\n", head + 1);
    for (int j = 0; j < t; j++) {
        char name[16];
        snprintf(name, sizeof name, "word%d", j);
        printf("  %.3f ", (double)map[query * t + j]);
        given_print(name);
        putchar('\n');
    }
    return !agrees(map, "map", 1e-4);
}
