/* bert.c: pre-trains a model by masked language modelling, then fine-tunes it on a few labels.
 *
 *   I <mask> across the river to get to the <mask> bank          swam, other
 *
 * (Z "Encoder transformers", V; Devlin et al. 2018.) 15 % of the tokens are chosen; of those 80 %
 * become <mask>, 10 % another token, and 10 % remain. The model predicts the original tokens, and
 * the loss counts only these positions. Since it sees the words on both sides, it learns which
 * words occur together. Then the hidden state at <class>, which pre-training did not use, is
 * trained to classify reviews as positive or negative with few labels: after pre-training, and from
 * scratch. */
#include "examples/bert/settings.h"

BertConfig config_of(const Settings *s, const Corpus *c)
{
    return (BertConfig){.tokens = c->words.count,
                        .classes = 2,
                        .channels = s->channels,
                        .heads = s->heads,
                        .layers = s->layers,
                        .longest = LONGEST};
}

static bool open_corpus(const Settings *s, Corpus *c)
{
    enum { HELD_OUT = 1000 };
    bool ok = corpus_of_grammars(c, s->sentences, HELD_OUT);
    if (ok)
        printf("phrases and reviews: %d sequences to learn from, %d held out; %d tokens (words)\n",
               c->train.count, c->held_out.count, c->words.count);
    return ok;
}

static bool make_model(const Settings *s, Bert *m, Params *p, const Corpus *c)
{
    if (s->common.load)
        return load_bert(m, p, c, s->common.load);
    if (!bert_init(m, p, config_of(s, c)))
        return false;
    printf("%lld weights; %s masking\n", (long long)params_size(p),
           s->dynamic ? "dynamic" : "static");
    return pretrain(s, m, p, c);
}

/* Fine-tunes on the same few labels with and without pre-training. */
static bool tune(const Settings *s, const Params *p, const Corpus *c)
{
    const double further = finetune(s, p, c);
    const double anew = finetune(s, NULL, c);
    printf("\naccuracy on 1000 held-out reviews, after %d steps on %d labelled ones:\n"
           "  %-34s %5.1f %%\n  %-34s %5.1f %%\n",
           s->tune_steps, s->labelled, "fine-tuned", 100 * further, "from scratch", 100 * anew);
    return further >= 0 && anew >= 0;
}

/* Called before training, so that an unknown word is reported at once. */
static bool know_texts(const Settings *s, const Corpus *c)
{
    int32_t ids[TEXT_MAX];
    bool ok = true;
    for (int k = 0; ok && k < s->text.count; k++)
        ok = corpus_encode(c, s->text.text[k], ids, TEXT_MAX) > 0;
    return ok;
}

static bool run(const Settings *s, Params *p, const Corpus *c)
{
    Bert m;
    if (!know_texts(s, c) || !make_model(s, &m, p, c))
        return false;
    const Guesses g = guess_held_out(&m, c);
    printf("%d masked words of held-out sequences: %.1f %% correct, loss %.3f\n", g.asked,
           100 * g.right, g.loss);
    return print_probes(&m, c) && show_words(s, &m, c) &&
           (!s->common.save || save_bert(&m, p, c, s->common.save)) && tune(s, p, c);
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .steps = 0,
                             .epochs = 10,
                             .rate = 3e-3,
                             .out = "out/bert",
                             .pages = "attention.html, tape.html"},
                  .channels = 64,
                  .heads = 4,
                  .layers = 2,
                  .sentences = 20000,
                  .labelled = 192,
                  .tune_steps = 400};
    const Option own[] = {
        {"text", OPTION_TEXTS, &s.text, "TEXT", "a text with <mask>s to fill; up to four", 0, 0},
        {"dynamic", OPTION_FLAG, &s.dynamic, NULL, "draw new masks in each epoch, as RoBERTa does",
         0, 0},
        {"sentences", OPTION_INT, &s.sentences, "N", "number of sentences for pre-training", 64,
         200000},
        {"labelled", OPTION_INT, &s.labelled, "N", "number of reviews for fine-tuning", 16, 100000},
        {"tune-steps", OPTION_INT, &s.tune_steps, "N", "number of fine-tuning steps", 1, 1e6},
        {"channels", OPTION_INT, &s.channels, "N", "model width", 4, 1024},
        {"heads", OPTION_INT, &s.heads, "N", "number of heads, a divisor of the channels", 1, 64},
        {"layers", OPTION_INT, &s.layers, "N", "number of blocks", 1, BERT_LAYERS_MAX},
        {0},
    };
    Corpus corpus = {0};
    example_begin(argc, argv,
                  "Pre-trains a small BERT on masked words, then fine-tunes it on few labels.",
                  &s.common, own);
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && open_corpus(&s, &corpus) && run(&s, p, &corpus);
    corpus_free(&corpus);
    params_free(p);
    return ok ? 0 : 1;
}
