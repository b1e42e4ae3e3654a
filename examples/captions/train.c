/* train.c: the training loop. See train.h.
 *
 *   loss = -log p(caption | picture) - log p(picture | caption) - log p(answer | picture, question), a mean over ids each
 *
 * Each step draws new pictures. Word dropout: an id that is read is replaced by "blank" with some
 * probability, so that no word and no code can be predicted from one other alone. What is to be
 * predicted stays. */
#include "examples/captions/train.h"

#include "examples/common/run.h"

#include <math.h>

enum { EACH = 32, IGNORED = -1 };

typedef struct {
    int ids[2 * EACH][SEQUENCE], next[2 * EACH][SEQUENCE]; /* captions, then drawings */
    int asked[EACH][ASKED], answer[EACH][ASKED];
} Lesson;

/* The ids after each of the ids; only those from `from` on count. */
static void shift(const int *ids, int *next, int length, int from)
{
    for (int i = 0; i < length; i++)
        next[i] = i + 1 >= from && i + 1 < length ? ids[i + 1] : IGNORED;
}

static void blank(int *ids, int n, double dropped, Rng *rng)
{
    for (int i = 0; i < n; i++)
        if (rng_uniform(rng) < dropped)
            ids[i] = WORD_BLANK;
}

static void draw_lesson(Lesson *l, const Codebook *book, double dropped, Rng *rng)
{
    for (int b = 0; b < EACH; b++) {
        Scene s;
        int codes[PICTURE_CODES], *caption = l->ids[b], *drawing = l->ids[EACH + b];
        scene_draw(&s, rng, false);
        codebook_encode(book, s.pixels, codes);
        Query q = query_kinds[rng_below(rng, QUERIES)];
        q.object = (int)rng_below(rng, 2);
        sequence_caption(caption, codes, &s);
        shift(caption, l->next[b], SEQUENCE, PICTURE_CODES + 2);
        sequence_drawing(drawing, codes, &s);
        shift(drawing, l->next[EACH + b], SEQUENCE, CAPTION_WORDS + 2);
        sequence_query(l->asked[b], codes, &s, &q);
        shift(l->asked[b], l->answer[b], ASKED, ASKED);
        l->answer[b][ASKED - 1] = query_answer(&q, &s);
        blank(caption + 1, PICTURE_CODES, dropped, rng);
        blank(caption + 2 + PICTURE_CODES, CAPTION_WORDS, dropped, rng);
        blank(l->asked[b] + 1, PICTURE_CODES, dropped, rng);
    }
}

static Tensor *part_loss(const PictureGpt *m, const int *ids, const int *next, int rows, int length)
{
    Tensor *y = nn_gpt(&m->gpt, tape_ids(m->tape, ids, shape2(rows, length)));
    return ag_cross_entropy_ignore(ag_reshape(y, shape2(-1, VOCABULARY)),
                                   tape_ids(m->tape, next, shape1(rows * length)), IGNORED);
}

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer; parts: the losses of captions, drawings and
 * answers. */
static double train_step(PictureGpt *m, Params *p, Adam *adam, const Lesson *l, double *norm,
                         double parts[3])
{
    tape_reset(m->tape);
    Tensor *words = part_loss(m, l->ids[0], l->next[0], EACH, SEQUENCE);
    Tensor *codes = part_loss(m, l->ids[EACH], l->next[EACH], EACH, SEQUENCE);
    Tensor *answers = part_loss(m, l->asked[0], l->answer[0], EACH, ASKED);
    Tensor *loss = ag_add(ag_add(words, codes), answers);
    if (!ag_backward(loss))
        return (double)NAN;
    parts[0] = (double)tensor_item(words);
    parts[1] = (double)tensor_item(codes);
    parts[2] = (double)tensor_item(answers);
    *norm = params_clip_grad(p, 1);
    return adam_step(adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

bool picture_gpt_train(PictureGpt *m, Params *p, const Common *c, double dropped)
{
    static Lesson l;
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 2};
    bool ok = codebook_fit(&m->book, &rng) && params_freeze(p, "codebook", true) >= 0;
    Run run = {.common = c,
               .total = c->steps,
               .unit = "pictures",
               .per_step = EACH,
               .also = {"caption", "drawing", "answer"},
               .y_name = "nats a word or code",
               .decay = 0.02,
               .state = {.params = p, .tape = m->tape, .rng = &rng, .rngs = 1}};
    ok = ok && run_begin(&run);
    while (ok && run_more(&run)) {
        run.adam.rate = nn_warmup_cosine(run.step, 200, run.total, c->rate, 0);
        draw_lesson(&l, &m->book, dropped, &rng);
        double norm, parts[3], loss = train_step(m, p, &run.adam, &l, &norm, parts);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, parts);
    }
    return ok && run_end(&run);
}
