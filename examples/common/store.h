/* store.h: a trained model as one file: its weights, and the facts from which it is built again.
 *
 *     const Fact facts[] = {
 *         {"channels", &c.channels, 1, 1 << 14, NULL},
 *         {"vocabulary", NULL, 0, 0, &characters},      // a text; may stay NULL
 *         {0},
 *     };
 *     store_save("it.safetensors", "gpt", facts, params);
 *
 *     Store store;
 *     bool ok = store_open(&store, "it.safetensors", "gpt", facts)   // fills c.channels, characters
 *               && model_init(&m, params, c) && store_weights(&store, params);
 *     store_close(&store);                                           // the texts are gone with it
 *
 * Numbers and texts stand in the metadata of a safetensors file, beside the example's name. */
#ifndef EXAMPLES_STORE_H
#define EXAMPLES_STORE_H

#include "gradus.h"

/* A named number, from low to high, or a named text. A table of them is closed by {0}. */
typedef struct {
    const char *name;
    int *number;
    int low, high;
    const char **text; /* with number NULL. A text of NULL is left out of the file */
} Fact;

enum { STORE_FACTS = 24 };

typedef struct {
    Safetensors file;
    const char *path;
} Store;

bool store_save(const char *path, const char *example, const Fact *facts, const Params *p);

/* Reads the file and fills what the facts point to; a text that it lacks becomes NULL. False, with an error that
 * says what was found and expected and with nothing changed, for a file of another example or without one of
 * the numbers. */
bool store_open(Store *s, const char *path, const char *example, const Fact *facts);

/* Its weights into a model built by the facts. */
bool store_weights(const Store *s, Params *p);
void store_close(Store *s);

#ifndef GRADUS_INSIDE
#define store_save(...)    TENSOR_PLACED_OK(store_save(__VA_ARGS__))
#define store_open(...)    TENSOR_PLACED_OK(store_open(__VA_ARGS__))
#define store_weights(...) TENSOR_PLACED_OK(store_weights(__VA_ARGS__))
#endif

#endif
