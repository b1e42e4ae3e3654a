/* head.c: your matrix product and softmax (homework 1) in a head of the trained attention example.
 *
 *   head WEIGHTS INPUT
 *
 * INPUT: tokens, channels, heads, layer, head, the query's row; the words; the normalised states x
 * (tokens, channels); the library's map (tokens, tokens). */
#include "weights.h"

#include "hw1.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64 };

/* y = x W^T + b for `d` rows of the packed projection, from row `first` on; transposed: y^T. */
static void projection(float *y, const float *x, const Weights *w, int layer, int first, int t,
                       int c, int d)
{
    static float columns[MOST * MOST], product[MOST * MOST];
    const float *rows = weights_of(w, "blocks.%d.attn.in_proj_weight", layer) + first * c;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < c; j++)
            columns[j * d + i] = rows[i * c + j];
    matmul(product, x, columns, t, c, d);
    add(y, product, t, d, weights_of(w, "blocks.%d.attn.in_proj_bias", layer) + first, 1, d);
}

int main(int argc, char **argv)
{
    static float x[MOST * MOST], q[MOST * MOST], k[MOST * MOST], columns[MOST * MOST];
    static float scores[MOST * MOST], map[MOST * MOST], right[MOST * MOST];
    char word[MOST][64];
    if (argc != 3)
        return 2;
    Weights w = weights_open(argv[1]);
    input_open(argv[2]);
    int t = input_int(), c = input_int(), heads = input_int(), layer = input_int();
    int head = input_int(), query = input_int(), d = c / heads;
    for (int i = 0; i < t; i++)
        input_word(word[i]);
    input_numbers(x, t * c);
    input_numbers(right, t * t);
    projection(q, x, &w, layer, head * d, t, c, d);
    projection(k, x, &w, layer, c + head * d, t, c, d);
    for (int i = 0; i < t; i++)
        for (int j = 0; j < d; j++)
            columns[j * t + i] = k[i * d + j];
    matmul(scores, q, columns, t, d, t);
    for (int i = 0; i < t * t; i++)
        scores[i] /= sqrtf((float)d);
    softmax(map, scores, t, t);
    printf("layer %d, head %d: what \"%s\" takes, by your softmax\n", layer + 1, head + 1,
           word[query]);
    for (int j = 0; j < t; j++)
        printf("  %-10s %.3f\n", word[j], (double)map[query * t + j]);
    double apart = farthest(map, right, t * t);
    printf("at most %.1g from the library's map; expected 1e-4\n", apart);
    return !(apart < 1e-4);
}
