/* cause.c: what the label of a text depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). */
#include "examples/classify/settings.h"

typedef struct {
    const Classifier *m;
    const Texts *t;
    int32_t ids[2][DATA_WORDS_MAX + 1]; /* of --text, and of --from */
    int length;
} Asked;

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    return classifier_logits(a->m, tape_ids(tape, a->ids[which], shape2(1, a->length)),
                             tape_ids(tape, &a->length, shape1(1)));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    x = nn_norm(&a->m->encoder.norm, x);
    return nn_linear(&a->m->classes, a->m->config.pool == POOL_MEAN ? ag_mean_axis(x, 1, false)
                                                                    : ag_slice(x, 1, 0, 1));
}

static const char *name_of(void *model, int answer)
{
    const Asked *a = model;
    return data_vocab_word(&a->t->names, answer);
}

bool show_cause(const Settings *s, const Classifier *m, const Params *p, const Texts *t,
                const char *text)
{
    Asked a = {.m = m, .t = t};
    const char *words[DATA_WORDS_MAX + 1];
    const bool mean = m->config.pool == POOL_MEAN;
    a.length = texts_encode(t, text, a.ids[0], DATA_WORDS_MAX + 1);
    int other =
        s->cause.from ? texts_encode(t, s->cause.from, a.ids[1], DATA_WORDS_MAX + 1) : a.length;
    if (a.length < 0 || other < 0)
        return false;
    if (other != a.length)
        options_refuse("--from: found %d tokens; expected %d", other, a.length);
    for (int i = 0; i < a.length; i++)
        words[i] = data_vocab_word(&t->words, a.ids[0][i]);
    const Cause cause = {.block = "blocks.%d",
                         .attn = "blocks.%d.attn",
                         .layers = m->config.layers,
                         .heads = m->config.heads,
                         .rows = words,
                         .columns = words,
                         .row_count = a.length,
                         .column_count = a.length,
                         .ids = a.ids[0],
                         .position = mean ? -1 : 0,
                         .right = -1,
                         .name = name_of,
                         .logits = logits_of,
                         .read = read_stream,
                         .norm = &m->encoder.norm,
                         .head = &m->classes,
                         .params = p,
                         .model = &a};
    return cause_run(&cause, &s->cause, &s->common);
}
