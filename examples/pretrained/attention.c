/* attention.c: where a pretrained model looks: all heads, one head, arcs from a word, rollout; and
 * which head looks most from that word to each other one.
 *
 * Most heads of a trained model give most of their weight to [CLS] and [SEP], which says little of
 * the sentence (Clark et al., "What does BERT look at?", 2019). So the ranking and the arcs leave
 * special tokens out and normalise again; with
 * --specials they do not. Rollout multiplies the layers' mean maps, each mixed in halves with the
 * residual path (Abnar and Zuidema, "Quantifying attention flow in transformers", 2020). */
#include "examples/pretrained/pretrained.h"

#include "examples/common/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, RANKED = 5, WORD = 64 };

typedef struct {
    const Settings *s;
    const Pretrained *m;
    const Tensor **maps; /* (1, H, T, T) of each layer */
    Tensor *x;           /* the last hidden states, until the tape's reset */
    int number;          /* of the text among the settings' */
    Encoded text;
    int T, from; /* the word's token; -1: it is not in the text */
    int to;      /* the token that the ranking is about; -1: whichever gets most */
} Look;

typedef struct {
    int layer, head, to;
    double weight;
} Ranked;

static bool is_special(const Look *l, int i)
{
    return !l->s->keep_specials && (l->text.tokens.token[i].around);
}

static double weight_at(const Look *l, int layer, int head, int i, int j)
{
    return (double)l->maps[layer]->data[((int64_t)head * l->T + i) * l->T + j];
}

/* The weight of word j for the chosen word, among the tokens that count. */
static double share(const Look *l, int layer, int head, int j)
{
    double all = 0;
    for (int k = 0; k < l->T; k++)
        all += is_special(l, k) ? 0 : weight_at(l, layer, head, l->from, k);
    return all > 0 ? weight_at(l, layer, head, l->from, j) / all : 0;
}

/* The heads that give most of their weight to the word that is asked for, or to any one word. */
static int rank(const Look *l, Ranked best[RANKED])
{
    int n = 0;
    for (int layer = 0; layer < l->m->config.layers; layer++)
        for (int head = 0; head < l->m->config.heads; head++) {
            Ranked r = {layer, head, 0, -1};
            for (int j = 0; j < l->T; j++)
                if (j != l->from && !is_special(l, j) && (l->to < 0 || j == l->to) &&
                    share(l, layer, head, j) > r.weight) {
                    r.weight = share(l, layer, head, j);
                    r.to = j;
                }
            int at = n < RANKED ? n++ : RANKED;
            for (; at > 0 && best[at - 1].weight < r.weight; at--)
                if (at < RANKED)
                    best[at] = best[at - 1];
            if (at < RANKED)
                best[at] = r;
        }
    return n;
}

static void print_ranking(const Look *l, const Ranked *best, int n)
{
    printf("\nwhere \"%s\" looks in: %s\n", l->s->word, l->s->texts.text[0]);
    for (int i = 0; i < n; i++)
        printf("  layer %2d, head %2d: %4.2f to \"%s\"\n", best[i].layer + 1, best[i].head + 1,
               best[i].weight, l->text.labels[best[i].to]);
    if (!l->s->keep_specials)
        printf("  (shares of what the words get; special tokens are left out, --specials counts "
               "them)\n");
}

/* The position of a word in the text; -1: it is not there. */
static int position(const Look *l, const char *word)
{
    for (int i = 0; i < l->T; i++)
        if (strcasecmp(l->text.labels[i], word) == 0)
            return i;
    return -1;
}

/* For the lecture's pair, whose first text has a tired animal and whose second a wide street: how
 * many heads look from "it" to the one and then to the other. A head that resolves "it" must change
 * with the adjective. */
static void print_verdict(const Look *a, const Look *b)
{
    const int at[2][2] = {{position(a, "animal"), position(a, "street")},
                          {position(b, "animal"), position(b, "street")}};
    if (strcasecmp(a->s->word, "it") != 0 || a->from < 0 || b->from < 0 || at[0][0] < 0 ||
        at[0][1] < 0 || at[1][0] < 0 || at[1][1] < 0 || position(a, "tired") < 0 ||
        position(b, "wide") < 0)
        return;
    int right = 0, moved = 0, heads = 0;
    for (int layer = 0; layer < a->m->config.layers; layer++)
        for (int head = 0; head < a->m->config.heads; head++, heads++) {
            double tired[2] = {share(a, layer, head, at[0][0]), share(a, layer, head, at[0][1])};
            double wide[2] = {share(b, layer, head, at[1][0]), share(b, layer, head, at[1][1])};
            bool clear = tired[0] > 0.25 && wide[1] > 0.25;
            right += clear && tired[0] > tired[1] && wide[1] > wide[0];
            moved += tired[0] - tired[1] > wide[0] - wide[1];
        }
    printf("\nOf %d heads, %d look from \"it\" to the animal where it is tired and to the street "
           "where it is wide, with more\n"
           "than a quarter of the words' weight each time. In %d of %d the weight moves in the "
           "right direction.\n",
           heads, right, moved, heads);
    if (right == 0)
        printf("No single head decides what \"it\" means: the arcs show a habit of a head, not the "
               "model's answer.\n");
}

/* ---- pictures -------------------------------------------------------------------------------- */

/* The maps of all layers, or their gradients. */
static bool draw_grid(const Look *l, const Tensor **maps, bool gradient)
{
    char stem[EXAMPLE_PATH];
    const PlotGrid g = {.layers = maps,
                        .layer_count = (int)l->m->config.layers,
                        .gradient = gradient,
                        .rows = (const char *const *)l->text.labels,
                        .title = gradient ? "dL/dA of all heads" : "All heads"};
    example_path(&l->s->common, gradient ? "attention-grid-gradient" : "attention-grid", stem);
    return plot_grid(stem, &g, FORMATS);
}

/* From the tape: all heads' dL/dA. */
static bool draw_gradients(const Look *l, Tape *tape)
{
    const int layers = (int)l->m->config.layers;
    const Tensor **maps = example_alloc((size_t)layers * sizeof *maps);
    bool ok =
        maps && example_maps(tape, "blocks.%d.attn", layers, 0, maps) && draw_grid(l, maps, true);
    free(maps);
    return ok;
}

static bool draw_head(const Look *l, int layer, int head)
{
    char stem[EXAMPLE_PATH], title[128];
    snprintf(title, sizeof title, "layer %d, head %d", layer + 1, head + 1);
    PlotHeatmap h = {.map = l->maps[layer],
                     .head = head,
                     .rows = (const char *const *)l->text.labels,
                     .title = title};
    example_path(&l->s->common, "attention-head", stem);
    return plot_heatmap(stem, &h, FORMATS);
}

/* The row of the word, with what does not count left out, as a map of its own. */
static Tensor *row_of(const Look *l, int layer, int head)
{
    Tensor *t = tensor_new(shape2(l->T, l->T));
    for (int j = 0; t && j < l->T; j++)
        t->data[l->from * l->T + j] = is_special(l, j) ? 0 : (real)share(l, layer, head, j);
    return t;
}

static bool draw_arcs(const Look *looks, int count, int layer, int head)
{
    char stem[EXAMPLE_PATH], title[128];
    PlotArcs arcs[2];
    Tensor *rows[2] = {NULL};
    bool ok = true;
    snprintf(title, sizeof title, "where \"%s\" looks: layer %d, head %d", looks[0].s->word,
             layer + 1, head + 1);
    int n = 0;
    for (int k = 0; k < count; k++)
        if (looks[k].from >= 0) {
            rows[n] = row_of(&looks[k], layer, head);
            ok = ok && rows[n];
            arcs[n] = (PlotArcs){.words = (const char *const *)looks[k].text.labels,
                                 .word_count = looks[k].T,
                                 .map = rows[n],
                                 .from = looks[k].from};
            n++;
        }
    example_path(&looks[0].s->common, "attention-arcs", stem);
    ok = ok && plot_arcs(stem, arcs, n, title, FORMATS);
    for (int k = 0; k < n; k++)
        tensor_free(rows[k]);
    return ok;
}

static bool draw_rollout(const Look *l)
{
    char stem[EXAMPLE_PATH];
    Tensor *r = plot_rollout(l->maps, (int)l->m->config.layers, 0);
    PlotHeatmap h = {.map = r,
                     .rows = (const char *const *)l->text.labels,
                     .title = "rollout through all layers"};
    example_path(&l->s->common, "attention-rollout", stem);
    bool ok = r && plot_heatmap(stem, &h, FORMATS);
    tensor_free(r);
    return ok;
}

/* ---- one text -------------------------------------------------------------------------------- */

static void look_close(Look *l)
{
    for (int i = 0; l->maps && i < l->m->config.layers; i++)
        tensor_free((Tensor *)l->maps[i]);
    free(l->maps);
    sentence_close(&l->text);
}

static bool look_open(Look *l, const Settings *s, const Pretrained *m, const Tokeniser *t,
                      int number)
{
    *l = (Look){.s = s, .m = m, .number = number, .from = -1, .to = -1};
    l->maps = example_alloc((size_t)m->config.layers * sizeof *l->maps);
    if (!l->maps)
        return false;
    if (!sentence_open(&l->text, t, s->texts.text[number], longest_text(m)) ||
        (s->as_typed && !sentence_as_typed(&l->text, s->texts.text[number])))
        return false;
    l->T = l->text.tokens.count;
    l->from = position(l, s->word);
    l->to = position(l, s->to);
    return true;
}

static bool run(Look *l, Tape *tape)
{
    l->x = sentence_states(&l->text, l->m, tape);
    return !tensor_is_poison(l->x);
}

/* Copies the maps of pass 0 or 1 of the tape, and adds them to the page, with their gradients if
 * there is a loss. */
static bool take(Look *l, Tape *tape, int pass, const Loss *loss, Html *html)
{
    for (int i = 0; i < l->m->config.layers; i++)
        if (!(l->maps[i] = tensor_clone(example_find(tape, "blocks.%d.attn", i, "A", pass))))
            return false;
    const HtmlAttention all = {.path = "blocks.%d.attn",
                               .layers = (int)l->m->config.layers,
                               .rows = (const char *const *)l->text.labels,
                               .columns = (const char *const *)l->text.labels};
    Ranked best[RANKED];
    html->focus = (PlotPageFocus){0};
    if (html->wanted && l->from >= 0 && rank(l, best) > 0 && best[0].to >= 0)
        html->focus =
            (PlotPageFocus){best[0].layer + 1, best[0].head + 1, l->from + 1, best[0].to + 1};
    html->loss = loss->L ? loss->text : NULL;
    return html_add(html, tape, pass, l->s->texts.text[l->number], &all, 1);
}

/* Backward of the text's loss, or of both texts' (`other` is not NULL). */
static bool differentiate(Look *l, const Look *other, const Tokeniser *t, Loss *loss)
{
    PretrainedPooling p;
    bool pools = other && can_pool(l->m, &p);
    if (other && !pools)
        tensor_clear_error(); /* show_embeddings has told it */
    bool ok = !other ? loss_of_text(loss, l->m, t, &l->text, l->x)
                     : !pools || loss_of_pair(loss, &p, l->x, other->x);
    ok = ok && (!loss->L || ag_backward(loss->L));
    if (ok)
        loss_print(loss, other ? "both texts" : l->s->texts.text[l->number]);
    return ok;
}

/* Forward and, for the gradients, backward: text by text, or both texts on one tape where the loss
 * is of both. */
static bool run_all(Look looks[2], int count, const Tokeniser *t, Tape *tape, Html *html)
{
    const Settings *s = looks[0].s;
    const Pretrained *m = looks[0].m;
    const bool gradients = s->gradients || html->wanted;
    const bool both = gradients && count == 2 && !loss_is_own(m, t, &looks[0].text) &&
                      !loss_is_own(m, t, &looks[1].text);
    bool ok = true;
    tape->no_grad = !gradients;
    for (int first = 0; ok && first < count; first += both ? 2 : 1) {
        Look *l = &looks[first];
        Loss loss = {0};
        tape_reset(tape);
        tape->keep_maps = true;
        ok = run(l, tape) && (!both || run(&looks[1], tape)) &&
             (!gradients || differentiate(l, both ? &looks[1] : NULL, t, &loss));
        for (int pass = 0; ok && pass < (both ? 2 : 1); pass++)
            ok = take(&l[pass], tape, pass, &loss, html);
        ok = ok && (!s->gradients || !loss.L || first > 0 || draw_gradients(l, tape));
    }
    tape->keep_maps = false;
    return ok;
}

bool show_attention(const Settings *s, const Pretrained *m, const Tokeniser *t, Tape *tape)
{
    Look looks[2] = {{0}};
    int count = s->texts.count < 2 ? 1 : 2, layer = s->layer - 1, head = s->head - 1;
    bool ok = true;
    Html html = {.wanted = s->common.html};
    if (s->layer > m->config.layers || s->head > m->config.heads)
        options_refuse("--layer, --head: found %d and %d; the model has %lld layers of %d heads",
                       s->layer, s->head, (long long)m->config.layers, m->config.heads);
    for (int k = 0; ok && k < count; k++)
        ok = look_open(&looks[k], s, m, t, k);
    ok = ok && run_all(looks, count, t, tape, &html);
    ok = ok && html_write(&html, &s->common, "Attention of a pretrained model");
    html_free(&html);
    ok = ok && draw_grid(&looks[0], looks[0].maps, false) && draw_rollout(&looks[0]);
    if (ok && looks[0].from >= 0) {
        Ranked best[RANKED];
        int n = rank(&looks[0], best);
        print_ranking(&looks[0], best, n);
        if (count == 2)
            print_verdict(&looks[0], &looks[1]);
        layer = layer < 0 ? best[0].layer : layer;
        head = head < 0 ? best[0].head : head;
        ok = draw_arcs(looks, count, layer, head);
    } else if (ok) {
        printf("\nno \"%s\" in: %s; --word names another\n", s->word, s->texts.text[0]);
    }
    ok = ok && draw_head(&looks[0], layer < 0 ? 0 : layer, head < 0 ? 0 : head);
    for (int k = 0; k < count; k++)
        look_close(&looks[k]);
    if (ok)
        printf("\n%s in %s/\n", example_written(), s->common.out);
    return ok;
}
