/* show.c: the predictions of a trained classifier, and the effect of padding. */
#include "examples/classify/settings.h"
#include "examples/common/maps.h"

#include <math.h>

enum { FORMATS = PLOT_PNG | PLOT_SVG | PLOT_PDF, CLASSES_SHOWN = 8, CHECKED = 64 };

void print_scores(const Classifier *m, const Texts *t)
{
    static const char *const kinds[DATA_REVIEW_KINDS] = {"plain", "negated",
                                                         "praise and blame, order decides"};
    const int held_out = t->ids.count - t->train;
    printf("accuracy on %d held-out texts:\n", held_out);
    for (int k = 0; t->kinds && k < DATA_REVIEW_KINDS; k++)
        printf("  %-32s %5.1f %%\n", kinds[k], 100 * score(m, t, t->train, held_out, k).accuracy);
    printf("  %-32s %5.1f %%\n", "all", 100 * score(m, t, t->train, held_out, -1).accuracy);
}

/* ---- padding --------------------------------------------------------------------------------- */

/* The probabilities of a batch; `blind`: as if padding were words. */
static Tensor *probabilities(const Classifier *m, Tape *tape, Batch *b, bool blind)
{
    int32_t lengths[SEQUENCES_MAX];
    for (int i = 0; i < b->B; i++)
        lengths[i] = blind ? b->T : b->lengths[i];
    Tensor *valid = tape_ids(tape, lengths, shape1(b->B));
    return ag_softmax(classifier_logits(m, batch_ids(b, tape), valid));
}

/* The largest difference between each of B texts alone, without padding, and all together,
 * padded. */
static double padding_change(const Classifier *m, Tape *tape, const Texts *t, Batch *b, int B,
                             bool blind)
{
    double most = 0;
    const int n = m->config.classes;
    tape_reset(tape);
    int which[CHECKED];
    for (int i = 0; i < B; i++)
        which[i] = t->train + i;
    if (!batch_fill(b, &t->ids, NULL, which, B, MORE_PADDING))
        return (double)NAN;
    Tensor *padded = probabilities(m, tape, b, blind);
    for (int i = 0; i < B; i++) {
        if (!batch_fill(b, &t->ids, NULL, &which[i], 1, 0))
            return (double)NAN;
        Tensor *alone = probabilities(m, tape, b, false);
        if (tensor_is_poison(alone) || tensor_is_poison(padded))
            return (double)NAN;
        for (int k = 0; k < n; k++)
            most = fmax(most, fabs((double)(alone->data[k] - padded->data[i * n + k])));
    }
    return most;
}

bool show_padding(const Classifier *m, const Texts *t)
{
    Batch batch;
    Tape *tape = tape_new(0);
    const int held_out = t->ids.count - t->train, B = held_out < CHECKED ? held_out : CHECKED;
    double most = (double)NAN, blind = (double)NAN;
    bool ok = batch_init(&batch, t->longest + MORE_PADDING) && tape;
    if (ok) {
        tape->no_grad = true;
        most = padding_change(m, tape, t, &batch, B, false);
        blind = padding_change(m, tape, t, &batch, B, true);
    }
    ok = ok && !isnan(most) && !isnan(blind);
    if (ok)
        printf("padding %d texts changes their probabilities by at most %.1e; without the mask it "
               "would by up to %.2f\n",
               B, most, blind);
    batch_free(&batch);
    tape_free(tape);
    return ok;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *const examples[] = {
    "The acting was dull but the film was very moving.",
    "The acting was moving but the film was very dull.",
    "The plot was not clever.",
    "Nobody will call the plot boring.",
};

/* A text with the model's prediction. */
typedef struct {
    const char *text;
    int length;
    int32_t ids[DATA_WORDS_MAX + 1];
    const char *words[DATA_WORDS_MAX + 1], *names[CLASSES_SHOWN];
    double probability[CLASSES_SHOWN];
} Shown;

/* Only the text's own words and the most probable labels are shown. */
static bool ask(Shown *x, const Classifier *m, const Texts *t, Tape *tape, const char *text)
{
    x->text = text;
    x->length = texts_encode(t, text, x->ids, DATA_WORDS_MAX + 1);
    if (x->length <= 0)
        return false;
    tape_reset(tape);
    Tensor *lengths = tape_ids(tape, &x->length, shape1(1));
    Tensor *p =
        ag_softmax(classifier_logits(m, tape_ids(tape, x->ids, shape2(1, x->length)), lengths));
    for (int i = 0; i < x->length; i++)
        x->words[i] = data_vocab_word(&t->words, x->ids[i]);
    for (int k = 0; !tensor_is_poison(p) && k < m->config.classes && k < CLASSES_SHOWN; k++) {
        int best = nn_greedy(p->data, tensor_size(p));
        x->names[k] = data_vocab_word(&t->names, best);
        x->probability[k] = (double)p->data[best];
        p->data[best] = -1; /* taken */
    }
    return !tensor_is_poison(p);
}

static bool draw_bars(const Settings *s, const Shown *x, int count, int classes)
{
    PlotBars bars[TEXTS_MAX];
    char path[EXAMPLE_PATH];
    for (int k = 0; k < count; k++)
        bars[k] = (PlotBars){.names = x[k].names,
                             .values = x[k].probability,
                             .count = classes < CLASSES_SHOWN ? classes : CLASSES_SHOWN,
                             .title = x[k].text};
    print_bars(bars, count);
    return plot_bars(example_path(&s->common, "texts", path), bars, count,
                     "probability of each label", FORMATS);
}

/* Draws the maps of all heads as attention-1, attention-2, ... */
static bool draw_attention(const Settings *s, const Classifier *m, const Shown *x, int number,
                           Tape *tape, Html *html)
{
    char name[32], path[EXAMPLE_PATH];
    tape_reset(tape);
    tape->keep_maps = true;
    Tensor *lengths = tape_ids(tape, &x->length, shape1(1));
    Tensor *logits = classifier_logits(m, tape_ids(tape, x->ids, shape2(1, x->length)), lengths);
    if (tensor_is_poison(logits))
        return false;
    int answer = nn_greedy(logits->data, shape_last(logits->shape));
    if (html->wanted && /* dL/dA of the model's own answer */
        !ag_backward(ag_cross_entropy(logits, tape_ids(tape, &answer, shape1(1)))))
        return false;
    snprintf(name, sizeof name, "attention-%d", number);
    return maps_draw(tape, m->config.layers, x->words, x->text,
                     example_path(&s->common, name, path), html);
}

bool show_texts(const Settings *s, const Classifier *m, const Texts *t)
{
    Shown shown[TEXTS_MAX] = {0};
    const bool own = s->text.count > 0;
    const int count = own ? s->text.count : t->kinds ? TEXTS_MAX : 0;
    Tape *tape = tape_new(0);
    Html html = {.wanted = s->common.html, .loss = "-log p of the likeliest label"};
    bool ok = tape != NULL;
    for (int k = 0; ok && k < count; k++)
        ok = ask(&shown[k], m, t, tape, own ? s->text.text[k] : examples[k]);
    if (ok && count > 0) {
        printf("\n");
        ok = draw_bars(s, shown, count, m->config.classes);
    }
    for (int k = 0; ok && k < count && m->config.layers > 0; k++)
        ok = draw_attention(s, m, &shown[k], k + 1, tape, &html);
    ok = ok && (count == 0 || html_write(&html, &s->common, "Attention of a classifier"));
    html_free(&html);
    tape_free(tape);
    return ok;
}
