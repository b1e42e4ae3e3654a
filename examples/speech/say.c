/* say.c: speaking, reading what was spoken, and whose voice it has. See say.h. */
#include "examples/speech/say.h"

#include <math.h>
#include <string.h>

bool task_record(Task *k, const Speech *s, Tape *tape, const Speaker *speaker,
                 const int words[WORDS], Rng *rng)
{
    sentence_speak(&k->said, speaker, words, rng);
    k->prompt = sentence_prompt(&k->said);
    k->written = k->said.frames;
    tape_reset(tape);
    tape->no_grad = true;
    if (!wave_vectors(tape, k->said.wave, k->said.frames, k->vectors))
        return false;
    codec_encode(&s->codec, k->vectors, k->said.frames, k->codes);
    return true;
}

bool task_draw(Task *k, const Speech *s, Tape *tape, Rng *rng)
{
    int words[WORDS];
    Speaker speaker = speaker_draw(rng);
    sentence_words(rng, words, true);
    return task_record(k, s, tape, &speaker, words, rng);
}

bool task_say(Task *k, const Speech *s, Tape *tape, const int words[WORDS], Rng *rng)
{
    int letters[LETTERS_MAX];
    sentence_letters(words, letters);
    k->written = speech_write(s, tape, letters, k->codes, k->prompt, FRAMES, rng);
    return k->written >= 0;
}

bool task_wave(const Task *k, const Speech *s, Tape *tape, Rng *rng, real wave[SAMPLES])
{
    static real v[FRAMES][NUMBERS];
    codec_decode(&s->codec, (int(*)[STAGES])k->codes, k->written, v);
    return vectors_to_wave(tape, v, k->written, rng, wave);
}

int task_read(const Task *k, const Speech *s, Tape *tape, Rng *rng, int words[HEARD_MAX])
{
    static real wave[SAMPLES];
    if (k->written == k->prompt)
        return 0;
    if (!task_wave(k, s, tape, rng, wave))
        return -1;
    return recogniser_words(&s->recogniser, tape, wave + k->prompt * HOP, k->written - k->prompt,
                            words);
}

/* ---- the voice ------------------------------------------------------------------------------ */

void mean_voice(real (*v)[NUMBERS], int first, int frames, double mean[NUMBERS])
{
    int voiced = 0;
    memset(mean, 0, NUMBERS * sizeof *mean);
    for (int f = first; f < frames; f++) {
        double pitch = vector_pitch(v[f]);
        voiced += pitch > 0;
        for (int i = 0; pitch > 0 && i < NUMBERS; i++)
            mean[i] += i == PITCH ? log2(pitch) : (double)v[f][i];
    }
    for (int i = 0; i < NUMBERS; i++)
        mean[i] = voiced ? mean[i] / voiced : 0;
}

bool task_voice(const Task *k, const Speech *s, Tape *tape, Rng *rng, double mean[NUMBERS])
{
    static real v[FRAMES][NUMBERS], wave[SAMPLES];
    if (!task_wave(k, s, tape, rng, wave))
        return false;
    tape_reset(tape);
    if (!wave_vectors(tape, wave, k->written, v))
        return false;
    mean_voice(v, k->prompt, k->written, mean);
    return true;
}

/* ---- the letters ---------------------------------------------------------------------------- */

/* A[24 + f, j] is the weight of letter j when frame f is chosen. Nobody tells the GPT which frames
 * belong to which letters: a head whose heaviest letter runs through the text as the frames run
 * through the recording has found it. */
bool task_letters(const Task *k, const Speech *s, Tape *tape, int head, int letter[FRAMES],
                  real (*weight)[FRAMES])
{
    int letters[LETTERS_MAX];
    char name[TENSOR_NAME_MAX];
    sentence_letters(k->said.words, letters);
    tape_reset(tape);
    tape->keep_maps = true;
    const Tensor *loss = speech_loss(s, tape, letters, k->codes[0], 1, k->said.frames);
    tape->keep_maps = false;
    snprintf(name, sizeof name, "blocks.%d.attn.A", head / SPEECH_HEADS);
    const Tensor *A = tape_find(tape, name);
    if (!A || tensor_is_poison(loss))
        return false;
    for (int f = 0; f < k->said.frames; f++) {
        real a[LETTERS_MAX];
        for (int j = 0; j < LETTERS_MAX; j++) {
            a[j] = tensor_get(A, (int64_t[]){0, head % SPEECH_HEADS, LETTERS_MAX + f, j});
            if (weight)
                weight[j][f] = a[j];
        }
        letter[f] = nn_greedy(a, LETTERS_MAX);
    }
    return true;
}

double letters_of_word(const Sentence *said, const int letter[FRAMES])
{
    int letters[LETTERS_MAX], of_letter[LETTERS_MAX], now = 0, frames = 0, right = 0;
    sentence_letters(said->words, letters);
    for (int j = 0; j < LETTERS_MAX; j++) { /* the space after a word belongs to it, too */
        of_letter[j] = now;
        now += letters[j] == 0;
    }
    now = -1;
    for (int f = 1; f < said->frames; f++) {
        now += said->label[f - 1] == SILENCE && said->label[f] != SILENCE;
        frames += said->label[f] != SILENCE;
        right += said->label[f] != SILENCE && of_letter[letter[f]] == now;
    }
    return (double)right / frames;
}
