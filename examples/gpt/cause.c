/* cause.c: what the token after the prompt depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). */
#include "examples/gpt/gpt.h"

#include <stdlib.h>

typedef struct {
    const Gpt *m;
    const TokenisedText *t;
    const int32_t *ids[2]; /* those of --prompt, and of --from */
    int length;
    char label[2][TOKEN_LABEL];
    int labels;
} Asked;

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    Tensor *x =
        nn_encoder(&a->m->encoder, tape_ids(tape, a->ids[which], shape2(1, a->length)), (Mask){0});
    return nn_linear(&a->m->head, ag_slice(x, 1, a->length - 1, a->length));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    return nn_linear(&a->m->head,
                     nn_norm(&a->m->encoder.norm, ag_slice(x, 1, a->length - 1, a->length)));
}

/* Two names at a time may be printed. */
static const char *name_of(void *model, int answer)
{
    Asked *a = model;
    return tokens_label(a->t, answer, a->label[a->labels++ % 2]);
}

static bool run(const Settings *s, Asked *a, const Params *p, char (*text)[TOKEN_LABEL],
                const char **words)
{
    for (int i = 0; i < a->length; i++)
        words[i] = tokens_label(a->t, a->ids[0][i], text[i]);
    const Cause c = {.layers = a->m->config.layers,
                     .heads = a->m->config.heads,
                     .labels = words,
                     .count = a->length,
                     .ids = a->ids[0],
                     .position = a->length - 1,
                     .right = -1,
                     .name = name_of,
                     .logits = logits_of,
                     .read = read_stream,
                     .norm = &a->m->encoder.norm,
                     .head = &a->m->head,
                     .params = p,
                     .model = a};
    return cause_run(&c, &s->cause, &s->common);
}

bool show_cause(const Settings *s, const Gpt *m, const Params *p, const TokenisedText *t)
{
    size_t T = (size_t)m->config.longest;
    int32_t *ids = example_alloc(2 * T * sizeof *ids);
    char(*text)[TOKEN_LABEL] = example_alloc(T * sizeof *text);
    const char **words = example_alloc(T * sizeof *words);
    bool ok = !cause_wanted(&s->cause) || (ids && text && words);
    if (ok && cause_wanted(&s->cause)) {
        Settings other = *s;
        other.prompt = s->cause.from;
        Asked a = {.m = m, .t = t, .ids = {ids, ids + T}, .length = read_prompt(s, m, t, ids)};
        if (s->cause.from && read_prompt(&other, m, t, ids + T) != a.length)
            options_refuse("--from: found a text of other length; expected %d tokens", a.length);
        ok = run(s, &a, p, text, words);
    }
    free(words);
    free(text);
    free(ids);
    return ok;
}
