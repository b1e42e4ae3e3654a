/* say.c: four words, of which a GPT speaks all but the first (row 51; sound.h):
 *
 *     ninja -C build lectures/say
 *     build/lectures/say --text "three nine zero seven" --pitch 120 --tract 1 --out say.wav
 *
 * The first word is recorded: the synthesiser speaks it in the voice that is asked for. Then it says what the recogniser
 * reads. */
#include "lectures/07-vision/sound.h"

#include "examples/common/options.h"

#include <string.h>

/* The digits that a text names; ends the program where there are not WORDS of them. */
static void parse_words(const char *text, int words[WORDS])
{
    int count = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, " ");
        int word = 0;
        while (word < DIGITS &&
               (strlen(digit_names[word]) != length || memcmp(digit_names[word], at, length) != 0))
            word++;
        if (length > 0 && (word == DIGITS || count == WORDS))
            options_refuse("--text: found \"%s\"; expected four words of zero to nine", text);
        if (length > 0)
            words[count++] = word;
        at += length + (at[length] == ' ');
    }
    if (count != WORDS)
        options_refuse("--text: found %d words; expected %d", count, WORDS);
}

/* Records the first word and lets the GPT write the others; the frames of the wave, or -1. */
static int say(const Speech *s, Tape *tape, const Speaker *speaker, const int words[WORDS],
               Rng *rng, real *wave)
{
    static Sentence said;
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES], letters[LETTERS_MAX];
    sentence_speak(&said, speaker, words, rng);
    sentence_letters(words, letters);
    tape->no_grad = true;
    if (!codec_vectors(tape, said.wave, said.frames, v) ||
        !codec_encode(&s->codec, tape, v, said.frames, codes))
        return -1;
    int frames =
        speech_write(s, tape, letters, codes, sentence_prompt(&said), FRAMES, (Drawing){1, rng});
    if (frames < 0)
        return -1;
    codec_decode(&s->codec, codes, frames, STAGES, v);
    return vectors_to_wave(tape, v, frames, rng, wave) ? frames : -1;
}

static void print_words(const char *before, const int *words, int count)
{
    printf("%s", before);
    for (int i = 0; i < count; i++)
        printf(" %s", digit_names[words[i]]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static real wave[SAMPLES];
    const char *text = "three nine zero seven", *out = "say.wav";
    int words[WORDS], read[2 * WORDS], seed = 1;
    Speaker speaker = {.pitch = 120, .tract = 1, .rate = 1.2};
    const Option table[] = {
        {"text", OPTION_TEXT, &text, "WORDS", "four words of zero to nine", 0, 0},
        {"pitch", OPTION_NUMBER, &speaker.pitch, "HZ", "of the voice", 90, 200},
        {"tract", OPTION_NUMBER, &speaker.tract, "X", "length of the vocal tract", 0.82, 1.06},
        {"out", OPTION_TEXT, &out, "FILE", "the .wav file", 0, 0},
        {"seed", OPTION_INT, &seed, "N", "of the drawn codes", 0, 1000000},
        {0},
    };
    options_parse(argc, argv, "Speaks four words: records the first, a GPT goes on.", table);
    options_need_file("out", out);
    parse_words(text, words);
    Speech s = {0};
    Ear e = {0};
    Rng rng = {.seed = (uint64_t)seed, .stream = 5210};
    Tape *tape = tape_new((uint64_t)seed);
    bool ok = tape && speech_begin(&s, true, 1) && ear_begin(&e, true, 1);
    int frames = ok ? say(&s, tape, &speaker, words, &rng, wave) : -1;
    int count = frames > 0 ? ear_reads(&e, tape, wave, frames, read, 2 * WORDS) : -1;
    ok = count >= 0 && wav_write(out, wave, frames * HOP);
    if (ok) {
        print_words("text:", words, WORDS);
        print_words("read:", read, count);
        printf("%s: %.2f s\n", out, (double)frames * HOP / RATE);
    } else
        fprintf(stderr, "say: %s\n", tensor_error());
    speech_end(&s);
    ear_end(&e);
    tape_free(tape);
    return ok ? 0 : 1;
}
