/* train.c: the codec by k-means, then two training loops. See train.h.
 *
 *   the GPT:         letters and codes of a sentence -> -log p(codes | letters)
 *   the recogniser:  tokens of a sentence, with noise -> the word at each frame */
#include "examples/speech/train.h"

#include "examples/common/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32, SENTENCES = 6000, CODEC_SENTENCES = 150 };

/* ---- sentences ------------------------------------------------------------------------------ */

/* A sentence by a speaker of its own, as the models see it. */
typedef struct {
    int frames; /* 0: not yet spoken */
    int letters[LETTERS_MAX], label[FRAMES], codes[FRAMES][STAGES];
    real vectors[FRAMES][NUMBERS];
} Lesson;

/* Sentences that are spoken when they are first asked for; each depends on the seed and its number
 * alone. */
typedef struct {
    Lesson *lesson; /* (SENTENCES), then BATCH sentences that are held out */
    const Codec *codec;
    Tape *tape;
    uint64_t seed;
} Lessons;

static bool lessons_begin(Lessons *l, const Codec *codec, uint64_t seed)
{
    *l = (Lessons){.lesson = example_alloc((SENTENCES + BATCH) * sizeof *l->lesson),
                   .codec = codec,
                   .tape = tape_new(seed),
                   .seed = seed};
    if (l->tape)
        l->tape->no_grad = true;
    return l->lesson && l->tape;
}

static void lessons_end(Lessons *l)
{
    tape_free(l->tape);
    free(l->lesson);
}

/* Speaks sentence i; NULL after an error. */
static Lesson *lesson_speak(Lessons *l, int i)
{
    static Sentence s;
    Lesson *x = &l->lesson[i];
    Rng rng = {.seed = l->seed, .stream = 100 + (uint64_t)i};
    sentence_draw(&s, &rng, i >= SENTENCES);
    memcpy(x->label, s.label, sizeof s.label);
    sentence_letters(s.words, x->letters);
    tape_reset(l->tape);
    x->frames = s.frames;
    return wave_vectors(l->tape, s.wave, s.frames, x->vectors) ? x : NULL;
}

/* Sentence i with its codes; NULL after an error. */
static const Lesson *lesson_at(Lessons *l, int i)
{
    Lesson *x = &l->lesson[i];
    if (x->frames == 0 && lesson_speak(l, i))
        codec_encode(l->codec, x->vectors, x->frames, x->codes);
    return tensor_failed() ? NULL : x;
}

static bool fit_codec(Codec *codec, Lessons *l)
{
    int n = 0;
    Rng rng = {.seed = l->seed, .stream = 1};
    real(*v)[NUMBERS] = example_alloc(CODEC_SENTENCES * FRAMES * sizeof *v);
    bool ok = v != NULL;
    for (int i = 0; ok && i < CODEC_SENTENCES; i++) {
        Lesson *x = lesson_speak(l, i);
        ok = x != NULL;
        for (int f = 0; ok && f < x->frames; f++)
            memcpy(v[n++], x->vectors[f], sizeof *v);
        l->lesson[i].frames = 0; /* it has no codes yet */
    }
    if (ok) {
        double left = codec_fit(codec, v, n, &rng);
        ok = !isnan(left);
        printf("codec: %d + %d centres; mean squared distance of %d frames from theirs: %.3f\n",
               CENTRES, CENTRES, n, left);
    }
    free(v);
    return ok;
}

/* ---- the GPT -------------------------------------------------------------------------------- */

/* The loss of BATCH sentences: at random, or, without an rng, those held out. NULL after an
 * error. */
static Tensor *spoken_loss(const Speech *s, Tape *tape, Lessons *l, Rng *rng)
{
    static int letters[BATCH][LETTERS_MAX], codes[BATCH * FRAMES * STAGES];
    const Lesson *chosen[BATCH];
    int longest = 0, n = 0;
    for (int b = 0; b < BATCH; b++) {
        chosen[b] = lesson_at(l, rng ? (int)rng_below(rng, SENTENCES) : SENTENCES + b);
        if (!chosen[b])
            return NULL;
        longest = chosen[b]->frames > longest ? chosen[b]->frames : longest;
    }
    for (int b = 0; b < BATCH; b++) {
        const Lesson *x = chosen[b];
        memcpy(letters[b], x->letters, sizeof letters[b]);
        for (int i = 0; i < longest * STAGES; i++)
            codes[n++] = i < x->frames * STAGES ? x->codes[i / STAGES][i % STAGES] : -1;
    }
    return speech_loss(s, tape, letters[0], codes, BATCH, longest);
}

static double held_out_loss(const Speech *s, Tape *tape, Lessons *l)
{
    tape->no_grad = true;
    tape_reset(tape);
    const Tensor *loss = spoken_loss(s, tape, l, NULL);
    double mean = loss ? (double)tensor_item(loss) : (double)NAN;
    tape->no_grad = false;
    return mean;
}

/* ---- the recogniser ------------------------------------------------------------------------- */

/* The loss of BATCH sentences at random: tokens with some noise, and silence after the end. NULL
 * after an error. */
static Tensor *recogniser_loss(const Speech *s, Tape *tape, Lessons *l, Rng *rng)
{
    static real tokens[BATCH * FRAMES * BANDS];
    static int labels[BATCH * FRAMES];
    real *token = tokens;
    int *label = labels;
    for (int b = 0; b < BATCH; b++) {
        const Lesson *x = lesson_at(l, (int)rng_below(rng, SENTENCES));
        if (!x)
            return NULL;
        for (int f = 0; f < FRAMES; f++) {
            *label++ = f < x->frames ? x->label[f] : SILENCE;
            for (int m = 0; m < BANDS; m++)
                *token++ = (f < x->frames ? x->vectors[f][m] : -1) +
                           (real)(0.2 * (rng_uniform(rng) + rng_uniform(rng) - 1));
        }
    }
    Tensor *heard = tape_input(tape, tokens, shape3(BATCH, FRAMES, BANDS));
    Tensor *logits = recogniser_logits(&s->recogniser, heard);
    return ag_cross_entropy(logits, tape_ids(tape, labels, shape2(BATCH, FRAMES)));
}

/* ---- both ----------------------------------------------------------------------------------- */

typedef Tensor *LossOf(const Speech *, Tape *, Lessons *, Rng *);

/* One training step. Returns the loss, or NaN after an error; *norm is the length of the gradient,
 * which is shortened to 1 where it is longer. */
static double train_step(LossOf *loss_of, const Speech *s, Params *p, const Checkpoint *state,
                         Lessons *l, double *norm)
{
    tape_reset(state->tape);
    Tensor *loss = loss_of(s, state->tape, l, state->rng);
    if (!ag_backward(loss))
        return (double)NAN;
    *norm = params_clip_grad(p, 1);
    return adam_step(state->adam, p) ? (double)tensor_item(loss) : (double)NAN;
}

/* One run of so many steps over the weights that are not frozen. part: NULL for the main run. */
static bool train_part(const Speech *s, Params *p, const Common *c, Lessons *l, const char *part,
                       int64_t steps, LossOf *loss_of)
{
    Rng rng = {.seed = (uint64_t)c->seed, .stream = part ? 3 : 2};
    Run run = {.common = c,
               .total = steps,
               .what = part ? part : "the GPT",
               .part = part,
               .unit = "sentences",
               .per_step = BATCH,
               .state = {.params = p, .rng = &rng, .rngs = 1}};
    if (!run_begin(&run))
        return false;
    while (run_more(&run)) {
        run.adam.rate = nn_warmup_cosine(run.step, 100, run.total, c->rate, 0);
        double norm, loss = train_step(loss_of, s, p, &run.state, l, &norm);
        if (isnan(loss))
            break;
        run_step(&run, loss, norm, NULL);
        if (!part && run_due(&run, 5))
            run_measure(&run, "held out", held_out_loss(s, run.tape, l), NULL);
    }
    return run_end(&run);
}

bool speech_train(Speech *s, Params *p, const Common *c)
{
    Lessons l;
    bool ok = lessons_begin(&l, &s->codec, (uint64_t)c->seed) && fit_codec(&s->codec, &l);
    if (ok) {
        params_freeze(p, "codec", true);
        params_freeze(p, "recogniser", true);
        ok = train_part(s, p, c, &l, NULL, c->steps, spoken_loss);
    }
    if (ok) {
        params_freeze(p, "", true);
        params_freeze(p, "recogniser", false);
        ok = train_part(s, p, c, &l, "recogniser", (c->steps + 3) / 4, recogniser_loss);
    }
    lessons_end(&l);
    return ok;
}
