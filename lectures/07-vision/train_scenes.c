/* train_scenes.c: trains the GPT of row 51 (scenes.h) and saves its weights beside this file:
 *
 *     ninja -C build lectures/train-scenes
 *     build/lectures/train-scenes --out lectures/07-vision/scenes.safetensors */
#include "lectures/07-vision/scenes.h"

#include "examples/common/options.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

enum { FITTED = 3000, ROUNDS = 40, EACH = 32, WARMUP = 200, PAUSE = 250, IGNORED = -1 };

/* The codebook from pictures that training may show. */
static bool fit_codebook(PictureGpt *m, uint64_t seed)
{
    Rng rng = {.seed = seed, .stream = 5101};
    real(*patches)[PATCH_PIXELS] = calloc(FITTED * PATCH_COUNT, sizeof *patches);
    double error[ROUNDS];
    if (!patches)
        return false;
    for (int i = 0; i < FITTED; i++) {
        Scene s;
        scene_draw(&s, &rng, false);
        scene_cut(s.pixels, patches + i * PATCH_COUNT);
    }
    bool ok = codebook_fit(&m->book, (const real(*)[PATCH_PIXELS])patches, FITTED * PATCH_COUNT,
                           &rng, ROUNDS, error);
    if (ok)
        printf("codebook: mean squared distance of a pattern %.4f, at last %.4f\n", error[0],
               error[ROUNDS - 1]);
    memcpy(m->levels->data, m->book.level, sizeof m->book.level);
    memcpy(m->patterns->data, m->book.pattern, sizeof m->book.pattern);
    free(patches);
    return ok;
}

typedef struct {
    int ids[2 * EACH][SEQUENCE], next[2 * EACH][SEQUENCE]; /* captions, then drawings */
    int asked[EACH][ASKED], answer[EACH][ASKED];
} Lesson;

/* ids and the ids after them; only those from `from` on count. */
static void shift(const int *ids, int *next, int length, int from)
{
    for (int i = 0; i < length; i++)
        next[i] = i + 1 >= from && i + 1 < length ? ids[i + 1] : IGNORED;
}

/* Word dropout, where a picture is read: each of n ids is replaced by "blank" with probability `share`, so that no word and
 * no code can be predicted from one other alone. What is to be predicted stays. */
static void blank(int *ids, int n, double share, Rng *rng)
{
    for (int i = 0; i < n; i++)
        if (rng_uniform(rng) < share)
            ids[i] = WORD_BLANK;
}

static void draw_lesson(Lesson *l, const Codebook *book, double share, Rng *rng)
{
    for (int b = 0; b < EACH; b++) {
        Scene s;
        int codes[PICTURE_CODES];
        scene_draw(&s, rng, false);
        codebook_encode(book, s.pixels, codes);
        Query q = query_kinds[rng_below(rng, QUERIES)];
        q.object = (int)rng_below(rng, 2);
        sequence_caption(l->ids[b], codes, &s);
        shift(l->ids[b], l->next[b], SEQUENCE, PICTURE_CODES + 2);
        sequence_drawing(l->ids[EACH + b], codes, &s);
        shift(l->ids[EACH + b], l->next[EACH + b], SEQUENCE, CAPTION_WORDS + 2);
        sequence_query(l->asked[b], codes, &s, &q);
        shift(l->asked[b], l->answer[b], ASKED, ASKED);
        l->answer[b][ASKED - 1] = query_answer(&q, &s);
        blank(l->ids[b] + 1, PICTURE_CODES, share, rng);
        blank(l->ids[b] + 2 + PICTURE_CODES, CAPTION_WORDS, share, rng);
        blank(l->asked[b] + 1, PICTURE_CODES, share, rng);
    }
}

static Tensor *part_loss(const PictureGpt *m, const int *ids, const int *next, int rows, int length)
{
    Tensor *y = gpt_logits(&m->gpt, tape_ids(m->tape, ids, shape2(rows, length)));
    return ag_cross_entropy_ignore(ag_reshape(y, shape2(-1, VOCABULARY)),
                                   tape_ids(m->tape, next, shape1(rows * length)), IGNORED);
}

typedef struct {
    int steps;
    double rate, decay, blank;
} Settings;

static bool train(PictureGpt *m, uint64_t seed, const Settings *o)
{
    static Lesson l;
    Rng rng = {.seed = seed, .stream = 5102};
    Adam adam = {0};
    bool ok = adamw_init(&adam, m->params, o->rate, o->decay);
    double mean[3] = {0};
    for (int step = 0; ok && step < o->steps; step++) {
        adam.rate = nn_warmup_cosine(step, WARMUP, o->steps, o->rate, 0);
        draw_lesson(&l, &m->book, o->blank, &rng);
        tape_reset(m->tape);
        Tensor *part[3] = {
            part_loss(m, l.ids[0], l.next[0], EACH, SEQUENCE),
            part_loss(m, l.ids[EACH], l.next[EACH], EACH, SEQUENCE),
            part_loss(m, l.asked[0], l.answer[0], EACH, ASKED),
        };
        ok = ag_backward(ag_add(ag_add(part[0], part[1]), part[2]));
        params_clip_grad(m->params, 1);
        ok = ok && adam_step(&adam, m->params);
        for (int i = 0; ok && i < 3; i++)
            mean[i] += (double)tensor_item(part[i]) / PAUSE;
        if (step % PAUSE == PAUSE - 1) {
            printf("step %5d: nats a word of a caption %.4f, a code %.4f, an answer %.4f\n",
                   step + 1, mean[0], mean[1], mean[2]);
            fflush(stdout);
            memset(mean, 0, sizeof mean);
        }
    }
    adam_free(&adam);
    return ok;
}

int main(int argc, char **argv)
{
    const char *out = "scenes.safetensors";
    Settings o = {.steps = 6000, .rate = 4e-3, .decay = 0.02, .blank = 0.15};
    uint64_t seed = 1;
    const Option table[] = {
        {"out", OPTION_TEXT, &out, "FILE", "where the weights are saved", 0, 0},
        {"steps", OPTION_INT, &o.steps, "N", "steps of training", 1, 1000000},
        {"rate", OPTION_NUMBER, &o.rate, "R", "the largest learning rate", 0, 1},
        {"decay", OPTION_NUMBER, &o.decay, "D", "of the weights (AdamW)", 0, 10},
        {"blank", OPTION_NUMBER, &o.blank, "P", "share of words and codes left blank", 0, 1},
        {0},
    };
    options_parse(argc, argv, "Trains the GPT that reads and draws pictures of shapes.", table);
    PictureGpt m;
    bool ok = picture_gpt_init(&m, seed);
    if (ok)
        params_freeze(m.params, "codebook", true);
    ok = ok && fit_codebook(&m, seed) && train(&m, seed, &o) && params_save(m.params, out, NULL, 0);
    if (!ok)
        fprintf(stderr, "train-scenes: %s\n", tensor_error());
    picture_gpt_end(&m);
    return ok ? 0 : 1;
}
