/* sound.c: an encoder that reads words in a spectrogram (row 51). See sound.h.
 *
 *   tokens (T, 24) -> linear, position -> two encoder blocks -> LayerNorm -> the word at each frame, (T, 11)
 *
 * It is a vision transformer whose patches are the columns of the spectrogram. It was trained on sentences of speakers at
 * random by train_speech.c. */
#include "lectures/07-vision/sound.h"

#include <string.h>

bool ear_init(Ear *e, Params *p)
{
    const BlockConfig block = {.channels = EAR_CHANNELS, .heads = EAR_HEADS};
    *e = (Ear){.params = p};
    bool ok =
        nn_linear_init(&e->in, p, "in", BANDS, EAR_CHANNELS, true) &&
        nn_position_init(&e->position, p, "position", POSITION_SINUSOIDAL, FRAMES, EAR_CHANNELS);
    for (int l = 0; ok && l < EAR_LAYERS; l++)
        ok = nn_transformer_block_init(&e->blocks[l], p, params_format(p, "blocks.%d", l), block);
    return ok && nn_layernorm_init(&e->norm, p, "norm", EAR_CHANNELS) &&
           nn_linear_init(&e->out, p, "out", EAR_CHANNELS, DIGITS + 1, true);
}

bool ear_begin(Ear *e, bool trained, uint64_t seed)
{
    Params *p = params_new(seed);
    return p && ear_init(e, p) &&
           (!trained || params_load(p, LECTURES_FOLDER "/07-vision/sound.safetensors"));
}

void ear_end(Ear *e)
{
    params_free(e->params);
}

Tensor *ear_logits(const Ear *e, Tensor *tokens)
{
    Tensor *x = nn_position(&e->position, nn_linear(&e->in, tokens));
    for (int l = 0; l < EAR_LAYERS; l++)
        x = nn_transformer_block(&e->blocks[l], x, (Mask){.window = EAR_WINDOW});
    return nn_linear(&e->out, nn_norm(&e->norm, x));
}

/* Words of runs of at least three frames that the same label wins; a shorter run is a passage between two sounds. */
static int words_of(const int *label, int frames, int *words, int most)
{
    int count = 0;
    for (int f = 0, end; f < frames; f = end) {
        for (end = f + 1; end < frames && label[end] == label[f];)
            end++;
        if (label[f] != SILENCE && end - f >= 3 && count < most)
            words[count++] = label[f];
    }
    return count;
}

int ear_reads(const Ear *e, Tape *tape, const real *wave, int frames, int *words, int most)
{
    int label[FRAMES];
    tape_reset(tape);
    tape->no_grad = true;
    Tensor *tokens = mel_tokens(tape, wave, frames);
    const Tensor *logits = ear_logits(e, ag_reshape(tokens, shape3(1, frames, BANDS)));
    double largest = values_largest(logits);
    if (isnan(largest) || largest == 0)
        return -1;
    for (int f = 0; f < frames; f++)
        label[f] = nn_greedy(logits->data + f * (DIGITS + 1), DIGITS + 1);
    return words_of(label, frames, words, most);
}

int words_wrong(const int *read, int count, const int *truth, int words)
{
    enum { MOST = 2 * WORDS };
    int least[MOST + 1][MOST + 1]; /* of the first i words read and the first j true ones */
    for (int i = 0; i <= count; i++)
        for (int j = 0; j <= words; j++) {
            least[i][j] = i + j; /* one of them is 0: all are left out or put in */
            if (i == 0 || j == 0)
                continue;
            int same = least[i - 1][j - 1] + (read[i - 1] != truth[j - 1]);
            int one = 1 + (least[i - 1][j] < least[i][j - 1] ? least[i - 1][j] : least[i][j - 1]);
            least[i][j] = same < one ? same : one;
        }
    return least[count][words];
}

/* ---- it reads speakers whom it never heard --------------------------------------------------------------------------- */

/* The frames of a wave in a random order, each HOP samples long. */
static void shuffle_frames(real *wave, int frames, Rng *rng)
{
    static real copy[SAMPLES];
    int order[FRAMES];
    memcpy(copy, wave, sizeof copy);
    for (int f = 0; f < frames; f++)
        order[f] = f;
    rng_shuffle(rng, order, frames);
    for (int f = 0; f < frames; f++)
        memcpy(wave + f * HOP, copy + order[f] * HOP, HOP * sizeof *wave);
}

static double reads_words(Trial *t)
{
    enum { HEARD = 50 };
    static Sentence s;
    Ear e;
    Rng rng = {.seed = t->seed, .stream = 5130};
    Tape *tape = tape_new(t->seed);
    int wrong = 0, read[2 * WORDS], words[WORDS];
    bool ok = tape && ear_begin(&e, !broken(t, "untrained"), t->seed);
    for (int i = 0; ok && i < HEARD; i++) {
        Speaker speaker = speaker_draw(&rng);
        sentence_words(&rng, words, true);
        sentence_speak(&s, &speaker, words, &rng);
        if (broken(t, "shuffled"))
            shuffle_frames(s.wave, s.frames, &rng);
        int count = ear_reads(&e, tape, s.wave, s.frames, read, 2 * WORDS);
        ok = count >= 0;
        wrong += ok ? words_wrong(read, count, words, WORDS) : 0;
        if (i < 5)
            explain(t, "speaker of %3.0f Hz, formants times %.2f: %d of 4 words wrong",
                    speaker.pitch, 1 / speaker.tract,
                    ok ? words_wrong(read, count, words, WORDS) : -1);
    }
    explain(t, "%d of %d words wrong", wrong, HEARD * WORDS);
    ear_end(&e);
    tape_free(tape);
    return ok ? (double)wrong / (HEARD * WORDS) : (double)NAN;
}

const Claim claim_reads_words = {
    .row = 51,
    .statement = "an encoder reads 95 % of the words in spectrograms of new speakers and sentences",
    .slides = {"Z: Audio data"},
    .quantity = "word error rate, 50 sentences of new speakers and held-out combinations",
    AT_MOST(0.05),
    .why = "a guess of ten words errs in 0.9; 0.05 are 10 of 200 words",
    .faults = {{"untrained", "the weights it began with"},
               {"shuffled", "the frames of 20 ms in a random order"}},
    .measure = reads_words,
};

double sound_pairs(Trial *t)
{
    double samples = RATE, frames = samples / HOP;
    explain(t, "a second: %.0f samples or %.0f frames", samples, frames);
    return samples * samples / (frames * frames);
}
