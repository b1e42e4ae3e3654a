/* head.c: your matrix product and softmax (homework 1) in the heads of the trained attention
 * example: what "it" takes from the words of a sentence. */
#include "given.h"

#include "hw1.h"

#include <math.h>
#include <stdio.h>

enum { C = 32, HEADS = 4, D = C / HEADS, MOST = 64, ALL = MOST * MOST };

static void transpose(float *y, const float *x, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            y[j * rows + i] = x[i * columns + j];
}

/* y = x W^T + b for D rows of the second block's packed projection, from row `first` on. */
static void projection(float *y, int first, int t)
{
    static float columns[ALL], product[ALL];
    transpose(columns, given("blocks.1.attn.in_proj_weight") + first * C, D, C);
    matmul(product, given("x"), columns, t, C, D);
    add(y, product, t, D, given("blocks.1.attn.in_proj_bias") + first, 1, D);
}

int main(int argc, char **argv)
{
    static float q[ALL], k[ALL], columns[ALL], scores[ALL], maps[HEADS * ALL];
    given_open(argc, argv);
    int t = given_int("tokens", 0), query = given_int("query", 0);
    for (int h = 0; h < HEADS; h++) {
        projection(q, h * D, t);
        projection(k, C + h * D, t);
        transpose(columns, k, t, D);
        matmul(scores, q, columns, t, D, t);
        for (int i = 0; i < t * t; i++)
            scores[i] /= sqrtf((float)D);
        softmax(maps + h * t * t, scores, t, t);
    }
    printf("what \"it\" takes in the four heads of layer 2, by your softmax:\n");
    for (int j = 0; j < t; j++) {
        for (int h = 0; h < HEADS; h++)
            printf(" %.3f", (double)maps[(h * t + query) * t + j]);
        printf("  ");
        given_print("word%d", j);
        putchar('\n');
    }
    return !agrees(maps, "maps", 1e-4);
}
