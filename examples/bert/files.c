/* files.c: saves a trained model in one file, with its configuration and vocabulary, and loads
 * it. */
#include "examples/bert/settings.h"
#include "examples/common/store.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS = 9 };

static void facts_of(BertConfig *c, const char **vocabulary, Fact facts[FACTS])
{
    const Fact all[FACTS] = {
        {"tokens", &c->tokens, 1, 1 << 20, NULL},
        {"classes", &c->classes, 1, 1 << 16, NULL},
        {"channels", &c->channels, 1, 1 << 14, NULL},
        {"heads", &c->heads, 1, 1 << 14, NULL},
        {"layers", &c->layers, 1, BERT_LAYERS_MAX, NULL},
        {"longest", &c->longest, 2, 1 << 14, NULL},
        {"vocabulary", NULL, 0, 0, vocabulary},
        {0},
    };
    memcpy(facts, all, sizeof all);
}

bool save_bert(const Bert *m, const Params *p, const Corpus *c, const char *path)
{
    BertConfig config = m->config;
    char *line = corpus_line(c);
    Fact facts[FACTS];
    facts_of(&config, (const char **)&line, facts);
    bool ok = line && store_save(path, "bert", facts, p);
    free(line);
    return ok;
}

bool load_bert(Bert *m, Params *p, const Corpus *c, const char *path)
{
    Store store;
    BertConfig found = {0};
    const char *vocabulary = NULL;
    char *wanted = corpus_line(c);
    Fact facts[FACTS];
    facts_of(&found, &vocabulary, facts);
    bool ok = store_open(&store, path, "bert", facts, p) && wanted;
    const bool same =
        ok && vocabulary && found.tokens == c->tokens && strcmp(vocabulary, wanted) == 0;
    if (ok && !same)
        example_fail("%s: found a model of %d other tokens; expected the %d of %s", path,
                     found.tokens, c->tokens, c->bytes ? "the text of --data" : "the grammars");
    ok = store_load(&store, same && bert_init(m, p, found));
    free(wanted);
    return ok;
}
