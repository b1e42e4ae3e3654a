/* settings.c: see settings.h. */
#include "examples/attention/settings.h"

#include "examples/common/store.h"

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
static const Fact facts[] = {
    {"words", offsetof(ModelConfig, words), 1, 1 << 20},
    {"answers", offsetof(ModelConfig, answers), 1, 1 << 20},
    {"channels", offsetof(ModelConfig, channels), 1, 1 << 14},
    {"heads", offsetof(ModelConfig, heads), 1, 1 << 14},
    {"layers", offsetof(ModelConfig, layers), 0, LAYERS_MAX},
    {"longest", offsetof(ModelConfig, longest), 1, 1 << 20},
    {"position", offsetof(ModelConfig, position), 0, 2},
    {"causal", offsetof(ModelConfig, causal), 0, 1},
    {"window", offsetof(ModelConfig, window), 0, 1 << 20},
    {0},
};

bool save_model(const Model *m, const Params *p, const char *path)
{
    return store_save(path, "attention", facts, &m->config, p);
}

bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted)
{
    Store store;
    ModelConfig found = {0};
    bool ok = store_open(&store, path, "attention", facts, &found, p);
    if (ok && (found.words != wanted.words || found.answers != wanted.answers))
        options_refuse("--load %s: found a model of %d words; expected the %d of the grammar", path,
                       found.words, wanted.words);
    return store_load(&store, ok && model_init(m, p, found));
}
