/* fill_masks.c: predicts the words at <mask>, and draws the most probable ones as bars and the
 * attention maps. */
#include "examples/bert/settings.h"
#include "examples/common/maps.h"

enum { BEST = 5, MASKS_MAX = 6, FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF };

static const char lecture[] = "I <mask> across the river to get to the <mask> bank";

/* The most probable tokens at one position. */
typedef struct {
    char title[64];
    const char *names[BEST];
    double probability[BEST];
} Guess;

/* p (V): the probabilities; those of the tokens that are taken become -1. */
static void guess(Guess *g, const Corpus *c, real *p, int64_t V, int number)
{
    snprintf(g->title, sizeof g->title, "<mask> %d", number);
    for (int k = 0; k < BEST; k++) {
        int best = nn_greedy(p, V);
        g->names[k] = data_vocab_word(&c->words, best);
        g->probability[k] = (double)p[best];
        p[best] = -1;
    }
}

static bool draw_guesses(const Settings *s, const Guess *g, int count, int number, const char *text)
{
    PlotBars bars[MASKS_MAX];
    char name[32], path[EXAMPLE_PATH];
    for (int k = 0; k < count; k++)
        bars[k] = (PlotBars){.names = g[k].names,
                             .values = g[k].probability,
                             .count = BEST,
                             .title = g[k].title};
    snprintf(name, sizeof name, "words-%d", number);
    printf("\n%s\n", text);
    print_bars(bars, count);
    return plot_bars(example_path(&s->common, name, path), bars, count, text, FORMATS);
}

static bool draw_attention(const Settings *s, const Corpus *c, Tape *tape, const int32_t *ids,
                           int n, int number, const char *text, Html *html)
{
    char name[32], path[EXAMPLE_PATH];
    const char *words[TEXT_MAX];
    for (int i = 0; i < n; i++)
        words[i] = data_vocab_word(&c->words, ids[i]);
    snprintf(name, sizeof name, "attention-%d", number);
    return maps_draw(tape, s->layers, words, text, example_path(&s->common, name, path), html);
}

/* Backward from the loss of the most probable word at each mask. */
static bool differentiate(Tape *tape, Tensor *logits, const int32_t *ids, int n)
{
    int32_t targets[TEXT_MAX];
    int64_t V = shape_last(logits->shape);
    for (int i = 0; i < n; i++)
        targets[i] = ids[i] == DATA_MASK ? nn_greedy(logits->data + i * V, V) : DATA_IGNORE;
    return ag_backward(
        ag_cross_entropy_ignore(logits, tape_ids(tape, targets, shape2(1, n)), DATA_IGNORE));
}

static bool show_text(const Settings *s, const Bert *m, const Corpus *c, Tape *tape,
                      const char *text, int number, Html *html)
{
    int32_t ids[TEXT_MAX];
    Guess guesses[MASKS_MAX];
    const int n = corpus_encode(c, text, ids, TEXT_MAX), V = c->words.count;
    int masks = 0;
    tape_reset(tape);
    if (n < 0)
        return false;
    Tensor *logits = bert_words(m, bert_hidden(m, tape_ids(tape, ids, shape2(1, n)), NULL));
    Tensor *p = ag_softmax(logits);
    if (tensor_is_poison(p))
        return false;
    for (int i = 0; i < n && masks < MASKS_MAX; i++)
        if (ids[i] == DATA_MASK) {
            guess(&guesses[masks], c, p->data + i * V, V, masks + 1);
            masks++;
        }
    if (masks == 0)
        return example_fail("--text \"%.60s\": found no <mask>; expected one or more", text);
    return draw_guesses(s, guesses, masks, number, text) &&
           (!html->wanted || differentiate(tape, logits, ids, n)) &&
           draw_attention(s, c, tape, ids, n, number, text, html);
}

bool show_words(const Settings *s, const Bert *m, const Corpus *c)
{
    Tape *tape = tape_new(0);
    Html html = {.wanted = s->common.html,
                 .loss = "-log p of the likeliest word at <mask>, the mean of several"};
    bool ok = tape != NULL;
    if (ok) {
        tape->keep_maps = true;
        tape->no_grad = !html.wanted;
    }
    if (ok && s->text.count == 0)
        ok = show_text(s, m, c, tape, lecture, 1, &html);
    for (int k = 0; ok && k < s->text.count; k++)
        ok = show_text(s, m, c, tape, s->text.text[k], k + 1, &html);
    ok = ok && html_write(&html, &s->common, "Attention of BERT");
    html_free(&html);
    tape_free(tape);
    return ok;
}
