/* store.h: a trained model in one file: its weights, and the configuration from which it is built
 * again.
 *
 *     const Fact facts[] = {
 *         {"channels", &c.channels, 1, 1 << 14, NULL},
 *         {"vocabulary", NULL, 0, 0, &characters},      // a text; may be NULL  
 *         {0},
 *     };
 *     store_save("it.safetensors", "gpt", facts, params);
 *
 *    Store store;
 *    bool ok = store_open(&store, "it.safetensors", "gpt", facts)   // fills c.channels, characters
 *              && store_expect(&store, params) && model_init(&m, params, c) && store_weights(&store, params);
 *    store_close(&store);                                           // this frees the texts
 *
 * The configuration is stored in the metadata of a safetensors file, with the example's name. */
#ifndef EXAMPLES_STORE_H
#define EXAMPLES_STORE_H

#include "examples/common/example.h"
#include "gradus.h"

/* One entry of a configuration: a number from low to high, or a text. {0} ends a table of them. */
typedef struct {
    const char *name;
    int *number;
    int low, high;
    const char **text; /* used if number is NULL; a text of NULL is not stored */
} Fact;

enum { STORE_FACTS = 24 };

typedef struct {
    Safetensors file;
    const char *path;
    Params *params; /* of store_expect */
} Store;

bool store_save(const char *path, const char *example, const Fact *facts, const Params *p);

/* Reads the file and sets the variables that the facts point to; a missing text becomes NULL. A
 * file of another example, or one that lacks a number, is an error that names what was found and
 * expected; nothing is changed then. */
bool store_open(Store *s, const char *path, const char *example, const Fact *facts);

/* Before the model is built by the facts: has params_add compare each weight with the file before
 * it allocates it, until store_weights or store_close. A small file whose facts promise a large
 * model is refused at its first weight. */
bool store_expect(Store *s, Params *p);

/* Copies the file's weights into a model that was built from the facts. */
bool store_weights(Store *s, Params *p);
void store_close(Store *s);

#ifndef GRADUS_INSIDE
#define store_save(...)    EXAMPLE_PLACED(store_save, __VA_ARGS__)
#define store_open(...)    EXAMPLE_PLACED(store_open, __VA_ARGS__)
#define store_expect(...)  EXAMPLE_PLACED(store_expect, __VA_ARGS__)
#define store_weights(...) EXAMPLE_PLACED(store_weights, __VA_ARGS__)
#endif

#endif
