/* settings.c: see settings.h. */
#include "examples/attention/settings.h"

#include "examples/common/store.h"

#include <string.h>

/* Initial embeddings that are smaller than the positional encoding make the order visible from the
 * first step on; with standard deviation 1, training takes about half as many steps again. */
#define EMBEDDING_DEVIATION 0.3

ModelConfig sentence_config(const Settings *s, const Grammar *g)
{
    return (ModelConfig){.words = data_grammar_words(g)->count,
                         .answers = data_grammar_labels(g)->count,
                         .channels = s->channels,
                         .heads = HEADS,
                         .layers = LAYERS,
                         .longest = DATA_WORDS_MAX,
                         .position = s->position,
                         .window = s->window};
}

bool begin_model(Model *m, Params *p, ModelConfig config)
{
    if (!model_init(m, p, config))
        return false;
    Tensor *table = m->encoder.embedding.weight;
    for (int64_t i = 0; i < tensor_size(table); i++)
        table->data[i] *= (real)EMBEDDING_DEVIATION;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The model's configuration in a file of weights. */
static void facts_of(ModelConfig *c, Fact facts[STORE_FACTS + 1])
{
    const Fact all[] = {
        {"words", &c->words, 1, 1 << 20, NULL},       {"answers", &c->answers, 1, 1 << 20, NULL},
        {"channels", &c->channels, 1, 1 << 14, NULL}, {"heads", &c->heads, 1, 1 << 14, NULL},
        {"layers", &c->layers, 0, LAYERS_MAX, NULL},  {"longest", &c->longest, 1, 1 << 20, NULL},
        {"position", &c->position, 0, 2, NULL},       {"causal", &c->causal, 0, 1, NULL},
        {"window", &c->window, 0, 1 << 20, NULL},     {0},
    };
    memcpy(facts, all, sizeof all);
}

bool save_model(const Model *m, const Params *p, const char *path)
{
    ModelConfig c = m->config;
    Fact facts[STORE_FACTS + 1];
    facts_of(&c, facts);
    return store_save(path, "attention", facts, p);
}

bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted)
{
    Store store;
    ModelConfig found = {0};
    Fact facts[STORE_FACTS + 1];
    facts_of(&found, facts);
    bool ok = store_open(&store, path, "attention", facts, p);
    if (ok && (found.words != wanted.words || found.answers != wanted.answers))
        options_refuse("--load %s: found a model of %d words; expected the %d of the grammar", path,
                       found.words, wanted.words);
    return store_load(&store, ok && model_init(m, p, found));
}
