/* speaking.c: from text to speech by way of codes (row 51; the codec and the GPT: examples/speech).
 *
 *   letters, codes of one recorded word ---> codes of the other words ---> a wave  Z "Text-to-speech" */
#include "lectures/07-vision/vision.h"

#include "examples/speech/say.h"

#include <string.h>

enum { TASKS = 40 };

/* The trained codec, GPT and recogniser; the trial's tape is without gradients then. */
static bool begin(Trial *t, Params *p, Speech *s)
{
    trial_tape(t)->no_grad = true;
    return speech_init(s, p) && media_load(p, "speech.safetensors");
}

/* ---- it says the text ------------------------------------------------------------------------ */

static void spell(char *line, size_t size, const int *words, int count)
{
    line[0] = 0;
    for (int i = 0; i < count; i++)
        snprintf(line + strlen(line), size - strlen(line), "%s%s", i ? " " : "",
                 digit_names[words[i]]);
}

/* How many of the words after the prompt are read wrongly; -1 after an error. */
static int say_one(Trial *t, const Speech *s, Rng *rng)
{
    static Task k;
    int read[HEARD_MAX], words[WORDS];
    char text[64], heard[96];
    Tape *tape = trial_tape(t);
    if (!task_draw(&k, s, tape, rng))
        return -1;
    memcpy(words, k.said.words, sizeof words);
    for (int i = 1; broken(t, "other-text") && i < WORDS; i++)
        words[i] = (words[i] + 1 + (int)rng_below(rng, DIGITS - 1)) % DIGITS;
    int n = task_say(&k, s, tape, words, rng) ? task_read(&k, s, tape, rng, read) : -1;
    if (n < 0)
        return -1;
    spell(text, sizeof text, k.said.words + 1, WORDS - 1);
    spell(heard, sizeof heard, read, n);
    explain(t, "prompt \"%s\", then to say: %-18s %2d frames; read: %s",
            digit_names[k.said.words[0]], text, k.written - k.prompt, heard);
    return words_wrong(read, n, k.said.words + 1, WORDS - 1);
}

static double says_text(Trial *t)
{
    Speech s;
    Params *p = trial_params(t);
    int wrong = 0;
    bool ok = begin(t, p, &s);
    if (broken(t, "untrained"))
        media_forget(p, "blocks");
    for (int i = 0; ok && i < TASKS; i++) {
        int off = say_one(t, &s, trial_rng(t, 5150));
        ok = off >= 0;
        wrong += off;
    }
    explain(t, "%d of %d words wrong", wrong, TASKS * (WORDS - 1));
    return ok ? (double)wrong / (TASKS * (WORDS - 1)) : (double)NAN;
}

/* ---- in the voice of the prompt -------------------------------------------------------------- */

/* Euclidean distance of two mean voices' bands, their mean level apart: how loud somebody speaks
 * does not count. */
static double bands_apart(const double *a, const double *b)
{
    double sum = 0, level = 0;
    for (int m = 0; m < BANDS; m++)
        level += (a[m] - b[m]) / BANDS;
    for (int m = 0; m < BANDS; m++)
        sum += (a[m] - b[m] - level) * (a[m] - b[m] - level);
    return sqrt(sum);
}

/* Two speakers record the same words; they differ in pitch alone, or in the vocal tract alone. Is
 * what the GPT says after the prompt of the first nearer to him? -1 after an error. */
static int nearer(Trial *t, const Speech *s, Rng *rng, bool by_pitch)
{
    static Task k[2];
    int words[WORDS];
    double recorded[2][NUMBERS], said[NUMBERS], away[2];
    Tape *tape = trial_tape(t);
    Speaker who[2] = {speaker_draw(rng)};
    bool first = rng_uniform(rng) < 0.5;
    who[1] = who[0];
    for (int i = 0; i < 2; i++)
        if (by_pitch)
            who[i].pitch = i == first ? 115 : 155;
        else
            who[i].tract = i == first ? 1.05 : 0.85;
    sentence_words(rng, words, true);
    for (int i = 0; i < 2; i++) {
        if (!task_record(&k[i], s, tape, &who[i], words, rng))
            return -1;
        mean_voice(k[i].vectors, k[i].prompt, k[i].said.frames, recorded[i]);
    }
    Task *prompt = &k[broken(t, "other-prompt")];
    if (!task_say(prompt, s, tape, words, rng) || !task_voice(prompt, s, tape, rng, said))
        return -1;
    for (int i = 0; i < 2; i++)
        away[i] =
            by_pitch ? 12 * fabs(said[PITCH] - recorded[i][PITCH]) : bands_apart(said, recorded[i]);
    return away[0] < away[1];
}

static double prompt_voice(Trial *t)
{
    Speech s;
    double share[2] = {0};
    bool ok = begin(t, trial_params(t), &s);
    for (int i = 0; ok && i < 2 * TASKS; i++) {
        int is = nearer(t, &s, trial_rng(t, 5160), i % 2);
        ok = is >= 0;
        share[i % 2] += (double)is / TASKS;
    }
    explain(t, "115 and 155 Hz: the GPT's pitch is nearer to the prompt's in %.3f of %d pairs",
            share[1], TASKS);
    explain(t, "vocal tracts 0.85 and 1.05: its bands are nearer in %.3f", share[0]);
    return ok ? values_least(share[0], share[1]) : (double)NAN;
}

const Claim speaking_claims[] = {
    {51, says_text, "a GPT over letters and codec codes speaks: a recogniser reads the text back",
     .slides = {"Z: Text-to-speech"},
     .quantity =
         "word error rate of 40 texts that training never had, after the prompt; one training",
     AT_MOST(0.1, "a guess of ten words errs in 0.9; 0.1 are 12 of 120 words"),
     .faults = {{"untrained", "random weights in its blocks"},
                {"other-text", "the GPT is given other letters than those that are compared"}}},
    {51, prompt_voice,
     "prompted with one recorded word, as VALL-E is with three seconds, the GPT goes on at that "
     "pitch and with that vocal tract",
     .slides = {"Z: Text-to-speech"},
     .quantity = "share of 40 pairs of speakers: nearer to the prompt's; the lesser; one training",
     AT_LEAST(0.8, "by chance 1/2, with a standard error of 0.08: 0.8 is 3.8 of them"),
     .faults = {{"other-prompt", "the prompt is of the other speaker"}}},
    {0},
};
