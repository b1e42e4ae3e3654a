/* store.h: a trained model in one file: its weights, and the configuration from which it is built
 * again.
 *
 *     static const Fact facts[] = {
 *         {"channels", offsetof(Config, channels), 1, 1 << 14},
 *         {"vocabulary", offsetof(Config, vocabulary), 0, 0},   // a text; may be NULL
 *         {0},
 *     };
 *     store_save("it.safetensors", "gpt", facts, &config, params);
 *
 *    Store store;
 *    bool ok = store_open(&store, "it.safetensors", "gpt", facts, &config, params) &&
 *              model_init(&m, params, config);
 *    ok = store_load(&store, ok);                              // frees the texts
 *
 * The configuration is stored in the metadata of a safetensors file, with the example's name. */
#ifndef EXAMPLES_STORE_H
#define EXAMPLES_STORE_H

#include "examples/common/example.h"
#include "gradus.h"

/* A member of a configuration: an int from low to high or, where both are 0, a const char *, which
 * is not stored where it is NULL. {0} ends a table of them. */
typedef struct {
    const char *name;
    size_t at; /* the member's offset */
    int low, high;
} Fact;

enum { STORE_FACTS = 24 };

typedef struct {
    Safetensors file;
    const char *path;
    Params *params;
} Store;

/* facts and config are NULL for a model that has no configuration. */
bool store_save(const char *path, const char *example, const Fact *facts, const void *config,
                const Params *p);

/* Reads the file and sets the configuration; a missing text becomes NULL. From now on params_add
 * compares each weight with the file before it allocates it: a small file whose facts promise a
 * large model is refused at its first weight. A file of another example, or one that lacks a
 * number, is an error that names what was found and expected; the configuration is not changed
 * then. Call store_load in any case. */
bool store_open(Store *s, const char *path, const char *example, const Fact *facts, void *config,
                Params *p);

/* Copies the file's weights into the model that was built from the facts; not so if the program
 * could not build it, and `ok` is false. Closes the file. Returns whether the model is loaded. */
bool store_load(Store *s, bool ok);

/* A vocabulary as a text of the configuration: its words joined by tabs, which no word contains;
 * the caller frees it. NULL if memory runs out. And back: adds the words of such a line; false with
 * an error if memory runs out. */
char *vocabulary_line(const Vocab *v);
bool vocabulary_from(Vocab *v, const char *line);

#ifndef GRADUS_INSIDE
#define store_save(...)      EXAMPLE_PLACED(store_save, __VA_ARGS__)
#define store_open(...)      EXAMPLE_PLACED(store_open, __VA_ARGS__)
#define store_load(...)      EXAMPLE_PLACED(store_load, __VA_ARGS__)
#define vocabulary_from(...) EXAMPLE_PLACED(vocabulary_from, __VA_ARGS__)
#endif

#endif
