/* digit.c: your Vision Transformer (homeworks 2, 3, 3b, 4, 4b, 12) with the weights of the vit
 * example reads a digit.
 *
 *   digit WEIGHTS INPUT
 *
 * INPUT: digits; for each: its label, 28 x 28 brightnesses, the library's ten logits. */
#include "transformer.h"

#include "hw12.h"

#include <stdio.h>

enum { SIDE = 28, PATCH = 7, TOKENS = 17, CHANNELS = 64, CLASSES = 10 };

static void show(const float *image)
{
    for (int i = 0; i < SIDE; i += 2) {
        printf("  ");
        for (int j = 0; j < SIDE; j++)
            putchar(" .:+#"[(int)(4.99f * image[i * SIDE + j])]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    static float image[SIDE * SIDE], patches[TOKENS * CHANNELS], x[TOKENS * CHANNELS];
    float logits[CLASSES], right[CLASSES];
    Picture p = {1, SIDE, SIDE, PATCH};
    int wrong = 0, read = 0, count;
    if (argc != 3)
        return 2;
    Transformer m = {weights_open(argv[1]), CHANNELS, 4, 4, 0, 0};
    input_open(argv[2]);
    count = input_int();
    for (int n = 0; n < count; n++) {
        int label = input_int(), best = 0;
        input_numbers(image, SIDE * SIDE);
        input_numbers(right, CLASSES);
        patch_embedding(patches, image, weights_of(&m.weights, "embed.weight"),
                        weights_of(&m.weights, "embed.bias"), p, CHANNELS);
        add_class(x, patches, weights_of(&m.weights, "class_token"),
                  weights_of(&m.weights, "position.weight"), 1, TOKENS - 1, CHANNELS);
        transformer_run(&m, x, TOKENS);
        transformer_head(&m, "head", 1, logits, x, CLASSES);
        for (int i = 1; i < CLASSES; i++)
            best = logits[i] > logits[best] ? i : best;
        if (n == 0)
            show(image);
        double apart = farthest(logits, right, CLASSES);
        printf("your transformer reads %d, it is %d; %.1g from the library's logits\n", best, label,
               apart);
        read += best == label;
        wrong |= !(apart < 1e-3);
    }
    printf("%d of %d read rightly; expected at most 1e-3 from the library's logits\n", read, count);
    return wrong;
}
