/* sentences.c: trains on the grammar's sentences, tests the model, and draws the attention of "it"
 * and "bank". */
#include "examples/attention/draw.h"
#include "examples/attention/settings.h"
#include "plot/html/own_pages.h"
#include "plot/tape/tape_page.h"

static const char *const lecture_pair[] = {
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
};

static void print_answer(const Question *q, const Grammar *g)
{
    const Sentence *s = &q->sentence;
    const char *right = s->label < 0 ? "" : q->answer == s->label ? ", correct" : ", wrong";
    char text[DATA_WORDS_MAX * DATA_WORD_BYTES];
    data_sentence_text(g, s, text, sizeof text);
    printf("%s\n  %s (probability %.3f%s)\n", text, q->says, q->probability, right);
}

/* The model as the module's live_begin reads it; settings of training are those of the module. */
static void describe_model(const ModelConfig *c, char *text, size_t size)
{
    snprintf(text, size, "attention channels=%d heads=%d layers=%d position=%d window=%d causal=%d",
             c->channels, c->heads, c->layers, c->position, c->window, c->causal);
}

static bool write_training_page(const Common *c)
{
    char path[EXAMPLE_PATH];
    bool ok = plot_page_train(example_path(c, "train.html", path), GRADUS_LIVE);
    if (ok)
        printf("page on which you train the model: %s\n", path);
    return ok;
}

/* The page of a tape on which the reader's sentence can be followed: it begins with this one. */
static bool write_steps(const Model *m, const Grammar *g, Question *q, const PlotPageLive *live,
                        const Common *c)
{
    char path[EXAMPLE_PATH], text[DATA_WORDS_MAX * DATA_WORD_BYTES];
    PlotPageLive one = *live;
    data_vocab_text(data_grammar_words(g), q->sentence.ids, q->sentence.length, text, sizeof text);
    one.text = text;
    Tape *tape = tape_new(0);
    bool ok = tape && tape_page_begin(example_path(c, "tape.html", path), q->title, "");
    tape_page_live(&one);
    ok = ok && question_run(q, m, tape, NULL, 0);
    tape_page_end();
    tape_free(tape);
    return ok;
}

static bool draw_sentences(const Settings *s, const Model *m, const Grammar *g, const Params *p,
                           Question *examples, int n)
{
    char model[128];
    const PlotPageLive live = {.module = GRADUS_LIVE, .model = model, .weights = p};
    describe_model(&m->config, model, sizeof model);
    for (int i = 0; i < n; i++) {
        question_ask(&examples[i], m, g);
        print_answer(&examples[i], g);
    }
    if (!draw_attention(m, examples, n, s->gradients, s->live ? &live : NULL, &s->common) ||
        (s->live &&
         (!write_training_page(&s->common) || !write_steps(m, g, &examples[0], &live, &s->common))))
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
    Question examples[TEXTS_MAX];
    Model model;
    int n = s->text.count > 0 ? s->text.count : 2;
    for (int i = 0; i < n; i++) /* before training, so that an unknown word is reported at once */
        if (!question_read(&examples[i], g, s->text.count > 0 ? s->text.text[i] : lecture_pair[i]))
            return false;
    ModelConfig config = sentence_config(s, g);
    if (s->common.load) {
        if (!load_model(&model, p, s->common.load, config))
            return false;
    } else {
        if (!begin_model(&model, p, config))
            return false;
        printf("%lld training sentences, %lld held out; %lld weights\n",
               (long long)data_grammar_count(g, DATA_TRAIN),
               (long long)data_grammar_count(g, DATA_HELD_OUT), (long long)params_size(p));
        if (!sentences_train(&model, p, g, &s->common))
            return false;
    }
    print_accuracy(&model, g);
    return (!s->common.save || save_model(&model, p, s->common.save)) &&
           draw_sentences(s, &model, g, p, examples, n) &&
           show_cause(s, &model, g, p, &examples[0].sentence);
}

bool run_sentences(const Settings *s, Params *p)
{
    Grammar *g = data_grammar_new();
    bool ok = g && train_and_draw(s, g, p);
    data_grammar_free(g);
    return ok;
}
