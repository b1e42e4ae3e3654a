/* classify.c: a text in, a label out.
 *
 *   The acting was dull but the film was very moving.       positive
 *   The acting was moving but the film was very dull.       negative: the same words
 *   The plot was not clever.                                negative
 *
 * (J "Transformer Encoder for Text Classification", H and Z: the encoder alone.) An encoder reads
 * the whole text; it is pooled to one vector, the mean over its tokens or the hidden state at
 * <class>, and a linear layer predicts the label. The test reviews combine nouns and judging words
 * that never occurred together in training. Then the program shows that padding changes nothing,
 * and draws attention maps. */
#include "examples/classify/settings.h"

#include <string.h>

enum { REVIEWS = 4000, HELD_OUT = 1000 };

/* Ends the program if the command line has an unknown name. */
static ClassifierConfig config_of(const Settings *s, const Texts *t)
{
    static const char *const pools[] = {"mean", "class", NULL};
    static const char *const positions[] = {"sinusoidal", "learned", "none", NULL};
    return (ClassifierConfig){.words = t->words.count,
                              .classes = t->names.count,
                              .channels = s->channels,
                              .heads = s->heads,
                              .layers = s->layers,
                              .longest = t->longest + MORE_PADDING,
                              .pool = options_one_of("pool", s->pool, pools),
                              .position = options_one_of("position", s->position, positions)};
}

static bool same_words(const Vocab *a, const Vocab *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = strcmp(a->words[i], b->words[i]) == 0;
    return same;
}

/* The training data; `known`: the vocabulary of the model of --load. */
static bool open_texts(const Settings *s, Texts *t, const Texts *known)
{
    const int longest = known ? known->longest : s->longest;
    if (!s->data && !texts_of_reviews(t, REVIEWS, HELD_OUT, longest))
        return false;
    if (!s->data && known && !same_words(&t->words, &known->words))
        options_refuse(
            "--load %s: found a model of other texts than the reviews; give them with --data",
            s->common.load);
    if (!s->data)
        return true;
    if (!texts_of_file(t, s->data, longest, (uint64_t)s->common.seed, known))
        return false;
    printf("%s: %d texts with %d labels; %d words\n", s->data, t->ids.count, t->names.count,
           t->words.count);
    if (t->cut)
        printf("%d texts are longer than %d words: the rest of them is not read\n", t->cut,
               longest - 1);
    return true;
}

static bool train_new(const Settings *s, Classifier *m, Params *p, const Texts *t)
{
    if (!classifier_init(m, p, config_of(s, t)))
        return false;
    printf("%d texts to learn from, %d held out; %lld weights\n", t->train, t->ids.count - t->train,
           (long long)params_size(p));
    return train(m, p, t, &s->common);
}

/* Called before training, so that an unknown word is reported at once. */
static bool know_texts(const Settings *s, const Texts *t)
{
    int32_t ids[DATA_WORDS_MAX + 1];
    bool ok = true;
    for (int k = 0; ok && k < s->text.count; k++)
        ok = texts_encode(t, s->text.text[k], ids, DATA_WORDS_MAX + 1) > 0;
    return ok;
}

static bool run(const Settings *s, Params *p, Texts *t)
{
    Classifier m;
    Texts known = {0};
    const char *load = s->common.load, *save = s->common.save;
    bool ok = (!load || load_classifier(&m, p, &known, load)) &&
              open_texts(s, t, load ? &known : NULL) && know_texts(s, t);
    if (ok && (ok = load || train_new(s, &m, p, t))) {
        print_scores(&m, t);
        ok = show_padding(&m, t) && show_texts(s, &m, t) &&
             (!save || save_classifier(&m, p, t, save));
    }
    texts_free(&known);
    return ok;
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .epochs = 8,
                             .rate = 3e-3,
                             .out = "out/classify",
                             .pages = "attention.html, tape.html"},
                  .pool = "mean",
                  .position = "sinusoidal",
                  .channels = 64,
                  .heads = 4,
                  .layers = 2,
                  .longest = 64};
    const Option own[] = {
        {"text", OPTION_TEXTS, &s.text, "TEXT", "a text to label; up to four", 0, 0},
        {"data", OPTION_TEXT, &s.data, "FILE", "train on lines LABEL<tab>TEXT of this file instead",
         0, 0},
        {"pool", OPTION_TEXT, &s.pool, "WHICH",
         "mean: of all tokens; class: the hidden state at <class>", 0, 0},
        {"position", OPTION_TEXT, &s.position, "WHICH",
         "positional encoding: sinusoidal, learned or none", 0, 0},
        {"layers", OPTION_INT, &s.layers, "N", "number of blocks; 0: a bag of words", 0,
         CLASSIFIER_LAYERS_MAX},
        {"channels", OPTION_INT, &s.channels, "N", "model width", 4, 1024},
        {"heads", OPTION_INT, &s.heads, "N", "number of heads, a divisor of the channels", 1, 64},
        {"longest", OPTION_INT, &s.longest, "N", "number of tokens of a text that are read", 8,
         1024},
        {0},
    };
    Texts texts = {0};
    example_begin(argc, argv, "Trains a small transformer encoder to label texts.", &s.common, own);
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && run(&s, p, &texts);
    texts_free(&texts);
    params_free(p);
    return ok ? 0 : 1;
}
