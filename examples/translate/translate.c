/* translate.c: trains a model to translate Spanish into English.
 *
 *   Soy un estudiante                            I am a student
 *   La mujer alta busca unas flores blancas      the tall woman looks for some white flowers
 *
 * The model is the Transformer of "Attention is all you need", fig. 1, or its predecessor, an RNN
 * with attention (--model rnn). It learns from pairs that a grammar generates. Adjectives and nouns
 * change order, subjects are omitted, "no compra" is "does not buy": no word-by-word translation is
 * correct. The test sentences have combinations of words that never occurred in training. */
#include "examples/translate/settings.h"

static const char *const models[] = {"transformer", "rnn", NULL};
static const char *const positions[] = {"sinusoidal", "learned", "none", NULL};

/* ---- the command line ------------------------------------------------------------------------ */

static void read_options(int argc, char **argv, Settings *s)
{
    TranslatorConfig *t = &s->config;
    const Option own[] = {
        {"text", OPTION_TEXTS, &s->text, "TEXT", "a sentence to translate; up to four", 0, 0},
        {"model", OPTION_TEXT, &s->model, "WHICH", "transformer or rnn", 0, 0},
        {"channels", OPTION_INT, &t->channels, "N", "model width", 2, 1024},
        {"hidden", OPTION_INT, &t->hidden, "N",
         "width of the feed-forward layer, or of the RNN's state (128)", 2, 4096},
        {"heads", OPTION_INT, &t->heads, "N", "number of heads, a divisor of the channels", 1, 64},
        {"layers", OPTION_INT, &t->layers, "N", "number of layers of encoder and decoder", 1,
         LAYERS_MAX},
        {"position", OPTION_TEXT, &s->position, "WHICH",
         "positional encoding: sinusoidal, learned or none", 0, 0},
        {"pre-norm", OPTION_FLAG, &s->pre_norm, NULL, "pre-norm instead of post-norm", 0, 0},
        {"no-cross", OPTION_FLAG, &s->blind, NULL, "train without cross-attention", 0, 0},
        {"dropout", OPTION_NUMBER, &t->dropout, "P", "dropout probability", 0, 0.9},
        {"smoothing", OPTION_NUMBER, &s->smoothing, "P", "label smoothing", 0, 1},
        {"warmup", OPTION_INT, &s->warmup, "N", "warm-up steps to --lr; then 1/sqrt(step)", 1,
         1 << 20},
        {"batch", OPTION_INT, &s->batch, "N", "batch size in pairs", 1, BATCH_MAX},
        {"beam", OPTION_INT, &s->beam, "N", "number of hypotheses of the beam search", 1, 64},
        {"alpha", OPTION_NUMBER, &s->alpha, "X", "length normalisation: compare log p / length^X",
         0, 4},
        {0},
    };
    example_begin(argc, argv, "Trains a Transformer or an RNN to translate Spanish.", &s->common,
                  own);
    const bool rnn = options_one_of("model", s->model, models) == ALIGNER;
    if (rnn && !options_given("hidden"))
        t->hidden = 128;
    if (rnn && !options_given("lr"))
        s->common.rate = 3e-3;
    t->position = options_one_of("position", s->position, positions);
    if (t->channels % 2 || t->channels % t->heads)
        options_refuse("--channels: found %d; expected an even number that the %d heads divide",
                       t->channels, t->heads);
    if (rnn && t->hidden % 2)
        options_refuse("--hidden: found %d; expected an even number", t->hidden);
}

/* ---- the model ------------------------------------------------------------------------------- */

static bool make(const Settings *s, Translator *t, Params *p, const Corpus *d)
{
    TranslatorConfig c = s->config;
    c.from_words = data_translations_spanish(d->all)->count;
    c.to_words = data_translations_english(d->all)->count;
    if (!translator_init(t, p, (ModelKind)options_one_of("model", s->model, models), c))
        return false;
    printf("%s, %lld weights; %d Spanish and %d English words\n",
           t->kind == ALIGNER ? "gru" : "transformer", (long long)params_size(p), c.from_words,
           c.to_words);
    return train(s, t, p, d) && (!s->common.save || save_translator(t, p, s->common.save));
}

static bool run(const Settings *s, const Corpus *d, Params *p)
{
    Translator t;
    return know_texts(s, d) &&
           (s->common.load ? load_translator(&t, p, d, s->common.load) : make(s, &t, p, d)) &&
           print_score(&t, d) && draw_grids(s, &t, d) && show_texts(s, &t, d);
}

/* The test sentences are the same for all seeds. */
static bool corpus_open(Corpus *d)
{
    Rng rng = {.seed = 2017};
    d->all = data_translations_new();
    bool ok = d->all != NULL;
    for (int i = 0; ok && i < TESTS; i++)
        ok = data_translations_draw(d->all, &rng, DATA_HELD_OUT, &d->test[i], NULL);
    return ok;
}

int main(int argc, char **argv)
{
    static Corpus corpus;
    Settings s = {
        .common = {.seed = 1,
                   .steps = 3000,
                   .rate = 6e-3,
                   .out = "out/translate",
                   .pages = "attention.html, generation.html, tape.html"},
        .model = "transformer",
        .position = "sinusoidal",
        .config = {.longest = LONGEST, .channels = 64, .heads = 4, .layers = 2, .hidden = 256},
        .batch = 64,
        .warmup = 300,
        .smoothing = 0.1,
        .beam = 4,
        .alpha = 1};
    read_options(argc, argv, &s);
    s.config.pre_norm = s.pre_norm;
    s.config.blind = s.blind;
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && corpus_open(&corpus) && run(&s, &corpus, p);
    data_translations_free(corpus.all);
    params_free(p);
    return ok ? 0 : 1;
}
