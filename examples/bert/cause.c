/* cause.c: what the word at the first <mask> depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). */
#include "examples/bert/settings.h"

typedef struct {
    const Bert *m;
    const Corpus *c;
    int32_t ids[2][TEXT_MAX]; /* of --text, and of --from */
    int length, mask;
    char label[2][TOKEN_LABEL];
    int labels;
} Asked;

static Tensor *word_at_mask(const Asked *a, Tensor *hidden)
{
    return bert_words(a->m, ag_slice(hidden, 1, a->mask, a->mask + 1));
}

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    Tensor *ids = tape_ids(tape, a->ids[which], shape2(1, a->length));
    return word_at_mask(a, bert_hidden(a->m, ids, NULL));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    return word_at_mask(a, nn_norm(&a->m->encoder.norm, x));
}

static const char *name_of(void *model, int answer)
{
    Asked *a = model;
    return corpus_label(a->c, answer, a->label[a->labels++ % 2]);
}

bool show_cause(const Settings *s, const Bert *m, const Corpus *c, const char *text)
{
    Asked a = {.m = m, .c = c};
    char label[TEXT_MAX][TOKEN_LABEL];
    const char *words[TEXT_MAX];
    const int most = TEXT_MAX < c->longest + 1 ? TEXT_MAX : c->longest + 1;
    a.length = corpus_encode(c, text, a.ids[0], most);
    int other = s->cause.from ? corpus_encode(c, s->cause.from, a.ids[1], most) : a.length;
    if (a.length < 0 || other < 0)
        return false;
    while (a.mask < a.length && a.ids[0][a.mask] != DATA_MASK)
        a.mask++;
    if (other != a.length || (s->cause.from && a.ids[1][a.mask] != DATA_MASK))
        options_refuse("--from: found %d tokens; expected %d with <mask> at token %d", other,
                       a.length, a.mask + 1);
    for (int i = 0; i < a.length; i++)
        words[i] = corpus_label(c, a.ids[0][i], label[i]);
    const Cause cause = {.block = "blocks.%d",
                         .attn = "blocks.%d.attn",
                         .layers = m->config.layers,
                         .heads = m->config.heads,
                         .rows = words,
                         .columns = words,
                         .row_count = a.length,
                         .column_count = a.length,
                         .ids = a.ids[0],
                         .position = a.mask,
                         .right = -1,
                         .name = name_of,
                         .logits = logits_of,
                         .read = read_stream,
                         .model = &a};
    return cause_run(&cause, &s->cause, &s->common);
}
