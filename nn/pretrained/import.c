/* import.c: their tensors into our weights, by the family's rules.
 *
 * A place of the rules (a rule in a layer, its weight or its bias) names one tensor. Its shape is
 * compared with what config.json asks for, and its numbers are read directly into the weight, or
 * stay in the file. Afterwards every weight must have all of its numbers, and what is left over
 * must be known to be of no use. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <string.h>

/* Which of the rule's tensors it is; nothing where the rule names a single one. */
static const char *ending(const Place *at)
{
    return !at->rule->ends ? "" : at->bias ? "bias" : "weight";
}

bool pretrained_each(const Pretrained *m, bool (*of)(const Pretrained *m, const Place *at))
{
    for (Place at = {.rule = m->config.family->rules}; at.rule->ours; at.rule++) {
        bool decoder = strncmp(at.rule->ours, "decoder.", 8) == 0;
        int64_t layers = decoder ? m->config.decoder_layers : m->config.layers;
        if (!strstr(at.rule->theirs, "%d"))
            layers = 1;
        for (at.layer = 0; at.layer < layers; at.layer++)
            for (int part = 0; part <= at.rule->ends; part++) {
                at.bias = part == 1;
                if (!of(m, &at))
                    return false;
            }
    }
    return true;
}

static void with_layer(const char *format, int64_t layer, char name[PRETRAINED_NAME])
{
    const char *at = strstr(format, "%d");
    if (at)
        snprintf(name, PRETRAINED_NAME, "%.*s%lld%s", (int)(at - format), format, (long long)layer,
                 at + 2);
    else
        snprintf(name, PRETRAINED_NAME, "%s", format);
}

void pretrained_name(const Pretrained *m, const Place *at, char name[PRETRAINED_NAME])
{
    char body[PRETRAINED_NAME];
    with_layer(at->rule->theirs, at->layer, body);
    snprintf(name, PRETRAINED_NAME, "%s%.200s%s%s", at->rule->body ? m->prefix : "", body,
             at->rule->ends ? "." : "", ending(at));
}

Tensor *pretrained_weight(const Pretrained *m, const Place *at)
{
    char ours[PRETRAINED_NAME], name[PRETRAINED_NAME + 8];
    with_layer(at->rule->ours, at->layer, ours);
    size_t n = strlen(ours);
    bool joined = n > 0 && ours[n - 1] == '_'; /* in_proj_weight */
    snprintf(name, sizeof name, "%s%s%s", ours, at->rule->ends && !joined ? "." : "", ending(at));
    return params_find(m->params, name);
}

/* Is our weight put together from several tensors? */
static bool is_part(const NameRule *rule)
{
    return rule->part == PART_QUERY || rule->part == PART_KEY || rule->part == PART_VALUE;
}

void pretrained_rows(const Pretrained *m, const NameRule *rule, const Tensor *ours, int64_t *first,
                     int64_t *count)
{
    const PretrainedConfig *c = &m->config;
    int64_t q = c->heads * c->head_size, kv = c->kv_heads * c->head_size;
    *first = rule->part == PART_KEY ? q : rule->part == PART_VALUE ? q + kv : 0;
    *count = rule->part == PART_QUERY ? q
             : is_part(rule)          ? kv
                                      : (ours->shape.rank ? ours->shape.dim[0] : 1);
}

static bool is_transposed(const NameRule *rule, const Tensor *ours)
{
    return rule->form == TRANSPOSED && ours->shape.rank == 2;
}

/* The shape of their tensor. */
static Shape their_shape(const Pretrained *m, const NameRule *rule, const Tensor *ours)
{
    int64_t first, count;
    Shape s = ours->shape;
    pretrained_rows(m, rule, ours, &first, &count);
    if (is_transposed(rule, ours))
        return shape2(s.dim[1], s.dim[0]);
    if (s.rank > 0)
        s.dim[0] = rule->part == PART_FIRST || rule->part == PART_SECOND ? 2 * count : count;
    return s;
}

/* ---- the numbers of one tensor --------------------------------------------------------------- */

/* Lets the weight be the file's pages. A transposed tensor stays as it is in the file: the weight
 * gets its strides. False, without an error, where the numbers must be read: the weight has several
 * parts, or safetensors_mapped cannot. */
static bool map(Tensor *w, const NameRule *rule, Found f)
{
    bool whole = rule->part == PART_ALL && rule->form != PLUS_ONE;
    real *numbers = whole ? safetensors_mapped(f.source, f.tensor) : NULL;
    if (!numbers)
        return false;
    w->data = numbers;
    if (is_transposed(rule, w)) {
        w->stride[0] = 1;
        w->stride[1] = w->shape.dim[0];
    }
    return true;
}

/* Their rows are query, key and value of head 0, then those of head 1; ours all queries first. */
static bool fill_heads(const PretrainedConfig *c, const Tensor *w, Found f)
{
    int64_t d = c->head_size, row = tensor_size(w) / w->shape.dim[0];
    bool ok = true;
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t part = 0; ok && part < 3; part++)
            ok = safetensors_rows(f.source, f.tensor, (3 * h + part) * d, d,
                                  w->data + (part * c->heads + h) * d * row);
    return ok;
}

/* Their matrix (n, m), transposed. */
static bool fill_transposed(real *to, Found f)
{
    int64_t n = f.tensor->shape.dim[0], m = f.tensor->shape.dim[1];
    real *theirs = mem_alloc((size_t)(n * m) * sizeof *theirs);
    bool ok = theirs && safetensors_rows(f.source, f.tensor, 0, n, theirs);
    for (int64_t i = 0; ok && i < m; i++)
        for (int64_t j = 0; j < n; j++)
            to[i * n + j] = theirs[j * m + i];
    mem_free(theirs);
    return ok;
}

/* A weight of several parts gets its rows from row `first` on. */
static bool fill(const Pretrained *m, Tensor *w, const NameRule *rule, Found f)
{
    int64_t rows = w->shape.rank ? w->shape.dim[0] : 1, first, count;
    if (!w->data && !params_numbers(m->params, w))
        return false;
    pretrained_rows(m, rule, w, &first, &count);
    real *to = w->data + first * (tensor_size(w) / rows);
    if (rule->part == PART_HEADS)
        return fill_heads(&m->config, w, f);
    if (is_transposed(rule, w))
        return fill_transposed(to, f);
    bool ok =
        safetensors_rows(f.source, f.tensor, rule->part == PART_SECOND ? count : 0, count, to);
    for (int64_t i = 0; ok && rule->form == PLUS_ONE && i < tensor_size(w); i++)
        to[i] += 1;
    return ok;
}

/* One place of the rules. A tensor beside the body whose weight is not built is of a head that the
 * model does not use; one whose weight has numbers is a copy of the tensor that brought them. */
static bool take(const Pretrained *m, const Place *at)
{
    const NameRule *rule = at->rule;
    char name[PRETRAINED_NAME];
    Tensor *w = pretrained_weight(m, at);
    pretrained_name(m, at, name);
    Found f = shards_find(m->files, name);
    if (!f.tensor)
        return true;
    if (!w || (w->data && !is_part(rule))) {
        if (*f.use == UNKNOWN && (w || !rule->body || !*rule->ours))
            *f.use = NOT_NEEDED;
        return true;
    }
    *f.use = READ;
    Shape need = their_shape(m, rule, w);
    if (!shape_equal(f.tensor->shape, need))
        return PRETRAINED_FAIL(f.path, "'%s' is %s, with %s/config.json; expected %s", name,
                               shape_str(f.tensor->shape), m->folder, shape_str(need));
    /* Without the queries, which are the most rows, nothing is allocated: is_filled says it. */
    if (!w->data && (rule->part == PART_KEY || rule->part == PART_VALUE))
        return true;
    return map(w, rule, f) || fill(m, w, rule, f);
}

/* ---- what is missing, and what is left over -------------------------------------------------- */

/* The tensor without a use whose name is the nearest; NULL: none is near. */
static const char *nearest_unused(const Shards *s, const char *name)
{
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 1;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < s->file[i].source.header.count; k++) {
            const char *other = s->file[i].source.header.tensors[k]->name;
            size_t apart = s->file[i].use[k] ? least : names_apart(name, other);
            if (apart < least) {
                least = apart;
                nearest = other;
            }
        }
    return nearest;
}

/* Has the weight of this place numbers, and the part of it that the place means? The error names
 * the missing tensor as a file would. */
static bool is_filled(const Pretrained *m, const Place *at)
{
    char name[PRETRAINED_NAME];
    const Tensor *w = pretrained_weight(m, at);
    if (!w || (w->data && !is_part(at->rule)))
        return true;
    pretrained_name(m, at, name);
    if (shards_find(m->files, name).tensor)
        return true;
    const char *near = nearest_unused(m->files, name);
    return PRETRAINED_FAIL(m->files->file[0].path,
                           "has no '%s' %s; expected it, with %s/config.json%s%s%s", name,
                           shape_str(their_shape(m, at->rule, w)), m->folder,
                           near ? " (the nearest name is '" : "", near ? near : "",
                           near ? "')" : "");
}

static bool nothing_strange(const Pretrained *m)
{
    for (int i = 0; i < m->files->count; i++) {
        const Shard *file = &m->files->file[i];
        for (int k = 0; k < file->source.header.count; k++)
            if (file->use[k] == UNKNOWN)
                return PRETRAINED_FAIL(file->path,
                                       "has '%s'; expected tensors of a %s with %s/config.json "
                                       "only",
                                       file->source.header.tensors[k]->name, m->config.type,
                                       m->folder);
    }
    return true;
}

bool pretrained_import(Pretrained *m)
{
    return pretrained_each(m, take) && pretrained_each(m, is_filled) && nothing_strange(m);
}

Found pretrained_head(const Pretrained *m, const char *ours)
{
    for (const NameRule *rule = m->config.family->rules; rule->ours; rule++) {
        char name[PRETRAINED_NAME];
        pretrained_name(m, &(Place){.rule = rule}, name);
        Found f = shards_find(m->files, name);
        if (strncmp(rule->ours, ours, strlen(ours)) == 0 && f.tensor &&
            (!strchr(ours, '.') || strcmp(rule->ours, ours) == 0))
            return f;
    }
    return (Found){0};
}
