/* files.c: saves a trained classifier in one file, with its configuration, words and labels, and
 * loads it. */
#include "examples/classify/settings.h"
#include "examples/common/store.h"

#include <stdlib.h>

typedef struct {
    ClassifierConfig config;
    const char *words, *labels;
} Stored;

static const Fact facts[] = {
    {"words", offsetof(Stored, config.words), 1, 1 << 20},
    {"classes", offsetof(Stored, config.classes), 2, 1 << 16},
    {"channels", offsetof(Stored, config.channels), 1, 1 << 14},
    {"heads", offsetof(Stored, config.heads), 1, 1 << 14},
    {"layers", offsetof(Stored, config.layers), 0, CLASSIFIER_LAYERS_MAX},
    {"longest", offsetof(Stored, config.longest), MORE_PADDING + 2, 1 << 14},
    {"position", offsetof(Stored, config.position), 0, 2},
    {"pool", offsetof(Stored, config.pool), 0, 1},
    {"vocabulary", offsetof(Stored, words), 0, 0},
    {"labels", offsetof(Stored, labels), 0, 0},
    {0},
};

bool save_classifier(const Classifier *m, const Params *p, const Texts *t, const char *path)
{
    char *words = vocabulary_line(&t->words), *labels = vocabulary_line(&t->names);
    const Stored stored = {m->config, words, labels};
    bool ok = words && labels && store_save(path, "classify", facts, &stored, p);
    free(words);
    free(labels);
    return ok;
}

static bool counts_fit(const ClassifierConfig *c, const Texts *t, const char *path)
{
    return (t->words.count == c->words && t->names.count == c->classes) ||
           example_fail("%s: found %d words and %d labels listed; expected the model's %d and %d",
                        path, t->words.count, t->names.count, c->words, c->classes);
}

bool load_classifier(Classifier *m, Params *p, Texts *known, const char *path)
{
    Store store;
    Stored x = {0};
    bool ok = store_open(&store, path, "classify", facts, &x, p) &&
              ((x.words && x.labels) ||
               example_fail("%s: found no vocabulary in it; expected one", path));
    ok = ok && vocabulary_from(&known->words, x.words) &&
         vocabulary_from(&known->names, x.labels) && counts_fit(&x.config, known, path) &&
         classifier_init(m, p, x.config);
    known->longest = x.config.longest - MORE_PADDING;
    return store_load(&store, ok);
}
