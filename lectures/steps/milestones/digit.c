/* digit.c: your Vision Transformer (homeworks 2, 3, 3b, 4, 4b, 12) with the weights of the vit
 * example reads digits. */
#include "library.h"

#include "hw12.h"

#include "examples/common/pictures.h"
#include "examples/vit/model.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, PATCHES = 16, C = 64, CLASSES = 10, SHOWN = 5 };

bool milestone(Params *p, Tape *tape, const char *weights)
{
    static float images[SHOWN * PIXELS], patches[PATCHES * C], x[ALL], logits[SHOWN * CLASSES];
    int32_t labels[SHOWN];
    Pictures digits;
    Model m;
    vit_init(&m, p, (ModelConfig){SIDE, 1, 7, C, 4, 4, CLASSES, POSITION_LEARNED, POOL_CLASS});
    params_load(weights, p);
    pictures_drawn(&digits, 1, SHOWN, 7);
    pictures_test(&digits, 0, SHOWN, images, labels);
    pictures_free(&digits);
    print_pictures(images, SHOWN, SIDE);
    for (int n = 0; n < SHOWN; n++) {
        float *own = logits + n * CLASSES;
        patch_embedding(patches, images + n * PIXELS, m.embed.weight->data, m.embed.bias->data,
                        (Picture){1, SIDE, SIDE, 7}, C);
        add_class(x, patches, m.class_token->data, m.encoder.position.weight->data, 1, PATCHES, C);
        own_blocks(&m.encoder, 0, x, PATCHES + 1);
        own_linear(own, x, &m.head, 1);
        printf("your transformer reads %d, it is %d\n", largest(own, CLASSES), (int)labels[n]);
    }
    Tensor *pictures = tape_input(tape, images, shape4(SHOWN, 1, SIDE, SIDE));
    return agrees(logits, vit_logits(&m, pictures), 1e-3);
}
