/* files.c: saves a trained translator in one file, with its configuration, and loads it. */
#include "examples/common/store.h"
#include "examples/translate/settings.h"

/* The settings of both models: those of the other are kept, too, and say nothing. */
typedef struct {
    int kind;
    TranslatorConfig c;
} Stored;

static const Fact facts[] = {
    {"kind", offsetof(Stored, kind), TRANSFORMER, ALIGNER},
    {"from_words", offsetof(Stored, c.from_words), 1, 1 << 20},
    {"to_words", offsetof(Stored, c.to_words), 1, 1 << 20},
    {"channels", offsetof(Stored, c.channels), 1, 1 << 14},
    {"hidden", offsetof(Stored, c.hidden), 1, 1 << 14},
    {"heads", offsetof(Stored, c.heads), 1, 1 << 14},
    {"layers", offsetof(Stored, c.layers), 1, LAYERS_MAX},
    {"pre_norm", offsetof(Stored, c.pre_norm), 0, 1},
    {"position", offsetof(Stored, c.position), 0, 2},
    {"blind", offsetof(Stored, c.blind), 0, 1},
    {0},
};

bool save_translator(const Translator *t, const Params *p, const char *path)
{
    const bool rnn = t->kind == ALIGNER;
    const Stored stored = {t->kind, rnn ? t->aligner.config : t->transformer.config};
    return store_save(path, "translate", facts, &stored, p);
}

bool load_translator(Translator *t, Params *p, const Corpus *d, const char *path)
{
    Store store;
    Stored x = {.c = {.longest = LONGEST}};
    const int from = data_translations_spanish(d->all)->count;
    const int to = data_translations_english(d->all)->count;
    bool ok = store_open(&store, path, "translate", facts, &x, p);
    if (ok && (x.c.from_words != from || x.c.to_words != to))
        ok = example_fail("%s: found a model of %d and %d words; expected the corpus' %d and %d",
                          path, x.c.from_words, x.c.to_words, from, to);
    return store_load(&store, ok && translator_init(t, p, (ModelKind)x.kind, x.c));
}
