/* picture_gpt.c: the GPT that reads and draws pictures, with its codebook (row 51). See scenes.h. The weights were made by
 *
 *     ninja -C build lectures/train-scenes
 *     build/lectures/train-scenes --out lectures/07-vision/scenes.safetensors */
#include "lectures/07-vision/scenes.h"

#include <string.h>

bool picture_gpt_init(PictureGpt *m, uint64_t seed)
{
    GptConfig config = {.words = VOCABULARY,
                        .longest = SEQUENCE,
                        .channels = PICTURE_GPT_WIDTH,
                        .heads = PICTURE_GPT_HEADS,
                        .layers = PICTURE_GPT_LAYERS,
                        .position = POSITION_LEARNED};
    *m = (PictureGpt){.params = params_new(seed), .tape = tape_new(seed)};
    if (!m->params || !m->tape || !gpt_init(&m->gpt, m->params, config))
        return false;
    m->levels = params_add(m->params, "codebook.levels", shape1(LEVELS), nn_constant(0));
    m->patterns =
        params_add(m->params, "codebook.patterns", shape2(PATTERNS, PATCH_PIXELS), nn_constant(0));
    return m->levels && m->patterns;
}

/* The codebook of the file, and random numbers for new pictures. */
static void read_codebook(PictureGpt *m, uint64_t seed)
{
    memcpy(m->book.level, m->levels->data, sizeof m->book.level);
    memcpy(m->book.pattern, m->patterns->data, sizeof m->book.pattern);
    m->rng = (Rng){.seed = seed, .stream = 5100};
    m->tape->no_grad = true;
}

bool picture_gpt_begin(PictureGpt *m, uint64_t seed)
{
    if (!picture_gpt_init(m, seed) ||
        !params_load(m->params, LECTURES_FOLDER "/07-vision/scenes.safetensors"))
        return false;
    read_codebook(m, seed);
    return true;
}

/* The model as it began, with the trained codebook. */
bool picture_gpt_untrained(PictureGpt *m, uint64_t seed)
{
    if (!picture_gpt_begin(m, seed))
        return false;
    Params *fresh = params_new(seed);
    Gpt other;
    bool ok = fresh && gpt_init(&other, fresh, m->gpt.config);
    for (int i = 0; ok && i < fresh->count; i++)
        memcpy(m->params->weight[i]->data, fresh->weight[i]->data,
               sizeof(real) * (size_t)tensor_size(fresh->weight[i]));
    params_free(fresh);
    return ok;
}

void picture_gpt_end(PictureGpt *m)
{
    tape_free(m->tape);
    params_free(m->params);
}

void album_draw(Album *a, PictureGpt *m, int count, bool held_out)
{
    a->count = count;
    for (int i = 0; i < count; i++) {
        scene_draw(&a->scene[i], &m->rng, held_out);
        codebook_encode(&m->book, a->scene[i].pixels, a->codes[i]);
    }
}

bool objects_equal(const Object *a, const Object *b)
{
    return memcmp(a->value, b->value, sizeof a->value) == 0;
}

/* ---- three prompts ------------------------------------------------------------------------------------------------ */

typedef struct {
    PictureGpt *model;
    Candidates candidates;
    double top_p;
} Writer;

static Tensor *writer_logits(void *writer, Tensor *ids, KVCache *cache)
{
    return gpt_logits_cached(&((Writer *)writer)->model->gpt, ids, cache);
}

static int writer_pick(void *writer, const real *logits, int64_t vocabulary)
{
    Writer *w = writer;
    const Sampler sampler = {1, vocabulary, w->top_p, &w->candidates, &w->model->rng};
    return nn_sample(&sampler, logits);
}

/* `count` ids after each of n prompts of `length` ids. */
static bool write_after(PictureGpt *m, const int *prompts, int n, int length, double top_p,
                        int *out, int count)
{
    KVCache cache = {0};
    Writer writer = {.model = m, .top_p = top_p};
    const Decoder d = {writer_logits, &writer, &cache, -1, top_p > 0 ? writer_pick : NULL};
    bool ok = gpt_cache(&m->gpt, &cache, n) && nn_candidates_init(&writer.candidates, VOCABULARY) &&
              nn_generate(m->tape, &d, prompts, NULL, length, out, count);
    nn_candidates_free(&writer.candidates);
    nn_cache_free(&cache);
    return ok;
}

bool picture_gpt_captions(PictureGpt *m, const int (*codes)[PICTURE_CODES], int n,
                          int (*words)[CAPTION_WORDS])
{
    static int prompts[SCENES][1 + PICTURE_CODES + 1];
    for (int i = 0; i < n; i++) {
        prompts[i][0] = WORD_PICTURE;
        memcpy(prompts[i] + 1, codes[i], sizeof codes[i]);
        prompts[i][1 + PICTURE_CODES] = WORD_CAPTION;
    }
    return write_after(m, prompts[0], n, 1 + PICTURE_CODES + 1, GREEDY, words[0], CAPTION_WORDS);
}

bool picture_gpt_answers(PictureGpt *m, const int (*queries)[ASKED], int n, int *answer)
{
    return write_after(m, queries[0], n, ASKED, GREEDY, answer, 1);
}

bool picture_gpt_pictures(PictureGpt *m, const int (*words)[CAPTION_WORDS], int n, double top_p,
                          int (*codes)[PICTURE_CODES])
{
    static int prompts[SCENES][1 + CAPTION_WORDS + 1];
    for (int i = 0; i < n; i++) {
        prompts[i][0] = WORD_CAPTION;
        memcpy(prompts[i] + 1, words[i], sizeof words[i]);
        prompts[i][1 + CAPTION_WORDS] = WORD_PICTURE;
    }
    return write_after(m, prompts[0], n, 1 + CAPTION_WORDS + 1, top_p, codes[0], PICTURE_CODES);
}
