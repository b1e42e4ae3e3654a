/* store.c: see store.h. The configuration stands in the file's metadata, one pair a number. */
#include "examples/attention/store.h"

#include <stdlib.h>
#include <string.h>

#define EXAMPLE "gradus attention"

/* The numbers of a ModelConfig under their names, as the file has them. */
typedef struct {
    const char *name;
    int low, high;
} Field;

static const Field fields[] = {
    {"words", 1, 1 << 20}, {"answers", 1, 1 << 20},   {"channels", 1, 1 << 14},
    {"heads", 1, 1 << 14}, {"layers", 0, LAYERS_MAX}, {"longest", 1, 1 << 20},
    {"position", 0, 2},    {"causal", 0, 1},          {"window", 0, 1 << 20},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void to_numbers(const ModelConfig *c, int number[FIELDS])
{
    int all[FIELDS] = {c->words,   c->answers,       c->channels, c->heads, c->layers,
                       c->longest, (int)c->position, c->causal,   c->window};
    memcpy(number, all, sizeof all);
}

static void from_numbers(const int number[FIELDS], ModelConfig *c)
{
    *c = (ModelConfig){.words = number[0],
                       .answers = number[1],
                       .channels = number[2],
                       .heads = number[3],
                       .layers = number[4],
                       .longest = number[5],
                       .position = (PositionKind)number[6],
                       .causal = number[7] != 0,
                       .window = number[8]};
}

bool model_save(const Model *m, const Params *p, const char *vocabulary, const char *path)
{
    const char *metadata[2 * (FIELDS + 2)];
    char text[FIELDS][16];
    int number[FIELDS], n = 0;
    to_numbers(&m->config, number);
    metadata[n++] = "example";
    metadata[n++] = EXAMPLE;
    for (int i = 0; i < FIELDS; i++) {
        snprintf(text[i], sizeof text[i], "%d", number[i]);
        metadata[n++] = fields[i].name;
        metadata[n++] = text[i];
    }
    if (vocabulary) {
        metadata[n++] = "vocabulary";
        metadata[n++] = vocabulary;
    }
    return params_save(p, path, metadata, n / 2);
}

static const char *find(const Safetensors *file, const char *key)
{
    for (int i = 0; i < file->metadata_count; i++)
        if (strcmp(file->metadata[2 * i], key) == 0)
            return file->metadata[2 * i + 1];
    return NULL;
}

bool model_read(const char *path, Safetensors *file, ModelConfig *config, const char **vocabulary)
{
    int number[FIELDS];
    if (!safetensors_read(file, path))
        return false;
    const char *example = find(file, "example");
    bool ours = example && strcmp(example, EXAMPLE) == 0;
    for (int i = 0; ours && i < FIELDS; i++) {
        const char *text = find(file, fields[i].name);
        char *end = NULL;
        long value = text ? strtol(text, &end, 10) : 0;
        ours = text && end != text && !*end && value >= fields[i].low && value <= fields[i].high;
        number[i] = (int)value;
    }
    *vocabulary = find(file, "vocabulary");
    if (ours) {
        from_numbers(number, config);
        return true;
    }
    safetensors_free(file);
    return tensor_fail(
        "%s: found a weight file of something else; expected one that this example's --save "
        "wrote",
        path);
}
