/* train_speech.c: trains the recogniser and the speaker of row 51 (sound.h) and saves their weights beside this file:
 *
 *     ninja -C build lectures/train-speech
 *     build/lectures/train-speech --ear lectures/07-vision/sound.safetensors
 *     build/lectures/train-speech --speech lectures/07-vision/speech.safetensors */
#include "lectures/07-vision/sound.h"

#include "examples/common/options.h"
#include "examples/common/progress.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 32, WARMUP = 100, REPORT = 250 };
enum { HEARD = 3000, SPOKEN = 6000 }; /* sentences for the recogniser, and for the speaker */

/* A sentence by a speaker of its own, as the models see it. */
typedef struct {
    int letters[LETTERS_MAX], frames;
    int label[FRAMES], codes[FRAMES][STAGES];
    real vectors[FRAMES][NUMBERS];
} Lesson;

static Lesson *lessons_new(int count, Rng *rng)
{
    static Sentence s;
    int words[WORDS];
    Lesson *lessons = calloc((size_t)count, sizeof *lessons);
    Tape *tape = tape_new(1);
    bool ok = lessons && tape;
    for (int i = 0; ok && i < count; i++) {
        Speaker speaker = speaker_draw(rng);
        sentence_words(rng, words, false);
        sentence_speak(&s, &speaker, words, rng);
        tape_reset(tape);
        lessons[i].frames = s.frames;
        memcpy(lessons[i].label, s.label, sizeof s.label);
        sentence_letters(s.words, lessons[i].letters);
        ok = codec_vectors(tape, s.wave, s.frames, lessons[i].vectors);
    }
    tape_free(tape);
    if (ok)
        return lessons;
    free(lessons);
    return NULL;
}

/* ---- the recogniser ------------------------------------------------------------------------------------------------ */

/* Tokens (BATCH, FRAMES, BANDS) with some noise, silence after the end, and their labels. */
static void ear_batch(const Lesson *lessons, Rng *rng, real *tokens, int *labels)
{
    for (int b = 0; b < BATCH; b++) {
        const Lesson *x = &lessons[rng_below(rng, HEARD)];
        for (int f = 0; f < FRAMES; f++) {
            *labels++ = f < x->frames ? x->label[f] : SILENCE;
            for (int m = 0; m < BANDS; m++)
                *tokens++ = (f < x->frames ? x->vectors[f][m] : -1) +
                            (real)(0.2 * (rng_uniform(rng) + rng_uniform(rng) - 1));
        }
    }
}

/* The end of a training step: backward, Adam, and after REPORT steps their mean loss. */
static bool learn(Params *p, Adam *adam, Tensor *loss, int step, double *mean)
{
    bool ok = ag_backward(loss);
    params_clip_grad(p, 1);
    ok = ok && adam_step(adam, p);
    *mean += (double)tensor_item(loss) / REPORT;
    if (step % REPORT == REPORT - 1) {
        printf("step %5d: loss %.4f\n", step + 1, *mean);
        fflush(stdout);
        *mean = 0;
    }
    return ok;
}

static bool train_ear(Params *p, uint64_t seed, int steps)
{
    static real tokens[BATCH * FRAMES * BANDS];
    static int labels[BATCH * FRAMES];
    Ear e;
    Adam adam = {0};
    Rng rng = {.seed = seed, .stream = 5100};
    Tape *tape = tape_new(seed);
    Lesson *lessons = lessons_new(HEARD, &rng);
    double mean = 0;
    bool ok = tape && lessons && ear_init(&e, p) && adam_init(&adam, p, 3e-3);
    for (int step = 0; ok && step < steps; step++) {
        ear_batch(lessons, &rng, tokens, labels);
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, WARMUP, steps, 5e-3, 0);
        Tensor *logits = ear_logits(&e, tape_input(tape, tokens, shape3(BATCH, FRAMES, BANDS)));
        Tensor *loss = ag_cross_entropy(logits, tape_ids(tape, labels, shape2(BATCH, FRAMES)));
        ok = learn(p, &adam, loss, step, &mean);
    }
    adam_free(&adam);
    tape_free(tape);
    free(lessons);
    return ok;
}

/* ---- the speaker --------------------------------------------------------------------------------------------------- */

enum { MEANS = 600, ROUNDS = 40 };
/* k-means of the frames of MEANS sentences, then of what the first stage leaves of them. */
static bool train_codec(Codec *c, const Lesson *lessons, Rng *rng)
{
    real(*v)[NUMBERS] = malloc((size_t)MEANS * FRAMES * sizeof *v);
    int *index = malloc((size_t)MEANS * FRAMES * sizeof *index), n = 0;
    double distortion[ROUNDS];
    Tape *tape = tape_new(1);
    bool ok = v && index && tape;
    for (int i = 0; ok && i < MEANS; i++)
        for (int f = 0; f < lessons[i].frames; f++)
            memcpy(v[n++], lessons[i].vectors[f], sizeof *v);
    for (int s = 0; ok && s < STAGES; s++) {
        ok = codec_means(c->centres[s], v, n, ROUNDS, rng, distortion) &&
             codec_nearest(tape, c->centres[s], v, n, index);
        if (!ok)
            break;
        printf("codec, stage %d: distortion %.4f after 1 round, %.4f after %d\n", s + 1,
               distortion[0], distortion[ROUNDS - 1], ROUNDS);
        for (int i = 0; i < n * NUMBERS; i++)
            v[i / NUMBERS][i % NUMBERS] -=
                c->centres[s]->data[index[i / NUMBERS] * NUMBERS + i % NUMBERS];
    }
    tape_free(tape);
    free(index);
    free(v);
    return ok;
}

static bool write_codes(Lesson *lessons, Codec *c, Rng *rng)
{
    Tape *tape = tape_new(1);
    bool ok = tape && train_codec(c, lessons, rng);
    for (int i = 0; ok && i < SPOKEN; i++)
        ok = codec_encode(c, tape, lessons[i].vectors, lessons[i].frames, lessons[i].codes);
    tape_free(tape);
    return ok;
}

static Tensor *speech_step(const Speech *s, Tape *tape, const Lesson *lessons, Rng *rng)
{
    static int letters[BATCH][LETTERS_MAX], codes[BATCH][FRAMES][STAGES];
    int longest = 0;
    const Lesson *chosen[BATCH];
    for (int b = 0; b < BATCH; b++) {
        chosen[b] = &lessons[rng_below(rng, SPOKEN)];
        longest = chosen[b]->frames > longest ? chosen[b]->frames : longest;
    }
    int *at = codes[0][0];
    for (int b = 0; b < BATCH; b++) {
        memcpy(letters[b], chosen[b]->letters, sizeof letters[b]);
        for (int i = 0; i < longest * STAGES; i++)
            *at++ = i < chosen[b]->frames * STAGES ? chosen[b]->codes[i / STAGES][i % STAGES] : -1;
    }
    return speech_loss(s, tape, letters[0], codes[0][0], BATCH, longest);
}

static bool train_speech(Params *p, uint64_t seed, int steps)
{
    Speech s;
    Adam adam = {0};
    Rng rng = {.seed = seed, .stream = 5101};
    Lesson *lessons = lessons_new(SPOKEN, &rng);
    Tape *tape = tape_new(seed);
    double mean = 0;
    bool ok = tape && lessons && speech_init(&s, p) && write_codes(lessons, &s.codec, &rng) &&
              params_freeze(p, "centres", true) && adam_init(&adam, p, 3e-3);
    for (int step = 0; ok && step < steps; step++) {
        tape_reset(tape);
        adam.rate = nn_warmup_cosine(step, WARMUP, steps, 5e-3, 0);
        Tensor *loss = speech_step(&s, tape, lessons, &rng);
        ok = learn(p, &adam, loss, step, &mean);
    }
    adam_free(&adam);
    tape_free(tape);
    free(lessons);
    return ok;
}

int main(int argc, char **argv)
{
    const char *ear = NULL, *speech = NULL;
    int steps = 0, seed = 1;
    const Option table[] = {
        {"ear", OPTION_TEXT, &ear, "FILE", "train the recogniser and save it here", 0, 0},
        {"speech", OPTION_TEXT, &speech, "FILE", "train codec and GPT and save them here", 0, 0},
        {"steps", OPTION_INT, &steps, "N", "steps of training", 1, 1000000},
        {"seed", OPTION_INT, &seed, "N", "of weights and data", 0, 1000000},
        {0},
    };
    options_parse(argc, argv, "Trains the models of sound and speech of chapter 7.", table);
    if (!ear == !speech)
        options_refuse("found %s; expected --ear or --speech", ear ? "both" : "neither");
    Params *p = params_new((uint64_t)seed);
    bool ok = p &&
              (ear ? train_ear(p, (uint64_t)seed, steps ? steps : 1500)
                   : train_speech(p, (uint64_t)seed, steps ? steps : 6000)) &&
              params_save(p, ear ? ear : speech, NULL, 0);
    if (!ok)
        fprintf(stderr, "train-speech: %s\n", tensor_error());
    params_free(p);
    return ok ? 0 : 1;
}
