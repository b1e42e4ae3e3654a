/* import.c: their tensors into our weights, by the family's rules.
 *
 * First everything is checked: each weight is filled exactly once, shapes are those that
 * config.json asks for, and what is left over is known to be of no use. Then the numbers are read,
 * directly into the weights. Both passes go over the rules (each_rule); the first counts the rows
 * that each weight gets, the second reads. filled[i] is the number of rows of weight i that tensors
 * bring: a packed in_proj is filled by three. */
#include "nn/pretrained/inside.h"

#include "tensor/memory.h"

#include <string.h>

/* Which of the rule's tensors it is; nothing where the rule names a single one. */
static const char *ending(const Place *at)
{
    return !at->rule->ends ? "" : at->bias ? "bias" : "weight";
}

void pretrained_next(const Pretrained *m, Place *at)
{
    bool layered = strstr(at->rule->theirs, "%d") != NULL;
    bool decoder = strncmp(at->rule->ours, "decoder.", 8) == 0;
    int64_t layers = decoder ? m->config.decoder_layers : m->config.layers;
    if (at->rule->ends && !at->bias) {
        at->bias = true;
        return;
    }
    at->bias = false;
    if (++at->layer >= (layered ? layers : 1)) {
        at->layer = 0;
        at->rule++;
    }
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
    snprintf(name, PRETRAINED_NAME, "%s%.200s%s%s", at->rule->body ? m->names->prefix : "", body,
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

void pretrained_rows(const Pretrained *m, const NameRule *rule, const Tensor *ours, int64_t *first,
                     int64_t *count)
{
    const PretrainedConfig *c = &m->config;
    int64_t q = c->heads * c->head_size, kv = c->kv_heads * c->head_size;
    *first = rule->part == PART_KEY ? q : rule->part == PART_VALUE ? q + kv : 0;
    *count = rule->part == PART_QUERY ? q
             : rule->part == PART_KEY || rule->part == PART_VALUE
                 ? kv
                 : (ours->shape.rank ? ours->shape.dim[0] : 1);
}

/* ---- one rule in one layer ------------------------------------------------------------------- */

typedef struct {
    Pretrained *m;
    const Shards *shards;
    int64_t *filled; /* rows of each weight that the file brings */
    bool **used;     /* of each shard, each tensor               */
    bool mapped;     /* weights may be the files' pages          */
    bool fill;       /* the second time through                  */
} Import;

static int index_of(const Params *p, const Tensor *w)
{
    int i = 0;
    while (p->weight[i] != w)
        i++;
    return i;
}

static void mark_used(Import *im, const Found *f)
{
    for (int i = 0; i < im->shards->count; i++)
        for (int k = 0; k < im->shards->file[i].source.header.count; k++)
            if (im->shards->file[i].source.header.tensors[k] == f->tensor)
                im->used[i][k] = true;
}

/* Lets the weight be the file's pages. A transposed tensor stays as it is in the file: the weight
 * gets its strides. False, without an error, where the numbers must be read: the weight has several
 * parts, or safetensors_mapped cannot. */
static bool map(Tensor *w, const NameRule *rule, bool transposed, Found f)
{
    bool whole = rule->part == PART_ALL && rule->form != PLUS_ONE;
    real *numbers = whole ? safetensors_mapped(f.source, f.tensor) : NULL;
    if (!numbers)
        return false;
    w->data = numbers;
    if (transposed) {
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

static bool fill(Import *im, Tensor *w, const NameRule *rule, int64_t first, int64_t count, Found f)
{
    if (!w->data && !params_numbers(im->m->params, w))
        return false;
    int64_t rows = w->shape.rank ? w->shape.dim[0] : 1;
    real *to = w->data + first * (tensor_size(w) / rows);
    if (rule->part == PART_HEADS)
        return fill_heads(&im->m->config, w, f);
    if (rule->form == TRANSPOSED && w->shape.rank == 2)
        return fill_transposed(to, f);
    bool ok = safetensors_rows(f.source, f.tensor, rule->part == PART_SECOND ? count : 0,
                               w->shape.rank ? count : 1, to);
    for (int64_t i = 0; ok && rule->form == PLUS_ONE && i < tensor_size(w); i++)
        to[i] += 1;
    return ok;
}

/* One place of the rules: finds our weight and their tensor, compares shapes, and in the second
 * pass reads. A weight of several parts gets its rows from row `first` on. */
static bool take(Import *im, const Place *at)
{
    const NameRule *rule = at->rule;
    char name[PRETRAINED_NAME];
    Tensor *w = pretrained_weight(im->m, at);
    pretrained_name(im->m, at, name);
    Found f = shards_find(im->shards, name);
    if (!w || !f.tensor)
        return true; /* a weight without a tensor is found later, and a tensor without a weight */
    int64_t first, count;
    pretrained_rows(im->m, rule, w, &first, &count);
    int64_t *filled = &im->filled[index_of(im->m->params, w)];
    bool half = rule->part == PART_FIRST || rule->part == PART_SECOND;
    bool part = rule->part == PART_QUERY || rule->part == PART_KEY || rule->part == PART_VALUE;
    if (!part && *filled > 0)
        return true; /* by a rule before this */
    *filled += count;
    bool transposed = rule->form == TRANSPOSED && w->shape.rank == 2;
    Shape need = w->shape;
    if (need.rank > 0)
        need.dim[0] = half ? 2 * count : count;
    if (transposed)
        need = shape2(w->shape.dim[1], w->shape.dim[0]);
    if (!shape_equal(f.tensor->shape, need))
        return PRETRAINED_FAIL(f.path, "'%s' is %s, with %s/config.json; expected %s", name,
                               shape_str(f.tensor->shape), im->m->folder, shape_str(need));
    if (im->fill)
        return (im->mapped && map(w, rule, transposed, f)) || fill(im, w, rule, first, count, f);
    mark_used(im, &f);
    return true;
}

static bool each_rule(Import *im)
{
    for (Place at = {.rule = family_of(im->m)->rules}; at.rule->ours; pretrained_next(im->m, &at))
        if (!take(im, &at))
            return false;
    return true;
}

/* ---- what is missing, and what is left over -------------------------------------------------- */

/* Their name of the tensor that would fill this weight, or the part of it that is missing. */
static void missing_name(const Import *im, const Tensor *w, char name[PRETRAINED_NAME])
{
    snprintf(name, PRETRAINED_NAME, "%s", w->name);
    for (Place at = {.rule = family_of(im->m)->rules}; at.rule->ours; pretrained_next(im->m, &at))
        if (pretrained_weight(im->m, &at) == w) {
            pretrained_name(im->m, &at, name);
            if (!shards_find(im->shards, name).tensor)
                return;
        }
}

/* The tensor without a use whose name is the nearest; NULL: none is near. */
static const char *nearest_unused(const Import *im, const char *name)
{
    const char *nearest = NULL;
    size_t least = strlen(name) / 3 + 1;
    for (int i = 0; i < im->shards->count; i++)
        for (int k = 0; k < im->shards->file[i].source.header.count; k++) {
            const char *other = im->shards->file[i].source.header.tensors[k]->name;
            size_t apart = im->used[i][k] ? least : names_apart(name, other);
            if (apart < least) {
                least = apart;
                nearest = other;
            }
        }
    return nearest;
}

/* Does every weight get all of its rows? The error names the missing tensor as a file would. */
static bool all_filled(const Import *im)
{
    const Params *p = im->m->params;
    for (int i = 0; i < p->count; i++) {
        int64_t rows = p->weight[i]->shape.rank ? p->weight[i]->shape.dim[0] : 1;
        char name[PRETRAINED_NAME];
        if (im->filled[i] == rows)
            continue;
        missing_name(im, p->weight[i], name);
        const char *near = nearest_unused(im, name);
        return PRETRAINED_FAIL(im->shards->file[0].path,
                               "has no '%s' %s; expected it, with %s/config.json%s%s%s", name,
                               shape_str(p->weight[i]->shape), im->m->folder,
                               near ? " (the nearest name is '" : "", near ? near : "",
                               near ? "')" : "");
    }
    return true;
}

/* Does the name begin with this? "%d" is any number; the body's prefix may be there or not. */
static bool begins(const char *name, const char *start, const char *prefix)
{
    size_t n = strlen(prefix);
    if (n > 0 && strncmp(name, prefix, n) == 0 && begins(name + n, start, ""))
        return true;
    for (; *start; start++) {
        if (start[0] == '%') {
            start++;
            if (*name < '0' || *name > '9')
                return false;
            while (*name >= '0' && *name <= '9')
                name++;
        } else if (*name++ != *start) {
            return false;
        }
    }
    return true;
}

static bool note_unused(Import *im, const char *name)
{
    Pretrained *m = im->m;
    char **list = mem_grow(m->unused_name, (size_t)m->unused * sizeof *list,
                           ((size_t)m->unused + 1) * sizeof *list);
    if (!list)
        return false;
    m->unused_name = list;
    list[m->unused] = mem_strdup(name);
    return list[m->unused] && ++m->unused;
}

static bool is_known(const Pretrained *m, const char *name)
{
    const FamilyRules *f = family_of(m);
    for (const char *const *k = f->known; *k; k++)
        if (begins(name, *k, f->prefix))
            return true;
    /* a head that is not built */
    return !m->names->classifier.tensor &&
           (begins(name, "classifier.", "") || begins(name, "pre_classifier.", ""));
}

static bool nothing_strange(Import *im)
{
    for (int i = 0; i < im->shards->count; i++)
        for (int k = 0; k < im->shards->file[i].source.header.count; k++) {
            const char *name = im->shards->file[i].source.header.tensors[k]->name;
            if (im->used[i][k])
                continue;
            if (!is_known(im->m, name))
                return PRETRAINED_FAIL(
                    im->shards->file[i].path,
                    "has '%s'; expected tensors of a %s with %s/config.json only", name,
                    im->m->config.type, im->m->folder);
            if (!note_unused(im, name))
                return false;
        }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Nothing of m->params changes before all checks have succeeded; a read that fails afterwards
 * leaves some weights filled, and the loader then frees the model. */
bool pretrained_import(Pretrained *m, const Shards *s, bool mapped)
{
    Import im = {.m = m, .shards = s, .mapped = mapped};
    im.filled = mem_zeroed(((size_t)m->params->count + 1) * sizeof *im.filled);
    im.used = mem_zeroed((size_t)s->count * sizeof *im.used);
    bool ok = im.filled && im.used;
    for (int i = 0; ok && i < s->count; i++)
        ok = (im.used[i] = mem_zeroed((size_t)s->file[i].source.header.count + 1)) != NULL;
    ok = ok && each_rule(&im) && all_filled(&im) && nothing_strange(&im);
    im.fill = true;
    for (int i = 0; ok && i < m->params->count; i++)
        im.filled[i] = 0;
    ok = ok && each_rule(&im);
    for (int i = 0; im.used && i < s->count; i++)
        mem_free(im.used[i]);
    mem_free(im.used);
    mem_free(im.filled);
    return ok;
}

/* ---- which heads there are ------------------------------------------------------------------- */

/* Is there a tensor for our module of this name?
 * A name with a dot must be equal; one without is the beginning of a module's names. */
static Found head(const Pretrained *m, const Shards *s, const char *ours)
{
    for (const NameRule *rule = family_of(m)->rules; rule->ours; rule++) {
        char name[PRETRAINED_NAME];
        pretrained_name(m, &(Place){.rule = rule}, name);
        Found f = shards_find(s, name);
        if (strncmp(rule->ours, ours, strlen(ours)) == 0 && f.tensor &&
            (!strchr(ours, '.') || strcmp(rule->ours, ours) == 0))
            return f;
    }
    return (Found){0};
}

/* Heads are known by their tensors, not by "architectures" in config.json, which files may lack. */
void pretrained_probe(const Pretrained *m, const Shards *s, PretrainedNames *names)
{
    const FamilyRules *f = family_of(m);
    char name[PRETRAINED_NAME];
    names->wrapper = s->wrapper;
    snprintf(name, sizeof name, "%s%s", f->prefix, f->word_tensor);
    snprintf(names->prefix, sizeof names->prefix, "%s",
             shards_find(s, name).tensor ? f->prefix : "");
    names->has_pooler = head(m, s, "pooler").tensor != NULL;
    names->has_own_output = !m->config.tied && head(m, s, "output").tensor;
    names->has_words = f->kind == TEXT_DECODER || f->kind == TEXT_TO_TEXT
                           ? m->config.tied || names->has_own_output
                           : head(m, s, "transform_norm").tensor != NULL;
    names->has_logits_bias = head(m, s, "logits_bias").tensor != NULL;
    names->classifier = head(m, s, "classifier");
    names->has_distilled = head(m, s, "distilled_classifier").tensor != NULL;
}
