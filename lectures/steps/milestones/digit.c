/* digit.c: your Vision Transformer (homeworks 2, 3, 3b, 4, 12) with the weights of the vit example
 * reads digits. */
#include "transformer.h"

#include "hw12.h"

#include <stdio.h>

enum { SIDE = 28, PATCHES = 16, C = 64, CLASSES = 10 };

static void show(const float *image)
{
    for (int i = 0; i < SIDE; i += 2) {
        for (int j = 0; j < SIDE; j++)
            putchar(" .:+#"[(int)(4.99f * image[i * SIDE + j])]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    static const Transformer m = {.channels = C, .heads = 4, .layers = 4};
    static float patches[PATCHES * C], x[ALL], logits[16 * CLASSES];
    given_open(argc, argv);
    int count = given_int("pictures", 0);
    show(given("images"));
    for (int n = 0; n < count; n++) {
        const float *image = given("images") + n * SIDE * SIDE;
        float *own = logits + n * CLASSES;
        patch_embedding(patches, image, given("embed.weight"), given("embed.bias"),
                        (Picture){1, SIDE, SIDE, 7}, C);
        add_class(x, patches, given("class_token"), given("position.weight"), 1, PATCHES, C);
        transformer_run(&m, x, PATCHES + 1);
        transformer_linear(own, x, given("head.weight"), given("head.bias"), 1, C, CLASSES);
        printf("your transformer reads %d, it is %d\n", largest(own, CLASSES),
               given_int("labels", n));
    }
    return !agrees(logits, "logits", 1e-3);
}
