/* model.c: the GPT with its codebook, and what it writes. See model.h. */
#include "examples/common/example.h"
#include "examples/captions/model.h"

#include <string.h>

bool picture_gpt_init(PictureGpt *m, Params *p, uint64_t seed)
{
    const GptConfig config = {.words = VOCABULARY,
                              .longest = SEQUENCE,
                              .channels = WIDTH,
                              .heads = HEADS,
                              .layers = LAYERS,
                              .position = POSITION_LEARNED};
    *m = (PictureGpt){.tape = tape_new(seed), .rng = {.seed = seed, .stream = 1}};
    return m->tape && nn_gpt_init(&m->gpt, p, "", config) && codebook_init(&m->book, p);
}

void picture_gpt_end(PictureGpt *m)
{
    tape_free(m->tape);
}

void album_draw(Album *a, PictureGpt *m, int count, bool held_out)
{
    for (int i = 0; i < count; i++) {
        scene_draw(&a->scene[i], &m->rng, held_out);
        codebook_encode(&m->book, a->scene[i].pixels, a->codes[i]);
    }
}

/* ---- three prompts --------------------------------------------------------------------------- */

/* The `count` most probable ids after each of n prompts of `length` ids. */
static bool write_after(PictureGpt *m, const int *prompts, int n, int length, int *out, int count)
{
    KVCache cache = {0};
    const Decoder d = {.logits = nn_gpt_cached, .model = &m->gpt, .cache = &cache, .end = -1};
    bool ok = nn_gpt_cache(&m->gpt, &cache, n) &&
              nn_generate(m->tape, &d, prompts, NULL, length, out, count);
    nn_cache_free(&cache);
    return ok;
}

bool picture_gpt_captions(PictureGpt *m, int (*codes)[PICTURE_CODES], int n,
                          int (*words)[CAPTION_WORDS])
{
    static int prompts[SCENES][1 + PICTURE_CODES + 1];
    for (int i = 0; i < n; i++) {
        prompts[i][0] = WORD_PICTURE;
        memcpy(prompts[i] + 1, codes[i], sizeof codes[i]);
        prompts[i][1 + PICTURE_CODES] = WORD_CAPTION;
    }
    return write_after(m, prompts[0], n, 1 + PICTURE_CODES + 1, words[0], CAPTION_WORDS);
}

bool picture_gpt_answers(PictureGpt *m, int (*queries)[ASKED], int n, int *answer)
{
    return write_after(m, queries[0], n, ASKED, answer, 1);
}

bool picture_gpt_pictures(PictureGpt *m, int (*words)[CAPTION_WORDS], int n,
                          int (*codes)[PICTURE_CODES])
{
    static int prompts[SCENES][1 + CAPTION_WORDS + 1];
    for (int i = 0; i < n; i++) {
        prompts[i][0] = WORD_CAPTION;
        memcpy(prompts[i] + 1, words[i], sizeof words[i]);
        prompts[i][1 + CAPTION_WORDS] = WORD_PICTURE;
    }
    return write_after(m, prompts[0], n, 1 + CAPTION_WORDS + 1, codes[0], PICTURE_CODES);
}
