/* alignment.c: which letters the GPT of speech.c looks at while it speaks (row 51).
 *
 * Nobody tells it which frames belong to which letters. A[24 + f, j] is the weight of letter j when frame f is chosen; a head
 * whose heaviest letter runs through the text as the frames run through the recording has found the alignment. */
#include "lectures/07-vision/sound.h"

#include <string.h>

/* The maps of all layers, each (1, H, 24 + frames + 1, the same), while the GPT hears this recording. */
static bool listen(const Speech *s, Tape *tape, const Sentence *said, Tensor *maps[SPEECH_LAYERS])
{
    static real v[FRAMES][NUMBERS];
    int codes[FRAMES][STAGES], letters[LETTERS_MAX];
    tape_reset(tape);
    tape->no_grad = true;
    if (!codec_vectors(tape, said->wave, said->frames, v) ||
        !codec_encode(&s->codec, tape, v, said->frames, codes))
        return false;
    sentence_letters(said->words, letters);
    tape_reset(tape);
    tape->keep_maps = true;
    double loss = (double)tensor_item(speech_loss(s, tape, letters, codes[0], 1, said->frames));
    for (int l = 0; l < SPEECH_LAYERS; l++) {
        char name[TENSOR_NAME_MAX];
        snprintf(name, sizeof name, "blocks.%d.attn.A", l);
        maps[l] = tape_find(tape, name);
    }
    return loss > 0;
}

/* word[j]: to which of the words letter j belongs, the space after a word to it too; the spaces of the end to none, -1. */
static void words_of_letters(const int letters[LETTERS_MAX], int word[LETTERS_MAX])
{
    int now = 0;
    for (int j = 0; j < LETTERS_MAX; j++) {
        word[j] = now < WORDS ? now : -1;
        now += letters[j] == 0;
    }
}

/* word[f]: which of the words is spoken in frame f; -1: none. */
static void words_of_frames(const Sentence *said, int word[FRAMES])
{
    int now = -1;
    for (int f = 0; f < said->frames; f++) {
        bool begins = f > 0 && said->label[f - 1] == SILENCE && said->label[f] != SILENCE;
        now += begins;
        word[f] = said->label[f] == SILENCE ? -1 : now;
    }
}

/* The letter with the largest weight when frame f is chosen. */
static int heaviest_letter(const Tensor *map, int head, int f)
{
    int best = 0;
    double most = -1;
    for (int j = 0; j < LETTERS_MAX; j++) {
        double a = (double)tensor_get(map, (int64_t[]){0, head, LETTERS_MAX + f, j});
        if (a > most) {
            most = a;
            best = j;
        }
    }
    return best;
}

/* Of each head: frames within a word, and those among them whose heaviest letter is of this word. */
typedef struct {
    int frames, right[SPEECH_LAYERS * SPEECH_HEADS];
} Aligned;

static bool count_aligned(const Speech *s, Tape *tape, const Sentence *said, bool other_text,
                          Aligned *a)
{
    Tensor *maps[SPEECH_LAYERS];
    int letters[LETTERS_MAX], of_letter[LETTERS_MAX], of_frame[FRAMES];
    if (!listen(s, tape, said, maps))
        return false;
    sentence_letters(said->words, letters);
    words_of_letters(letters, of_letter);
    words_of_frames(said, of_frame);
    for (int f = 0; f < said->frames; f++) {
        if (of_frame[f] < 0)
            continue;
        int word = other_text ? (of_frame[f] + 1) % WORDS : of_frame[f];
        a->frames++;
        for (int i = 0; i < SPEECH_LAYERS * SPEECH_HEADS; i++) {
            int l = i / SPEECH_HEADS, h = i % SPEECH_HEADS;
            a->right[i] += of_letter[heaviest_letter(maps[l], h, f)] == word;
        }
    }
    return true;
}

static void any_sentence(Sentence *said, Rng *rng)
{
    int words[WORDS];
    Speaker speaker = speaker_draw(rng);
    sentence_words(rng, words, true);
    sentence_speak(said, &speaker, words, rng);
}

/* The head that is right most often in ten sentences: its number, layer times SPEECH_HEADS plus head. */
static int best_head(const Speech *s, Tape *tape, Rng *rng)
{
    static Sentence said;
    Aligned a = {0};
    int best = 0;
    for (int i = 0; i < 10; i++) {
        any_sentence(&said, rng);
        if (!count_aligned(s, tape, &said, false, &a))
            return -1;
    }
    for (int i = 1; i < SPEECH_LAYERS * SPEECH_HEADS; i++)
        if (a.right[i] > a.right[best])
            best = i;
    return best;
}

static double aligned(Trial *t)
{
    static Sentence said;
    Speech s;
    Aligned a = {0};
    Rng rng = {.seed = t->seed, .stream = 5170};
    Tape *tape = tape_new(t->seed);
    int head = speech_begin(&s, !broken(t, "untrained"), t->seed) ? best_head(&s, tape, &rng) : -1;
    bool ok = head >= 0;
    for (int i = 0; ok && i < 20; i++) {
        any_sentence(&said, &rng);
        ok = count_aligned(&s, tape, &said, broken(t, "next-word"), &a);
    }
    for (int i = 0; ok && i < SPEECH_LAYERS * SPEECH_HEADS; i++)
        explain(t, "layer %d, head %d: %.2f%s", i / SPEECH_HEADS + 1, i % SPEECH_HEADS + 1,
                (double)a.right[i] / a.frames, i == head ? "   chosen on ten others" : "");
    double share = ok ? (double)a.right[head] / a.frames : (double)NAN;
    speech_end(&s);
    tape_free(tape);
    return share;
}

const Claim claim_looks_at_word = {
    .row = 51,
    .statement = "while the GPT speaks a word, one head attends to that word's letters, without "
                 "being trained to",
    .slides = {"Z: Text-to-speech"},
    .quantity = "share of frames whose heaviest letter is of the word that is spoken, best head",
    AT_LEAST(0.6),
    .why = "four words: by chance 1/4; 0.6 is more than twice that",
    .faults = {{"untrained", "the weights it began with"},
               {"next-word", "the letters of the next word are expected"}},
    .measure = aligned,
};

/* ---- figure ------------------------------------------------------------------------------------------------------------------- */

/* Labels of rows: each letter, and the number of rows up to the space after the last. */
static int name_letters(const int letters[LETTERS_MAX], const char *names[LETTERS_MAX],
                        char text[LETTERS_MAX][2])
{
    int rows = 0;
    for (int j = 0; j < LETTERS_MAX; j++) {
        snprintf(text[j], sizeof text[j], "%c", letters[j] ? 'a' + letters[j] - 1 : ' ');
        names[j] = text[j];
        rows = letters[j] ? j + 2 : rows;
    }
    return rows;
}

/* Of a map (1, H, T, T) the weights of one head from the frames to the letters: (1, letters, frames). */
static Tensor *letters_by_frames(Tensor *map, int head, int letters, int frames)
{
    int64_t T = map->shape.dim[2];
    Tensor *a = ag_slice(ag_reshape(map, shape3(SPEECH_HEADS, T, T)), 0, head, head + 1);
    a = ag_slice(ag_slice(a, 1, LETTERS_MAX, LETTERS_MAX + frames), 2, 0, letters);
    return ag_transpose(a, 1, 2);
}

static bool draw_letters(const Sketch *s)
{
    static Sentence said;
    char text[LETTERS_MAX][2], title[64];
    const char *words[FRAMES], *names[LETTERS_MAX];
    const int digits[WORDS] = {3, 9, 0, 7};
    const Speaker speaker = {.pitch = 120, .tract = 1, .rate = 1.2};
    int letters[LETTERS_MAX];
    Tensor *maps[SPEECH_LAYERS];
    Speech speech;
    Rng rng = {.seed = s->seed, .stream = 5190};
    Tape *tape = tape_new(s->seed);
    int best = speech_begin(&speech, true, s->seed) ? best_head(&speech, tape, &rng) : -1;
    int layer = best / SPEECH_HEADS, head = best % SPEECH_HEADS;
    sentence_speak(&said, &speaker, digits, &rng);
    sentence_letters(digits, letters);
    name_frames(said.label, said.frames, words);
    bool ok = best >= 0 && listen(&speech, tape, &said, maps);
    int rows = name_letters(letters, names, text);
    snprintf(title, sizeof title, "Layer %d, head %d: letters to be spoken", layer + 1, head + 1);
    if (ok) {
        const PlotHeatmap map = {.map = letters_by_frames(maps[layer], head, rows, said.frames),
                                 .rows = names,
                                 .columns = words,
                                 .title = sketch_title(s, title),
                                 .row_name = "text",
                                 .column_name = "frames of 20 ms"};
        ok = plot_heatmap(s->stem, &map, s->formats);
    }
    speech_end(&speech);
    tape_free(tape);
    return ok;
}

const Figure figure_letters = {
    .row = 51,
    .name = "letters",
    .what = "which letters one head of the speaking GPT looks at, frame by frame",
    .draw = draw_letters,
};
