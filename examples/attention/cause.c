/* cause.c: what the answer for a sentence depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). */
#include "examples/attention/settings.h"

typedef struct {
    const Model *m;
    const Grammar *g;
    const Sentence *sentence[2]; /* that of --text, and that of --from */
} Asked;

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    const Sentence *s = a->sentence[which];
    return model_answer(a->m, tape_ids(tape, s->ids, shape2(1, s->length)), NULL,
                        tape_ids(tape, &s->query, shape1(1)));
}

/* The last norm and the output layer, at the queried word, of any layer's residual stream. */
static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    int query = a->sentence[0]->query;
    return nn_linear(&a->m->head, nn_norm(&a->m->encoder.norm, ag_slice(x, 1, query, query + 1)));
}

static const char *name_of(void *model, int answer)
{
    const Asked *a = model;
    return data_vocab_word(data_grammar_labels(a->g), answer);
}

bool show_cause(const Settings *s, const Model *m, const Grammar *g, const Params *p,
                const Sentence *sentence)
{
    Sentence other = {0};
    const char *words[DATA_WORDS_MAX];
    if (s->cause.from && !data_grammar_parse(g, s->cause.from, &other))
        return false;
    if (s->cause.from && (other.length != sentence->length || other.query != sentence->query))
        options_refuse("--from: found %d words, asked at word %d; expected %d, asked at word %d",
                       other.length, other.query + 1, sentence->length, sentence->query + 1);
    for (int i = 0; i < sentence->length; i++)
        words[i] = data_vocab_word(data_grammar_words(g), sentence->ids[i]);
    Asked asked = {m, g, {sentence, &other}};
    const Cause c = {.layers = m->config.layers,
                     .heads = m->config.heads,
                     .labels = words,
                     .count = sentence->length,
                     .ids = sentence->ids,
                     .position = sentence->query,
                     .right = sentence->label,
                     .name = name_of,
                     .logits = logits_of,
                     .read = read_stream,
                     .norm = &m->encoder.norm,
                     .head = &m->head,
                     .params = p,
                     .model = &asked};
    return cause_run(&c, &s->cause, &s->common);
}
