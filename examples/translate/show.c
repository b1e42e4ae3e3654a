/* show.c: translations, and the attention of each translated word to the source.
 *
 * A row of the map belongs to a word of the target: the cross-attention of the last decoder layer,
 * averaged over its heads, or the weights gamma of Align & Translate. (V "Recall the Translate and
 * Align Model in RNNs", V "Decoder Block: Cross-Attention".) */
#include "examples/translate/settings.h"

#include "examples/common/html.h"

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, TEXT = DATA_WORDS_MAX * DATA_WORD_BYTES };

static const TextList own = {4,
                             {"Soy un estudiante", "La mujer alta busca unas flores blancas",
                              "No los vendemos delante de la iglesia vieja",
                              "Mi hermana nunca ayuda al vecino rico"}};

static const TextList *texts_of(const Settings *s)
{
    return s->text.count > 0 ? &s->text : &own;
}

static bool read_text(const Corpus *d, const char *text, SentencePair *pair)
{
    *pair = (SentencePair){0};
    pair->spanish_length = data_translations_read(d->all, text, pair->spanish, DATA_WORDS_MAX);
    return pair->spanish_length > 0;
}

bool know_texts(const Settings *s, const Corpus *d)
{
    SentencePair pair;
    bool ok = true;
    for (int i = 0; ok && i < texts_of(s)->count; i++)
        ok = read_text(d, texts_of(s)->text[i], &pair);
    return ok;
}

/* ---- attention maps -------------------------------------------------------------------------- */

/* Labels of a pair's words; the target's end in <eos>, and the decoder's input begins with
 * <bos>. */
typedef struct {
    const char *from[DATA_WORDS_MAX], *to[DATA_WORDS_MAX + 1], *in[DATA_WORDS_MAX + 1];
} Labels;

static void labels_of(Labels *l, const Corpus *d, const SentencePair *pair)
{
    for (int i = 0; i < pair->spanish_length; i++)
        l->from[i] = data_vocab_word(data_translations_spanish(d->all), pair->spanish[i]);
    l->in[0] = "<bos>";
    for (int i = 0; i < pair->english_length; i++)
        l->in[i + 1] = l->to[i] =
            data_vocab_word(data_translations_english(d->all), pair->english[i]);
    l->to[pair->english_length] = "<eos>";
}

/* Joins the maps of the RNN's T steps, each (1, 1, S), to one map (1, T, S); or, after backward,
 * their gradients. */
static Tensor *steps_joined(Tape *tape, int T, bool gradients)
{
    Tensor *row[DATA_WORDS_MAX + 1];
    for (int t = 0; t < T; t++) {
        row[t] = example_find(tape, "align", 0, "A", t);
        if (gradients && !tensor_is_poison(row[t]))
            row[t] = tape_input(tape, row[t]->grad, row[t]->shape);
        if (tensor_is_poison(row[t]))
            return row[t];
    }
    return ag_concat(row, T, 1);
}

static bool draw_heads(const Settings *s, Tape *tape, const Translator *t, const Labels *l, int k)
{
    const int layers = t->transformer.config.layers;
    const Tensor *maps[LAYERS_MAX];
    char path[EXAMPLE_PATH], stem[32];
    if (!example_maps(tape, "decoder.%d.cross_attn", layers, 0, maps))
        return false;
    snprintf(stem, sizeof stem, "heads-%d", k);
    const PlotGrid grid = {.layers = maps,
                           .layer_count = layers,
                           .rows = l->to,
                           .columns = l->from,
                           .row_name = "written",
                           .column_name = "read",
                           .title = "cross-attention of all heads"};
    return plot_grid(example_path(&s->common, stem, path), &grid, FORMATS);
}

/* Adds the three attentions of the Transformer to the page, or the one of Align & Translate. */
static bool add_to_page(Html *html, Tape *tape, const Translator *t, const Labels *l,
                        const char *text, const Tensor *map)
{
    const int layers = t->transformer.config.layers;
    const Tensor *gradient = html->wanted && t->kind == ALIGNER
                                 ? steps_joined(tape, (int)map->shape.dim[1], true)
                                 : NULL;
    const HtmlAttention aligned = {
        .map = map, .gradient = gradient, .name = "align", .rows = l->to, .columns = l->from};
    const HtmlAttention three[] = {{.path = "encoder.%d.attn",
                                    .layers = layers,
                                    .name = "encoder self-attention",
                                    .rows = l->from,
                                    .columns = l->from},
                                   {.path = "decoder.%d.self_attn",
                                    .layers = layers,
                                    .name = "decoder self-attention",
                                    .rows = l->in,
                                    .columns = l->in},
                                   {.path = "decoder.%d.cross_attn",
                                    .layers = layers,
                                    .name = "cross-attention",
                                    .rows = l->to,
                                    .columns = l->from}};
    return t->kind == ALIGNER ? html_add(html, tape, 0, text, &aligned, 1)
                              : html_add(html, tape, 0, text, three, 3);
}

/* Forward with the words of the translation as input; for the page, backward from their loss. */
static bool pass(const Translator *t, Tape *tape, const PairBatch *b, bool gradients)
{
    tape->no_grad = !gradients;
    tape->keep_maps = true;
    Tensor *logits = translator_logits(t, tape, b);
    Tensor *out = tape_ids(tape, b->out, shape2(b->B, b->T));
    return !tensor_is_poison(logits) &&
           (!gradients || ag_backward(ag_cross_entropy_ignore(logits, out, DATA_IGNORE)));
}

/* Prints and draws the map of the k-th text. */
static bool draw_map(const Settings *s, const Translator *t, const Corpus *d,
                     const SentencePair *pair, const char *text, int k, Html *html)
{
    char path[EXAMPLE_PATH], stem[32];
    Labels l;
    PairBatch batch;
    Tape *tape = tape_new(1);
    if (!tape || !pairs_init(&batch, 1)) {
        tape_free(tape);
        return false;
    }
    labels_of(&l, d, pair);
    pairs_fill(&batch, pair, 1);
    bool ok = pass(t, tape, &batch, html->wanted);
    const int last = t->transformer.config.layers - 1;
    Tensor *map = !ok                  ? tensor_poison()
                  : t->kind == ALIGNER ? steps_joined(tape, batch.T, false)
                                       : example_find(tape, "decoder.%d.cross_attn", last, "A", 0);
    const PlotHeatmap picture = {.map = map,
                                 .head = PLOT_MEAN,
                                 .rows = l.to,
                                 .columns = l.from,
                                 .row_name = "written",
                                 .column_name = "read",
                                 .values = true};
    snprintf(stem, sizeof stem, "attention-%d", k);
    ok = !tensor_is_poison(map) && plot_terminal_heatmaps(stdout, &picture, 1, PLOT_AUTO) &&
         plot_heatmap(example_path(&s->common, stem, path), &picture, FORMATS) &&
         (t->kind == ALIGNER || draw_heads(s, tape, t, &l, k)) &&
         add_to_page(html, tape, t, &l, text, map);
    pairs_free(&batch);
    tape_free(tape);
    return ok;
}

/* ---- translating ----------------------------------------------------------------------------- */

static void print_english(const Corpus *d, const char *how, const SentencePair *pair, double log_p)
{
    char text[TEXT];
    data_vocab_text(data_translations_english(d->all), pair->english, pair->english_length, text,
                    sizeof text);
    printf("  %-8s %s", how, text);
    if (log_p < 0)
        printf("   (log p %.2f)", log_p);
    printf("\n");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void word_text(const void *vocabulary, int id, char *text, size_t size)
{
    snprintf(text, size, " %s", data_vocab_word(vocabulary, id));
}

/* Words are drawn from the model's own distribution. The first text's page is generation.html, then
 * generation-2.html. */
static bool write_page(const Settings *s, Writer *one, Tape *tape, const Corpus *d,
                       const SentencePair *pair, const BeamTree *tree, const char *source, int k)
{
    const Vocab *english = data_translations_english(d->all);
    char file[32], prompt[TEXT + 8];
    Generated g;
    snprintf(file, sizeof file, k == 1 ? "generation.html" : "generation-%d.html", k);
    snprintf(prompt, sizeof prompt, "%s \xe2\x86\x92", source);
    const GeneratedText text = {.title = "A translation, word by word",
                                .prompt = prompt,
                                .token = word_text,
                                .vocabulary = english,
                                .beam = tree,
                                .end = DATA_EOS};
    bool ok = generated_begin(&g, DATA_WORDS_MAX, english->count,
                              (Rng){.seed = (uint64_t)s->common.seed, .stream = 2}) &&
              translate_by_sampling(one, tape, pair, &g) &&
              generated_write(&g, &s->common, file, &text);
    generated_free(&g);
    return ok;
}

static bool show_text(const Settings *s, const Translator *t, const Corpus *d, const char *text,
                      int k, Html *html)
{
    SentencePair greedy = {0}, beam;
    BeamTree tree = {0};
    Writer one = {0}, many = {0};
    Tape *tape = tape_new(1);
    bool ok = tape && read_text(d, text, &greedy) && writer_init(&one, t, 1) &&
              writer_init(&many, t, s->beam);
    beam = greedy;
    ok = ok && translate_greedily(&one, tape, &greedy, 1) &&
         translate_by_beam(&many, tape, &beam, s->alpha, &tree);
    if (ok) {
        printf("\n%s\n", text);
        print_english(d, "greedy", &greedy, 0);
        print_english(d, "beam", &beam, tree.node[tree.best].log_p);
        ok = draw_map(s, t, d, &beam, text, k, html) &&
             (!s->common.html || write_page(s, &one, tape, d, &greedy, &tree, text, k));
    }
    nn_beam_free(&tree);
    writer_free(&one);
    writer_free(&many);
    tape_free(tape);
    return ok;
}

bool show_texts(const Settings *s, const Translator *t, const Corpus *d)
{
    Html html = {.wanted = s->common.html,
                 .loss = "the mean cross-entropy of the words of the translation"};
    bool ok = true;
    for (int i = 0; ok && i < texts_of(s)->count; i++)
        ok = show_text(s, t, d, texts_of(s)->text[i], i + 1, &html);
    ok = ok && html_write(&html, &s->common, "Attention of a translator");
    html_free(&html);
    return ok;
}
