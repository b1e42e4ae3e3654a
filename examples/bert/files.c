/* files.c: saves a trained model in one file, with its configuration and vocabulary, and loads
 * it. */
#include "examples/bert/settings.h"
#include "examples/common/store.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    BertConfig config;
    const char *vocabulary;
} Stored;

static const Fact facts[] = {
    {"tokens", offsetof(Stored, config.tokens), 1, 1 << 20},
    {"classes", offsetof(Stored, config.classes), 1, 1 << 16},
    {"channels", offsetof(Stored, config.channels), 1, 1 << 14},
    {"heads", offsetof(Stored, config.heads), 1, 1 << 14},
    {"layers", offsetof(Stored, config.layers), 1, BERT_LAYERS_MAX},
    {"longest", offsetof(Stored, config.longest), 2, 1 << 14},
    {"vocabulary", offsetof(Stored, vocabulary), 0, 0},
    {0},
};

bool save_bert(const Bert *m, const Params *p, const Corpus *c, const char *path)
{
    char *line = vocabulary_line(&c->words);
    const Stored stored = {m->config, line};
    bool ok = line && store_save(path, "bert", facts, &stored, p);
    free(line);
    return ok;
}

bool load_bert(Bert *m, Params *p, const Corpus *c, const char *path)
{
    Store store;
    Stored found = {0};
    char *wanted = vocabulary_line(&c->words);
    bool ok = store_open(&store, path, "bert", facts, &found, p) && wanted;
    const bool same = ok && found.vocabulary && strcmp(found.vocabulary, wanted) == 0 &&
                      found.config.tokens == c->words.count && found.config.longest == LONGEST;
    if (ok && !same)
        example_fail("%s: found a model of %d other tokens; expected the %d of the grammars", path,
                     found.config.tokens, c->words.count);
    ok = store_load(&store, same && bert_init(m, p, found.config));
    free(wanted);
    return ok;
}
