/* store.h: a trained model as one file: its weights, and what is needed to build it again. */
#ifndef ATTENTION_STORE_H
#define ATTENTION_STORE_H

#include "examples/attention/model.h"

/* vocabulary: the characters of a character model, or NULL for a model of words. */
bool model_save(const Model *m, const Params *p, const char *vocabulary, const char *path);

/* What the file says of the model in it. vocabulary lives until safetensors_free(file), NULL for a model of
 * words. False, with an error, for a file that this example did not write. */
bool model_read(const char *path, Safetensors *file, ModelConfig *config, const char **vocabulary);

#endif
