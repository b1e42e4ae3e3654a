/* codes.c: what a codec of two codes a frame keeps (row 51; the codec: codec.c). */
#include "lectures/07-vision/sound.h"

#include <stdlib.h>
#include <string.h>

/* The vectors of so many sentences, one after another; how many, or -1 where a number is not finite. */
static int many_vectors(Tape *tape, Rng *rng, int sentences, real (*vectors)[NUMBERS])
{
    static Sentence s;
    int n = 0, words[WORDS];
    for (int i = 0; i < sentences; i++, n += s.frames) {
        Speaker speaker = speaker_draw(rng);
        sentence_words(rng, words, true);
        sentence_speak(&s, &speaker, words, rng);
        tape_reset(tape);
        if (!codec_vectors(tape, s.wave, s.frames, vectors + n))
            return -1;
    }
    return n;
}

/* ---- k-means ------------------------------------------------------------------------------------------------------------ */

static double means_fall(Trial *t)
{
    enum { SENTENCES = 8, K = 16, ROUNDS = 12 };
    static real v[SENTENCES * FRAMES][NUMBERS];
    static int index[SENTENCES * FRAMES];
    Rng rng = {.seed = t->seed, .stream = 5140};
    Tape *tape = tape_new(t->seed);
    Params *p = params_new(t->seed);
    Tensor *c = params_add(p, "centres", shape2(K, NUMBERS), (Init){INIT_CONSTANT, 0});
    int n = many_vectors(tape, &rng, SENTENCES, v);
    double rise = -1, before = (double)INFINITY;
    for (int j = 0; n > 0 && j < K; j++)
        memcpy(c->data + j * NUMBERS, v[rng_below(&rng, n)], sizeof *v);
    for (int r = 0; n > 0 && r < ROUNDS; r++) {
        if (!codec_nearest(tape, c, v, n, index)) {
            n = -1;
            break;
        }
        double d = codec_move(c, v, n, index, broken(t, "overshoot") ? 3 : 1);
        explain(t, "round %2d: mean square distance %.4f", r + 1, d);
        rise = r == 0 ? -1 : values_worst(rise, d / before - 1);
        before = d;
    }
    params_free(p);
    tape_free(tape);
    return n > 0 ? rise : (double)NAN;
}

const Claim claim_codec_means = {
    .row = 51,
    .statement = "both steps of k-means lower the distortion",
    .slides = {"Z: Text-to-speech"},
    .quantity = "largest relative rise of the mean square distance from round to round, 12 rounds",
    AT_MOST(1e-5),
    .why = "the nearest centre is the best one for a vector, the mean the best one for its "
           "vectors; floats of 1e-7, distances summed over 26 numbers",
    .faults = {{"overshoot", "each centre moves three times as far as to the mean"}},
    .measure = means_fall,
};

/* ---- the second stage ------------------------------------------------------------------------------------------------------ */

static double square_distance(real (*a)[NUMBERS], real (*b)[NUMBERS], int frames)
{
    double sum = 0;
    for (int i = 0; i < frames * NUMBERS; i++) {
        double away = (double)a[i / NUMBERS][i % NUMBERS] - (double)b[i / NUMBERS][i % NUMBERS];
        sum += away * away / frames;
    }
    return sum;
}

/* Mean square distances of unheard sentences from what 1 and 2 stages make of them. */
static bool stage_distances(Trial *t, const Codec *c, double distance[STAGES])
{
    enum { SENTENCES = 10 };
    static real v[FRAMES][NUMBERS], back[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES];
    Rng rng = {.seed = t->seed, .stream = 5141};
    Tape *tape = tape_new(t->seed);
    bool ok = true;
    distance[0] = distance[1] = 0;
    for (int i = 0; ok && i < SENTENCES; i++) {
        int n = many_vectors(tape, &rng, 1, v);
        ok = n > 0 && codec_encode(c, tape, v, n, codes);
        for (int f = 0; ok && broken(t, "misplaced") && f < n - 1; f++)
            codes[f][1] = codes[f + 1][1];
        for (int s = 0; ok && s < STAGES; s++) {
            codec_decode(c, codes, n, s + 1, back);
            distance[s] += square_distance(v, back, n) / SENTENCES;
        }
    }
    tape_free(tape);
    return ok;
}

/* The least mean square distance that 2 x CENTRES centres reach of the sentences from which they are learned. */
static double one_codebook(uint64_t seed)
{
    enum { SENTENCES = 40, ROUNDS = 15 };
    static real v[SENTENCES * FRAMES][NUMBERS];
    double distance[ROUNDS];
    Rng rng = {.seed = seed, .stream = 5142};
    Tape *tape = tape_new(seed);
    Params *p = params_new(seed);
    Tensor *c = params_add(p, "centres", shape2(2 * CENTRES, NUMBERS), (Init){INIT_CONSTANT, 0});
    int n = many_vectors(tape, &rng, SENTENCES, v);
    bool ok = n > 0 && codec_means(c, v, n, ROUNDS, &rng, distance);
    params_free(p);
    tape_free(tape);
    return ok ? distance[ROUNDS - 1] : (double)NAN;
}

static double residual(Trial *t)
{
    Speech s;
    double distance[STAGES] = {(double)NAN, (double)NAN}, one = one_codebook(t->seed);
    bool ok = speech_begin(&s, true, t->seed) && stage_distances(t, &s.codec, distance);
    explain(t, "stage 1, 64 centres:                   mean square distance %.3f", distance[0]);
    explain(t, "and stage 2, 64 centres of the rest:                        %.3f", distance[1]);
    explain(t, "128 centres in one stage, own training sentences:           %.3f", one);
    speech_end(&s);
    return ok ? distance[1] / one : (double)NAN;
}

const Claim claim_residual = {
    .row = 51,
    .statement = "two codebooks of 64, the second for what the first leaves, beat one of 128",
    .slides = {"Z: Text-to-speech"},
    .quantity = "mean square distance with 64 + 64, new sentences, over that with 128, its own",
    AT_MOST(1),
    .why = "as many stored vectors; 1 would be no gain. 64 x 64 = 4,096 sums replace 128",
    .faults = {{"misplaced", "the second code is that of the next frame"}},
    .measure = residual,
};

/* ---- it can still be read ---------------------------------------------------------------------------------------------------- */

/* A sentence through the codec and back; `shuffled`: its frames in a random order. */
static bool through_codec(const Codec *c, Tape *tape, Sentence *s, Rng *rng, bool shuffled)
{
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES];
    tape_reset(tape);
    if (!codec_vectors(tape, s->wave, s->frames, v) || !codec_encode(c, tape, v, s->frames, codes))
        return false;
    for (int f = s->frames - 1; shuffled && f > 0; f--) {
        int other = (int)rng_below(rng, f + 1), kept[STAGES];
        memcpy(kept, codes[f], sizeof kept);
        memcpy(codes[f], codes[other], sizeof kept);
        memcpy(codes[other], kept, sizeof kept);
    }
    codec_decode(c, codes, s->frames, STAGES, v);
    return vectors_to_wave(tape, v, s->frames, rng, s->wave);
}

static double codec_read(Trial *t)
{
    enum { HEARD = 40 };
    static Sentence s;
    Speech speech;
    Ear e;
    Rng rng = {.seed = t->seed, .stream = 5143};
    Tape *tape = tape_new(t->seed);
    int wrong = 0, read[2 * WORDS], words[WORDS];
    bool ok = speech_begin(&speech, true, t->seed) && ear_begin(&e, true, t->seed);
    tape->no_grad = true;
    for (int i = 0; ok && i < HEARD; i++) {
        Speaker speaker = speaker_draw(&rng);
        sentence_words(&rng, words, true);
        sentence_speak(&s, &speaker, words, &rng);
        ok = through_codec(&speech.codec, tape, &s, &rng, broken(t, "shuffled"));
        int count = ok ? ear_reads(&e, tape, s.wave, s.frames, read, 2 * WORDS) : -1;
        ok = count >= 0;
        wrong += ok ? words_wrong(read, count, words, WORDS) : 0;
    }
    explain(t, "a frame: 320 samples of 16 bits are 5,120 bits; its two codes of 64 are 12");
    explain(t, "%d of %d words wrong when the codes' sound is read", wrong, HEARD * WORDS);
    speech_end(&speech);
    ear_end(&e);
    tape_free(tape);
    return ok ? (double)wrong / (HEARD * WORDS) : (double)NAN;
}

const Claim claim_codec_read = {
    .row = 51,
    .statement =
        "after coding a frame in 12 bits instead of 5,120 a recogniser still reads the words",
    .slides = {"Z: Text-to-speech"},
    .quantity = "word error rate of 40 new sentences after codec and back",
    AT_MOST(0.075),
    .why = "a guess of ten words errs in 0.9; 0.075 are 12 of 160 words. The recogniser never "
           "heard a codec's sound",
    .faults = {{"shuffled", "the codes of the frames in a random order"}},
    .measure = codec_read,
};

/* All sums c_i + d_j that differ, counted: by their first two numbers, which decide. */
double codec_frames(Trial *t)
{
    static double sum[CENTRES * CENTRES][2];
    Speech s;
    int different = 0;
    bool ok = speech_begin(&s, true, t->seed);
    for (int i = 0; ok && i < CENTRES * CENTRES; i++) {
        bool known = false;
        for (int d = 0; d < 2; d++)
            sum[i][d] = (double)s.codec.centres[0]->data[i / CENTRES * NUMBERS + 2 + d] +
                        (double)s.codec.centres[1]->data[i % CENTRES * NUMBERS + 2 + d];
        for (int j = 0; j < i && !known; j++)
            known = sum[j][0] == sum[i][0] && sum[j][1] == sum[i][1];
        different += !known;
    }
    speech_end(&s);
    return ok ? different : (double)NAN;
}
