/* cause.c: what a pretrained model's answer depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). The answer is the next token of a decoder, the word at the first
 * [MASK], the class of a text or a picture or, of a sentence encoder, which of the other texts is
 * nearest. */
#include "examples/pretrained/pretrained.h"

#include <stdlib.h>

typedef struct {
    const Settings *s;
    const Pretrained *m;
    const Tokeniser *t;
    Encoded text[2];  /* of --text, and of --from */
    Tensor *image[2]; /* of --image, and of --from */
    int position;     /* of the answer; -1: of all tokens together */
    Tensor *others;   /* (n, C): the embeddings of the other texts, or NULL */
    PretrainedPooling pooling;
    char number[2][16];
    int numbers;
} Asked;

/* (1, C), of length 1. */
static Tensor *embedding_of(const Asked *a, Tensor *x)
{
    return unit_vectors(nn_pretrained_embed(&a->pooling, x, NULL));
}

/* A sentence encoder's logits are 20 times the cosines, the scale with which such encoders are
 * trained (Reimers and Gurevych 2019). */
static Tensor *answer_from(const Asked *a, Tensor *x)
{
    const Pretrained *m = a->m;
    if (tensor_is_poison(x))
        return x;
    if (a->others)
        return ag_scale(ag_linear(embedding_of(a, x), a->others, NULL), 20);
    if (m->classifier.weight)
        return nn_pretrained_classify(m, x);
    return nn_pretrained_logits(m, ag_slice(x, 1, a->position, a->position + 1));
}

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    if (!a->image[0])
        return answer_from(a, sentence_states(&a->text[which], a->m, tape));
    Shape s = a->image[which]->shape;
    Tensor *x = tape_input(tape, a->image[which]->data, shape4(1, s.dim[0], s.dim[1], s.dim[2]));
    return answer_from(a, nn_pretrained_run(a->m, x, NULL, NULL, NULL));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    return answer_from(a, a->m->encoder.norm.weight ? nn_norm(&a->m->encoder.norm, x) : x);
}

static const char *name_of(void *model, int answer)
{
    Asked *a = model;
    if (!a->others && !a->m->classifier.weight)
        return data_token(a->t, answer);
    if (!a->others && a->m->label)
        return a->m->label[answer];
    char *number = a->number[a->numbers++ % 2];
    snprintf(number, sizeof a->number[0], a->others ? "text %d" : "class %d",
             a->others ? answer + 2 : answer);
    return number;
}

/* The embeddings of texts 2, 3, ... */
static bool embed_others(Asked *a)
{
    int n = a->s->texts.count - 1;
    Tape *tape = tape_new(0);
    if (n < 2)
        options_refuse("--cut, --patch, --lens, --sweep: found %d texts; expected three or more, "
                       "since a sentence encoder's answer is which of the others is nearest",
                       n + 1);
    a->others = tape ? tensor_new(shape2(n, a->m->config.channels)) : NULL;
    bool ok = a->others != NULL && nn_pretrained_pooling(a->m, &a->pooling);
    for (int i = 0; ok && i < n; i++) {
        Encoded e;
        tape_reset(tape);
        ok = sentence_open(&e, a->t, a->s->texts.text[i + 1], longest_text(a->m));
        Tensor *x = ok ? embedding_of(a, sentence_states(&e, a->m, tape)) : tensor_poison();
        ok = ok && !tensor_is_poison(x);
        for (int64_t k = 0; ok && k < a->m->config.channels; k++)
            a->others->data[i * a->m->config.channels + k] = x->data[k];
        sentence_close(&e);
    }
    tape_free(tape);
    return ok;
}

static bool run(Asked *a, const char *const *words, int count)
{
    const Pretrained *m = a->m;
    const bool decoder = m->config.kind == PRETRAINED_DECODER;
    const Cause c = {.layers = (int)m->config.layers,
                     .heads = m->config.heads,
                     .labels = words,
                     .count = count,
                     .ids = a->text[0].ids,
                     .position = a->position,
                     .right = -1,
                     .name = name_of,
                     .logits = logits_of,
                     .read = read_stream,
                     .norm = decoder ? &m->encoder.norm : NULL,
                     .head = decoder ? &m->output : NULL,
                     .params = m->params,
                     .model = a};
    return cause_run(&c, &a->s->cause, &a->s->common);
}

bool show_cause(const Settings *s, const Pretrained *m, const Tokeniser *t)
{
    Asked a = {.s = s, .m = m, .t = t, .position = -1};
    const char *texts[] = {s->texts.text[0], s->cause.from};
    bool ok = true;
    if (!cause_wanted(&s->cause))
        return true;
    for (int i = 0; ok && i < 2 && texts[i]; i++)
        ok = sentence_open(&a.text[i], t, texts[i], longest_text(m)) &&
             (!s->as_typed || sentence_as_typed(&a.text[i], texts[i]));
    int count = a.text[0].tokens.count, mask = mask_of(t), at = 0;
    if (ok && s->cause.from && a.text[1].tokens.count != count)
        options_refuse("--from: found %d tokens; expected %d", a.text[1].tokens.count, count);
    while (ok && at < count && a.text[0].ids[at] != mask)
        at++;
    if (m->config.kind == PRETRAINED_DECODER)
        a.position = count - 1;
    else if (m->classifier.weight)
        a.position = 0;
    else if (m->output.weight && at < count)
        a.position = at;
    else
        ok = ok && embed_others(&a);
    ok = ok && run(&a, (const char *const *)a.text[0].labels, count);
    tensor_free(a.others);
    sentence_close(&a.text[0]);
    sentence_close(&a.text[1]);
    return ok;
}

bool show_picture_cause(const Settings *s, const Pretrained *m, Tensor *image, Tensor *from,
                        const char *const *names, int count)
{
    Asked a = {.s = s, .m = m, .image = {image, from}};
    return !cause_wanted(&s->cause) || run(&a, names, count);
}
