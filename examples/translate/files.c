/* files.c: saves a trained translator in one file, with its configuration, and loads it. */
#include "examples/common/store.h"
#include "examples/translate/settings.h"

#include <string.h>

enum { FACTS = 11 };

/* The settings of both models: those of the other are kept, too, and say nothing. */
static void facts_of(TranslatorConfig *c, int *kind, Fact facts[FACTS])
{
    const Fact all[FACTS] = {
        {"kind", kind, TRANSFORMER, ALIGNER, NULL},
        {"from_words", &c->from_words, 1, 1 << 20, NULL},
        {"to_words", &c->to_words, 1, 1 << 20, NULL},
        {"channels", &c->channels, 1, 1 << 14, NULL},
        {"hidden", &c->hidden, 1, 1 << 14, NULL},
        {"heads", &c->heads, 1, 1 << 14, NULL},
        {"layers", &c->layers, 1, LAYERS_MAX, NULL},
        {"pre_norm", &c->pre_norm, 0, 1, NULL},
        {"position", &c->position, 0, 2, NULL},
        {"blind", &c->blind, 0, 1, NULL},
        {0},
    };
    memcpy(facts, all, sizeof all);
}

bool save_translator(const Translator *t, const Params *p, const char *path)
{
    TranslatorConfig c = t->kind == ALIGNER ? t->aligner.config : t->transformer.config;
    int kind = t->kind;
    Fact facts[FACTS];
    facts_of(&c, &kind, facts);
    return store_save(path, "translate", facts, p);
}

bool load_translator(Translator *t, Params *p, const Corpus *d, const char *path)
{
    Store store;
    TranslatorConfig c = {.longest = LONGEST};
    int kind = TRANSFORMER;
    Fact facts[FACTS];
    facts_of(&c, &kind, facts);
    const int from = data_translations_spanish(d->all)->count;
    const int to = data_translations_english(d->all)->count;
    bool ok = store_open(&store, path, "translate", facts, p);
    if (ok && (c.from_words != from || c.to_words != to))
        ok = example_fail("%s: found a model of %d and %d words; expected the corpus' %d and %d",
                          path, c.from_words, c.to_words, from, to);
    return store_load(&store, ok && translator_init(t, p, (ModelKind)kind, c));
}
