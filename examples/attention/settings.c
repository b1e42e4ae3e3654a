/* settings.c: see settings.h. */
#include "examples/attention/settings.h"

#include "examples/attention/store.h"

#include <string.h>

/* Embeddings that begin smaller than the position code let order be seen from the first step on; with
 * deviation 1, training takes about half as many steps again. */
#define EMBEDDING_DEVIATION 0.3

ModelConfig sentence_config(const Settings *s, const Grammar *g, PositionKind position)
{
    return (ModelConfig){.words = data_grammar_words(g)->count,
                         .answers = data_grammar_labels(g)->count,
                         .channels = CHANNELS,
                         .heads = HEADS,
                         .layers = LAYERS,
                         .longest = DATA_WORDS_MAX,
                         .position = position,
                         .window = s->window};
}

bool begin_model(Model *m, Params *p, ModelConfig config)
{
    if (!model_init(m, p, config))
        return false;
    Tensor *table = m->embedding.weight;
    for (int64_t i = 0; i < tensor_size(table); i++)
        table->data[i] *= (real)EMBEDDING_DEVIATION;
    return true;
}

TrainConfig train_config(const Settings *s, int seed, const char *what, int steps, int batch)
{
    return (TrainConfig){.seed = seed,
                         .steps = s->steps > 0 ? s->steps : steps,
                         .batch = batch,
                         .rate = s->rate,
                         .quiet = s->quiet,
                         .what = what};
}

bool load_model(Model *m, Params *p, const char *path, ModelConfig wanted, const char *characters)
{
    Safetensors file;
    ModelConfig found;
    const char *vocabulary;
    if (!model_read(path, &file, &found, &vocabulary))
        return false;
    bool same_kind = (vocabulary != NULL) == (characters != NULL);
    bool ok = false;
    if (!same_kind)
        options_refuse("--load %s: found a model of %s; %s", path,
                       vocabulary ? "characters" : "words",
                       vocabulary ? "give the text it was trained on with --data"
                                  : "leave out --data");
    else if (found.words != wanted.words || found.answers != wanted.answers ||
             (characters && strcmp(vocabulary, characters) != 0))
        options_refuse("--load %s: found a model of %d %s; expected the %d of %s", path,
                       found.words, characters ? "characters" : "words", wanted.words,
                       characters ? "the text" : "the grammar");
    else
        ok = model_init(m, p, found) && params_load_from(p, &file, path);
    safetensors_free(&file);
    return ok;
}
