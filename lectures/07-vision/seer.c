/* seer.c: the GPT that reads and draws pictures, with its codebook (row 51). See scenes.h. The weights were made by
 *
 *     ninja -C build lectures/train-scenes
 *     build/lectures/train-scenes --out lectures/07-vision/scenes.safetensors */
#include "lectures/07-vision/scenes.h"

#include <string.h>

bool seer_init(Seer *m, uint64_t seed)
{
    GptConfig config = {.words = VOCABULARY,
                        .longest = SEQUENCE,
                        .channels = SEER_WIDTH,
                        .heads = SEER_HEADS,
                        .layers = SEER_LAYERS,
                        .position = POSITION_LEARNED};
    *m = (Seer){.params = params_new(seed), .tape = tape_new(seed)};
    if (!m->params || !m->tape || !gpt_init(&m->gpt, m->params, config))
        return false;
    m->levels = params_add(m->params, "codebook.levels", shape1(LEVELS), nn_constant(0));
    m->patterns =
        params_add(m->params, "codebook.patterns", shape2(PATTERNS, PATCH_PIXELS), nn_constant(0));
    return m->levels && m->patterns;
}

bool seer_begin(Seer *m, uint64_t seed)
{
    if (!seer_init(m, seed) ||
        !params_load(m->params, LECTURES_FOLDER "/07-vision/scenes.safetensors"))
        return false;
    memcpy(m->book.level, m->levels->data, sizeof m->book.level);
    memcpy(m->book.pattern, m->patterns->data, sizeof m->book.pattern);
    m->rng = (Rng){.seed = seed, .stream = 5100};
    m->tape->no_grad = true;
    return true;
}

void seer_end(Seer *m)
{
    tape_free(m->tape);
    params_free(m->params);
}
