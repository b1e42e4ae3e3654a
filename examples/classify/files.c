/* files.c: saves a trained classifier in one file, with its configuration, words and labels, and
 * loads it. */
#include "examples/classify/settings.h"
#include "examples/common/store.h"
#include "examples/common/vocabulary.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS = 11 };

static void facts_of(ClassifierConfig *c, const char **words, const char **labels,
                     Fact facts[FACTS])
{
    const Fact all[FACTS] = {
        {"words", &c->words, 1, 1 << 20, NULL},
        {"classes", &c->classes, 2, 1 << 16, NULL},
        {"channels", &c->channels, 1, 1 << 14, NULL},
        {"heads", &c->heads, 1, 1 << 14, NULL},
        {"layers", &c->layers, 0, CLASSIFIER_LAYERS_MAX, NULL},
        {"longest", &c->longest, MORE_PADDING + 2, 1 << 14, NULL},
        {"position", &c->position, 0, 2, NULL},
        {"pool", &c->pool, 0, 1, NULL},
        {"vocabulary", NULL, 0, 0, words},
        {"labels", NULL, 0, 0, labels},
        {0},
    };
    memcpy(facts, all, sizeof all);
}

bool save_classifier(const Classifier *m, const Params *p, const Texts *t, const char *path)
{
    ClassifierConfig c = m->config;
    char *words = vocabulary_line(&t->words), *names = vocabulary_line(&t->names);
    Fact facts[FACTS];
    facts_of(&c, (const char **)&words, (const char **)&names, facts);
    bool ok = words && names && store_save(path, "classify", facts, p);
    free(words);
    free(names);
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
    ClassifierConfig c = {0};
    const char *words = NULL, *names = NULL;
    Fact facts[FACTS];
    facts_of(&c, &words, &names, facts);
    bool ok =
        store_open(&store, path, "classify", facts, p) &&
        ((words && names) || example_fail("%s: found no vocabulary in it; expected one", path));
    ok = ok && vocabulary_from(&known->words, words) && vocabulary_from(&known->names, names) &&
         counts_fit(&c, known, path) && classifier_init(m, p, c);
    known->longest = c.longest - MORE_PADDING;
    return store_load(&store, ok);
}
