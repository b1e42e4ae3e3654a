/* translate.c: an encoder-decoder (T5, BART, Marian) reads each text and writes another, greedily
 * and by beam search, and which tokens of the one each token of the other attends to.
 *                   "Attention is all you need" (2017), fig. 1; V "Decoder Block: Summarized" */
#include "examples/pretrained/pretrained.h"

#include "examples/common/html.h"
#include "examples/common/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, BEAM = 4 };

/* A text that was read and what was written for it: out begins with the prompt, the tokens with
 * which every output of the model begins. */
typedef struct {
    Encoded from, to;
    int32_t *out;
    int prompt, count;
} Translation;

/* Continues the prompt by s->tokens tokens; rows: 1, greedy, or BEAM. A model that forces the last
 * token (BART) chooses one token less. */
static bool write_with(const Settings *s, Pretrained *m, Tape *tape, Translation *x, int rows)
{
    KVCache cache = {0};
    BeamTree tree = {0};
    int T = x->from.tokens.count;
    int32_t *sources = example_alloc((size_t)(rows * T) * sizeof *sources);
    bool ok = sources != NULL;
    for (int i = 0; ok && i < rows * T; i++) /* all hypotheses share one source */
        sources[i] = x->from.ids[i % T];
    tape_reset(tape);
    tape->no_grad = true;
    const Decoder d = nn_pretrained_decoder(m, &cache);
    ok = ok && nn_pretrained_read(m, tape_ids(tape, sources, shape2(rows, T)), NULL) &&
         nn_pretrained_cache(m, &cache, rows, x->prompt + s->tokens);
    int32_t *out = x->out + x->prompt;
    int count = s->tokens - (m->config.last >= 0 && s->tokens > 1);
    if (rows == 1)
        ok = ok && nn_generate(tape, &d, x->out, NULL, x->prompt, out, count);
    else
        ok = ok && nn_beam(tape, &d, x->out, x->prompt, out, count, 1, &tree);
    if (ok && count < s->tokens)
        out[count] = m->config.last;
    nn_beam_free(&tree);
    nn_cache_free(&cache);
    free(sources);
    return ok;
}

/* Forward, and backward for the page, with the output as input: what each token of it attends to
 * when the next one is chosen. */
static bool pass(const Settings *s, const Pretrained *m, Tape *tape, const Translation *x)
{
    int n = x->count;
    tape_reset(tape);
    tape->keep_maps = true;
    tape->no_grad = !s->common.html;
    Tensor *memory = sentence_states(&x->from, m, tape);
    Tensor *y = nn_pretrained_decode(m, tape_ids(tape, x->out, shape2(1, n)), memory, NULL, NULL);
    if (tensor_is_poison(y) || !s->common.html)
        return !tensor_is_poison(y);
    Tensor *next = tape_ids(tape, x->out + 1, shape2(1, n));
    return ag_backward(ag_cross_entropy(nn_pretrained_logits(m, y), next));
}

static bool draw(const Settings *s, const Pretrained *m, Tape *tape, const Translation *x,
                 const char *text, bool picture, Html *html)
{
    const char *const *from = (const char *const *)x->from.labels, *const *to =
                                                                       (const char *const *)
                                                                           x->to.labels;
    int layers = (int)m->config.decoder_layers, layer = s->layer > 0 ? s->layer : layers;
    char name[64], stem[512];
    const HtmlAttention all[] = {{.path = "blocks.%d.attn",
                                  .layers = (int)m->config.layers,
                                  .name = "encoder",
                                  .rows = from,
                                  .columns = from},
                                 {.path = "decoder.%d.self_attn",
                                  .layers = layers,
                                  .name = "decoder",
                                  .rows = to,
                                  .columns = to},
                                 {.path = "decoder.%d.cross_attn",
                                  .layers = layers,
                                  .name = "cross-attention",
                                  .rows = to,
                                  .columns = from}};
    snprintf(name, sizeof name, "decoder.%d.cross_attn.A", layer - 1);
    snprintf(stem, sizeof stem, "%s/attention-cross", s->common.out);
    const PlotHeatmap h = {.map = tape_find(tape, name),
                           .head = s->head > 0 ? s->head - 1 : PLOT_MEAN,
                           .rows = to,
                           .columns = from,
                           .row_name = "written",
                           .column_name = "read"};
    return (!picture || plot_heatmap(stem, &h, FORMATS)) && html_add(html, tape, 0, text, all, 3);
}

static bool translate(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape, int number,
                      Html *html)
{
    Translation x = {.prompt = m->config.first < 0 ? 1 : 2};
    const char *text = s->texts.text[number];
    int64_t most = longest_text(m);
    if (!sentence_open(&x.from, t, text, most) ||
        !(x.out = example_alloc((size_t)(x.prompt + s->tokens) * sizeof *x.out)))
        return false;
    if (x.from.tokens.count < 1 || x.prompt + s->tokens > most)
        options_refuse("--text, --tokens: %d tokens to read and %d to write; the model reads 1 to "
                       "%lld and writes as many",
                       x.from.tokens.count, s->tokens, (long long)most);
    x.out[0] = m->config.start;
    if (x.prompt > 1)
        x.out[1] = m->config.first;
    putchar('\n');
    shown_text(stdout, text);
    putchar('\n');
    bool ok = true;
    for (int beam = 0; ok && beam < 2; beam++) {
        ok = write_with(s, m, tape, &x, beam ? BEAM : 1);
        printf("  %-8s ", beam ? "beam" : "greedy");
        if (ok)
            print_written(m, t, x.out + x.prompt, s->tokens);
    }
    /* Each token but the last is a query; the last is what the one before it predicts. */
    x.count = x.prompt + (ok ? before_end(m, x.out + x.prompt, s->tokens - 1) : 0);
    ok = ok && sentence_of(&x.to, t, x.out, x.count) && pass(s, m, tape, &x) &&
         draw(s, m, tape, &x, text, number == 0, html);
    tape->keep_maps = false;
    sentence_close(&x.from);
    sentence_close(&x.to);
    free(x.out);
    return ok;
}

bool show_translations(const Settings *s, Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Html html = {.wanted = s->common.html,
                 .loss = "the mean cross-entropy of the tokens that beam search wrote"};
    bool ok = true;
    if (s->layer > m->config.decoder_layers || s->head > m->config.heads)
        options_refuse("--layer, --head: found %d and %d; the decoder has %lld layers of %d heads",
                       s->layer, s->head, (long long)m->config.decoder_layers, m->config.heads);
    for (int k = 0; ok && k < s->texts.count && k < HTML_INPUTS; k++)
        ok = translate(s, m, t, tape, k, &html);
    ok = ok && html_write(&html, &s->common, "Attention of an encoder-decoder");
    html_free(&html);
    if (ok)
        printf("\n%s in %s/\n", example_written(), s->common.out);
    return ok;
}
