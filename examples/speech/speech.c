/* speech.c: trains a GPT to speak: letters in, the codes of a sound codec out.
 *
 *   record the first word --- voice.c, codec.c ---> codes of the prompt
 *   letters, codes of the prompt --- model.c ---> codes of all words ---> said.wav --- recogniser.c ---> words
 *
 * (Z "Audio data", "Text-to-speech"; Wang et al. 2023, VALL-E.) */
#include "examples/speech/draw.h"
#include "examples/speech/train.h"

#include "examples/common/store.h"

#include <string.h>

typedef struct {
    Common common;
    Speaker speaker;
    const char *text;
    int words[WORDS];
} Settings;

/* ---- the words of --text -------------------------------------------------------------------- */

static int digit_named(const char *at, size_t length)
{
    int i = 0;
    while (i < DIGITS &&
           (strlen(digit_names[i]) != length || memcmp(digit_names[i], at, length) != 0))
        i++;
    return i;
}

/* Ends the program unless the text has WORDS words. */
static void parse_words(const char *text, int words[WORDS])
{
    int count = 0;
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        int word = digit_named(at, length);
        if (word == DIGITS || count == WORDS)
            options_refuse("--text: found '%s'; expected four words of zero to nine", text);
        words[count++] = word;
        at += length;
    }
    if (count != WORDS)
        options_refuse("--text: found %d words; expected %d", count, WORDS);
}

/* ---- what is read, and by which letters ----------------------------------------------------- */

enum { TASKS = 20, HEADS_OF_ALL = SPEECH_LAYERS * SPEECH_HEADS };

/* Reads sentences that training never had, by speakers it never had: as recorded, from their codes,
 * and as the GPT says them after the first word. */
static bool print_errors(const Speech *s, Tape *tape, uint64_t seed)
{
    static Task k;
    int words[HEARD_MAX], wrong[3] = {0};
    Rng rng = {.seed = seed, .stream = 10};
    for (int i = 0; i < TASKS; i++) {
        if (!task_draw(&k, s, tape, &rng))
            return false;
        for (int way = 0; way < 3; way++) {
            if (way == 2 && !task_say(&k, s, tape, k.said.words, &rng))
                return false;
            int from = k.prompt * HOP;
            int n = way == 0 ? recogniser_words(&s->recogniser, tape, k.said.wave + from,
                                                k.said.frames - k.prompt, words)
                             : task_read(&k, s, tape, &rng, words);
            if (n < 0)
                return false;
            wrong[way] += words_wrong(words, n, k.said.words + 1, WORDS - 1);
        }
    }
    const double all = TASKS * (WORDS - 1);
    printf("words read wrongly: %.1f %% of recordings, %.1f %% from their codes, %.1f %% of what "
           "the GPT says\n",
           100 * wrong[0] / all, 100 * wrong[1] / all, 100 * wrong[2] / all);
    return true;
}

/* The head whose heaviest letter is most often one of the word that is spoken; -1 after an
 * error. */
static int print_best_head(const Speech *s, Tape *tape, uint64_t seed)
{
    static Task k;
    int letter[FRAMES], best = 0;
    double share[HEADS_OF_ALL] = {0};
    Rng rng = {.seed = seed, .stream = 11};
    for (int i = 0; i < TASKS; i++) {
        if (!task_draw(&k, s, tape, &rng))
            return -1;
        for (int h = 0; h < HEADS_OF_ALL; h++) {
            if (!task_letters(&k, s, tape, h, letter, NULL))
                return -1;
            share[h] += letters_of_word(&k.said, letter) / TASKS;
        }
    }
    for (int h = 1; h < HEADS_OF_ALL; h++)
        best = share[h] > share[best] ? h : best;
    printf("layer %d, head %d: its heaviest letter is of the word being spoken in %.1f %% of the "
           "frames\n",
           best / SPEECH_HEADS + 1, best % SPEECH_HEADS + 1, 100 * share[best]);
    return best;
}

/* ---- speaking ------------------------------------------------------------------------------- */

static bool write_wave(const Common *c, const char *name, const real *wave, int frames)
{
    char path[EXAMPLE_PATH];
    bool ok = wav_write(example_path(c, name, path), wave, frames * HOP);
    if (ok)
        printf("%s: %.2f s\n", path, (double)frames * HOP / RATE);
    return ok;
}

/* recorded.wav, codec.wav and said.wav; prints what the recogniser reads in the last, and draws. */
static bool speak(const Settings *o, const Speech *s, Tape *tape, int head)
{
    static Task recorded, said;
    static real wave[SAMPLES];
    int words[HEARD_MAX];
    const Common *c = &o->common;
    Rng rng = {.seed = (uint64_t)c->seed, .stream = 13};
    if (!task_record(&recorded, s, tape, &o->speaker, o->words, &rng) ||
        !write_wave(c, "recorded.wav", recorded.said.wave, recorded.said.frames) ||
        !task_wave(&recorded, s, tape, &rng, wave) ||
        !write_wave(c, "codec.wav", wave, recorded.written))
        return false;
    said = recorded;
    if (!task_say(&said, s, tape, o->words, &rng) || !task_wave(&said, s, tape, &rng, wave) ||
        !write_wave(c, "said.wav", wave, said.written))
        return false;
    int n = recogniser_words(&s->recogniser, tape, wave, said.written, words);
    printf("to be said: %s\nread:      ", o->text);
    for (int i = 0; i < n; i++)
        printf(" %s", digit_names[words[i]]);
    printf("\n");
    return n >= 0 && draw_spoken(s, &recorded, &said, c) && draw_letters(s, &recorded, head, c) &&
           draw_voices(s, c);
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool train_or_load(const Settings *o, Speech *s, Params *p)
{
    const Common *c = &o->common;
    Store store;
    if (c->load)
        return store_load(&store, store_open(&store, c->load, "speech", NULL, NULL, p) &&
                                      speech_init(s, p));
    return speech_init(s, p) && speech_train(s, p, c) &&
           (!c->save || store_save(c->save, "speech", NULL, NULL, p));
}

int main(int argc, char **argv)
{
    Settings o = {.common = {.seed = 1,
                             .steps = 3000,
                             .rate = 5e-3,
                             .out = "out/speech",
                             .pages = "tape.html"},
                  .speaker = {.pitch = 120, .tract = 1, .rate = 1.2},
                  .text = "three nine zero seven"};
    const Option own[] = {
        {"text", OPTION_TEXT, &o.text, "WORDS", "four words of zero to nine, to be said", 0, 0},
        {"pitch", OPTION_NUMBER, &o.speaker.pitch, "HZ", "of the recorded voice", 90, 200},
        {"tract", OPTION_NUMBER, &o.speaker.tract, "X", "length of its vocal tract", 0.82, 1.06},
        {0},
    };
    example_begin(argc, argv,
                  "Trains a GPT that speaks: from letters to the codes of a sound codec.",
                  &o.common, own);
    parse_words(o.text, o.words);
    Speech s;
    Params *p = params_new((uint64_t)o.common.seed);
    Tape *tape = tape_new((uint64_t)o.common.seed);
    bool ok =
        p && tape && train_or_load(&o, &s, p) && print_errors(&s, tape, (uint64_t)o.common.seed);
    int head = ok ? print_best_head(&s, tape, (uint64_t)o.common.seed) : -1;
    ok = head >= 0 && speak(&o, &s, tape, head);
    tape_free(tape);
    params_free(p);
    return ok ? 0 : 1;
}
