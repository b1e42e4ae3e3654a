/* pretrained.c: a model that others have trained, from its folder: what it is, what it computes,
 * where it looks.
 *
 *   BERT and its relatives  words at [MASK], embeddings of texts and their similarity     words.c, embeddings.c
 *   a classifier of texts   the classes with their probabilities                          classes.c
 *   GPT-2, Llama            a continuation of the text, by every way to choose            write.c
 *   T5, BART, Marian        another text, and which tokens of the first it attends to     translate.c
 *   ViT, DeiT               the class of a picture                                        picture.c
 *   all of text             attention: grid, one head, arcs, rollout, a ranking of heads  attention.c */
#include "examples/pretrained/pretrained.h"
#include "examples/common/progress.h"
#include "examples/common/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char how_to_get[] = "--model: expected the folder of a model: config.json, "
                                 "model.safetensors and its tokeniser's files\n"
                                 "(tokenizer.json; or vocab.txt; or vocab.json and merges.txt). A "
                                 "real sentence encoder, 83 MB:\n"
                                 "    ./gradus data minilm models/minilm\n"
                                 "Any other, with Python: pip install huggingface_hub; "
                                 "huggingface-cli download openai-community/gpt2\n"
                                 "config.json model.safetensors tokenizer.json --local-dir "
                                 "models/gpt2. See examples/pretrained/README.md.";

/* The lecture's sentences: "it" is the animal, then the street. */
static const char *const lecture[] = {
    "The animal didn't cross the street because it was too tired.",
    "The animal didn't cross the street because it was too wide.",
    "The tired animal stayed on its side of the road.",
    "Interest rates at the bank are rising.",
};

/* The labels of the tokens, whose ids are set. */
static bool label_tokens(Encoded *s, const Tokeniser *t)
{
    const int n = s->tokens.count;
    s->labels = s->ids ? example_alloc(((size_t)n + 1) * sizeof *s->labels) : NULL;
    bool ok = s->labels != NULL;
    for (int i = 0; ok && i < n; i++) {
        size_t size = data_token_label(t, s->ids[i], NULL, 0) + 1;
        s->labels[i] = example_alloc(size);
        ok = s->labels[i] != NULL;
        if (ok)
            data_token_label(t, s->ids[i], s->labels[i], size);
    }
    return ok;
}

bool sentence_open(Encoded *s, const Tokeniser *t, const char *text, int64_t longest)
{
    *s = (Encoded){0};
    if (!data_tokens(t, (TokenInput){.text = text, .longest = longest}, &s->tokens))
        return false;
    s->ids = example_alloc(((size_t)s->tokens.count + 1) * sizeof *s->ids);
    for (int i = 0; s->ids && i < s->tokens.count; i++)
        s->ids[i] = s->tokens.token[i].id;
    return label_tokens(s, t);
}

bool sentence_of(Encoded *s, const Tokeniser *t, const int32_t *ids, int n)
{
    *s = (Encoded){.tokens.count = n, .ids = example_alloc(((size_t)n + 1) * sizeof *ids)};
    if (s->ids)
        memcpy(s->ids, ids, (size_t)n * sizeof *ids);
    return label_tokens(s, t);
}

Tensor *sentence_states(const Encoded *s, const Pretrained *m, Tape *tape)
{
    return nn_pretrained_run(m, tape_ids(tape, s->ids, shape2(1, s->tokens.count)), NULL, NULL,
                             NULL);
}

bool sentence_as_typed(Encoded *s, const char *text)
{
    for (int i = 0; i < s->tokens.count; i++) {
        const Token *k = &s->tokens.token[i];
        const char *from = text + k->begin, *end = text + k->end;
        while (from < end - 1 && *from == ' ')
            from++;
        char *label = end > from ? example_alloc((size_t)(end - from) + 1) : NULL;
        if (end > from && !label)
            return false;
        if (!label || strncmp(s->labels[i], "##", 2) == 0) {
            free(label);
            continue;
        }
        memcpy(label, from, (size_t)(end - from));
        label[end - from] = 0;
        free(s->labels[i]);
        s->labels[i] = label;
    }
    return true;
}

int64_t longest_text(const Pretrained *m)
{
    return m->config.positions - m->config.position_offset;
}

int before_end(const Pretrained *m, const int32_t *ids, int n)
{
    for (int i = 0; i < n; i++) {
        if (ids[i] == m->config.end)
            return i;
        for (const int *e = m->config.ends; *e >= 0; e++)
            if (ids[i] == *e)
                return i;
    }
    return n;
}

void print_written(const Pretrained *m, const Tokeniser *t, const int32_t *ids, int n)
{
    char text[4096];
    data_tokens_text(t, ids, before_end(m, ids, n), false, text, sizeof text);
    shown_text(stdout, text);
    putchar('\n');
}

/* What the heads say of each text: the words at its masks, its classes. */
static bool show_heads(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    const bool words = m->output.weight != NULL, classes = m->classifier.weight != NULL;
    int holes = 0;
    bool ok = true;
    for (int k = 0; ok && (words || classes) && k < s->texts.count; k++) {
        const char *text = s->texts.text[k];
        Encoded e;
        tape_reset(tape);
        ok = sentence_open(&e, t, text, longest_text(m));
        Tensor *x = ok ? sentence_states(&e, m, tape) : tensor_poison();
        ok = ok && (!words || print_masks(text, m, t, &e, x, &holes)) &&
             (!classes || print_classes(text, m, nn_pretrained_classify(m, x)));
        sentence_close(&e);
    }
    if (ok && words && holes == 0)
        printf("\nno %s in the texts: --text \"Paris is the capital of %s.\" shows the most "
               "probable words\n",
               data_token(t, mask_of(t)), data_token(t, mask_of(t)));
    return ok;
}

/* Says which texts are longer than the model reads, and so cut. */
static bool tell_cut(const Settings *s, const Pretrained *m, const Tokeniser *t)
{
    for (int i = 0; i < s->texts.count; i++) {
        Tokens all = {0};
        if (!data_tokens(t, (TokenInput){.text = s->texts.text[i]}, &all))
            return false;
        if (all.count > longest_text(m))
            printf("\ntext %d: %d tokens, cut to %lld, the most that the model reads\n", i + 1,
                   all.count, (long long)longest_text(m));
        data_tokens_free(&all);
    }
    return true;
}

void sentence_close(Encoded *s)
{
    for (int i = 0; s->labels && i < s->tokens.count; i++)
        free(s->labels[i]);
    free(s->labels);
    free(s->ids);
    data_tokens_free(&s->tokens);
    *s = (Encoded){0};
}

/* The options of a list, closed by NULL, have no effect here. */
static void refuse_each(const char *const *options, const char *why)
{
    for (; *options; options++)
        if (options_given(*options))
            options_refuse("--%s: %s", *options, why);
}

static void refuse_of_translations(void)
{
    static const char *const others[] = {"word",      "to",    "as-typed", "specials",
                                         "gradients", "cut",   "patch",    "from",
                                         "lens",      "sweep", "stop",     NULL};
    refuse_each(others, "found a model that reads one text and writes another; expected --text, "
                        "--ids, --tokens, --repetition-penalty, --no-repeat, --layer, --head and "
                        "--html");
}

/* All that this model can show of its texts. */
static bool show_texts(const Settings *s, Pretrained *m, Tape *tape)
{
    Tokeniser *t = s->ids.count > 0 ? data_tokeniser_numbers((int)m->config.words)
                                    : data_tokeniser_open(s->model);
    bool writes = m->config.kind == PRETRAINED_DECODER;
    bool ok = t != NULL;
    if (ok && data_tokeniser_count(t) > m->config.words)
        options_refuse("%s: the tokeniser has %d tokens, and the model %lld", s->model,
                       data_tokeniser_count(t), (long long)m->config.words);
    ok = ok && (writes || tell_cut(s, m, t));
    if (ok && m->config.kind == PRETRAINED_TRANSLATOR) {
        refuse_of_translations();
        ok = show_translations(s, m, t, tape);
        data_tokeniser_free(t);
        return ok;
    }
    ok = ok && (!writes || show_writing(s, m, t, tape));
    ok = ok && (!writes || !s->common.html || write_generation(s, m, t, tape));
    ok = ok && (writes || (show_heads(s, m, t, tape) && show_embeddings(s, m, t, tape)));
    ok = ok && show_attention(s, m, t, tape) && show_cause(s, m, t);
    data_tokeniser_free(t);
    return ok;
}

/* The rules of the command line come before those of the folder. */
static void set_rules(const Settings *s, Pretrained *m)
{
    static const char *const writing[] = {"repetition-penalty", "no-repeat", "stop", NULL};
    if (m->config.kind != PRETRAINED_DECODER && m->config.kind != PRETRAINED_TRANSLATOR)
        refuse_each(writing, "found a model that writes no text; expected a decoder");
    if (options_given("repetition-penalty"))
        m->config.rules.repetition = s->repetition;
    if (options_given("no-repeat"))
        m->config.rules.no_repeat = s->no_repeat;
}

static bool show(const Settings *s, Tape *tape)
{
    Pretrained m;
    double begin = seconds();
    if (!nn_pretrained_load(s->model, &m))
        return false;
    set_rules(s, &m);
    nn_pretrained_summary(stdout, &m);
    if (!s->common.quiet)
        printf("loaded in %.2f s\n", seconds() - begin);
    bool ok =
        m.config.kind == PRETRAINED_VISION ? show_picture(s, &m, tape) : show_texts(s, &m, tape);
    nn_pretrained_free(&m);
    return ok;
}

/* After the options are checked. A trace of a step needs gradients; all else needs none but those
 * of attention maps, which show_attention and show_picture allow. */
static bool run(Settings *s)
{
    if (s->ids.count > 0)
        s->texts = s->ids;
    for (int i = 0; s->texts.count == 0 && i < (int)(sizeof lecture / sizeof *lecture); i++)
        s->texts.text[i] = lecture[i];
    s->texts.count = s->texts.count ? s->texts.count : (int)(sizeof lecture / sizeof *lecture);
    Tape *tape = tape_new((uint64_t)s->common.seed);
    if (tape)
        tape->no_grad = !s->common.trace;
    bool ok = tape && tensor_make_directory(s->common.out) && show(s, tape);
    tape_free(tape);
    return ok;
}

/* The page of --live runs the model itself: nothing is shown here. */
static void read_options(Settings *s, int argc, char **argv)
{
    const Option own[] = {
        {"model", OPTION_TEXT, &s->model, "DIR", "the folder of the model", 0, 0},
        {"text", OPTION_TEXTS, &s->texts, "TEXT",
         "a text instead of the lecture's; up to four times", 0, 0},
        {"ids", OPTION_TEXTS, &s->ids, "N,N,...",
         "the ids of a text, for a model whose tokeniser is missing; up to four times", 0, 0},
        {"image", OPTION_TEXT, &s->image, "FILE",
         "a picture for ViT: .npy, (3, side, side), whole numbers from 0 to 255 or normalised", 0,
         0},
        {"word", OPTION_TEXT, &s->word, "WORD", "the word whose attention is drawn", 0, 0},
        {"to", OPTION_TEXT, &s->to, "WORD",
         "rank heads by their weight for this word; one that is not in the text: for any", 0, 0},
        {"layer", OPTION_INT, &s->layer, "N",
         "layer of the map that is drawn by itself; 0: of the best head", 0, 1000},
        {"head", OPTION_INT, &s->head, "N", "head of that map; 0: the best one", 0, 1000},
        {"as-typed", OPTION_FLAG, &s->as_typed, NULL,
         "label tokens as the text spells them, not as the vocabulary does", 0, 0},
        {"specials", OPTION_FLAG, &s->keep_specials, NULL,
         "rank and draw [CLS] and [SEP] with the words", 0, 0},
        {"gradients", OPTION_FLAG, &s->gradients, NULL,
         "also draw dL/dA; README.md says what L is for each kind of model", 0, 0},
        {"tokens", OPTION_INT, &s->tokens, "N", "number of tokens that a decoder writes", 1,
         100000},
        {"repetition-penalty", OPTION_NUMBER, &s->repetition, "R",
         "divides the logit of a token that occurs by R, or multiplies a negative one; 1: none; "
         "default: as generation_config.json says",
         0.01, 100},
        {"no-repeat", OPTION_INT, &s->no_repeat, "N",
         "write no N tokens that occur in this order; 0: any; default: as generation_config.json "
         "says",
         0, 1000},
        {"stop", OPTION_TEXTS, &s->stop, "TEXT",
         "ends what a decoder writes, without a beam search; up to four times", 0, 0},
        CAUSE_OPTIONS(s->cause),
        {"live", OPTION_FLAG, &s->live, NULL,
         "write model.html: with --model, that model; else a reader opens a folder in it", 0, 0},
        {0},
    };
    example_begin(
        argc, argv,
        "Shows what a pretrained model of Hugging Face's format computes, and where it looks.",
        &s->common, own);
    for (const Option *o = own; s->live && o->name; o++)
        if (o->value != &s->model && o->value != &s->live)
            refuse_each((const char *const[]){o->name, "html", "trace", NULL},
                        "found --live as well; expected one of them, since the reader of the page "
                        "runs the model");
}

int main(int argc, char **argv)
{
    Settings s = {.common = {.seed = 1,
                             .out = "out/pretrained",
                             .pages = "attention.html, with dL/dA; of a decoder generation.html"},
                  .word = "it",
                  .to = "animal",
                  .tokens = 40};
    read_options(&s, argc, argv);
    cause_check(&s.cause);
    if (!s.model && !s.live)
        options_refuse("%s", how_to_get);
    if (s.ids.count > 0 && s.texts.count > 0)
        options_refuse("--ids: found --text as well; expected one of them");
    if (s.stop.count > 0 && s.common.html)
        options_refuse("--stop: found --html as well, whose page has a beam search; expected one "
                       "of them");
    return (s.live ? write_model_page(&s) : run(&s)) ? 0 : 1;
}
