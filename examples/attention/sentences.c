/* sentences.c: trains on the grammar's sentences, tests the model, and draws the attention of "it"
 * and "bank". */
#include "examples/attention/draw.h"
#include "examples/attention/settings.h"

#include <string.h>

enum { BATCH = 64 };

static const char *const lecture_pair[] = {
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
};

/* A sentence to draw, with its words as they appear in the pictures. */
typedef struct {
    Sentence sentence;
    const char *words[DATA_WORDS_MAX];
    char title[256];
} Example;

static bool read_example(Example *e, const Grammar *g, const char *text)
{
    if (!data_grammar_parse(g, text, &e->sentence))
        return false;
    for (int i = 0; i < e->sentence.length; i++)
        e->words[i] = data_vocab_word(data_grammar_words(g), e->sentence.ids[i]);
    return true;
}

/* Prints the model's answer for a sentence, which is also the title of its pictures. */
static void ask(Example *e, const Model *m, const Grammar *g)
{
    const Sentence *s = &e->sentence;
    const Vocab *labels = data_grammar_labels(g);
    double probability = 0;
    int answer = sentences_answer(m, s, &probability);
    const char *right = s->label < 0 ? "" : answer == s->label ? ", correct" : ", wrong";
    const char *asked = e->words[s->query], *meaning = data_vocab_word(labels, answer);
    bool sense = strncmp(meaning, "bank: ", 6) == 0; /* "of a river", "for money" */
    const char *is = sense ? meaning + 6 : meaning, *the = sense ? "" : "the ";
    char text[DATA_WORDS_MAX * DATA_WORD_BYTES];
    data_sentence_text(g, s, text, sizeof text);
    printf("%s\n  \"%s\" is %s%s (probability %.3f%s)\n", text, asked, the, is, probability, right);
    snprintf(e->title, sizeof e->title, "%s%s\xe2\x80\x9c%s\xe2\x80\x9d is %s%s",
             s->cues > 0 ? e->words[s->cue[s->cues - 1]] : "", s->cues > 0 ? ": " : "", asked, the,
             is);
}

static Drawing drawing_of(const Example *e)
{
    const Sentence *s = &e->sentence;
    return (Drawing){.length = s->length,
                     .ids = s->ids,
                     .words = e->words,
                     .query = s->query,
                     .target = s->referent >= 0 ? s->referent
                               : s->cues > 0    ? s->cue[0]
                                                : -1,
                     .label = s->label,
                     .title = e->title};
}

static bool draw_sentences(const Settings *s, const Model *m, const Grammar *g, Example *examples,
                           int n)
{
    Drawing drawings[TEXTS_MAX];
    for (int i = 0; i < n; i++) {
        ask(&examples[i], m, g);
        drawings[i] = drawing_of(&examples[i]);
    }
    if (!draw_attention(m, drawings, n, s->gradients, &s->common))
        return false;
    printf("\n%s in %s/\n", example_written(), s->common.out);
    return true;
}

static void print_accuracy(const Model *m, const Grammar *g)
{
    static const char *const kinds[] = {"it: which noun the adjective suits", "it: word order",
                                        "bank: which sense"};
    printf("correct answers on %d held-out sentences:\n", QUIZ_SENTENCES);
    for (int k = 0; k < DATA_KINDS; k++) {
        Quiz quiz = {.split = DATA_HELD_OUT, .kind = k, .sentences = QUIZ_SENTENCES};
        printf("  %-36s %5.1f %%\n", kinds[k], 100 * sentences_accuracy(m, g, quiz));
    }
    Quiz all = {.split = DATA_HELD_OUT, .kind = -1, .sentences = QUIZ_SENTENCES};
    printf("  %-36s %5.1f %%\n\n", "all", 100 * sentences_accuracy(m, g, all));
}

static bool train_and_draw(const Settings *s, const Grammar *g, Params *p)
{
    Example examples[TEXTS_MAX];
    Model model;
    int n = s->text.count > 0 ? s->text.count : 2;
    for (int i = 0; i < n; i++) /* before training, so that an unknown word is reported at once */
        if (!read_example(&examples[i], g, s->text.count > 0 ? s->text.text[i] : lecture_pair[i]))
            return false;
    ModelConfig config = sentence_config(s, g, POSITION_SINUSOIDAL);
    if (s->common.load) {
        if (!load_model(&model, p, s->common.load, config, NULL))
            return false;
    } else {
        if (!begin_model(&model, p, config))
            return false;
        printf("%lld training sentences, %lld held out; %lld weights\n",
               (long long)data_grammar_count(g, DATA_TRAIN),
               (long long)data_grammar_count(g, DATA_HELD_OUT), (long long)params_size(p));
        TrainConfig train = {.common = &s->common,
                             .seed = s->common.seed,
                             .batch = BATCH,
                             .steps = steps_of(s, WORD_STEPS)};
        if (!sentences_train(&model, p, g, train))
            return false;
    }
    print_accuracy(&model, g);
    return (!s->common.save || save_model(&model, p, NULL, s->common.save)) &&
           draw_sentences(s, &model, g, examples, n) &&
           show_cause(s, &model, g, p, &examples[0].sentence);
}

bool run_sentences(const Settings *s, Params *p)
{
    Grammar *g = data_grammar_new();
    bool ok = g && train_and_draw(s, g, p);
    data_grammar_free(g);
    return ok;
}
