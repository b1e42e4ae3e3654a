/* cause.c: what the class of a test image depends on: --cut, --patch, --lens, --sweep
 * (examples/common/cause.h). */
#include "examples/vit/draw.h"

#include <stdlib.h>

typedef struct {
    const Model *m;
    const real *image[2]; /* of --image, and of --from */
    char label[2][16];
    int labels;
} Asked;

static Tensor *logits_of(void *model, Tape *tape, int which)
{
    const Asked *a = model;
    const ModelConfig *k = &a->m->config;
    return vit_logits(a->m,
                      tape_input(tape, a->image[which], shape4(1, k->colours, k->side, k->side)));
}

static Tensor *read_stream(void *model, Tensor *x)
{
    const Asked *a = model;
    x = nn_norm(&a->m->encoder.norm, x);
    return nn_linear(&a->m->head,
                     a->m->class_token ? ag_slice(x, 1, 0, 1) : ag_mean_axis(x, 1, true));
}

static const char *name_of(void *model, int answer)
{
    Asked *a = model;
    char *label = a->label[a->labels++ % 2];
    snprintf(label, sizeof a->label[0], "class %d", answer);
    return label;
}

static bool run(const Model *m, const Params *p, Asked *a, int right, const CauseOptions *o,
                const Common *common)
{
    int tokens = vit_tokens(m);
    char(*name)[24] = example_alloc((size_t)tokens * sizeof *name);
    const char **names = example_alloc((size_t)tokens * sizeof *names);
    bool ok = name && names;
    if (ok) {
        name_tokens(m, name, names);
        const Cause c = {.block = "blocks.%d",
                         .attn = "blocks.%d.attn",
                         .layers = m->config.layers,
                         .heads = m->config.heads,
                         .rows = names,
                         .columns = names,
                         .row_count = tokens,
                         .column_count = tokens,
                         .position = m->class_token ? 0 : -1,
                         .right = right,
                         .name = name_of,
                         .logits = logits_of,
                         .read = read_stream,
                         .norm = &m->encoder.norm,
                         .head = &m->head,
                         .params = p,
                         .model = a};
        ok = cause_run(&c, o, common);
    }
    free(names);
    free(name);
    return ok;
}

bool show_cause(const Model *m, const Params *p, const Pictures *pictures, const CauseOptions *o,
                const Common *common)
{
    if (!cause_wanted(o))
        return true;
    size_t size = (size_t)pictures_size(pictures);
    int other = o->from ? atoi(o->from) : 1;
    if (other < 1 || other > pictures->test_count)
        options_refuse("--from: found '%s'; expected the number of a test image, 1 to %d", o->from,
                       pictures->test_count);
    real *x = example_alloc(2 * size * sizeof *x);
    int32_t label, from;
    Asked a = {.m = m, .image = {x, x ? x + size : NULL}};
    bool ok = x && pictures_test(pictures, 0, 1, x, &label) &&
              pictures_test(pictures, other - 1, 1, x + size, &from) &&
              run(m, p, &a, label, o, common);
    free(x);
    return ok;
}
