/* files.c: saves a trained translator in one file, with its configuration, and loads it. */
#include "examples/common/store.h"
#include "examples/translate/settings.h"

#include <string.h>

enum { FACTS = 12 };

/* The sizes of both models; those that the other model lacks are 0. */
typedef struct {
    int kind, from, to, channels, hidden, heads, layers, pre_norm, position, blind, cell;
} Sizes;

static void facts_of(Sizes *z, Fact facts[FACTS])
{
    const Fact all[FACTS] = {
        {"kind", &z->kind, TRANSFORMER, ALIGNER, NULL},
        {"from_words", &z->from, 1, 1 << 20, NULL},
        {"to_words", &z->to, 1, 1 << 20, NULL},
        {"channels", &z->channels, 1, 1 << 14, NULL},
        {"hidden", &z->hidden, 1, 1 << 14, NULL},
        {"heads", &z->heads, 1, 1 << 14, NULL},
        {"layers", &z->layers, 1, LAYERS_MAX, NULL},
        {"pre_norm", &z->pre_norm, 0, 1, NULL},
        {"position", &z->position, 0, 2, NULL},
        {"blind", &z->blind, 0, 1, NULL},
        {"cell", &z->cell, 0, 2, NULL},
        {0},
    };
    memcpy(facts, all, sizeof all);
}

bool save_translator(const Translator *t, const Params *p, const char *path)
{
    const TransformerConfig *c = &t->transformer.config;
    const AlignerConfig *a = &t->aligner.config;
    Sizes z = {TRANSFORMER, c->from_words, c->to_words, c->channels, c->hidden, c->heads,
               c->layers,   c->pre_norm,   c->position, c->blind,    0};
    if (t->kind == ALIGNER)
        z = (Sizes){ALIGNER, a->from_words, a->to_words, a->channels, a->hidden, 1, 1, 0,
                    0,       a->blind,      a->cell};
    Fact facts[FACTS];
    facts_of(&z, facts);
    return store_save(path, "translate", facts, p);
}

static bool init(Translator *t, Params *p, const Sizes *z)
{
    *t = (Translator){.kind = (ModelKind)z->kind};
    if (z->kind == ALIGNER)
        return aligner_init(&t->aligner, p,
                            (AlignerConfig){.from_words = z->from,
                                            .to_words = z->to,
                                            .channels = z->channels,
                                            .hidden = z->hidden,
                                            .cell = z->cell,
                                            .blind = z->blind});
    return transformer_init(&t->transformer, p,
                            (TransformerConfig){.from_words = z->from,
                                                .to_words = z->to,
                                                .longest = LONGEST,
                                                .channels = z->channels,
                                                .heads = z->heads,
                                                .layers = z->layers,
                                                .hidden = z->hidden,
                                                .pre_norm = z->pre_norm,
                                                .position = z->position,
                                                .blind = z->blind});
}

bool load_translator(Translator *t, Params *p, const Corpus *d, const char *path)
{
    Store store;
    Sizes z = {0};
    Fact facts[FACTS];
    facts_of(&z, facts);
    if (!store_open(&store, path, "translate", facts))
        return false;
    const int from = data_translations_spanish(d->all)->count;
    const int to = data_translations_english(d->all)->count;
    bool ok = (z.from == from && z.to == to) ||
              example_fail("%s: found a model of %d and %d words; expected the corpus' %d and %d",
                           path, z.from, z.to, from, to);
    ok = ok && store_expect(&store, p) && init(t, p, &z) && store_weights(&store, p);
    store_close(&store);
    return ok;
}
