/* bert.c: a model learns a language from sentences with holes, and then a task from a few labels.
 *
 *   I <mask> across the river to get to the <mask> bank          swam, other
 *
 * (Z "Encoder transformers", V; Devlin et al. 2018.) 15 % of the tokens are chosen; of those 80 % become <mask>, 10 %
 * another token, 10 % stay. The model names what was there, and only these places count. As it sees the words on both
 * sides, it learns which of them go together. Then what stands at <class>, which nobody looked at so far, is trained to
 * tell praise from blame, on few labelled reviews: with what the model knows already, and from nothing. */
#include "examples/bert/settings.h"

BertConfig config_of(const Settings *s, const Corpus *c)
{
    return (BertConfig){.tokens = c->tokens,
                        .classes = 2,
                        .channels = s->channels,
                        .heads = s->heads,
                        .layers = s->layers,
                        .longest = c->longest};
}

static bool open_corpus(const Settings *s, Corpus *c)
{
    enum { HELD_OUT = 1000 };
    bool ok = s->data ? corpus_of_file(c, s->data, s->merges, s->longest)
                      : corpus_of_grammars(c, s->sentences, HELD_OUT);
    if (ok)
        printf("%s: %d sequences to learn from, %d held out; %d tokens (%s)\n",
               s->data ? s->data : "phrases and reviews", c->train.count, c->held_out.count,
               c->tokens, c->bytes ? "byte pairs" : "words");
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
    return pretrain(s, m, p, c, s->common.seed, NULL);
}

/* The same few labels, with and without what was learned before. */
static bool tune(const Settings *s, const Params *p, const Corpus *c)
{
    const double further = finetune(s, p, c, s->common.seed, s->tune_steps);
    const double anew = finetune(s, NULL, c, s->common.seed, s->tune_steps);
    printf("\nright answers on 1000 held-out reviews, after %d steps on %d labelled ones:\n"
           "  %-34s %5.1f %%\n  %-34s %5.1f %%\n",
           s->tune_steps, s->labelled, "fine-tuned", 100 * further, "from nothing", 100 * anew);
    return further >= 0 && anew >= 0;
}

/* Before training: an unknown word should not cost a minute. */
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
    if (s->compare)
        return run_comparison(s, c);
    if (!know_texts(s, c) || !make_model(s, &m, p, c))
        return false;
    const Guesses g = guess_held_out(&m, c);
    printf("%d hidden words of held-out sequences: %.1f %% guessed right, loss %.3f\n", g.asked,
           100 * g.right, g.loss);
    return (s->data || print_probes(&m, c)) && show_words(s, &m, c) &&
           (!s->common.save || save_bert(&m, p, c, s->common.save)) && (s->data || tune(s, p, c));
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1, .steps = 0, .epochs = 10, .rate = 3e-3, .out = "out/bert"},
                  .merges = 500,
                  .longest = 64,
                  .channels = 64,
                  .heads = 4,
                  .layers = 2,
                  .sentences = 20000,
                  .labelled = 192,
                  .tune_steps = 400};
    const Option own[] = {
        {"text", OPTION_TEXTS, &s.text, "TEXT", "what stands at its <mask>s? up to four times", 0,
         0},
        {"dynamic", OPTION_FLAG, &s.dynamic, NULL, "a new mask each epoch, as RoBERTa", 0, 0},
        {"compare", OPTION_FLAG, &s.compare, NULL, "does pre-training pay? five seeds", 0, 0},
        {"sentences", OPTION_INT, &s.sentences, "N", "to pre-train on", 64, 200000},
        {"labelled", OPTION_INT, &s.labelled, "N", "reviews to fine-tune on", 16, 100000},
        {"tune-steps", OPTION_INT, &s.tune_steps, "N", "of fine-tuning", 1, 1e6},
        {"data", OPTION_TEXT, &s.data, "FILE", "learn byte-pair tokens of this text instead", 0, 0},
        {"merges", OPTION_INT, &s.merges, "N", "byte pairs of --data", 0, 20000},
        {"longest", OPTION_INT, &s.longest, "N", "tokens of a sequence of --data", 8, 512},
        {"channels", OPTION_INT, &s.channels, "N", "of each token", 4, 1024},
        {"heads", OPTION_INT, &s.heads, "N", "of each block; they divide the channels", 1, 64},
        {"layers", OPTION_INT, &s.layers, "N", "blocks", 1, BERT_LAYERS_MAX},
        {0},
    };
    Corpus corpus = {0};
    example_begin(argc, argv, "Trains a small BERT: words with holes, then a task with few labels.",
                  &s.common, own);
    if (s.compare && (s.common.load || s.common.resume || s.common.save || s.data))
        options_refuse(
            "--compare trains on its own sentences; leave out --load, --save, --resume, --data");
    if (s.compare && s.common.steps == 0)
        s.common.steps = COMPARE_STEPS;
    Params *p = params_new((uint64_t)s.common.seed);
    bool ok = p && open_corpus(&s, &corpus) && run(&s, p, &corpus);
    corpus_free(&corpus);
    params_free(p);
    return ok ? 0 : 1;
}
